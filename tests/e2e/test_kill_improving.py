"""``kill -9`` three times in the middle of an improvement, and it ends in the very same weights and metrics."""

from __future__ import annotations

import json
import signal
import time
from dataclasses import replace
from pathlib import Path

import pytest

from pipelines.stages.improve import improve
from pipelines.stages.improve_config import ImproveConfig
from rlhf.learning.config import ExecutorConfig
from rlhf.run.checkpoint import Checkpoints
from tests.processes import Forked, rlhf
from tests.unit.pipelines.stages import small_improvement

pytestmark = pytest.mark.e2e

UPDATES = 60


def kill_after(update: int, process: Forked, run: Path) -> None:
    """``kill -9`` some time after the checkpoint of ``update``."""
    latest = run / "checkpoints" / "latest"
    while not latest.is_file() or int(latest.read_text().strip().removeprefix("step-")) < update:
        assert process.status() is None, process.errors()
        time.sleep(0.002)
    assert process.kill() == -signal.SIGKILL


def test_an_improvement_killed_three_times_ends_as_one_that_was_not(tmp_path: Path) -> None:
    small_improvement.make(tmp_path / "made")
    settings = small_improvement.settings(
        tmp_path / "made", tmp_path, updates=UPDATES, evaluate_every=10, checkpoint_every=3,
        execution=ExecutorConfig(overlap=True, reuse=2, recent=3),
    )  # fmt: skip
    whole = improve(settings).parent
    run = tmp_path / "killed"
    begun = settings_as_words(replace(settings, name="killed"))
    kill_after(3, rlhf(tmp_path, "improve", *begun), run)
    for update in (12, 24):
        kill_after(update, rlhf(tmp_path, "improve", f"--resume={run}"), run)
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
