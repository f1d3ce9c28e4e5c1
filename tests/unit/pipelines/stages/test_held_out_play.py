"""Held-out replays of an improvement: an unchanged agent has an unchanged return."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from agents.agent import InteractiveAgent
from agents.folder import load_agent, save_agent
from agents.tokenizer import Tokenizer
from pipelines.stages.clone import CloneConfig, clone, read_episodes, spoken_texts
from pipelines.stages.episodes.division import noted_division
from pipelines.stages.improve import improve
from pipelines.stages.improve_config import ImproveConfig
from pipelines.stages.mark import MarkConfig, mark
from pipelines.stages.record import RecordConfig, record
from pipelines.stages.reward import RewardConfig, reward
from pipelines.stages.settings.world_config import WorldConfig
from pipelines.stages.text_limits import noted_text_fit
from reward_models.autoregressive import AutoregressiveRewardModel
from reward_models.inter_temporal import InterTemporalRewardModel
from reward_models.learning.training import RewardTrainingConfig
from rlhf.learning.cloner import CloningConfig
from rlhf.learning.config import LearnerConfig
from rlhf.learning.guards import GuardConfig
from rlhf.records.marks import Mark
from rlhf.run.tracking import read_metrics
from rlhf.store import open_store
from tests.unit.rlhf import tiny_agent
from worlds.errors import UserError


@pytest.fixture
def settings(tmp_path: Path) -> ImproveConfig:
    """An improvement that learns nothing, against a model that samples a mark or none at every step."""
    torch.set_num_threads(1)
    room = json.dumps({"rooms": [1, 1], "furniture": [0, 0], "objects": [3, 3]})
    world = WorldConfig(height=12, width=16, settings=room)
    recording = RecordConfig(data=tmp_path / "data", episodes=3, steps=8, workers=1, world=world)
    record(recording)
    record(replace(recording, episodes=2, split="held_out"))
    tokenizer = Tokenizer.train(spoken_texts(read_episodes([tmp_path / "data"])), 280)
    agent = InteractiveAgent(tiny_agent.config(image_size=(12, 16), vocab_size=tokenizer.vocab_size))
    save_agent(agent, tokenizer, tmp_path / "clone")
    save_agent(AutoregressiveRewardModel.from_agent(agent), tokenizer, tmp_path / "first")
    return ImproveConfig(
        data=(tmp_path / "data",), agent=tmp_path / "clone", reward_model=tmp_path / "first", runs=tmp_path,
        slots=2, steps=5, batch=2, updates=3, evaluate_every=1, checkpoint_every=2, threads=1, wandb="disabled",
        world=world, learner=LearnerConfig(learning_rate=1e-30),
    )  # fmt: skip


def test_sampling_noise_does_not_change_the_return_of_an_unchanged_agent(settings: ImproveConfig) -> None:
    run = improve(settings).parent
    improve(replace(settings, resume=run, updates=5))
    rows = read_metrics(run)
    assert [row["step"] for row in rows] == [0, 1, 2, 3, 4, 5]
    fit = noted_text_fit(run)
    assert fit is not None and fit.setter.texts > 0, "the texts of what is replayed and imitated were measured"
    returns = [row["held_out/modelled_return"] for row in rows]
    assert returns == [returns[0]] * 6
    assert (
        returns[0] != round(returns[0] * 2) / 2
    )  # expected, not sampled: half a mark is the least two plays differ by
    rewards = {row["play/reward"] for row in rows[1:]}  # whole marks a step: 10 steps, less those that close a play
    assert len(rewards) > 1  # sampled
    assert all(any(n * one == pytest.approx(round(n * one), abs=1e-4) for n in range(5, 11)) for one in rewards)


def test_the_reward_of_an_ensemble_is_the_mean(settings: ImproveConfig, tmp_path: Path) -> None:
    """On the same replays by the same agent, also after the run is resumed."""
    agent, tokenizer = load_agent(tmp_path / "clone")
    returns = {}
    for name, seed in (("first", 0), ("other", 1)):
        save_agent(AutoregressiveRewardModel.from_agent(agent, seed=seed), tokenizer, tmp_path / name)
        alone = replace(settings, name=f"by-{name}", reward_model=tmp_path / name, updates=1)
        run = improve(alone).parent
        returns[name] = read_metrics(run)[0]["held_out/modelled_return"]
    assert abs(returns["first"] - returns["other"]) > 1e-3
    both = replace(settings, name="both", ensemble=(tmp_path / "other",), updates=2)
    run = improve(both).parent
    improve(replace(both, resume=run, updates=4))
    rows = read_metrics(run)
    assert len(rows) == 5
    for row in rows:
        assert row["held_out/modelled_return"] == pytest.approx(np.mean(list(returns.values())), abs=1e-5)
    assert f"the mean of the reward models in `{tmp_path / 'first'}`, `{tmp_path / 'other'}`" in (
        run / "agent" / "README.md"
    ).read_text(encoding="utf-8")


def test_the_smallest_of_what_models_give_is_no_more_than_any(settings: ImproveConfig, tmp_path: Path) -> None:
    agent, tokenizer = load_agent(tmp_path / "clone")
    for name, seed in (("first", 0), ("other", 1)):
        model = InterTemporalRewardModel.from_agent(agent, seed=seed)
        save_agent(model, tokenizer, tmp_path / name)
    both = replace(settings, ensemble=(tmp_path / "other",), updates=1)
    single = {name: replace(settings, reward_model=tmp_path / name, updates=1) for name in ("first", "other")}
    combined = {
        "mean": both, "minimum": replace(both, ensemble_by="minimum"),
        "deviation": replace(both, ensemble_by="mean_less_deviation", deviation_weight=0.0),
        "weights": replace(both, ensemble_by="weights"),
    }  # fmt: skip
    returns = {}
    for name, one in (single | combined).items():
        run = improve(replace(one, name=f"by-{name}")).parent
        returns[name] = read_metrics(run)[0]["held_out/modelled_return"]
    assert abs(returns["first"] - returns["other"]) > 1e-4
    assert returns["minimum"] <= min(returns["first"], returns["other"]) + 1e-6
    assert returns["deviation"] == pytest.approx(returns["mean"], abs=1e-5)
    assert returns["weights"] not in (returns["first"], returns["other"], returns["mean"])
    assert "the minimum of the reward models in" in (tmp_path / "by-minimum" / "agent" / "README.md").read_text()
    with pytest.raises(UserError, match="needs several reward models"):
        replace(settings, ensemble_by="minimum")


def test_patience_without_held_out_play_is_refused(settings: ImproveConfig, tmp_path: Path) -> None:
    store = open_store(tmp_path / "data")
    store.drop(store.ids(split="held_out"))
    with pytest.raises(UserError, match="no held-out play in .*`rlhf record --data .*data --split held_out") as refused:
        improve(replace(settings, guards=GuardConfig(patience=2)))
    assert "\n" not in str(refused.value) and not (tmp_path / "improve").exists()
    with pytest.warns(UserWarning, match="no metric will show .* `rlhf record --data .*data --split held_out"):
        improve(replace(settings, updates=1))
    of_agent = replace(settings, name="other", replay="agent:bc", guards=GuardConfig(patience=2))
    with pytest.raises(UserError, match="no held-out play by agent:bc in .* --solver AGENT`"):
        improve(of_agent)


def test_nothing_is_trained_on_held_out_play(settings: ImproveConfig, tmp_path: Path) -> None:
    (data,) = settings.data
    store = open_store(data)
    mark(MarkConfig(data=data, miss=0.0))
    held_out = set(store.ids(split="held_out"))
    store.write_marks(Mark(name, "ann", 1 + sign, sign, scripted=False) for name in store.ids() for sign in (1, -1))
    clone(
        CloneConfig(
            data=(data,), runs=tmp_path, name="bc", wandb="disabled",
            training=CloningConfig(updates=1, steps=2, batch=2),
        )
    )  # fmt: skip
    reward(
        RewardConfig(
            data=(data,), agent=tmp_path / "clone", runs=tmp_path, wandb="disabled",
            training=RewardTrainingConfig(updates=1, steps=8, batch=2),
        )
    )  # fmt: skip
    for run in ("bc", "reward"):
        division = noted_division(tmp_path / run)
        assert division is not None and division.learned | division.validation == set(store.ids(split="train"))
    assert {mark.episode_id for mark in store.marks()} >= held_out  # which evaluate the reward model in the end
    assert any(name.startswith("reward_model_held_out/") for name in read_metrics(tmp_path / "reward")[-1])
