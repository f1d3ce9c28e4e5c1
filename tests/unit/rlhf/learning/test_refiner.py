"""Refining on marked play: each method's loss by hand, and desirable actions become more probable."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from agents.agent import InteractiveAgent
from rlhf.data.memory import MemoryDataset
from rlhf.data.windows import EpisodeStream
from rlhf.learning.cloner import Cloner, CloningConfig
from rlhf.learning.refiner import Refiner, WeightedCloner
from rlhf.learning.refining_config import RefiningConfig
from tests.unit.agents import made_up_play

SIZES: dict[str, Any] = dict(
    image_size=(12, 12), vision_channels=(8,), vision_strides=(4,), vision_blocks=(1,), width=16, heads=2,
    memory_width=64, tick_width=64, value_width=8,
)  # fmt: skip
TINY = RefiningConfig(updates=6, steps=3, batch=4, learning_rate=1e-3, warmup=2, beta1=0.9)
LEARNS = replace(TINY, updates=60, steps=4, learning_rate=1e-2, beta2=0.99, css_weight=0.0)


def agent(seed: int = 0) -> InteractiveAgent:
    return made_up_play.agent(seed=seed, talkative=False, **SIZES)


@pytest.fixture(scope="module")
def play() -> MemoryDataset:
    """Four episodes, of which the last two are an agent's own."""
    torch.set_num_threads(1)
    recorded = made_up_play.recorded(agent().config, [4, 3, 5, 4])
    return replace(recorded, demonstrated=np.arange(16) < 7)


@torch.no_grad()
def log_prob(model: InteractiveAgent, play: MemoryDataset) -> np.ndarray:
    """Log-probability [N] of every recorded action, each episode from its beginning."""
    found = []
    for begin, end in zip(play.starts[:-1], play.starts[1:], strict=True):
        observations, actions = play.gather(np.arange(begin, end)[:, None])
        output, _ = model(observations, model.initial_state(1), torch.zeros(end - begin, 1, dtype=torch.bool))
        log_probs = model.log_probs(output, actions)
        found.append((log_probs.movement + log_probs.language)[:, 0].numpy())
    return np.concatenate(found)


def test_the_weighted_loss_is_the_weighted_sum_by_hand(play: MemoryDataset) -> None:
    learner, weight = agent(), np.linspace(0.0, 2.0, 16).astype(np.float32)
    stream = EpisodeStream(play, TINY.steps, TINY.batch, TINY.seed)
    window, rows = stream.next_with_rows()
    with torch.no_grad():
        output, _ = learner(window.observations, learner.initial_state(TINY.batch), window.resets)
        log_probs = learner.log_probs(output, window.actions)
    sums = {"movement": 0.0, "language": 0.0}
    for t in range(TINY.steps):
        for b in range(TINY.batch):
            sums["movement"] -= float(weight[rows[t, b]]) * float(log_probs.movement[t, b])
            sums["language"] -= float(weight[rows[t, b]]) * float(log_probs.speak[t, b] + log_probs.words[t, b])
    metrics = WeightedCloner(learner, play, weight, TINY).update(0.0)
    for name, total in sums.items():
        assert metrics[f"bc/{name}"] == pytest.approx(total / rows.size, rel=1e-5)


def test_a_step_of_weight_0_teaches_nothing(play: MemoryDataset) -> None:
    left_out = np.arange(16) % 3 == 0
    other = play.movement.copy()
    other[left_out] = made_up_play.movement(int(left_out.sum()), np.random.default_rng(5))
    both = (play, replace(play, movement=other))
    one, same = (WeightedCloner(agent(), data, (~left_out).astype(np.float32), TINY).update(0.0) for data in both)
    assert one == pytest.approx(same, rel=1e-5)
    one, another = (WeightedCloner(agent(), data, np.ones(16, np.float32), TINY).update(0.0) for data in both)
    assert abs(one["bc/movement"] - another["bc/movement"]) > 0.01


def test_weights_of_1_are_cloning_of_all_steps(play: MemoryDataset) -> None:
    whole = replace(play, demonstrated=np.ones(16, bool))
    plain = Cloner(agent(), whole, CloningConfig(updates=6, steps=3, batch=4, learning_rate=1e-3, warmup=2, beta1=0.9))
    weighted = WeightedCloner(agent(), play, np.ones(16, np.float32), TINY)
    assert weighted.update(0.0) == pytest.approx(plain.update(0.0), rel=1e-5)


def test_steps_of_high_advantage_become_more_probable_than_others(play: MemoryDataset) -> None:
    """Also among the agent's own steps, which cloning leaves alone."""
    learner, good = agent(), np.arange(16) % 2 == 0
    before = log_prob(learner, play)
    trainer = WeightedCloner(learner, play, np.where(good, 1.9, 0.1).astype(np.float32), LEARNS)
    losses = []
    trainer.run(lambda update, metrics: losses.append(metrics["bc/movement"]))
    gained = log_prob(learner, play) - before
    assert losses[-1] < losses[0]
    own = ~play.demonstrated
    assert gained[good & own].mean() > gained[~good & own].mean() + 5.0
    assert gained[good].min() > 0.0


def test_weights_of_other_play_are_refused(play: MemoryDataset) -> None:
    with pytest.raises(ValueError, match="16 steps"):
        WeightedCloner(agent(), play, np.ones(15, np.float32), TINY)


def resumed_alike(make: Any) -> None:
    """See that three updates, saved and loaded, and three more are the same as six."""
    whole: Refiner = make(agent())
    metrics = [whole.update(index / 6) for index in range(6)]
    first: Refiner = make(agent())
    for index in range(3):
        first.update(index / 6)
    kept = io.BytesIO()
    torch.save({"agent": first.model.state_dict(), "refiner": first.state_dict()}, kept)
    kept.seek(0)
    state = torch.load(kept, weights_only=False)
    second: Refiner = make(agent(seed=9))
    second.model.load_state_dict(state["agent"])
    second.load_state_dict(state["refiner"])
    assert [second.update(index / 6) for index in range(3, 6)] == metrics[3:]


def test_weighted_cloning_is_resumed_bit_exactly(play: MemoryDataset) -> None:
    weight = np.linspace(0.0, 2.0, 16).astype(np.float32)
    resumed_alike(lambda model: WeightedCloner(model, play, weight, TINY))
