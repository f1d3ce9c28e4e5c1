"""Marks of one rater at given steps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reward_models.marks.pairs import MINUS, PLUS


def marks_at(steps: int, plus: Sequence[int] = (), minus: Sequence[int] = ()) -> np.ndarray:
    """Counts of marks, uint8 [steps, 1, 2]."""
    marks = np.zeros((steps, 1, 2), dtype=np.uint8)
    for sign, given in ((PLUS, plus), (MINUS, minus)):
        np.add.at(marks[:, 0, sign], list(given), 1)
    return marks
