"""The loop by its commands in the household, from recorded play to results: with graphs, and with pictures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agents.config import AgentConfig
from agents.folder import load_agent
from pipelines.cli.main import main
from pipelines.stages.episodes.recordings import find_episodes, most_entities
from pipelines.stages.evaluate import load_results
from rlhf.run.tracking import column, read_metrics
from rlhf.store import open_store
from worlds.household import HOUSEHOLD

pytestmark = pytest.mark.e2e

PICTURES = ["--world.picture", "true", "--world.height", "36", "--world.width", "48"]
TINY = ["--training.updates", "2", "--training.steps", "8", "--training.batch", "4", "--wandb", "disabled"]
PROBE = "put_fridge"


def command(*words: str | Path) -> None:
    assert main([str(word) for word in words]) == 0


@pytest.mark.parametrize(
    ("seen", "setter", "setters"),
    [([], {}, "replayed"), (PICTURES, {}, "replayed"), ([], {"acts": True}, "live")],
    ids=["graphs", "pictures", "Alice acts, and reacts"],
)
def test_every_command_of_the_loop_takes_what_the_one_before_has_made(
    tmp_path: Path, seen: list[str], setter: dict[str, bool], setters: str
) -> None:
    data, runs, out = tmp_path / "data", tmp_path / "runs", tmp_path / "results.json"
    world = ["--world.name", "household", "--world.settings", '{"tasks": ["put_fridge"]}', *seen]
    size = ["--episodes", "5", "--steps", "120", "--held-out", "0.2", "--workers", "1"]
    command("record", "--data", data, *size, *world, "--players.setter", json.dumps(setter))
    command("mark", "--data", data, "--miss", "0")
    store = open_store(data)
    marked = {mark.episode_id for mark in store.marks()}
    assert setter or marked == set(store.ids()), "every demonstration brings some progress"
    assert len(marked) > 2

    command("clone", "--data", data, "--runs", runs, "--held-out", "0.25", *TINY)
    agent, _ = load_agent(runs / "clone" / "agent")
    sizes = agent.config
    assert isinstance(sizes, AgentConfig) and sizes.player.observation.entities is not None
    most = most_entities(find_episodes([data]))
    assert most is not None and 10 < most < 300, "memory is estimated for what is seen, not for all that could be"
    assert sizes.image_size == ((36, 48) if seen else (0, 0))

    folders = ["--agent", runs / "clone" / "agent", "--runs", runs]
    command("reward", "--data", data, *folders, *TINY)
    small = ["--updates", "2", "--slots", "2", "--steps", "6", "--evaluation-episodes", "1", "--wandb", "disabled"]
    small += ["--setters", setters]
    command("improve", "--data", data, *folders, "--reward-model", runs / "reward" / "reward_model", *small)
    rows = read_metrics(runs / "improve")
    assert len(column(rows, "held_out/modelled_return")[0]) >= 2, "before and after: held-out setters were replayed"

    both = [f"bc={runs / 'clone' / 'agent'}", f"bc+rl={runs / 'improve' / 'agent'}", "perfect=perfect"]
    asked = ["--probes", PROBE, "--episodes", "2", "--slots", "2"]
    command("evaluate", "--agents", *both, "--baseline", "bc", "--out", out, *asked)
    results = {result.agent: result for result in load_results(out)}
    assert set(results) == {"bc", "bc+rl", "perfect"} and PROBE in HOUSEHOLD.probes
    assert all(len(result.success) == 2 for result in results.values())
    assert results["perfect"].success == (True, True), "requests can be fulfilled where agents are evaluated"
