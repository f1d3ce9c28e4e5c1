"""Success over updates, from files written by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from experiments.engine.config import ExperimentConfig, curve_of, folder_of
from experiments.engine.curves import curves_table, followed
from experiments.interactive_agents import plateau
from pipelines.stages.running.staged_run import FinishedStage, save_finished_stages

ARM, OTHER = "BC+RL (scripted reward)", "BC+RL (IBT, read later)"
CORE_SECONDS = 7200.0  # of each improvement
LAST = plateau.improving().updates


@pytest.fixture
def config(tmp_path: Path) -> ExperimentConfig:
    """Two seeds of an arm at three checkpoints, of two probes and two episodes each; a second arm is unfinished."""
    preset = plateau.experiment()
    config = replace(preset, run=tmp_path, seeds=(0, 1), curves=(ARM, OTHER), curve_episodes=2)
    successes = {0: {0: (0, 1), 250: (1, 1), LAST: (2, 1)}, 1: {0: (0, 0), 250: (1, 0), LAST: (2, 2)}}
    for seed, checkpoints in successes.items():
        path = curve_of(config, ARM, seed)
        path.parent.mkdir(parents=True)
        rows = [
            {"agent": str(update), "probe": probe, "seeds": [0, 1], "success": [i < right for i in range(2)],
             "steps": [None, None]}
            for update, both in checkpoints.items() for probe, right in zip(("go", "lift"), both, strict=True)
        ]  # fmt: skip
        path.write_text(json.dumps(rows))
        curve_of(config, OTHER, seed).write_text(json.dumps(rows))
        done = [FinishedStage(f"improve {ARM}", 1.0, core_seconds=CORE_SECONDS), FinishedStage(f"follow {ARM}", 1.0)]
        save_finished_stages(folder_of(config, seed), done)
    return config


def test_success_is_the_mean_over_probes(config: ExperimentConfig) -> None:
    series = followed(config)
    assert set(series) == {ARM}, "the other one's checkpoints are not all evaluated"
    (updates, first), (_, second) = series[ARM]
    assert updates.tolist() == [0, 250, LAST]
    assert first.tolist() == [0.25, 0.5, 0.75]
    assert second.tolist() == [0.0, 0.25, 1.0]


def test_the_table_has_steps_and_core_hours(config: ExperimentConfig) -> None:
    improve = config.arms[ARM].improve
    assert improve is not None
    lines = curves_table(config).splitlines()
    assert "| 0 | 0.00 | 12 (0 to 25) | 0.00 | not run |  |" in lines
    steps = LAST * improve.slots * improve.steps / 1e6
    assert f"| {LAST:,} | {steps:.2f} | 88 (75 to 100) | 2.00 | not run |  |" in lines
    assert any(line.startswith("| 250 |") and f"| {2 * 250 / LAST:.2f} | not run |  |" in line for line in lines)
