"""Unusual and damaged recordings through the commands: they are handled, or refused in one line."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import safetensors.torch
import torch

from pipelines.cli.main import main
from rlhf.records.episode import Episode
from rlhf.records.marks import Mark
from rlhf.run.tracking import read_metrics
from rlhf.store import open_store
from rlhf.store.columns.tables import marks_table
from rlhf.store.files.parquet_files import to_bytes
from rlhf.store.synthetic import synthetic_episode
from tests.unit.rlhf.store.foreign_play import overwrite, with_bin

STEPS, EPISODES = 6, 8
QUICK = [
    "--wandb=disabled",
    "--training.updates=3",
    "--training.steps=3",
    "--training.batch=2",
    "--training.log-every=1",
]
LONG = "word " * 2000

Change = Callable[[Episode], Episode]


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    torch.set_num_threads(1)
    monkeypatch.setattr(warnings, "formatwarning", warnings.formatwarning)  # which ``main`` sets


def episode(number: int, steps: int = STEPS, size: tuple[int, int] = (12, 16)) -> Episode:
    made = synthetic_episode(number, steps, *size)
    return replace(made, solver="scripted", controller=np.zeros(steps, np.uint8))


def record(folder: Path, change: Change = lambda e: e, marks: Iterable[Mark] = (), steps: int = STEPS) -> Path:
    """A dataset of episodes as ``change`` has made them, with ``marks``."""
    store = open_store(folder, create=True)
    for number in range(EPISODES):
        store.write(change(episode(number, steps)))
    store.write_marks(marks)
    return folder


def all_marked(sign: Callable[[int], int] = lambda number: 1 if number % 2 else -1, step: int = 3) -> list[Mark]:
    return [Mark(f"synthetic-{number:06d}", "ann", step, sign(number), scripted=True) for number in range(EPISODES)]


def says(text: str) -> Change:
    """Both players say ``text``."""

    def change(made: Episode) -> Episode:
        words = (text,) * len(made)
        return replace(made, setter_text=words, setter_utterance=words, solver_text=words, utterance=words)

    return change


@pytest.fixture(scope="module")
def cloned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with a dataset ``data``, marked, and the run ``clone`` of an agent."""
    here = tmp_path_factory.mktemp("cloned")
    record(here / "data", marks=all_marked())
    assert main(["clone", f"--data={here / 'data'}", f"--runs={here}", *QUICK]) == 0
    return here


def complaint(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    """The one line with which the command fails."""
    capsys.readouterr()
    assert main([str(word) for word in words]) in (1, 2)
    message = capsys.readouterr().err.splitlines()
    lines = [
        line
        for line in message
        if not line.startswith(("cloning", "learning", "training")) and not line.endswith("streamed")
    ]
    assert len(lines) == 1 and lines[0].startswith("error: "), lines
    return lines[0]


def finite(folder: Path) -> None:
    """Every weight in ``folder`` and every metric of its run is a number."""
    weights = safetensors.torch.load_file(folder / "model.safetensors")
    assert all(torch.isfinite(value).all() for value in weights.values())
    rows = read_metrics(folder.parent)
    assert len(rows) >= 3 and all(np.isfinite(list(row.values())).all() for row in rows)


@pytest.mark.parametrize(
    "change",
    [says(""), says(LONG), says("\u0000 \U0001f9ab <pad> <eos> \u200b"), lambda e: e],
    ids=["empty-text", "ten-thousand-characters", "unheard-of-characters", "one-step"],
)
def test_unusual_recordings_are_learned_from(change: Change, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    steps = 1 if "one-step" in request.node.name else STEPS
    data = record(tmp_path / "data", change, all_marked(step=0 if steps == 1 else 3), steps)
    if steps == 1:  # a reward model needs two moments in some episode; the others are learned from all the same
        store = open_store(data)
        for number in range(EPISODES, 2 * EPISODES):
            store.write(episode(number))
        store.write_marks(
            Mark(f"synthetic-{number:06d}", "ann", 3, 1 if number % 2 else -1, True)
            for number in range(EPISODES, 2 * EPISODES)
        )
    assert main(["clone", f"--data={data}", f"--runs={tmp_path}", *QUICK]) == 0
    finite(tmp_path / "clone" / "agent")
    agent = f"--agent={tmp_path / 'clone' / 'agent'}"
    assert main(["reward", f"--data={data}", agent, f"--runs={tmp_path}", "--validation=0.3", *QUICK]) == 0
    finite(tmp_path / "reward" / "reward_model")


@pytest.mark.parametrize(
    ("marks", "message"),
    [
        ([], "no marked episodes in"),
        (all_marked(lambda number: -1), "all 6 marks are (-); a reward model needs (+) marks too"),
        (all_marked(step=0), "order no two moments"),
        (all_marked()[:1], "1 marked training episodes are too few"),
    ],
    ids=["none", "only-minus", "at-first-steps", "one"],
)
def test_marks_that_teach_nothing(
    marks: list[Mark], message: str, cloned: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = record(tmp_path / "data", marks=marks)
    agent = f"--agent={cloned / 'clone' / 'agent'}"
    words = ["reward", f"--data={data}", agent, f"--runs={tmp_path}", "--validation=0.2"]
    assert message in complaint(capsys, *words) and not (tmp_path / "reward").exists()


def test_only_plus_is_enough_where_words_are_exchanged(
    cloned: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = record(tmp_path / "data", marks=all_marked(lambda number: 1))
    words = ["reward", f"--data={data}", f"--agent={cloned / 'clone' / 'agent'}", f"--runs={tmp_path}", *QUICK]
    message = complaint(capsys, *words, "--training.augmentation=0")
    assert "marks are (+); mark regressions as well, or set augmentation above 0" in message
    assert main([*words, "--validation=0.3"]) == 0
    finite(tmp_path / "reward" / "reward_model")


def test_a_mark_outside_its_episode(cloned: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = record(tmp_path / "data", marks=all_marked())
    beyond = Mark("synthetic-000002", "bob", STEPS, 1, scripted=True)
    (data / "marks" / "foreign.parquet").write_bytes(to_bytes([marks_table([beyond])]))  # not by way of the store
    message = complaint(
        capsys, "reward", f"--data={data}", f"--agent={cloned / 'clone' / 'agent'}", f"--runs={tmp_path}"
    )
    assert f"bob marked step {STEPS} of episode synthetic-000002, whose last step is {STEPS - 1}" in message


def test_images_of_another_size(cloned: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = open_store(tmp_path / "large", create=True)
    large = [replace(episode(number, size=(24, 32)), episode_id=f"large-{number}") for number in range(4)]
    for one in large:
        store.write(one)
    store.write_marks(Mark(one.episode_id, "ann", 3, 1 - 2 * (n % 2), True) for n, one in enumerate(large))
    both = f"--data={cloned / 'data'},{tmp_path / 'large'}"
    message = complaint(capsys, "clone", both, f"--runs={tmp_path}")
    assert "episode large-0 has images of 24x32 pixels, the agent needs 12x16" in message
    agent = f"--agent={cloned / 'clone' / 'agent'}"
    message = complaint(capsys, "reward", f"--data={tmp_path / 'large'}", agent, f"--runs={tmp_path}")
    assert "has images of 24x32 pixels, the agent needs 12x16" in message
    message = complaint(capsys, "improve", f"--data={cloned / 'data'}", agent, f"--runs={tmp_path}")
    assert "made for images of 12x16 pixels, the world's are 72x96; use --world.height 12 --world.width 16" in message
    assert sorted(path.name for path in tmp_path.iterdir()) == ["large"]  # no run was begun


def test_only_an_agents_own_play(cloned: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = record(tmp_path / "data", lambda made: replace(made, solver="agent:bc"))
    assert "no episodes split=train solver=scripted in" in complaint(capsys, "clone", f"--data={data}")
    message = complaint(capsys, "clone", f"--data={data}", "--solver=None", f"--runs={tmp_path}")
    assert "has a step to imitate" in message and not (tmp_path / "clone").exists()


@pytest.mark.parametrize("reading", [[], ["--reading.in-memory-gb=0"]], ids=["in-memory", "streamed"])
@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("movement", 4, "movement has bin 4 at step 2, tick 1, where forward has bins 0 to 2"),
        ("movement", -1, "movement has bin -1 at step 2"),
        ("controller", 7, "controller is 7 at step 0, not 0 (agent) or 1 (co-pilot)"),
    ],
)
def test_play_that_no_player_can_play_is_not_learned_from(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], column: str, value: int, message: str, reading: list[str]
) -> None:
    data, made = record(tmp_path / "data"), episode(3)
    wrong = with_bin(made.movement, value, 2) if column == "movement" else np.full(STEPS, value, np.uint8)
    overwrite(data, made, **{column: wrong})
    found = complaint(capsys, "clone", f"--data={data}", f"--runs={tmp_path}", *reading)
    assert f"synthetic-000003.parquet holds what no episode can: episode synthetic-000003: {message}" in found
    assert "rlhf episodes drop" in found and not (tmp_path / "clone").exists()
    assert main(["episodes", "verify", str(data)]) == 1 and message in capsys.readouterr().out


def test_a_damaged_recording_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = record(tmp_path / "data")
    path = data / "steps" / "synthetic-000003.parquet"
    whole = bytearray(path.read_bytes())
    whole[len(whole) // 3] ^= 1
    path.write_bytes(whole)
    message = complaint(capsys, "clone", f"--data={data}", f"--runs={tmp_path}")
    assert "synthetic-000003.parquet is damaged" in message and not (tmp_path / "clone").exists()


def test_a_single_step_is_recorded_replayed_and_evaluated(tmp_path: Path) -> None:
    """From beginning to end in the real world: steps of one have no reward, and harm nothing."""
    room = json.dumps({"rooms": [1, 1], "furniture": [0, 1], "objects": [2, 3]})
    world = ["--world.height=12", "--world.width=16", f"--world.settings={room}"]
    data, agent = f"--data={tmp_path / 'data'}", tmp_path / "clone" / "agent"
    assert main(["record", data, "--episodes=4", "--steps=1", "--workers=1", *world]) == 0
    assert main(["record", data, "--episodes=2", "--steps=1", "--workers=1", "--split=held_out", *world]) == 0
    assert main(["clone", data, f"--runs={tmp_path}", *QUICK]) == 0
    settings = ["--slots=2", "--steps=3", "--updates=2", "--evaluate-every=1", "--wandb=disabled", "--scripted-reward"]
    assert main(["improve", data, f"--agent={agent}", f"--runs={tmp_path}", *settings, *world]) == 0
    finite(tmp_path / "improve" / "agent")
    out = f"--out={tmp_path / 'results.json'}"
    assert main(["evaluate", "--agents", "one", str(agent), "--probes=go", "--episodes=2", out, *world]) == 0
