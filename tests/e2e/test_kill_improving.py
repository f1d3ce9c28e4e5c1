"""``kill -9`` three times in the middle of an improvement, and it ends in the very same weights and metrics."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from pipelines.stages.improve import improve
from pipelines.stages.improve_config import ImproveConfig
from rlhf.learning.config import ExecutorConfig
from rlhf.run.checkpoint import Checkpoints
from tests.e2e.test_kill_training import has_reached, kill_until_it_learns
from tests.processes import kill_rlhf, rlhf
from tests.unit.pipelines.stages import small_improvement

pytestmark = pytest.mark.e2e

UPDATES = 60


def test_an_improvement_killed_three_times_ends_as_one_that_was_not(tmp_path: Path) -> None:
    small_improvement.make(tmp_path / "made")
    settings = small_improvement.settings(
        tmp_path / "made", tmp_path, updates=UPDATES, evaluate_every=10, checkpoint_every=3,
        execution=ExecutorConfig(overlap=True, reuse=2, recent=3),
    )  # fmt: skip
    whole = improve(settings).parent
    run = tmp_path / "killed"
    begun = settings_as_words(replace(settings, name="killed"))
    kill_until_it_learns(tmp_path, run, "improve", *begun)
    kill_rlhf(tmp_path, partial(has_reached, run, 3), 5, "improve", f"--resume={run}")
    for update, later in ((12, 0), (24, 10)):
        kill_rlhf(tmp_path, partial(has_reached, run, update), later, "improve", f"--resume={run}")
        assert Checkpoints(run).latest().step < UPDATES
    rlhf(tmp_path, "improve", f"--resume={run}").succeed()
    small_improvement.assert_same_end(run, whole)


def settings_as_words(config: ImproveConfig) -> list[str]:
    """The settings of ``config`` that the tests change, as one would type them."""
    return [
        f"--data={config.data[0]}", f"--agent={config.agent}", f"--reward-model={config.reward_model}",
        f"--runs={config.runs}", f"--name={config.name}", f"--slots={config.slots}", f"--steps={config.steps}",
        f"--batch={config.batch}", f"--updates={config.updates}", f"--evaluate-every={config.evaluate_every}",
        f"--checkpoint-every={config.checkpoint_every}", f"--threads={config.threads}", "--torch-threads=1",
        "--wandb=disabled", f"--world.height={config.world.height}", f"--world.width={config.world.width}",
        f"--world.settings={json.dumps(config.world.settings)}",
        f"--learner.learning-rate={config.learner.learning_rate}", "--execution.overlap",
        f"--execution.reuse={config.execution.reuse}", f"--execution.recent={config.execution.recent}",
    ]  # fmt: skip
