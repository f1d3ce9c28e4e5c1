"""Processor time of the arms of an experiment, summed up by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from experiments.engine.config import folder_of
from experiments.engine.costs import costs, costs_table
from experiments.interactive_agents import marks_use
from pipelines.stages.running.staged_run import FinishedStage, save_finished_stages

SECONDS = {
    "demonstrations": 3600.0, "clone bc": 7200.0, "play": 360.0, "marks": 36.0, "reward reward-later": 1800.0,
    "refine-kto": 720.0, "improve KTO + RL": 3600.0, "evaluate KTO": 9000.0,
}  # fmt: skip


def test_an_arm_costs_the_stages_that_it_needs_once_each(tmp_path: Path) -> None:
    config = replace(marks_use.experiment(), run=tmp_path, seeds=(0, 1), begins_with={})
    for seed, factor in ((0, 1.0), (1, 3.0)):
        folder_of(config, seed).mkdir()
        done = [FinishedStage(name, 1.0, core_seconds=factor * seconds) for name, seconds in SECONDS.items()]
        save_finished_stages(folder_of(config, seed), done)
    found = costs(config)
    assert set(found) == {"BC", "KTO", "KTO + RL"}, "the others' stages are not finished"
    assert (found["BC"][0].whole, found["BC"][0].own) == (3.0, 0.0)
    assert found["KTO"][0].own == pytest.approx((360 + 36 + 720) / 3600)
    assert found["KTO + RL"][0].own == pytest.approx((360 + 36 + 1800 + 720 + 3600) / 3600)
    assert found["KTO + RL"][1].whole == pytest.approx(3 * found["KTO + RL"][0].whole)
    assert "| KTO | 6.62 | 0.62 | 0, 1 |" in costs_table(config)


def test_an_arm_with_a_stage_that_was_not_measured_is_left_out(tmp_path: Path) -> None:
    """As stages of older versions were not."""
    config = replace(marks_use.experiment(), run=tmp_path, seeds=(0,), begins_with={})
    folder_of(config, 0).mkdir()
    done = [FinishedStage(name, 1.0, core_seconds=None if name == "play" else 1.0) for name in SECONDS]
    save_finished_stages(folder_of(config, 0), done)
    assert set(costs(config)) == {"BC"}
