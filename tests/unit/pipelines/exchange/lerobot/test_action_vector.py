"""Movement as vectors of numbers, and back."""

from __future__ import annotations

import numpy as np
import pytest

from pipelines.exchange.lerobot.action_vector import ActionVector
from rlhf.store.synthetic import synthetic_play
from tests.unit.rlhf.declared_spaces import SPACES
from worlds.contract import BODY, neutral_movement
from worlds.spaces.action import ActionSpec, Discrete


@pytest.mark.parametrize("name", SPACES)
def test_every_movement_comes_back(name: str) -> None:
    episode = synthetic_play(1, SPACES[name], 9)
    vector = ActionVector(SPACES[name].solver.action)
    numbers = vector.encode(episode.movement, episode.continuous)
    assert numbers.dtype == np.float32 and numbers.shape == (9, len(vector.names))
    movement, continuous = vector.decode(numbers)
    assert movement.dtype == episode.movement.dtype and np.array_equal(movement, episode.movement)
    assert (continuous is None) == (episode.continuous is None)
    assert continuous is None or np.array_equal(continuous, episode.continuous)


def test_bins_are_the_numbers_that_they_stand_for() -> None:
    vector = ActionVector(BODY)
    movement = np.stack([neutral_movement(), neutral_movement()])
    movement[1, 7, 2] = 3  # slightly left
    first, second = vector.encode(movement, None)
    assert vector.names[:2] == ("forward (tick 0)", "strafe (tick 0)") and len(first) == vector.size == 48
    assert not first.any() and np.flatnonzero(second).tolist() == [44] and second[44] == np.float32(0.3)


def test_equal_numbers_of_bins_are_replaced_by_their_indices() -> None:
    spec = ActionSpec((Discrete("hand", ("keep", "grab", "hold"), values=(0, 1, 1)),))
    vector = ActionVector(spec)
    assert vector.names == ("hand",) and vector.encode(np.array([[[2]]], np.int8), None).tolist() == [[2.0]]


def test_a_number_that_no_bin_has_is_refused() -> None:
    with pytest.raises(ValueError, match=r"turn is 0\.5 at step 1"):
        numbers = np.zeros((2, 48), np.float32)
        numbers[1, 44] = 0.5
        ActionVector(BODY).decode(numbers)
