"""The steps of the loop by their commands: no setting is typed twice, and each names its result and what follows."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shlex
import warnings
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import torch

from pipelines.cli.main import NEXT, VERBS, main
from pipelines.stages.improve_config import ImproveConfig
from pipelines.stages.outcomes.results_file import EvaluatedWith
from pipelines.stages.settings.play_settings import PlaySettings, settings_of_agent, settings_of_dataset
from pipelines.stages.settings.world_config import PlayersConfig, WorldConfig
from rlhf.records.json_records import from_json
from rlhf.run.checkpoint import Checkpoints
from rlhf.run.config import load_config
from rlhf.store import open_store
from tests.unit.pipelines.stages.small_training import SETTINGS, SMALL, WORLD

PLAYERS = PlayersConfig({"go": 1.0, "lift": 1.0}, {"first_request": [0, 0]}, {"reaction": 0})
LEARNED = PlaySettings(WorldConfig("playhouse", 12, 16, SETTINGS, {"fov_y_deg": 60.0}), PLAYERS)
TYPED = [*WORLD, '--world.options={"fov_y_deg": 60.0}', '--players.tasks={"go": 1, "lift": 1}']
TYPED += ['--players.setter={"first_request": [0, 0]}', '--players.solver={"reaction": 0}']
INTERVAL = r"\d+% \(\d+ to \d+%\)"


@dataclass
class Loop:
    """A folder with "the data" and "runs", and the lines that each command printed."""

    folder: Path
    lines: dict[str, list[str]] = field(default_factory=dict)

    def run(self, verb: str, *words: object) -> None:
        printed = io.StringIO()
        with warnings.catch_warnings(), contextlib.redirect_stderr(printed):
            warnings.simplefilter("ignore")
            assert main([verb, *map(str, words)]) == 0, printed.getvalue()
        self.lines[verb] = printed.getvalue().splitlines()

    @property
    def data(self) -> Path:
        return self.folder / "the data"

    def made(self, name: str) -> Path:
        return self.folder / "runs" / name


@pytest.fixture(scope="module")
def loop(tmp_path_factory: pytest.TempPathFactory) -> Loop:
    torch.set_num_threads(1)
    loop = Loop(tmp_path_factory.mktemp("loop"))
    training = [*SMALL, "--training.updates=6", "--training.evaluate-every=2", "--checkpoint-every=3"]
    data, runs, agent = f"--data={loop.data}", f"--runs={loop.folder / 'runs'}", f"--agent={loop.made('clone/agent')}"
    loop.run("record", data, "--episodes=10", "--steps=24", "--workers=1", "--held-out=0.2", *TYPED)
    loop.run("mark", data, "--miss=0", "--raters=2")
    loop.run("clone", data, runs, "--held-out=0.3", *training)
    loop.run("reward", data, runs, agent, "--validation=0.3", *training)
    small = [
        "--updates=4",
        "--slots=2",
        "--steps=4",
        "--threads=1",
        "--evaluate-every=2",
        "--wandb=disabled",
        "--anyway",
    ]
    loop.run("improve", data, runs, agent, f"--reward-model={loop.made('reward/reward_model')}", *small)
    agents = ["--agents", "bc", loop.made("clone/agent"), "bc+rl", loop.made("improve/agent")]
    loop.run("evaluate", *agents, "--probes=go", "--episodes=2", f"--out={loop.folder / 'results.json'}")
    return loop


def test_the_last_lines_have_the_result_its_folder_and_the_next_command(loop: Loop) -> None:
    data = shlex.quote(str(loop.data))
    clone, reward, improve = map(loop.made, ("clone/agent", "reward/reward_model", "improve/agent"))
    ends = {
        "record": [f"next: rlhf mark --data {data}"],
        "mark": [f"next: rlhf clone --data {data}"],
        "clone": [f"agent: {clone}", f"next: rlhf reward --data {data} --agent {clone}"],
        "reward": [
            f"reward model: {reward}",
            f"next: rlhf improve --data {data} --agent {clone} --reward-model {reward}",
        ],
        "improve": [f"agent: {improve}", f"next: rlhf evaluate --agents BC={clone} BC+RL={improve}"],
        "evaluate": [f"results: {loop.folder / 'results.json'}"],
    }
    assert {verb: lines[-len(ends[verb]) :] for verb, lines in loop.lines.items()} == ends
    for verb, result in {
        "record": rf"recorded 2 episodes .*: {INTERVAL} of their \d+ requests were fulfilled",
        "clone": r"movement on held-out play \(2 episodes\) went from [\d.]+ to [\d.]+ nats; a constant",
        "reward": rf"{INTERVAL} of the pairs of moments in held-out play \(\d+ episodes?\) are",
        "improve": r"Too few finished requests on held-out replays \(2\) to compare beginning and end",
        "evaluate": r"go +bc +\d+% \(\d+ to \d+\)",
    }.items():
        assert re.search(result, " ".join(loop.lines[verb])), verb
    for name, words in NEXT.items():
        assert name in VERBS and words.split()[1] in VERBS


def test_a_recording_counts_what_was_fulfilled_by_task(loop: Loop) -> None:
    store, asked, done = open_store(loop.data), Counter[str](), Counter[str]()
    for episode in map(store.read, store.ids(split="train")):
        for request, step in zip(episode.requests, episode.success_step, strict=True):
            asked[request.task.name] += 1
            done[request.task.name] += step is not None
    (line, *_) = (line for line in loop.lines["record"] if line.startswith("fulfilled by task: "))
    found = re.findall(r"(\w+) (\d+)% of (\d+)", line)
    assert {(task, f"{100 * done[task] / count:.0f}", str(count)) for task, count in asked.items()} == set(found)
    assert [int(share) for _, share, _ in found] == sorted(int(share) for _, share, _ in found)


def test_what_is_typed_once_is_remembered_by_all_that_follows(loop: Loop) -> None:
    clone, improve, agents = loop.made("clone"), loop.made("improve"), loop.folder / "agents"
    for run in (clone, improve):
        assert settings_of_agent(run / "agent") == settings_of_agent(Checkpoints(run).latest().agent_folder) == LEARNED
    assert "play_settings.json" in (clone / "agent" / "README.md").read_text(encoding="utf-8")
    assert load_config(improve, ImproveConfig).world == LEARNED.world
    for row in json.loads((loop.folder / "results.json").read_text()):
        resolved = from_json(EvaluatedWith, row["evaluated_with"])
        assert (resolved.world, resolved.players) == (LEARNED.world, PLAYERS)
    assert not any("other places" in line for lines in loop.lines.values() for line in lines)
    few = ["--episodes=2", "--steps=4", "--slots=2"]
    assert main(["record", f"--solver={clone / 'agent'}", f"--data={agents}", *few]) == 0
    assert settings_of_dataset(agents) == (LEARNED,)
    assert main(["improve", f"--resume={improve}", "--updates=5", "--wandb=disabled"]) == 0
    assert load_config(improve, ImproveConfig).world == LEARNED.world
