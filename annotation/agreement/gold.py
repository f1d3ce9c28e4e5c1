"""Gold episodes: a rater's marks compared with known ones. Pure functions.

A mark is *right* if a known mark of the same sign is at most a tolerance away (``match_marks``
pairs them, each with one at most). A pair of opposite signs counts as one known mark missed and one given too much.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.agreement.measures import match_marks
from rlhf.records.marks import Mark

TRAINING, QUALITY = "training", "quality"


@dataclass(frozen=True)
class Score:
    """Counts of a comparison with known marks."""

    given: int = 0
    known: int = 0
    right: int = 0

    @property
    def precision(self) -> float:
        """Share of the given marks that are right; nan if none was given."""
        return self.right / self.given if self.given else float("nan")

    @property
    def recall(self) -> float:
        """Share of the known marks that were found; nan if there are none."""
        return self.right / self.known if self.known else float("nan")

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall; nan if no mark was given or known."""
        return 2 * self.right / (self.given + self.known) if self.given + self.known else float("nan")

    def __add__(self, other: Score) -> Score:
        return Score(self.given + other.given, self.known + other.known, self.right + other.right)


@dataclass(frozen=True)
class Comparison:
    """A rater's marks of one episode against the known ones: pairs of the same sign, and what is left on each side."""

    matched: tuple[tuple[Mark, Mark], ...]  # given, known
    missed: tuple[Mark, ...]  # known
    extra: tuple[Mark, ...]  # given

    @property
    def score(self) -> Score:
        """The counts."""
        right = len(self.matched)
        return Score(right + len(self.extra), right + len(self.missed), right)


def compare(given: Sequence[Mark], known: Sequence[Mark], tolerance: int) -> Comparison:
    """Compare ``given`` marks of one episode with the ``known`` ones.

    Raises ValueError if the tolerance is negative or the marks belong to more than one episode.
    """
    matched = [pair for sign in (1, -1) for pair in match_marks(_of(given, sign), _of(known, sign), tolerance)]
    matched.sort(key=lambda pair: pair[1].step)
    found, right = {id(known) for _, known in matched}, {id(given) for given, _ in matched}
    return Comparison(
        tuple(matched),
        tuple(mark for mark in known if id(mark) not in found),
        tuple(mark for mark in given if id(mark) not in right),
    )


def _of(marks: Sequence[Mark], sign: int) -> list[Mark]:
    return [mark for mark in marks if mark.sign == sign]


def purpose_due(history: Sequence[str], every: int) -> str:
    """Return the purpose, besides training, for which the rater's next episode should be gold.

    Args:
      history: of the rater's episodes so far, in order, the purpose each was given for; "" for ordinary ones.
      every: one in so many is for quality; 0: none.

    Returns:
      QUALITY, or "" for an ordinary episode.
    """
    since = 0
    for purpose in reversed([purpose for purpose in history if purpose != TRAINING]):
        if purpose == QUALITY:
            break
        since += 1
    return QUALITY if every and since >= every - 1 else ""
