"""Declared spaces: what they refuse, that JSON keeps them, and what actions and utterances are in words."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace

import numpy as np
import pytest

from worlds.contract import UTTERANCE_MAX_CHARS
from worlds.spaces.action import (
    ActionSpec,
    Continuous,
    Discrete,
    FreeText,
    Grammar,
    InvalidAction,
    InvalidSpace,
    Pointer,
)
from worlds.spaces.action_words import action_words
from worlds.spaces.as_gym import PrintableText
from worlds.spaces.description import from_json, to_json
from worlds.spaces.differences import differences
from worlds.spaces.observation import (
    Category,
    Entities,
    Grid,
    Image,
    InvalidObservation,
    ObservationSpec,
    PlayerSpec,
    Vector,
)

GO = Discrete("go", ("stay", "left", "right"))
TAKE = Pointer("take", most=5)
SPEED = Continuous("speed", -1.0, 2.0, neutral=0.5)
ACTION = ActionSpec((GO, SPEED, TAKE), ticks=2, tick_sec=0.1, speech=FreeText(20), masked=True)
OBSERVATION = ObservationSpec(
    image=Image(4, 6, 1),
    grid=Grid(3, 3, (11, 6)),
    entities=Entities(5, (Category("kind", 7),), ("x", "z", "open"), position=("x", "z")),
    vector=Vector(2, ("hunger", "time")),
    texts=("inventory",),
)
PLAYER = PlayerSpec(OBSERVATION, ACTION)


def seen(**changed: object) -> dict[str, object]:
    """An observation of PLAYER with two entities."""
    return {
        "image": np.zeros((4, 6, 1), np.uint8),
        "grid": np.zeros((3, 3, 2), np.int16),
        "entity_categories": np.array([[6], [0]], np.int16),
        "entity_values": np.zeros((2, 3), np.float32),
        "vector": np.zeros(2, np.float32),
        "legal": np.ones(9, np.bool_),
        "setter_text": "", "solver_text": "", "inventory": "a key",
        "previous_movement": ACTION.neutral_movement(),
        "previous_continuous": ACTION.neutral_continuous(),
    } | changed  # fmt: skip


def test_an_action_that_does_nothing_is_of_its_space() -> None:
    silent = ACTION.silent()
    assert silent["movement"].tolist() == [[0, 0], [0, 0]] and silent["movement"].dtype == np.int8
    assert silent["continuous"].tolist() == [[0.5], [0.5]] and silent["utterance"] == ""
    ACTION.check(silent)
    assert "continuous" not in replace(ACTION, components=(GO,)).silent()
    wide = ActionSpec((Pointer("take", 128),))
    wide.check({"movement": np.array([[128]], wide.dtype)})
    assert (ActionSpec((Pointer("take", 127),)).dtype, wide.dtype) == (np.int8, np.int16)


@pytest.mark.parametrize(
    ("changed", "entities", "refusal"),
    [
        ({"movement": None}, None, r"movement is a NoneType; give integers \[2, 2\]"),
        ({"movement": np.zeros((2, 2), np.float32)}, None, "movement is float32"),
        ({"movement": np.zeros((8, 2), np.int8)}, None, r"movement is int8 \[8, 2\]"),
        ({"movement": np.array([[0, 0], [3, 0]])}, None, r"go is 3 at tick 1; bins are 0\.\.2"),
        ({"movement": np.array([[-1, 0], [0, 0]])}, None, "go is -1 at tick 0"),
        ({"movement": np.array([[0, 6], [0, 0]])}, None, "take points at entity 6 at tick 0; there are 5"),
        ({"movement": np.array([[0, 3], [0, 0]])}, 2, "take points at entity 3 at tick 0; there are 2"),
        ({"continuous": np.array([[0.0], [2.5]])}, None, "speed is 2.5 at tick 1, not -1.0 to 2.0"),
        ({"continuous": np.array([[np.nan], [0.0]])}, None, "speed is nan at tick 0"),
        ({"continuous": np.zeros((2, 1), int)}, None, r"continuous is int64 \[2, 1\]; give floats \[2, 1\]"),
        ({"utterance": 3}, None, "utterance is a int; give text"),
    ],
)
def test_actions_of_another_space_are_refused(changed: dict, entities: int | None, refusal: str) -> None:
    with pytest.raises(InvalidAction, match=refusal):
        ACTION.check(ACTION.silent() | changed, entities)


def test_speech_keeps_to_its_grammar_and_its_length() -> None:
    asking = ActionSpec((), speech=Grammar((("where is", "help"), ("", "the door"))))
    assert asking.speech is not None and asking.speech.most_chars == len("where is the door")
    asking.check(asking.silent() | {"utterance": "where is the door"})
    assert [asking.spoken(each) for each in ("where is the door", "help", "go")] == ["where is the door", "help", ""]
    for spec, words, refusal in (
        (asking, "where is my hat", "'where is my hat', no sentence of the grammar"),
        (ActionSpec((GO,)), "hello", "the player cannot speak"),
    ):
        with pytest.raises(InvalidAction, match=refusal):
            spec.check(spec.silent() | {"utterance": words})
    free = ActionSpec((), speech=FreeText(8))
    assert (free.spoken("go left"), free.spoken("go far left")) == ("go left", "go far l")
    assert ActionSpec(()).spoken("hello") == ""


@pytest.mark.parametrize(
    ("make", "refusal"),
    [
        (lambda: Discrete("go", ("stay",)), "a choice needs two or more"),
        (lambda: Discrete("go", ("stay", "stay")), "two are named 'stay'"),
        (lambda: Discrete("go", ("stay", "left"), neutral=2), "neutral is 2, not 0 to 1"),
        (lambda: Discrete("go", ("stay", "left"), values=(1.0,)), "1 values for 2 bins"),
        (lambda: Pointer("take", 0), "one of 0 entities"),
        (lambda: Continuous("speed", 0.0, float("inf")), "give finite bounds"),
        (lambda: Continuous("speed", 1.0, 2.0), "neutral is 0.0, not 1.0 to 2.0"),
        (lambda: Grammar(()), "one slot or more"),
        (lambda: ActionSpec((GO, GO)), "two are named 'go'"),
        (lambda: ActionSpec((GO,), ticks=0), "a step of 0 ticks"),
        (lambda: ActionSpec((SPEED,), masked=True), "no component is discrete"),
        (lambda: Image(0, 6), "0x6 pixels"),
        (lambda: Grid(3, 3, ()), "0 channels"),
        (lambda: Entities(5), "one feature"),
        (lambda: Entities(5, real=("x",), position=("y",)), "no real feature 'y'"),
        (lambda: Vector(2, ("hunger",)), "2 numbers with 1 names"),
        (lambda: ObservationSpec(texts=("image",)), "the key of another part"),
        (lambda: PlayerSpec(ObservationSpec(), ActionSpec((TAKE,))), "0 are observed at most"),
    ],
)
def test_spaces_that_make_no_sense_are_refused(make, refusal: str) -> None:
    with pytest.raises(InvalidSpace, match=refusal):
        make()


def test_an_observation_is_of_its_space() -> None:
    PLAYER.check_observation(seen())
    nothing = {"entity_categories": np.zeros((0, 1), np.int16), "entity_values": np.zeros((0, 3), np.float32)}
    PLAYER.check_observation(seen(**nothing))


@pytest.mark.parametrize(
    ("changed", "refusal"),
    [
        ({"image": np.zeros((4, 6, 3), np.uint8)}, r"image is uint8 \[4, 6, 3\], not uint8 \[4, 6, 1\]"),
        ({"image": None}, "image is missing"),
        ({"grid": np.full((3, 3, 2), 6, np.int16)}, r"grid\[0, 0, 1\] is 6, not a category from 0 to 5"),
        ({"entity_values": np.zeros((1, 3), np.float32)}, "2 rows of categories and 1 of values"),
        ({"entity_categories": np.zeros((6, 1), np.int16), "entity_values": np.zeros((6, 3), np.float32)}, "at most 5"),
        ({"entity_categories": np.array([[0], [7]], np.int16)}, r"entity_categories\[1, 0\] is 7"),
        ({"vector": np.array([0, np.inf], np.float32)}, "vector has a value that is not finite"),
        ({"inventory": None}, "inventory is a NoneType, not text"),
        ({"previous_continuous": np.zeros((2, 1))}, "previous_continuous is float64"),
        ({"legal": np.ones(8, np.bool_)}, r"legal is bool \[8\], not bool \[9\]"),
        ({"legal": np.arange(9) > 2}, "no legal value of go"),
    ],
)
def test_observations_of_another_space_are_refused(changed: dict, refusal: str) -> None:
    with pytest.raises(InvalidObservation, match=refusal):
        PLAYER.check_observation(seen(**changed))


def test_json_keeps_spaces() -> None:
    grammar = replace(ACTION, speech=Grammar((("help", ""), ("Jack",))))
    for player in (PLAYER, PlayerSpec(ObservationSpec(), ActionSpec((GO,))), replace(PLAYER, action=grammar)):
        assert from_json(json.loads(json.dumps(to_json(player)))) == player


@pytest.mark.parametrize(
    ("said", "refusal"),
    [
        ([], r"spaces is \[\], not an object"),
        ({"observation": {}}, "spaces has no action"),
        ({"observation": {"image": {"height": "4", "width": 6}}, "action": {}}, "height is '4', not a whole number"),
        ({"observation": {"picture": {}}, "action": {}}, "unknown key 'picture'"),
        ({"observation": {}, "action": {"components": [{"kind": "wheel"}]}}, r"components\[0\] is of kind 'wheel'"),
        ({"observation": {}, "action": {"components": {}}}, "components is {}, not a list"),
    ],
)
def test_damaged_descriptions_are_refused(said: object, refusal: str) -> None:
    with pytest.raises(InvalidSpace, match=refusal):
        from_json(said)


def test_differences_of_spaces_are_named() -> None:
    other = replace(OBSERVATION, image=Image(8, 6, 1), vector=None), replace(ACTION, components=(GO, TAKE))
    assert differences(PLAYER, PLAYER) == []
    assert differences(PLAYER, PlayerSpec(*other)) == [
        "observation.image.height: the agent has 4, the world 8",
        "observation.vector: the agent has vector, the world none",
        "action.components: the agent has 3 (go (discrete), speed (continuous), take (pointer)), "
        "the world 2 (go (discrete), take (pointer))",
    ]


@pytest.mark.parametrize(
    ("components", "movement", "force", "words"),
    [
        ((GO, Pointer("thing", 3), Continuous("force", -1, 1)), [[2, 3]], 0.25, "go right, thing 3, force 0.25"),
        ((GO, Pointer("thing", 3), Continuous("force", -1, 1)), [[0, 0]], 0.25, "force 0.25"),
        ((GO, Pointer("thing", 3)), [[0, 0]], None, "–"),
        ((GO,), [[1], [1], [2], [1]], None, "left; right; left"),
    ],
)
def test_actions_in_words_name_what_does_something(components, movement, force: float | None, words: str) -> None:
    spec = ActionSpec(components, ticks=len(movement))
    continuous = () if force is None else (np.array([[force]], np.float32),)
    assert action_words(spec, np.array(movement, np.int8), *continuous) == words


def test_any_printable_line_can_be_spoken() -> None:
    space = PrintableText(UTTERANCE_MAX_CHARS)
    for line in ("", "lift the duck", "größer?", "赤いボールを持ってきて", "принеси мяч"):
        assert space.contains(line)
    for line in ("two\nlines", "\x1b[31m", "x" * (UTTERANCE_MAX_CHARS + 1), 3, None):
        assert not space.contains(line)
    space.seed(0)
    assert all(space.contains(space.sample()) for _ in range(50))
    assert pickle.loads(pickle.dumps(space)) == space
