"""Held-out games of people are never learned from: not by imitation, not from marks, not by setter replay."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from pipelines.stages.clone import CloneConfig, clone
from pipelines.stages.episodes.division import noted_division
from pipelines.stages.episodes.noted_episodes import noted_episodes
from pipelines.stages.executors import find_replayed
from pipelines.stages.improve_config import ImproveConfig
from pipelines.stages.reward import RewardConfig, reward
from pipelines.stages.text_limits import noted_text_fit
from reward_models.learning.training import RewardTrainingConfig
from rlhf.learning.cloner import CloningConfig
from rlhf.records.marks import Mark
from rlhf.store import open_store
from rlhf.store.synthetic import synthetic_episode

HELD_OUT = {"game-1", "game-4"}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Games of two people, each marked by a person."""
    store = open_store(tmp_path / "people", create=True)
    for number in range(7):
        played = synthetic_episode(number, steps=16, height=12, width=16, episode_id=f"game-{number}")
        split = "held_out" if played.episode_id in HELD_OUT else "train"
        played = replace(played, setter="human:ann", solver="human:bob", controller=played.controller * 0, split=split)
        store.write(played)
        store.write_marks([Mark(played.episode_id, "cid", step, sign, False) for step, sign in ((4, 1), (9, -1))])
    return tmp_path / "people"


def test_held_out_games_are_evaluated_on_and_never_learned_from(data: Path) -> None:
    torch.set_num_threads(1)
    everything = set(open_store(data).ids())
    cloning = CloningConfig(updates=1, steps=4, batch=2)
    agent = clone(CloneConfig(data=(data,), solver=None, runs=data.parent, wandb="disabled", training=cloning))
    assert noted_episodes(agent.parent).ids == everything - HELD_OUT
    training = RewardTrainingConfig(updates=1, steps=4, batch=2, evaluate_every=1)
    model = reward(RewardConfig(data=(data,), agent=agent, runs=data.parent, wandb="disabled", training=training))
    fit = noted_text_fit(model.parent)
    assert fit is not None and fit.setter.texts == len(everything), "of all play that is used, also to evaluate"
    division = noted_division(model.parent)
    assert division is not None and division.learned | division.validation == everything - HELD_OUT
    replayed = find_replayed(ImproveConfig(data=(data,), replay=None))
    assert {source.episode_id for source in replayed} == everything - HELD_OUT
