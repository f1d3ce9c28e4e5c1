"""Evaluation of a reward model on validation episodes, as recorded and with words exchanged."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from reward_models.contract import RewardModel
from reward_models.mark_signal import TOLERANCE, signal_tally, stack_signal
from reward_models.marked_play import MarkedPlay, altered
from reward_models.scoring import agreement, score

# Metric that selects the best model. Plain pair accuracy can select an untrained one: where nine marks in ten are (+),
# a utility that always rises orders nine pairs in ten correctly.
SELECTED_BY = "balanced_accuracy"
SIGNAL = "signal_to_noise"


@dataclass(frozen=True, eq=False)
class Evaluator:
    """Validation episodes on which models are compared, as recorded and with exchanged words.

    Args:
      play: the marked play.
      episodes: numbers of the episodes of ``play`` that are scored.
      altered_play: the play with words exchanged so that the behaviour becomes wrong.
      altered_episodes: numbers of the episodes of ``altered_play`` that could be altered.
    """

    play: MarkedPlay
    episodes: list[int]
    altered_play: MarkedPlay
    altered_episodes: list[int]

    @classmethod
    def of(cls, play: MarkedPlay, most: int) -> Evaluator:
        """Evaluator on at most ``most`` comparable episodes of ``play``, evenly spaced."""
        comparable = play.comparable
        picked = comparable[np.linspace(0, len(comparable) - 1, min(most, len(comparable))).astype(int)].tolist()
        return cls(play, picked, *altered(play, picked))

    def evaluate(self, model: RewardModel) -> dict[str, float]:
        """Evaluate ``model``: pair accuracies (all pairs of whole episodes alike), their baseline, signal to noise.

        ``majority`` is the accuracy of always predicting the commoner of better and worse; ``wrong_words_accuracy`` is
        the share of pairs, of those made worse by the exchange of words, that the model puts in falling order.
        ``signal_to_noise`` is that of :mod:`reward_models.mark_signal`. Metrics without pairs are left out.

        Returns:
          Metrics by name.
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
        """Weight of the pairs that the model orders correctly and of all pairs, by episode: float64 [E] each."""
        utilities = score(model, self.play.episodes, self.episodes)
        found = [agreement([u], self.play, [e]) for u, e in zip(utilities, self.episodes, strict=True)]
        right = np.array([one.right_plus + one.right_minus for one in found])
        return right, np.array([one.plus + one.minus for one in found])
