"""Pictures that are moved a little, against moving them pixel by pixel."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from agents.learning.random_shift import random_shift
from rlhf.learning.cloner import Cloner, CloningConfig
from tests.unit.agents.made_up_play import agent, recorded


def test_every_trajectory_is_moved_by_one_offset_and_edges_repeat() -> None:
    rng = np.random.default_rng(0)
    image = torch.from_numpy(rng.integers(0, 256, size=(3, 50, 5, 7, 3), dtype=np.uint8))
    moved, seen = random_shift(image, 2, np.random.default_rng(1)), set()
    for b in range(50):
        fits = [
            (down, right)
            for down in range(-2, 3)
            for right in range(-2, 3)
            if all(
                moved[t, b, y, x].equal(image[t, b, min(max(y - down, 0), 4), min(max(x - right, 0), 6)])
                for t in range(3)
                for y in range(5)
                for x in range(7)
            )
        ]
        assert len(fits) == 1, b
        seen.add(fits[0])
    assert len(seen) > 15 and moved.dtype == torch.uint8


def test_the_shift_of_an_update_depends_only_on_the_seed_and_its_number() -> None:
    learner = agent()
    play = recorded(learner.config, [4, 6, 5])  # type: ignore[arg-type]
    config = CloningConfig(steps=2, batch=3, shift=2, warmup=1)
    straight = Cloner(agent(), play, config)
    expected = [straight.update(0.0)["bc/loss"] for _ in range(4)]
    first = Cloner(learner, play, config)
    got = [first.update(0.0)["bc/loss"] for _ in range(2)]
    second = Cloner(learner, play, config)
    second.load_state_dict(first.state_dict())
    assert got + [second.update(0.0)["bc/loss"] for _ in range(2)] == expected
    still = Cloner(agent(), play, CloningConfig(steps=2, batch=3, warmup=1))
    assert still.update(0.0)["bc/loss"] != expected[0]
    with pytest.raises(ValueError, match="shift"):
        CloningConfig(shift=-1)
