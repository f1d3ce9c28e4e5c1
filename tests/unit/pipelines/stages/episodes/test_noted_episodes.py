"""A run is resumed with the episodes it began with: new ones are ignored, changed or missing ones refused."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from pipelines.stages.clone import CloneConfig, clone
from pipelines.stages.episodes.noted_episodes import EPISODES_FILE
from pipelines.stages.improve import improve
from pipelines.stages.record import RecordConfig, record
from pipelines.stages.reward import RewardConfig, reward
from reward_models.learning.config import RewardTrainingConfig
from rlhf.learning.cloner import CloningConfig
from rlhf.records.marks import Mark
from rlhf.run.checkpoint import Checkpoints
from rlhf.store import EpisodeStore, open_store
from rlhf.store.synthetic import synthetic_episode
from tests.unit.pipelines.stages import small_improvement
from worlds.errors import UserError

UPDATES, KEPT = 6, 4


def write(store: EpisodeStore, numbers: range) -> EpisodeStore:
    """Marked episodes of 12 steps."""
    for number in numbers:
        episode = synthetic_episode(number, 12, 24, 32)
        whose = {"episode_id": f"episode-{number}", "solver": "scripted", "controller": np.zeros(12, np.uint8)}
        store.write(replace(episode, **whose))
    marks = [(3, 1), (8, -1)]
    store.write_marks(Mark(f"episode-{n}", "ann", step, sign, scripted=True) for n in numbers for step, sign in marks)
    return store


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Recorded play, and runs of every kind that learned from it, back at a checkpoint in the middle."""
    torch.set_num_threads(1)
    here = tmp_path_factory.mktemp("made")
    write(open_store(here / "data", create=True), range(8))
    small_improvement.make(here / "small")
    for run in RUNS:
        folder = run(here, here).parent
        shutil.copytree(folder, here / "ended" / folder.name)
        shutil.rmtree(folder / "checkpoints" / f"step-{UPDATES:09d}")
        assert Checkpoints(folder).latest().step == KEPT
    return here


def run_clone(made: Path, runs: Path, **others: Any) -> Path:
    config = CloneConfig(
        data=(made / "data",), runs=runs, held_out=0.25, checkpoint_every=2, wandb="disabled",
        training=CloningConfig(updates=UPDATES, steps=3, batch=3, log_every=1, evaluate_every=2),
    )  # fmt: skip
    return clone(replace(config, **others))


def run_reward(made: Path, runs: Path, **others: Any) -> Path:
    config = RewardConfig(
        data=(made / "data",), agent=made / "clone" / "agent", runs=runs, validation=0.3, checkpoint_every=2,
        wandb="disabled",
        training=RewardTrainingConfig(updates=UPDATES, steps=4, batch=3, warmup=1, evaluate_every=2, log_every=1),
    )  # fmt: skip
    return reward(replace(config, **others))


def run_improve(made: Path, runs: Path, **others: Any) -> Path:
    config = small_improvement.settings(made / "small", runs, name="improve", updates=UPDATES)
    return improve(replace(config, **others))


RUNS: tuple[Callable[..., Path], ...] = (run_clone, run_reward, run_improve)


@pytest.fixture(params=RUNS, ids=["clone", "reward", "improve"])
def run(request: pytest.FixtureRequest) -> Callable[..., Path]:
    return request.param


@pytest.fixture
def begun(made: Path, tmp_path: Path, run: Callable[..., Path]) -> Path:
    """A copy of the run of that kind, in the middle; its datasets are copied to "data" beside it."""
    name = run.__name__.removeprefix("run_")
    shutil.copytree(made / name, tmp_path / name)
    shutil.copytree(made / "small" / "data" if name == "improve" else made / "data", tmp_path / "data")
    return tmp_path / name


def resume(run: Callable[..., Path], made: Path, begun: Path) -> Path:
    return run(made, begun.parent, resume=begun, data=(begun.parent / "data",))


def grow(begun: Path) -> None:
    if begun.name == "improve":
        recording = RecordConfig(data=begun.parent / "data", workers=1, world=small_improvement.WORLD, seed=7)
        for split, count in (("train", 3), ("held_out", 2)):
            record(replace(recording, episodes=count, steps=14, split=split))
    else:
        write(open_store(begun.parent / "data"), range(8, 12))


def test_a_run_on_a_grown_dataset_is_resumed_with_its_first_episodes(run, made: Path, begun: Path) -> None:
    before = len(open_store(begun.parent / "data").ids())
    grow(begun)
    assert len(open_store(begun.parent / "data").ids()) > before
    resumed = resume(run, made, begun) / "model.safetensors"
    ended = made / "ended" / begun.name / resumed.parent.name / "model.safetensors"
    assert resumed.read_bytes() == ended.read_bytes()
    cards = [(model.parent / "README.md").read_text(encoding="utf-8") for model in (resumed, ended)]
    counted = [re.findall(r"\d+ episodes?", card) for card in cards]
    assert counted[0] == counted[1] and counted[0]
    assert small_improvement.measured(begun) == small_improvement.measured(made / "ended" / begun.name)


def test_play_that_was_changed_under_the_same_ids_is_refused_by_name(run, made: Path, begun: Path) -> None:
    data = begun.parent / "data"
    episodes = list(open_store(data).stream(open_store(data).ids()))
    shutil.rmtree(data)
    other = open_store(data, create=True)
    for number, episode in enumerate(episodes):
        message = ("now", *episode.setter_utterance[1:]) if number == 1 else episode.setter_utterance
        other.write(replace(episode, setter_utterance=message))
    if begun.name == "reward":
        other.write_marks(open_store(made / "data").marks())
    with pytest.raises(UserError, match=f"of episode {episodes[1].episode_id} changed since .*{begun.name} began"):
        resume(run, made, begun)


def test_missing_episodes_are_refused_by_name(run, made: Path, begun: Path) -> None:
    store = open_store(begun.parent / "data")
    gone = store.ids(split="train")[:2]
    store.drop(gone)
    with pytest.raises(UserError, match=rf"episode {gone[0]} \(and 1 more\), which .* began with, is missing"):
        resume(run, made, begun)


def test_a_damaged_note_is_named(made: Path, tmp_path: Path) -> None:
    shutil.copytree(made / "clone", tmp_path / "clone")
    (tmp_path / "clone" / EPISODES_FILE).write_text('{"parts": 3}')
    with pytest.raises(UserError, match=f"{EPISODES_FILE} is damaged"):
        run_clone(made, tmp_path, resume=tmp_path / "clone")
