"""Gymnasium's spaces as specs: every value that a space samples survives, and spaces that cannot enter are named."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gymnasium import spaces

from worlds.spaces.action import MOST_BINS, ActionSpec, Continuous, Discrete, InvalidSpace
from worlds.spaces.as_gym import gym_movement_space
from worlds.spaces.gym_observation import departure, translate_observation
from worlds.spaces.gym_spaces import translate_action
from worlds.spaces.observation import Grid, Image, InvalidObservation, PlayerSpec, Vector

DRIVE = spaces.Box(np.array([-1, 0], np.float32), np.array([1, 2], np.float32))

NESTED = spaces.Dict(
    arm=spaces.Tuple((spaces.Discrete(3, start=5), spaces.MultiBinary(2))),
    drive=DRIVE,
    look=spaces.MultiDiscrete([2, 4]),
)
PAIR = spaces.Box(-1, 1, (2,), np.float32)
PICTURE = spaces.Box(0, 255, (4, 4, 3), np.uint8)


@pytest.mark.parametrize(
    "space",
    [spaces.Discrete(7), spaces.Discrete(MOST_BINS, start=-1), DRIVE, NESTED, spaces.MultiDiscrete(np.array([[2, 3]]))],
)
def test_actions_that_are_chosen_are_of_the_environments_space(space: spaces.Space) -> None:
    translation = translate_action(space)
    spec, rng = ActionSpec(translation.components), np.random.default_rng(0)
    low, high = (np.array([getattr(each, side) for each in spec.continuous]) for side in ("low", "high"))
    movements = [np.zeros_like(spec.counts), spec.counts - 1, *(rng.integers(0, spec.counts) for _ in range(20))]
    for movement in (each[None].astype(spec.dtype) for each in movements):
        values = rng.uniform(low, high)[None].astype(np.float32)
        spec.check(spec.silent() | {"movement": movement} | ({"continuous": values} if spec.continuous else {}))
        assert gym_movement_space(spec).contains(movement)
        assert space.contains(translation.build(movement[0], values[0]))
    assert space.contains(translation.build(spec.neutral_movement()[0], spec.neutral_continuous()[0]))


def test_components_are_named_by_their_place() -> None:
    components = translate_action(NESTED, neutral={"drive.1": 1.5, "arm.0": 2}).components
    names = ["arm.0", "arm.1.0", "arm.1.1", "drive.0", "drive.1", "look.0", "look.1"]
    assert [each.name for each in components] == names
    assert components[0] == Discrete("arm.0", ("0", "1", "2"), neutral=2)
    assert components[4] == Continuous("drive.1", 0.0, 2.0, neutral=1.5)
    named = translate_action(spaces.Discrete(2), ["left", "right"])
    assert named.components == (Discrete("action", ("left", "right")),)


@pytest.mark.parametrize(
    ("space", "settings", "refusal"),
    [
        (spaces.Text(5), {}, "action is a Text"),
        (spaces.Box(-np.inf, np.inf, (2,)), {}, "give finite bounds"),
        (spaces.Box(0, 5, (2,), np.int32), {}, "action is a Box"),
        (spaces.Discrete(3), {"bins": ["left"]}, "has 3 bins, but 1 are named"),
        (spaces.Discrete(3), {"neutral": {"drive": 1}}, "neutral names 'drive'; components: action"),
        (spaces.Discrete(3), {"neutral": {"action": 3}}, "neutral is 3, not 0 to 2"),
        (spaces.Discrete(32_768), {}, "'action' has 32,768 values, more than 32,767"),
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


@pytest.mark.parametrize(
    ("space", "settings", "refusal"),
    [
        (spaces.Tuple((PICTURE, PICTURE)), {}, "1 is a second image besides 0; leave it out: --world.leave-out 1"),
        (spaces.Sequence(spaces.Discrete(2)), {}, "observation is a Sequence"),
        (spaces.Box(-5, 5, (3, 3, 1), np.int32), {}, "whole numbers from -5 to 5"),
        (spaces.Box(0, 255, (8, 8), np.uint8), {"grids": {"observation": (3,)}}, r"shape \[8, 8\]; a grid has"),
        (PICTURE, {"grids": {"observation": (3,)}}, "3 channels, but categories"),
        (PICTURE, {"grids": {"image": (3,)}}, "no observation is named 'image'; known: observation"),
        (spaces.Box(0, 1, (400, 400)), {}, "160,000 numbers"),
        (spaces.Dict(state=PAIR), {"without": ("camera",)}, "no observation is named 'camera'; known: state"),
    ],
)
def test_observation_spaces_that_cannot_enter_are_named(
    space: spaces.Space, settings: dict[str, Any], refusal: str
) -> None:
    with pytest.raises(InvalidSpace, match=refusal):
        translate_observation(space, **settings)


@pytest.mark.parametrize(
    ("shape", "image"),
    [
        ((8, 10, 3), Image(8, 10, 3)),
        ((3, 8, 10), Image(8, 10, 3)),
        ((2, 8, 10), Image(8, 10, 2)),  # a stack of grey frames
        ((5, 8, 10), Image(8, 10, 5)),
        ((4, 8, 10, 3), Image(8, 10, 12)),  # of coloured ones
        ((1, 128), None),  # the memory of a game
    ],
)
def test_pictures_and_stacks_of_them_have_their_channels_last(shape: tuple[int, ...], image: Image | None) -> None:
    translation = translate_observation(spaces.Box(0, 255, shape, np.uint8))
    seen = np.random.default_rng(0).integers(256, size=shape, dtype=np.uint8)
    read = translation.read(seen)
    assert translation.spec.image == image
    if image is None:
        assert read["vector"].tolist() == seen.ravel().tolist()
        return
    assert read["image"].shape == image.shape and not np.shares_memory(read["image"], seen)
    first = seen if seen.ndim == 3 else seen[0]
    column = first[:, 2, 1] if shape[-1] == 10 else first[2, 1]
    assert read["image"][2, 1, : len(column)].tolist() == column.tolist()


@pytest.mark.parametrize(
    ("count", "value", "numbers"),
    [(3, 2, [0, 0, 1]), (20_000, 5, [1, 0, 1] + 12 * [0]), (1 << 31, (1 << 31) - 1, 31 * [1])],
)
def test_one_of_few_is_one_of_n_and_one_of_many_its_binary_digits(count: int, value: int, numbers: list[int]) -> None:
    translation = translate_observation(spaces.Discrete(count, start=-7))
    assert translation.spec.vector == Vector(len(numbers))
    assert translation.read(value - 7)["vector"].tolist() == numbers


@pytest.mark.parametrize(
    ("space", "value", "differs"),
    [
        (PAIR, np.array([0.5, 0], np.float32), False),
        (PAIR, np.array([0.5, 0]), True),
        (PAIR, np.array([[0.5, 0]], np.float32), True),
        (PAIR, np.array([9, 0], np.float32), True),
        (spaces.Box(0, 1, (), np.float32), np.float32(1), False),
        (PICTURE, np.full((4, 4, 3), 7, np.int64), True),
        (PICTURE, np.full((4, 4, 3), 7.0), True),
    ],
)
def test_what_is_read_without_loss_is_read_and_a_departure_is_named(
    space: spaces.Space, value: Any, differs: bool
) -> None:
    read = translate_observation(space).read(value)["image" if space is PICTURE else "vector"]
    assert read.ravel().tolist() == np.ravel(value).tolist()
    assert (departure(space, value) is not None) == differs


@pytest.mark.parametrize(
    ("space", "value", "refusal"),
    [
        (PAIR, np.zeros(3), r"observation is float64 \[3\], which has 3 numbers, not 2"),
        (PAIR, None, "observation is a NoneType, not numbers"),
        (PAIR, [[1, 2], [3]], "observation is a list, not numbers"),
        (spaces.Discrete(3), -1, "observation is -1, not a whole number from 0 to 2"),
        (PICTURE, np.full((4, 4, 3), 0.5), "observation is float64 from 0.5 to 0.5, not whole numbers from 0 to 255"),
        (PICTURE, np.zeros((4, 5, 3), np.uint8), r"observation is uint8 \[4, 5, 3\], declared is \[4, 4, 3\]"),
        (spaces.MultiDiscrete(np.full((2, 2, 1), 5)), np.full((2, 2, 1), 70_000), "from 70000 to 70000, not whole"),
        (spaces.Text(5), 7, "observation is a int, not text"),
        (spaces.Dict(a=PAIR), {"b": 0}, "a is missing"),
    ],
)
def test_what_cannot_be_read_is_refused_by_name(space: spaces.Space, value: Any, refusal: str) -> None:
    with pytest.raises(InvalidObservation, match=refusal):
        translate_observation(space).read(value)


def test_texts_keep_no_half_characters() -> None:
    read = translate_observation(spaces.Dict(hint=spaces.Text(9), label=spaces.Text(9))).read(
        {"hint": "a\ud800b \ud83d\ude00", "label": np.array(b"left")}
    )
    assert read == {"hint": "a\ufffdb \U0001f600", "label": "left"}


def test_an_action_mask_says_what_is_legal_and_is_no_number() -> None:
    space = spaces.Dict(observation=PAIR, action_mask=spaces.Box(0, 1, (5,), np.int8))
    masked = translate_observation(space, counts=(3, 2))
    assert masked.masked and masked.spec.vector == Vector(2)
    seen = {"observation": np.zeros(2, np.float32), "action_mask": np.array([1, 0, 1, 0, 0], np.int8)}
    assert masked.read(seen)["legal"].tolist() == [True, False, True, True, True]  # one that rules all out says nothing
    for counts in ((), (4,)):
        other = translate_observation(space, counts=counts)
        assert not other.masked and other.spec.vector == Vector(7)
