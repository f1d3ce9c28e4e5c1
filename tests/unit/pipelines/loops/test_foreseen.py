"""What was said as a reward model expected it."""

from __future__ import annotations

import numpy as np

from annotation.server.teacher import Predicted
from pipelines.loops.foreseen import count_foreseen
from rlhf.records.marks import Mark
from rlhf.records.preferences import RequestVerdict


def test_rising_utility_foresees_progress_and_success() -> None:
    utilities = {"up": np.arange(20.0), "down": -np.arange(20.0)}
    marks = [
        Mark("up", "ann", 0, 1, False),
        Mark("up", "ann", 19, -1, False),  # not foreseen
        Mark("down", "ann", 9, -1, False),
        Mark("elsewhere", "ann", 9, -1, False),
    ]
    verdicts = [
        RequestVerdict("up", 3, 20, "success", "ann", False),
        RequestVerdict("down", 3, 20, "success", "ann", False),  # not foreseen
        RequestVerdict("down", 0, 2, "failure", "ann", False),
        RequestVerdict("down", 0, 2, "cannot tell", "ann", False),
    ]
    assert count_foreseen(utilities, marks, verdicts) == Predicted(4, 6)
