"""The examination of a reward model: episodes it has not learned from, as they were and with words exchanged."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from reward_models.contract import RewardModel
from reward_models.mark_signal import TOLERANCE, signal_tally, stack_signal
from reward_models.marked_play import MarkedPlay, altered
from reward_models.scoring import agreement, score

# Chooses the model that is kept. Plain pair accuracy once chose an untrained one: where nine marks in ten are (+), a
# utility that always rises orders nine pairs in ten rightly.
SELECTED_BY = "balanced_accuracy"
SIGNAL = "signal_to_noise"


@dataclass(frozen=True, eq=False)
class Evaluator:
    """Episodes that are not learned from, as they are and with exchanged words, on which models are compared.

    Args:
      play, episodes: the marked play and the numbers of the episodes in it that are scored.
      altered_play, altered_episodes: the same of those that could be made wrong by other words.
    """

    play: MarkedPlay
    episodes: list[int]
    altered_play: MarkedPlay
    altered_episodes: list[int]

    @classmethod
    def of(cls, play: MarkedPlay, most: int) -> Evaluator:
        """At most ``most`` comparable episodes of ``play``, spread evenly over it."""
        comparable = play.comparable
        picked = comparable[np.linspace(0, len(comparable) - 1, min(most, len(comparable))).astype(int)].tolist()
        return cls(play, picked, *altered(play, picked))

    def evaluate(self, model: RewardModel) -> dict[str, float]:
        """Pair accuracies (all pairs of whole episodes alike) and what they are to be compared with; signal to noise.

        ``majority`` is what one gets by always saying the commoner of better and worse; ``wrong_words_accuracy`` is
        the share of pairs, of those that got worse by the exchange of words alone, that the model then puts in falling
        order. ``signal_to_noise`` is that of :mod:`reward_models.mark_signal`. What has no pairs is left out.
        """
        utilities = score(model, self.play.episodes, self.episodes)
        altered_utilities = score(model, self.altered_play.episodes, self.altered_episodes)
        own = agreement(utilities, self.play, self.episodes)
        wrong = agreement(altered_utilities, self.altered_play, self.altered_episodes, known=self.play)
        marks = [self.play.marks_of(episode).sum(axis=1) for episode in self.episodes]
        moved = stack_signal([signal_tally(u, m, TOLERANCE) for u, m in zip(utilities, marks, strict=True)])
        metrics = {
            "pair_accuracy": own.accuracy,
            "balanced_accuracy": own.balanced_accuracy,
            "accuracy_plus": own.accuracy_plus,
            "accuracy_minus": own.accuracy_minus,
            "majority": own.majority,
            "wrong_words_accuracy": wrong.accuracy_minus,
            SIGNAL: float(moved.weighted(np.ones(len(marks))).ratio),
        }
        return {name: value for name, value in metrics.items() if not math.isnan(value)}

    def pairs_right(self, model: RewardModel) -> tuple[np.ndarray, np.ndarray]:
        """Weight of the pairs that the model orders rightly and of all pairs, by episode: float64 [E] each."""
        utilities = score(model, self.play.episodes, self.episodes)
        found = [agreement([u], self.play, [e]) for u, e in zip(utilities, self.episodes, strict=True)]
        right = np.array([one.right_plus + one.right_minus for one in found])
        return right, np.array([one.plus + one.minus for one in found])
