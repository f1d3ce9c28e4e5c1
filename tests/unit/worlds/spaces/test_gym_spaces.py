"""Gymnasium's spaces as specs: every value that a space samples survives, and spaces that cannot enter are named."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gymnasium import spaces

from worlds.spaces.action import ActionSpec, Continuous, Discrete, InvalidSpace
from worlds.spaces.gym_spaces import translate_action, translate_observation
from worlds.spaces.observation import Grid, Image, PlayerSpec, Vector

DRIVE = spaces.Box(np.array([-1, 0], np.float32), np.array([1, 2], np.float32))
NESTED = spaces.Dict(
    arm=spaces.Tuple((spaces.Discrete(3, start=5), spaces.MultiBinary(2))),
    drive=DRIVE,
    look=spaces.MultiDiscrete([2, 4]),
)


@pytest.mark.parametrize("space", [spaces.Discrete(7), DRIVE, NESTED, spaces.MultiDiscrete([[2, 3], [4, 5]])])
def test_actions_that_are_chosen_are_of_the_environments_space(space: spaces.Space) -> None:
    translation = translate_action(space)
    spec, rng = ActionSpec(translation.components), np.random.default_rng(0)
    for _ in range(20):
        chosen = rng.integers(0, spec.counts)[None].astype(spec.dtype)
        low, high = (np.array([getattr(each, side) for each in spec.continuous]) for side in ("low", "high"))
        values = rng.uniform(low, high)[None].astype(np.float32)
        action = spec.silent() | {"movement": chosen} | ({"continuous": values} if spec.continuous else {})
        spec.check(action)
        assert space.contains(translation.build(chosen[0], values[0]))
    assert space.contains(translation.build(spec.neutral_movement()[0], spec.neutral_continuous()[0]))


def test_components_are_named_by_their_place() -> None:
    components = translate_action(NESTED, neutral={"drive.1": 1.5, "arm.0": 2}).components
    assert [each.name for each in components] == [
        "arm.0", "arm.1.0", "arm.1.1", "drive.0", "drive.1", "look.0", "look.1",
    ]  # fmt: skip
    assert components[0] == Discrete("arm.0", ("0", "1", "2"), neutral=2)
    assert components[4] == Continuous("drive.1", 0.0, 2.0, neutral=1.5)
    assert translate_action(spaces.Discrete(2), ["left", "right"]).components == (
        Discrete("action", ("left", "right")),
    )


def test_every_part_reaches_its_place_in_the_action() -> None:
    build = translate_action(NESTED).build
    action = build(np.array([1, 0, 1, 0, 3]), np.array([0.5, 1.5], np.float32))
    assert action["arm"][0] == 6 and action["arm"][1].tolist() == [0, 1]
    assert action["drive"].tolist() == [0.5, 1.5] and action["look"].tolist() == [0, 3]


@pytest.mark.parametrize(
    ("space", "settings", "refusal"),
    [
        (spaces.Text(5), {}, "action is a Text"),
        (spaces.Box(-np.inf, np.inf, (2,)), {}, "give finite bounds"),
        (spaces.Box(0, 5, (2,), np.int32), {}, "action is a Box"),
        (spaces.Discrete(3), {"bins": ["left"]}, "has 3 bins, but 1 are named"),
        (spaces.Discrete(3), {"neutral": {"drive": 1}}, "neutral names 'drive'; components: action"),
        (spaces.Discrete(3), {"neutral": {"action": 3}}, "neutral is 3, not 0 to 2"),
    ],
)
def test_action_spaces_that_cannot_enter_are_named(space: spaces.Space, settings: dict[str, Any], refusal: str) -> None:
    with pytest.raises(InvalidSpace, match=refusal):
        translate_action(space, **settings)


def test_an_observation_keeps_all_its_numbers() -> None:
    space = spaces.Dict(
        camera=spaces.Box(0, 255, (3, 8, 10), np.uint8),
        facing=spaces.Discrete(4),
        map=spaces.MultiDiscrete(np.full((5, 5, 2), [11, 6])),
        inner=spaces.Tuple((spaces.Box(-1, 1, (2, 2)), spaces.MultiBinary(3))),
        mission=spaces.Text(20),
    )
    translation = translate_observation(space, without=("mission",))
    assert translation.spec.image == Image(8, 10) and translation.spec.grid == Grid(5, 5, (11, 6))
    assert translation.spec.vector == Vector(4 + 4 + 3) and translation.spec.texts == ()
    space.seed(0)
    player = PlayerSpec(translation.spec, ActionSpec(()))
    for _ in range(5):
        seen = space.sample()
        read = translation.read(seen)
        words = {"setter_text": "", "solver_text": "", "previous_movement": player.action.neutral_movement()}
        player.check_observation(read | words)
        assert np.array_equal(read["image"][..., 1], seen["camera"][1]) and np.array_equal(read["grid"], seen["map"])
        assert read["vector"][:4].argmax() == seen["facing"]
        assert np.array_equal(read["vector"][4:8], seen["inner"][0].ravel())
        assert np.array_equal(read["vector"][8:], seen["inner"][1])
    assert not np.shares_memory(read["image"], seen["camera"])


def test_symbols_in_the_space_of_a_picture_are_a_grid_where_that_is_asked_for() -> None:
    space = spaces.Dict(image=spaces.Box(0, 255, (7, 7, 3), np.uint8), text=spaces.Text(9))
    assert translate_observation(space).spec.image == Image(7, 7)
    spec = translate_observation(space, grids={"image": (11, 6, 4)}).spec
    assert spec.image is None and spec.grid == Grid(7, 7, (11, 6, 4)) and spec.texts == ("text",)


def test_spaces_without_a_tree_are_read_as_they_are() -> None:
    assert translate_observation(spaces.Box(-1, 1, (4,))).spec.vector == Vector(4)
    grey = translate_observation(spaces.Box(0, 255, (8, 8), np.uint8))
    assert grey.spec.image == Image(8, 8, 1) and grey.read(np.ones((8, 8), np.uint8))["image"].shape == (8, 8, 1)


@pytest.mark.parametrize(
    ("space", "settings", "refusal"),
    [
        (spaces.Tuple((spaces.Box(0, 255, (8, 8, 3), np.uint8),) * 2), {}, "1 is a second image"),
        (spaces.Sequence(spaces.Discrete(2)), {}, "observation is a Sequence"),
        (spaces.Box(-5, 5, (3, 3, 1), np.int32), {}, "whole numbers from -5 to 5"),
        (spaces.Box(0, 255, (8, 8), np.uint8), {"grids": {"observation": (3,)}}, r"shape \[8, 8\]; a grid has"),
        (spaces.Box(0, 255, (8, 8, 3), np.uint8), {"grids": {"observation": (3,)}}, "3 channels, but categories"),
        (
            spaces.Box(0, 255, (8, 8, 3), np.uint8),
            {"grids": {"image": (3,)}},
            "no observation is named 'image'; observation",
        ),
        (spaces.Box(0, 1, (400, 400)), {}, "160000 numbers"),
    ],
)
def test_observation_spaces_that_cannot_enter_are_named(
    space: spaces.Space, settings: dict[str, Any], refusal: str
) -> None:
    with pytest.raises(InvalidSpace, match=refusal):
        translate_observation(space, **settings)
