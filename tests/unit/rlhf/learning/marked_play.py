"""A small agent, four episodes of play, and a check that a learner resumes, for tests of learning from play."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import torch

from agents.agent import InteractiveAgent
from rlhf.data.memory import MemoryDataset
from tests.unit.agents import made_up_play

LENGTHS = [4, 3, 5, 4]
SIZES: dict[str, Any] = dict(
    image_size=(12, 12), vision_channels=(8,), vision_strides=(4,), vision_blocks=(1,), width=16, heads=2,
    memory_width=64, tick_width=64, value_width=8,
)  # fmt: skip


def agent(seed: int = 0) -> InteractiveAgent:
    return made_up_play.agent(seed=seed, talkative=False, **SIZES)


def play() -> MemoryDataset:
    torch.set_num_threads(1)
    return made_up_play.recorded(agent().config, LENGTHS)


def stored(state: dict[str, Any]) -> dict[str, Any]:
    """The state as a checkpoint gives it back."""
    kept = io.BytesIO()
    torch.save(state, kept)
    kept.seek(0)
    return torch.load(kept, weights_only=True)


def resumed_alike(make: Callable[[InteractiveAgent], Any]) -> None:
    """See that three updates of a learner, saved and loaded, and three more are the same as six."""
    whole, first = make(agent()), make(agent())
    metrics = [whole.update(index / 6) for index in range(6)]
    for index in range(3):
        first.update(index / 6)
    saved = stored({"agent": first.model.state_dict(), "learner": first.state_dict()})
    second = make(agent(seed=9))
    second.model.load_state_dict(saved["agent"])
    second.load_state_dict(saved["learner"])
    assert second.done == 3
    assert [second.update(index / 6) for index in range(3, 6)] == metrics[3:]
    own, other = whole.model.state_dict(), second.model.state_dict()
    assert all(own[name].equal(other[name]) for name in own)
