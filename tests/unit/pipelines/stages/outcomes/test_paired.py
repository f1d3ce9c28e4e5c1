"""Outcomes are paired by the seeds of the episodes, whatever their order."""

from __future__ import annotations

import numpy as np
import pytest

from pipelines.report.data import Outcomes
from pipelines.stages.outcomes.paired import at_probe, ordered, paired


def test_outcomes_are_paired_by_the_episodes_seeds() -> None:
    before = Outcomes("BC", "go", 0, (3, 1, 2), (True, False, False))
    after = Outcomes("BC+RL", "go", 0, (1, 2, 3), (True, False, False))
    assert np.array_equal(ordered(before), [0, 0, 1])
    assert np.array_equal(paired(after, before), [1, 0, -1])
    assert at_probe([before], "go") is before


@pytest.mark.parametrize(
    "other", [Outcomes("BC", "go", 0, (1, 2, 4), (True,) * 3), Outcomes("BC", "lift", 0, (1, 2, 3), (True,) * 3)]
)
def test_other_episodes_are_refused(other: Outcomes) -> None:
    with pytest.raises(ValueError, match="BC[+]RL and BC did not play the same episodes of go"):
        paired(Outcomes("BC+RL", "go", 0, (1, 2, 3), (True,) * 3), other)
