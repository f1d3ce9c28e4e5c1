"""Columns of an agent's inputs and actions, as declared spaces have them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.columns import ActionColumns, action_columns, observation_columns
from agents.config import AgentConfig
from worlds.contract import MOVEMENT_BINS, body_spec, neutral_movement
from worlds.spaces.action import ActionSpec, Continuous, Discrete, Pointer
from worlds.spaces.description import to_json
from worlds.spaces.observation import Category, Entities, Grid, ObservationSpec, PlayerSpec, Vector

ARM = ActionSpec((Continuous("x", -2.0, 1.0, 0.5), Discrete("hand", ("open", "close")), Continuous("y", 0.0, 1.0)), 3)
HOUSE = PlayerSpec(
    ObservationSpec(entities=Entities(300, (Category("class", 80),), ("x", "y"), ("x", "y")), texts=("inventory",)),
    ActionSpec((Discrete("verb", ("wait", "open", "grab")), Pointer("object", 300)), masked=True),
)


def test_the_playhouse_has_the_columns_it_always_had() -> None:
    config = AgentConfig()
    assert config.player == body_spec(36, 48)
    assert observation_columns(config) == {
        "image": (np.uint8, (36, 48, 3)), "setter_tokens": (np.int64, (10,)), "solver_tokens": (np.int64, (4,)),
        "previous_movement": (np.int8, (8, 6)),
    }  # fmt: skip
    assert action_columns(config) == {"movement": (np.int8, (8, 6)), "utterance": (np.int64, (6,))}
    assert config.columns.counts.tolist() == MOVEMENT_BINS.tolist()
    assert np.array_equal(config.columns.neutral(), neutral_movement())


@given(st.lists(st.floats(-2.0, 1.0, width=32), min_size=3, max_size=3))
def test_continuous_values_come_back_within_half_a_bin(values: list[float]) -> None:
    columns = ActionColumns(ARM, 33)
    continuous = np.column_stack([values, np.linspace(0, 1, 3)]).astype(np.float32)
    encoded = columns.encode(ARM.neutral_movement(), continuous)
    assert encoded.shape == (3, 3) and encoded.dtype == np.int8
    assert (encoded >= 0).all() and (encoded < columns.counts).all()
    movement, back = columns.decode(encoded)
    assert back is not None and np.array_equal(movement, ARM.neutral_movement())
    assert (np.abs(back - continuous) <= np.array([3.0, 1.0]) / 33 / 2 + 1e-6).all()
    assert np.array_equal(columns.encode(movement, back), encoded), "the middle of a bin is in it"


def test_values_outside_the_bounds_are_in_the_outermost_bins() -> None:
    columns = ActionColumns(ARM, 5)
    continuous = np.array([[-9.0, 9.0], [1.0, 1.0], [-2.0, 0.0]], np.float32)
    assert columns.encode(ARM.neutral_movement(), continuous)[:, 1:].tolist() == [[0, 4], [4, 4], [0, 0]]


def test_pointers_are_known_and_take_as_many_bits_as_they_need() -> None:
    config = AgentConfig(spaces=to_json(HOUSE))
    assert config.columns.pointers.tolist() == [False, True]
    assert config.columns.counts.tolist() == [3, 301] and config.columns.dtype == np.int16
    assert observation_columns(config) == {
        "setter_tokens": (np.int64, (10,)), "solver_tokens": (np.int64, (4,)),
        "previous_movement": (np.int16, (1, 2)),
        "entity_categories": (np.int16, (300, 1)), "entity_values": (np.float32, (300, 2)),
        "entity_count": (np.int16, ()), "legal": (np.bool_, (304,)), "texts": (np.int64, (1, 10)),
    }  # fmt: skip


def test_spaces_that_are_none_are_refused() -> None:
    with pytest.raises(ValueError, match="spaces.observation.grid has an unknown key 'depth'"):
        AgentConfig(spaces={"observation": {"grid": {"depth": 3}}, "action": {"components": []}})
    seen = PlayerSpec(ObservationSpec(grid=Grid(3, 3, (2,)), vector=Vector(2)), ActionSpec(()))
    assert AgentConfig(spaces=to_json(seen)).columns.neutral().shape == (1, 0)
