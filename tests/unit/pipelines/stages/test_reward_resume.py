"""Training of reward models: exact resuming, start from an earlier model, the warning of noise."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from agents.folder import save_agent
from agents.tokenizer import Tokenizer
from pipelines.stages.clone import read_episodes, spoken_texts
from pipelines.stages.reward import RewardConfig, reward
from reward_models.autoregressive import AutoregressiveRewardModel
from reward_models.learning.config import RewardTrainingConfig
from reward_models.learning.evaluation import SIGNAL, Evaluator
from reward_models.registry import load_reward_model
from rlhf.records.marks import Mark
from rlhf.run.checkpoint import Checkpoints
from rlhf.store import open_store
from rlhf.store.synthetic import synthetic_episode
from tests.unit.agents import made_up_play
from worlds.errors import UserError

UPDATES, EVERY = 6, 2


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> RewardConfig:
    """A training of seconds: eight episodes, every second of which is marked by two raters."""
    torch.set_num_threads(1)
    here = tmp_path_factory.mktemp("reward")
    store = open_store(here / "data", create=True)
    for number in range(8):
        store.write(replace(synthetic_episode(number, 12, 12, 16), controller=np.zeros(12, np.uint8)))
    store.write_marks(
        Mark(name, rater, step, 1 if (step + place) % 2 else -1, scripted=True)
        for place, name in enumerate(store.ids())
        for rater, steps in (("ann", (3, 8)), ("bob", (5,) if place % 2 else ()))
        for step in steps
    )
    tokenizer = Tokenizer.train(spoken_texts(read_episodes([store.folder])), made_up_play.VOCABULARY)
    agent = made_up_play.agent(
        image_size=(12, 16), vision_channels=(4,), vision_strides=(4,), vision_blocks=(1,), width=8,
        heads=2, memory_width=8, tick_width=6, value_width=8,
    )  # fmt: skip
    save_agent(agent, tokenizer, here / "agent")
    training = RewardTrainingConfig(
        updates=UPDATES, steps=4, batch=3, learning_rate=1e-2, warmup=1, evaluate_every=EVERY, log_every=1
    )
    return RewardConfig(
        data=(store.folder,), agent=here / "agent", runs=here, validation=0.3, checkpoint_every=EVERY,
        wandb="disabled", training=training,
    )  # fmt: skip


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return load_file(folder / "model.safetensors")


@pytest.mark.parametrize("kind", ["inter_temporal", "autoregressive"])
@pytest.mark.parametrize("at", [2, 4])
def test_a_resumed_training_ends_in_the_same_weights(kind, at: int, settings: RewardConfig, tmp_path: Path):
    config = replace(settings, kind=kind, runs=tmp_path)
    whole = reward(replace(config, name="whole"))
    run = tmp_path / "stopped"
    reward(replace(config, name="stopped"))
    for checkpoint in Checkpoints(run).all():
        if checkpoint.step > at:
            shutil.rmtree(checkpoint.folder)
    shutil.rmtree(run / "reward_model")
    assert Checkpoints(run).latest().step == at
    resumed = reward(replace(config, name="stopped", resume=run))
    for name in ("model.safetensors", "config.json"):
        assert (resumed / name).read_bytes() == (whole / name).read_bytes(), name
    last = [Checkpoints(tmp_path / name).latest() for name in ("whole", "stopped")]
    assert [checkpoint.step for checkpoint in last] == [UPDATES, UPDATES]
    for one, other in zip(*(weights(checkpoint.agent_folder).values() for checkpoint in last), strict=True):
        assert torch.equal(one, other)  # of the last update, which need not be the best


@pytest.mark.parametrize("extra", [{}, {"rewind": 0.33}], ids=["plain", "rewind"])
def test_play_whose_frames_stay_compressed_teaches_the_same(
    extra: dict[str, float], settings: RewardConfig, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = replace(settings, runs=tmp_path, training=replace(settings.training, **extra))
    decoded = reward(replace(config, name="decoded"))
    assert "stay compressed" not in capsys.readouterr().err
    packed = reward(replace(config, name="packed", in_memory_gb=1e-6))
    assert "8 episodes would take" in (said := capsys.readouterr().err) and "stay compressed" in said
    for one, other in zip(weights(decoded).values(), weights(packed).values(), strict=True):
        assert torch.equal(one, other)


@pytest.mark.parametrize("kind", ["inter_temporal", "autoregressive"])
def test_training_can_start_from_an_earlier_model(kind, settings: RewardConfig, tmp_path: Path):
    earlier = reward(replace(settings, kind=kind, runs=tmp_path, name="earlier"))
    still = replace(settings.training, learning_rate=0.0)
    found = reward(replace(settings, kind=kind, runs=tmp_path, name="later", start=earlier, training=still))
    before = weights(earlier)
    assert all(torch.equal(value, before[name]) for name, value in weights(found).items())


def test_a_new_autoregressive_model_starts_from_the_frequencies_of_marks(settings: RewardConfig, tmp_path: Path):
    still = replace(settings.training, learning_rate=0.0, updates=1)
    found = reward(replace(settings, kind="autoregressive", runs=tmp_path, training=still))
    model, _ = load_reward_model(found)
    assert isinstance(model, AutoregressiveRewardModel)
    bias = model.annotate.predict[-1].bias
    assert bias.exp().sum().item() == pytest.approx(1.0)  # shares of none, (+) and (-)
    assert 0.5 < bias[0].exp().item() < 0.95


@pytest.mark.parametrize(
    ("found", "warning"), [({SIGNAL: 0.4}, "signal to noise 0.4"), ({SIGNAL: 1.7}, None), ({}, None)]
)
def test_a_reward_that_is_mostly_noise_is_warned_of(
    settings: RewardConfig,
    found: dict[str, float],
    warning: str | None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    monkeypatch.setattr(Evaluator, "evaluate", lambda *_: {"pair_accuracy": 0.6} | found)
    reward(replace(settings, runs=tmp_path, training=replace(settings.training, updates=2)))
    printed = capsys.readouterr().err
    assert ("warning" in printed) == (warning is not None) and (warning or "") in printed


def test_what_marks_mean_cannot_change_when_it_is_resumed(settings: RewardConfig) -> None:
    run = reward(replace(settings, name="fixed")).parent
    for other in ({"rater_delay": 3}, {"raters": "majority"}, {"marks_later": 2}, {"unmarked_margin": 4}):
        name = next(iter(other))
        with pytest.raises(UserError, match=f"training.{name}|training-{name.replace('_', '-')}"):
            reward(replace(settings, name="fixed", resume=run, training=replace(settings.training, **other)))
