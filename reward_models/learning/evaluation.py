"""Evaluation of a reward model on validation episodes, as recorded and with words exchanged."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from reward_models.contract import RewardModel
from reward_models.learning.mark_signal import TOLERANCE, signal_tally, stack_signal
from reward_models.learning.told_answers import ToldAnswers
from reward_models.marks.marked_play import MarkedPlay, altered
from reward_models.preferences.config import MARKS_ONLY, PreferenceConfig
from reward_models.preferences.examples import PreferenceExamples, preference_examples
from reward_models.preferences.losses import log_loss, measured_difference, right_order
from reward_models.scores.scoring import agreement, score
from rlhf.records.preferences import PREFERENCES, Preference

# Metric that selects the best model. Plain pair accuracy can select an untrained one: where nine marks in ten are (+),
# a utility that always rises orders nine pairs in ten correctly.
SELECTED_BY = "balanced_accuracy"
SIGNAL = "signal_to_noise"


def selection_score(metrics: Mapping[str, float], prefix: str = "") -> float:
    """Score by which the best model is selected: the mean of the accuracies on marks and on each kind of preference.

    Args:
      metrics: metrics of an evaluation; of marks only, the score is their :data:`SELECTED_BY`.
    """
    names = (SELECTED_BY, *(f"{kind}_accuracy" for kind in PREFERENCES))
    found = [metrics[prefix + name] for name in names if prefix + name in metrics]
    return sum(found) / len(found)


def _evenly(numbers: np.ndarray, most: int) -> np.ndarray:
    return numbers[np.linspace(0, len(numbers) - 1, min(most, len(numbers))).astype(int)]


@dataclass(frozen=True, eq=False)
class Evaluator:
    """Validation episodes on which models are compared, as recorded and with exchanged words.

    Args:
      episodes: numbers of the episodes of ``play`` that are scored.
      altered_episodes: numbers of the episodes of ``altered_play`` that could be altered.
      preferences: examples of preferences about ``play``, by the name of their table.
      answers: answers that were marked right, beside plausible wrong ones; None leaves them out.
    """

    play: MarkedPlay
    episodes: list[int]
    altered_play: MarkedPlay
    altered_episodes: list[int]
    preferences: Mapping[str, PreferenceExamples] = field(default_factory=dict)
    answers: ToldAnswers | None = None

    @classmethod
    def of(
        cls,
        play: MarkedPlay,
        most: int,
        preferences: Iterable[Preference] = (),
        config: PreferenceConfig = MARKS_ONLY,
        rater_delay: int = 1,
    ) -> Evaluator:
        """Evaluator on evenly spaced comparable episodes of ``play`` and examples of preferences.

        Args:
          most: episodes, and examples of each kind, at most.
          preferences: of this and perhaps other play; the others are left out.
          rater_delay: a (+) at most this many steps after a request may be about what was done before it.
        """
        picked = _evenly(play.comparable, most).tolist()
        examples = preference_examples(preferences, play, config)
        chosen = {kind: found.take(_evenly(np.arange(len(found)), most)) for kind, found in examples.items()}
        answers = ToldAnswers.of(play, picked, most)
        wrong = altered(play, picked, rater_delay)
        return cls(play, picked, *wrong, preferences=chosen, answers=answers)

    @property
    def selects(self) -> bool:
        """True if there is something by which a model can be better than another."""
        return bool(self.episodes) or any(found.decided.any() for found in self.preferences.values())

    def evaluate(self, model: RewardModel) -> dict[str, float]:
        """Evaluate ``model``: pair accuracies (all pairs of whole episodes alike), their baseline, signal to noise.

        ``majority`` is the accuracy of always predicting the commoner of better and worse; ``wrong_words_accuracy`` is
        the share of pairs, of those made worse by the exchange of words, that the model puts in falling order.
        ``answers_accuracy`` is the share of ``answers`` right answers that score above a plausible wrong one; either of
        two answers counts as much as the right one.
        ``signal_to_noise`` is that of :mod:`reward_models.learning.mark_signal`. Metrics without pairs are left out.

        Of each kind of preference there are ``KIND_accuracy``, the share of the decided examples that the model orders
        as the rater did, and ``KIND_loss``, see :mod:`reward_models.preferences.losses`.

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
        if self.answers is not None and self.answers.weight.any():
            counted = float((self.answers.weight > 0).sum())
            metrics |= {"answers_accuracy": self.answers.accuracy(model), "answers": counted}
        for kind, difference in self.preference_differences(model).items():
            examples = self.preferences[kind]
            right = right_order(difference, examples.better)[examples.decided]
            metrics[f"{kind}_accuracy"] = float(right.mean()) if len(right) else math.nan
            metrics[f"{kind}_loss"] = log_loss(difference, examples.better)
        return {name: value for name, value in metrics.items() if not math.isnan(value)}

    def preference_differences(self, model: RewardModel) -> dict[str, np.ndarray]:
        """Measured difference of every example of a preference, float64 [K], by the name of its table."""
        utility = np.zeros(len(self.play.marks))
        involved = [found.begin[found.end > found.begin] for found in self.preferences.values()]
        episodes = np.unique(self.play.episode_of(np.concatenate([np.empty(0, np.int64), *involved]))).tolist()
        for episode, found in zip(episodes, score(model, self.play.episodes, episodes), strict=True):
            utility[self.play.rows(episode)] = found
        return {kind: measured_difference(utility, examples) for kind, examples in self.preferences.items()}

    def preferences_right(self, model: RewardModel) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """By kind of preference, the decided examples that the model orders correctly and all, by episode: [E] each."""
        found = {}
        for kind, difference in self.preference_differences(model).items():
            examples = self.preferences[kind]
            decided = examples.decided
            right = right_order(difference, examples.better)[decided]
            _, episode = np.unique(self.play.episode_of(examples.begin[decided, 0]), return_inverse=True)
            found[kind] = (np.bincount(episode, right), np.bincount(episode).astype(np.float64))
        return found

    def pairs_right(self, model: RewardModel) -> tuple[np.ndarray, np.ndarray]:
        """Weight of the pairs that the model orders correctly and of all pairs, by episode: float64 [E] each."""
        utilities = score(model, self.play.episodes, self.episodes)
        found = [agreement([u], self.play, [e]) for u, e in zip(utilities, self.episodes, strict=True)]
        right = np.array([one.right_plus + one.right_minus for one in found])
        return right, np.array([one.plus + one.minus for one in found])
