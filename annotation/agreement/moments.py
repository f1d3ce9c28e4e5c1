"""Moments: the units of analysis when raters choose which steps to mark. Pure functions of marks.

Raters do not label given items; they choose where to press. The unit of analysis that makes their marks comparable is
the *moment*: a stretch of ``tolerance + 1`` steps that begins at a mark which is in no earlier moment. Of every rater
it has the first mark in it that is in no earlier moment, or none; so no two marks of a moment are more than the
tolerance apart, a rater is in it once, and the order of the raters does not matter. Where nobody marks anything they
agree, too, and leaving that out would underestimate chance: steps between moments count as *quiet* units
of the same length, in which every rater has the label 0. Krippendorff's alpha (nominal; +1, -1, 0) is over both.
Units that are laid around marks favour agreement a little: with 14 marks in five minutes and a tolerance of 4 steps,
chance comes to 0.03 instead of 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from annotation.agreement.krippendorff import coincidence_matrix
from rlhf.records.marks import PROGRESS, REGRESS, Mark

NOTHING = 0  # the label of a rater who has no mark in a unit
LABELS = (NOTHING, PROGRESS, REGRESS)


@dataclass(frozen=True, eq=False)
class MomentLabels:
    """The units of one episode that R raters have marked.

    Args:
      labels: int8 [R, M], each rater's label of each moment.
      quiet: how many units there are without any mark.
    """

    labels: np.ndarray
    quiet: int


def find_moments(raters: Sequence[Sequence[Mark]], steps: int, tolerance: int) -> MomentLabels:
    """Return the units of an episode. Raises ValueError if the tolerance is negative."""
    if tolerance < 0:
        raise ValueError(f"the tolerance counts steps from 0, not {tolerance}")
    waiting = [sorted((mark.step, mark.sign) for mark in marks) for marks in raters]
    columns, quiet, free = [], 0, 0  # free: the first step that is in no unit yet
    while any(waiting):
        begin = min(marks[0][0] for marks in waiting if marks)
        inside = [bool(marks) and marks[0][0] <= begin + tolerance for marks in waiting]
        columns.append([marks.pop(0)[1] if here else NOTHING for marks, here in zip(waiting, inside, strict=True)])
        quiet += max(0, begin - free) // (tolerance + 1)
        free = max(free, begin + tolerance + 1)
    quiet += max(0, steps - free) // (tolerance + 1)
    labels = np.array(columns, np.int8).reshape(len(columns), len(raters)).T
    return MomentLabels(labels, quiet)


def coincidences(moments: MomentLabels) -> np.ndarray:
    """Return Krippendorff's coincidence matrix of an episode, float64 [3, 3] by ``LABELS``.

    It is 0 with fewer than two raters; matrices of episodes with different raters add up.
    """
    counts = np.stack([(moments.labels == label).sum(axis=0) for label in LABELS], axis=1)
    found = coincidence_matrix(counts)
    raters = len(moments.labels)
    found[0, 0] += moments.quiet * raters if raters > 1 else 0.0
    return found
