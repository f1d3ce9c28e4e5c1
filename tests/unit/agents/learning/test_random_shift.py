"""Pictures that are moved a little, against moving them pixel by pixel."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from agents.learning.random_shift import random_shift
from rlhf.learning.cloner import Cloner, CloningConfig
from tests.unit.agents.made_up_play import recorded, tiny


def test_every_trajectory_is_moved_by_one_offset_and_edges_repeat() -> None:
    rng = np.random.default_rng(0)
    image = rng.integers(0, 256, size=(3, 50, 5, 7, 3), dtype=np.uint8)
    moved = random_shift(torch.from_numpy(image), 2, np.random.default_rng(1)).numpy()
    padded, seen = np.pad(image, ((0, 0), (0, 0), (2, 2), (2, 2), (0, 0)), mode="edge"), set()
    for b in range(50):
        places = [(y, x) for y in range(5) for x in range(5)]
        fits = [(y, x) for y, x in places if (padded[:, b, y : y + 5, x : x + 7] == moved[:, b]).all()]
        assert len(fits) == 1, b
        seen.add(fits[0])
    assert len(seen) > 15 and moved.dtype == np.uint8


def test_the_shift_of_an_update_depends_only_on_the_seed_and_its_number() -> None:
    play = recorded(tiny().config, [4, 6, 5])
    config = CloningConfig(steps=2, batch=3, shift=2, warmup=1)
    straight = Cloner(tiny(), play, config)
    expected = [straight.update(0.0)["bc/loss"] for _ in range(4)]
    first = Cloner(tiny(), play, config)
    got = [first.update(0.0)["bc/loss"] for _ in range(2)]
    second = Cloner(first.model, play, config)
    second.load_state_dict(first.state_dict())
    assert got + [second.update(0.0)["bc/loss"] for _ in range(2)] == expected
    still = Cloner(tiny(), play, CloningConfig(steps=2, batch=3, warmup=1))
    assert still.update(0.0)["bc/loss"] != expected[0]
    with pytest.raises(ValueError, match="shift"):
        CloningConfig(shift=-1)
