"""All six stages of the preset "flat" by themselves, as small as they can be."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.folder import load_agent
from pipelines.cli.main import main
from pipelines.stages.evaluate import load_results
from rlhf.store import open_store
from worlds.contract import FULL_BODY

pytestmark = pytest.mark.e2e

QUIET = ["--wandb", "disabled"]
TRAINING = ["--training.updates", "2", "--training.steps", "8", "--training.batch", "2"]


def rlhf(command: str, *words: str) -> None:
    assert main([command, "--preset", "flat", *words]) == 0, command


def test_every_stage_of_the_flat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rlhf("record", "--episodes", "4", "--steps", "60", "--workers", "1", "--data", "data")
    store = open_store(Path("data"))
    assert [row.steps for row in store.rows()] == [60] * 4
    spaces = store.description.declared
    assert store.description.image_size == (72, 96) and spaces is not None and spaces.solver.action == FULL_BODY
    assert any(store.read(name).requests for name in store.ids())
    rlhf("mark", "--data", "data", "--per-five-minutes", "1000", "--miss", "0")  # everything, in this little play
    assert store.marks()
    data = ["--data", "data"]
    rlhf("clone", *data, "--runs", "runs", "--held-out", "0", *TRAINING, *QUIET)
    agent, _ = load_agent(Path("runs/clone/agent"))
    assert agent.config.marks_cuts and agent.config.setter_text_length >= 10
    agents = ["--agent", "runs/clone/agent", "--runs", "runs"]
    rlhf("reward", *data, *agents, "--validation", "0.5", *TRAINING, *QUIET)
    small = ["--slots", "2", "--steps", "2", "--batch", "2", "--updates", "2", "--evaluate-every", "2"]
    model = ["--reward-model", "runs/reward/reward_model", "--evaluation-episodes", "1"]
    rlhf("improve", *data, *agents, *model, *small, *QUIET)
    played = ["--agents", "bc=runs/clone/agent", "bc+rl=runs/improve/agent", "--baseline", "bc"]
    rlhf("evaluate", *played, "--probes", "pick up", "color of", "--episodes", "1", "--out", "results.json")
    assert {(one.agent, one.probe) for one in load_results(Path("results.json"))} == {
        (agent, probe) for agent in ("bc", "bc+rl") for probe in ("pick up", "color of")
    }
