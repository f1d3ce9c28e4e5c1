"""How far raters agree. Pure functions of marks; nothing here knows episodes, files or people.

Two questions are kept apart: did both mark the same *moments* (:func:`match_marks`), and where they did, with
the same *sign*. Krippendorff's alpha answers both at once, corrected for chance, for any number of raters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rlhf.records.marks import Mark

BOTH_SIGNS = 2  # label of a window in which a rater gave marks of both signs
NOT_RATED = np.nan  # label of a window in an episode that the rater has not seen


@dataclass(frozen=True)
class Agreement:
    """Counts from comparing the marks of two raters on the same episodes."""

    same_sign: int  # moments both marked, with one sign
    opposite_sign: int  # moments both marked, with opposite signs
    only_first: int
    only_second: int

    @property
    def overall(self) -> float:
        """Share of all marked moments that both marked with the same sign; nan if nobody marked anything."""
        return _share(self.same_sign, self.same_sign + self.opposite_sign + self.only_first + self.only_second)

    @property
    def of_moments(self) -> float:
        """Share of all marked moments that both marked, whatever the sign."""
        both = self.same_sign + self.opposite_sign
        return _share(both, both + self.only_first + self.only_second)

    @property
    def of_signs(self) -> float:
        """Share of the moments both marked on whose sign they agree."""
        return _share(self.same_sign, self.same_sign + self.opposite_sign)

    def __add__(self, other: Agreement) -> Agreement:
        return Agreement(
            self.same_sign + other.same_sign,
            self.opposite_sign + other.opposite_sign,
            self.only_first + other.only_first,
            self.only_second + other.only_second,
        )


def match_marks(first: Sequence[Mark], second: Sequence[Mark], tolerance: int) -> list[tuple[Mark, Mark]]:
    """Pair marks of two raters of one episode that are at most ``tolerance`` steps apart.

    Each mark is in one pair at most and pairs do not cross. Among such pairings: as many pairs as possible,
    then as few opposite signs as possible, then the smallest sum of distances.

    Raises:
      ValueError: if the tolerance is negative or the marks belong to more than one episode.
    """
    if tolerance < 0:
        raise ValueError(f"the tolerance counts steps from 0, not {tolerance}")
    if len({m.episode_id for m in (*first, *second)}) > 1:
        raise ValueError("marks of one episode are compared at a time")
    a, b = sorted(first, key=lambda m: m.step), sorted(second, key=lambda m: m.step)
    # best[i][j]: (minus pairs, opposite signs, distance) of the best pairing of a[i:] with b[j:]
    best = [[(0, 0, 0)] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in reversed(range(len(a))):
        for j in reversed(range(len(b))):
            best[i][j] = min(best[i + 1][j], best[i][j + 1], _paired(a[i], b[j], best[i + 1][j + 1], tolerance))
    pairs, i, j = [], 0, 0
    while i < len(a) and j < len(b):
        if best[i][j] == _paired(a[i], b[j], best[i + 1][j + 1], tolerance):
            pairs.append((a[i], b[j]))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


def pairwise_agreement(first: Sequence[Mark], second: Sequence[Mark], tolerance: int) -> Agreement:
    """Compare two raters' marks of one episode; add the results up over episodes. Raises as match_marks."""
    pairs = match_marks(first, second, tolerance)
    same = sum(a.sign == b.sign for a, b in pairs)
    return Agreement(same, len(pairs) - same, len(first) - len(pairs), len(second) - len(pairs))


def window_labels(marks: Sequence[Mark] | None, steps: int, window: int) -> np.ndarray:
    """One rater's label of each window of ``window`` steps: float64 [ceil(steps / window)].

    0 no mark, +1 or -1 marks of that sign only, BOTH_SIGNS; all NOT_RATED where ``marks`` is None.

    Raises:
      ValueError: if a mark lies outside the episode or the window is empty.
    """
    if window < 1:
        raise ValueError(f"a window has at least one step, not {window}")
    count = -(-steps // window)
    if marks is None:
        return np.full(count, NOT_RATED)
    labels = np.zeros(count)
    for mark in marks:
        if mark.step >= steps:
            raise ValueError(f"a mark at step {mark.step} lies outside an episode of {steps} steps")
        old = labels[mark.step // window]
        labels[mark.step // window] = mark.sign if old in (0, mark.sign) else BOTH_SIGNS
    return labels


def krippendorff_alpha(labels: np.ndarray) -> float:
    """Krippendorff's alpha for nominal labels [raters, units]; nan where a rater gave none.

    alpha = 1 - observed / expected disagreement: 1 is agreement, 0 is chance (Krippendorff 2011,
    "Computing Krippendorff's Alpha-Reliability"). nan if no unit has two labels or only one value occurs.

    Raises:
      ValueError: if ``labels`` is not two-dimensional.
    """
    labels = np.asarray(labels, dtype=np.float64)
    if labels.ndim != 2:
        raise ValueError(f"labels have the shape [raters, units], not {labels.shape}")
    values = np.unique(labels[~np.isnan(labels)])
    counts = np.stack([(labels == value).sum(axis=0) for value in values], axis=1) if len(values) else np.zeros((0, 0))
    counts = counts[counts.sum(axis=1) >= 2].astype(np.float64)  # [units, values]; a lone label pairs with nothing
    given = counts.sum(axis=1, keepdims=True)
    pairable = given.sum()
    if pairable == 0 or len(values) < 2:
        return float("nan")
    coincidence_agree = (counts * (counts - 1) / (given - 1)).sum()
    totals = counts.sum(axis=0)
    observed = 1 - coincidence_agree / pairable
    expected = 1 - (totals * (totals - 1)).sum() / (pairable * (pairable - 1))
    return float(1 - observed / expected) if expected > 0 else float("nan")


def _paired(a: Mark, b: Mark, rest: tuple[int, int, int], tolerance: int) -> tuple[int, int, int]:
    distance = abs(a.step - b.step)
    if distance > tolerance:
        return (1, 0, 0)  # worse than any pairing
    return rest[0] - 1, rest[1] + (a.sign != b.sign), rest[2] + distance


def _share(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")
