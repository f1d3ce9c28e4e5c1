"""Moments: what raters are compared on when each of them marks whatever steps they like. Pure functions of marks.

Raters do not label given things; they choose where to press. The unit of analysis that makes their marks comparable is
the *moment*: a stretch of ``tolerance + 1`` steps that begins at a mark which is in no earlier moment. Of every rater
it has the first mark in it that is in no earlier moment, or none; so no two marks of a moment are more than the
tolerance apart, a rater is in it once, and the order of the raters does not matter. Where nobody marks anything they
agree, too, and leaving that out would make chance look better than it is: steps between moments count as *quiet* units
of the same length, in which every rater has the label 0. Krippendorff's alpha (nominal; +1, -1, 0) is taken over both.
Units that are laid around marks favour agreement a little: with 14 marks in five minutes and a tolerance of 4 steps,
chance comes to 0.03 instead of 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rlhf.records.marks import PROGRESS, REGRESS, Mark

NOTHING = 0  # the label of a rater who has no mark in a unit
LABELS = (NOTHING, PROGRESS, REGRESS)


@dataclass(frozen=True, eq=False)
class MomentLabels:
    """The units of one episode that R raters have marked.

    Args:
      labels: int8 [R, M], what each says of each moment. quiet: how many units there are in which nobody says anything.
    """

    labels: np.ndarray
    quiet: int


def find_moments(raters: Sequence[Sequence[Mark]], steps: int, tolerance: int) -> MomentLabels:
    """The units of an episode of ``steps`` steps, of which each of ``raters`` has given marks (or none).

    Raises:
      ValueError: if the tolerance is negative.
    """
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
    """Krippendorff's coincidence matrix of an episode, float64 [3, 3] by ``LABELS``; all 0 with fewer than two raters.

    Entry (c, k) counts, in every unit, the pairs of different raters of whom one says c and the other k, divided by the
    number of raters less one; matrices of episodes with different raters add up.
    """
    raters = len(moments.labels)
    found = np.zeros((len(LABELS), len(LABELS)))
    if raters < 2:
        return found
    counts = np.stack([(moments.labels == label).sum(axis=0) for label in LABELS], axis=1).astype(np.float64)
    found += counts.T @ counts
    found -= np.diag(counts.sum(axis=0))
    found[0, 0] += moments.quiet * raters * (raters - 1)
    return found / (raters - 1)


def alpha(matrices: np.ndarray) -> np.ndarray:
    """Krippendorff's nominal alpha of coincidence matrices [..., C, C]; nan where only one label occurs."""
    matrices = np.asarray(matrices, np.float64)
    by_label = matrices.sum(axis=-1)
    given = by_label.sum(axis=-1)
    same = np.trace(matrices, axis1=-2, axis2=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        observed = 1 - same / given
        expected = 1 - (by_label * (by_label - 1)).sum(axis=-1) / (given * (given - 1))
        return np.where(expected > 0, 1 - observed / expected, np.nan)
