"""Marks that a reward model would give, and their agreement with those of raters.

A model "marks" the moments at which its reward peaks. These depend on a threshold of the peaks' size, which must be
chosen on other play than the model is evaluated on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from reward_models.marks.pairs import MINUS, PLUS

SIGNS = {PLUS: 1, MINUS: -1}
CANDIDATES = 60  # thresholds that are tried


class MarkedSteps(NamedTuple):
    """Steps of one episode that a rater or a model marked: int64 [n] each, rising."""

    plus: np.ndarray
    minus: np.ndarray

    @classmethod
    def of(cls, counts: np.ndarray) -> MarkedSteps:
        """Marked steps of one rater's ``counts`` [T, 2]; a step marked twice occurs twice."""
        steps = np.arange(len(counts))
        times = np.asarray(counts).astype(np.int64)
        return cls(steps.repeat(times[:, PLUS]), steps.repeat(times[:, MINUS]))

    def counts(self, steps: int) -> np.ndarray:
        """Counts int64 [T, 2] of an episode of ``steps`` steps; the inverse of :meth:`of`."""
        return np.stack([np.bincount(self[sign], minlength=steps) for sign in SIGNS], axis=1)


def peaks(reward: np.ndarray, threshold: float, reach: int) -> MarkedSteps:
    """Moments of ``reward`` [T] of at least ``threshold`` in size, none within ``reach`` steps of a larger one.

    Of two equal ones the earlier stays. Either sign suppresses the other: a moment is good or bad.

    Raises:
      ValueError: unless the threshold is above 0.
    """
    if not threshold > 0:
        raise ValueError(f"a peak's threshold is above 0, not {threshold}")
    size = np.abs(np.asarray(reward, dtype=np.float64))
    found = np.flatnonzero(size >= threshold)
    suppressed = np.zeros(len(size), dtype=bool)
    kept = []
    for step in found[np.argsort(-size[found], kind="stable")].tolist():
        if not suppressed[step]:
            kept.append(step)
            suppressed[max(0, step - reach) : step + reach + 1] = True
    steps = np.sort(np.array(kept, dtype=np.int64))
    return MarkedSteps(steps[reward[steps] > 0], steps[reward[steps] < 0])


def matched(first: np.ndarray, second: np.ndarray, tolerance: int) -> int:
    """Size of the largest matching of two rising lists of steps, pairs at most ``tolerance`` apart.

    This is the number of pairs that ``match_marks`` finds among marks of one sign, in linear time: pairing the
    earliest possible steps leaves most to the later ones.
    """
    pairs = i = j = 0
    while i < len(first) and j < len(second):
        difference = int(first[i]) - int(second[j])
        if abs(difference) <= tolerance:
            pairs, i, j = pairs + 1, i + 1, j + 1
        elif difference < 0:
            i += 1
        else:
            j += 1
    return pairs


@dataclass(frozen=True, eq=False)
class MarkTally:
    """Counts of predicted and given moments and of their matches; float64 [..., 2] each, by sign: (+), (-)."""

    matched: np.ndarray = field(default_factory=lambda: np.zeros(2))
    predicted: np.ndarray = field(default_factory=lambda: np.zeros(2))
    given: np.ndarray = field(default_factory=lambda: np.zeros(2))

    def __add__(self, other: MarkTally) -> MarkTally:
        return MarkTally(self.matched + other.matched, self.predicted + other.predicted, self.given + other.given)

    @property
    def f1(self) -> np.ndarray:
        """F1 score, 2 matched / (predicted + given), [..., 2]; nan where both are 0."""
        both = self.predicted + self.given
        return 2.0 * self.matched / np.where(both > 0, both, np.nan)


def compare(predicted: MarkedSteps, given: MarkedSteps, tolerance: int) -> MarkTally:
    """Tally of one episode's ``predicted`` against one rater's ``given``, for each sign."""
    return MarkTally(
        np.array([matched(p, g, tolerance) for p, g in zip(predicted, given, strict=True)], dtype=np.float64),
        np.array([len(p) for p in predicted], dtype=np.float64),
        np.array([len(g) for g in given], dtype=np.float64),
    )


def against_raters(predicted: MarkedSteps, raters: Iterable[MarkedSteps], tolerance: int) -> MarkTally:
    """Sum of the tallies of one episode's ``predicted`` against each of its raters."""
    return sum((compare(predicted, given, tolerance) for given in raters), MarkTally())


def among_raters(raters: Sequence[MarkedSteps], tolerance: int) -> MarkTally:
    """Sum of the tallies of each rater of one episode against each other one: the ceiling for a model.

    Every pair counts in both directions, so that precision, recall and F1 are equal.
    """
    return sum(
        (compare(a, b, tolerance) for i, a in enumerate(raters) for j, b in enumerate(raters) if i != j), MarkTally()
    )


def choose_threshold(
    rewards: Sequence[np.ndarray], raters: Sequence[Sequence[MarkedSteps]], reach: int, tolerance: int
) -> float | None:
    """Choose the threshold with the best mean F1 of (+) and (-); a sign that no rater gave does not count.

    Args:
      rewards: [T] of every episode.
      raters: of every episode, the moments that each of its raters marked.
      reach: steps within which a larger peak suppresses a smaller one.

    Returns:
      The largest of the best, among sizes of reward that occur; None if there are no marks, or all rewards are 0.
    """
    sizes = np.abs(np.concatenate([*rewards, np.zeros(0)]))
    sizes, given = sizes[sizes > 0], sum(len(steps) for some in raters for one in some for steps in one)
    if not len(sizes) or not given:
        return None
    # Marks are rare, so good thresholds are high: the numbers of steps above the candidates are spaced geometrically.
    above = np.unique(np.geomspace(1, len(sizes), CANDIDATES).astype(int))
    best, chosen = -1.0, None
    for threshold in np.sort(sizes)[::-1][above - 1].tolist():
        tally = MarkTally()
        for reward, some in zip(rewards, raters, strict=True):
            tally += against_raters(peaks(reward, threshold, reach), some, tolerance)
        score = float(tally.f1[tally.given > 0].mean())
        if score > best:
            best, chosen = score, threshold
    return chosen
