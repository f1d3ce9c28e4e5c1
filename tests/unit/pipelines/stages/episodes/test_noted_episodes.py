"""A run is resumed with the episodes it began with, and none learns from the held-out games of people."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from pipelines.cli.main import main
from pipelines.stages.clone import CloneConfig, clone
from pipelines.stages.episodes.division import noted_division
from pipelines.stages.episodes.noted_episodes import EPISODES_FILE, noted_episodes
from pipelines.stages.executors import find_replayed
from pipelines.stages.improve import improve
from pipelines.stages.improve_config import ImproveConfig
from pipelines.stages.record import RecordConfig, record
from pipelines.stages.reward import RewardConfig, reward
from pipelines.stages.text_limits import noted_text_fit
from reward_models.learning.config import RewardTrainingConfig
from rlhf.learning.cloner import CloningConfig
from rlhf.records.marks import Mark
from rlhf.run.checkpoint import Checkpoints
from rlhf.run.tracking import read_metrics
from rlhf.store import open_store
from rlhf.store.synthetic import synthetic_episode
from tests.unit.pipelines.stages import small_improvement
from tests.unit.pipelines.stages.small_training import EPISODES, UPDATES, Complaint, episode, in_turns


@pytest.fixture(scope="module")
def improved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with recorded play ``data`` and the run ``improve``."""
    here = tmp_path_factory.mktemp("made")
    small_improvement.make(here)
    improve(small_improvement.settings(here, here, name="improve", updates=UPDATES))
    return here


@pytest.fixture(params=["clone", "reward", "improve"])
def ended(request: pytest.FixtureRequest, made: Path, improved: Path) -> Path:
    """A run that has ended, beside its dataset "data"."""
    return (improved if request.param == "improve" else made) / request.param


@pytest.fixture
def begun(ended: Path, tmp_path: Path) -> Path:
    """A copy of the run with its checkpoint in the middle as the last; its dataset is copied to "data" beside it."""
    shutil.copytree(ended.parent / "data", tmp_path / "data")
    run = Path(shutil.copytree(ended, tmp_path / ended.name))
    shutil.rmtree(run / "checkpoints" / f"step-{UPDATES:09d}")
    assert Checkpoints(run).latest().step == UPDATES // 2
    return run


def resume(begun: Path) -> int:
    return main([begun.name, f"--resume={begun}", f"--data={begun.parent / 'data'}"])


FILES = ("model.safetensors", "README.md")


def grow(begun: Path) -> None:
    if begun.name == "improve":
        recording = RecordConfig(data=begun.parent / "data", workers=1, world=small_improvement.WORLD, seed=7)
        for split, count in (("train", 3), ("held_out", 2)):
            record(replace(recording, episodes=count, steps=14, split=split))
    else:
        store = open_store(begun.parent / "data")
        for number in range(EPISODES, EPISODES + 4):
            store.write(episode(number))
        store.write_marks(in_turns(count=EPISODES + 4)[EPISODES:])


def test_a_run_on_a_grown_dataset_is_resumed_with_its_first_episodes(ended: Path, begun: Path) -> None:
    grow(begun)
    assert resume(begun) == 0
    (model,) = (path.parent.name for path in begun.glob("*/model.safetensors"))
    weights, cards = ([(run / model / name).read_bytes() for run in (begun, ended)] for name in FILES)
    assert weights[0] == weights[1]
    counted = [re.findall(rb"\d+ episodes?", card) for card in cards]
    assert counted[0] == counted[1] and counted[0]
    assert small_improvement.measured(begun) == small_improvement.measured(ended)


def test_play_that_was_changed_under_the_same_ids_is_refused_by_name(begun: Path, complaint: Complaint) -> None:
    data = begun.parent / "data"
    episodes = list(open_store(data).stream(open_store(data).ids()))
    shutil.rmtree(data)
    other = open_store(data, create=True)
    for number, old in enumerate(episodes):
        message = ("now", *old.setter_utterance[1:]) if number == 1 else old.setter_utterance
        other.write(replace(old, setter_utterance=message))
    if begun.name == "reward":
        other.write_marks(in_turns())
    message = complaint(begun.name, f"--resume={begun}", f"--data={data}")
    assert f"of episode {episodes[1].episode_id} changed since " in message and f"{begun.name} began" in message


def test_missing_episodes_are_refused_by_name(begun: Path, complaint: Complaint) -> None:
    store = open_store(begun.parent / "data")
    gone = store.ids(split="train")[:2]
    store.drop(gone)
    words = begun.name, f"--resume={begun}", f"--data={store.folder}"
    message = complaint(*words)
    assert f"episode {gone[0]} (and 1 more), which " in message and " began with, is missing" in message
    (begun / EPISODES_FILE).write_text('{"parts": 3}')
    assert f"{EPISODES_FILE} is damaged" in complaint(*words)


# Held-out games


def test_held_out_games_are_evaluated_on_and_never_learned_from(tmp_path: Path) -> None:
    store, held_out = open_store(tmp_path / "people", create=True), {"game-1", "game-4"}
    for number in range(7):
        played = synthetic_episode(number, steps=16, height=12, width=16, episode_id=f"game-{number}")
        split = "held_out" if played.episode_id in held_out else "train"
        played = replace(played, setter="human:ann", solver="human:bob", controller=played.controller * 0, split=split)
        store.write(played)
        store.write_marks([Mark(played.episode_id, "cid", step, sign, False) for step, sign in ((4, 1), (9, -1))])
    everything, data = set(store.ids()), (store.folder,)
    cloning = CloningConfig(updates=1, steps=4, batch=2)
    agent = clone(CloneConfig(data=data, solver=None, runs=tmp_path, wandb="disabled", training=cloning))
    assert noted_episodes(agent.parent).ids == everything - held_out
    training = RewardTrainingConfig(updates=1, steps=4, batch=2, evaluate_every=1)
    run = reward(RewardConfig(data=data, agent=agent, runs=tmp_path, wandb="disabled", training=training)).parent
    fit = noted_text_fit(run)
    assert fit is not None and fit.setter.texts == len(everything), "of all play that is used, also to evaluate"
    division = noted_division(run)
    assert division is not None and division.learned | division.validation == everything - held_out
    assert any(name.startswith("reward_model_held_out/") for name in read_metrics(run)[-1])
    replayed = find_replayed(ImproveConfig(data=data, replay=None))
    assert {source.episode_id for source in replayed} == everything - held_out
