"""Agreement of two raters. Pure functions of marks.

Two questions are kept apart: did both mark the same *moments* (:func:`match_marks`), and where they did, with
the same *sign*.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rlhf.records.marks import Mark


@dataclass(frozen=True)
class Agreement:
    """Counts from comparing the marks of two raters on the same episodes."""

    same_sign: int
    opposite_sign: int
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

    Raises ValueError if the tolerance is negative or the marks belong to more than one episode.
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
    """Compare two raters' marks of one episode, see :func:`match_marks`; results of several episodes add up."""
    pairs = match_marks(first, second, tolerance)
    same = sum(a.sign == b.sign for a, b in pairs)
    return Agreement(same, len(pairs) - same, len(first) - len(pairs), len(second) - len(pairs))


def _paired(a: Mark, b: Mark, rest: tuple[int, int, int], tolerance: int) -> tuple[int, int, int]:
    distance = abs(a.step - b.step)
    if distance > tolerance:
        return (1, 0, 0)  # worse than any pairing
    return rest[0] - 1, rest[1] + (a.sign != b.sign), rest[2] + distance


def _share(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")
