"""An episode that holds what cannot be, or what its declared spaces lack, is refused by field, step and value."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from rlhf.records.columns import episode_columns
from rlhf.records.episode import Episode, Request, without_frames
from rlhf.records.fields import InvalidField
from rlhf.store.columns.compressed import CompressedEpisode, compress
from rlhf.store.synthetic import synthetic_play
from tests.unit.rlhf.declared_spaces import CONTINUOUS, GREY, SPACES
from tests.unit.rlhf.store.foreign_play import with_bin
from worlds.contract import Event, TaskSpec, body_spec, neutral_movement
from worlds.errors import UserError

STEPS = 5
PLAY = {name: synthetic_play(3, spaces, STEPS, "e1") for name, spaces in SPACES.items()}
TASK = TaskSpec("lift", "lift it", {}, 9)
STILL = np.tile(neutral_movement(), (STEPS, 1, 1))


def changed(array: np.ndarray | None, place: tuple[int | slice, ...], value: Any) -> np.ndarray:
    assert array is not None
    array = array.copy()
    array[place] = value
    return array


def seen(play: Episode, **arrays: Any) -> dict[str, Any]:
    return {"seen": {**play.seen, **arrays}}


def entities(
    play: Episode, counts: list[int], category: int = 0, value: float = 0.0, pointer: int = 0
) -> dict[str, Any]:
    """Observations of that many entities; the last one has the category and value, and is pointed at, at step 2."""
    rows = sum(counts)
    categories, values = np.zeros((rows, 2), np.int16), np.zeros((rows, 3), np.float32)
    categories[-1, 1], values[-1, 2] = category, value
    found = {"entity_counts": np.array(counts, np.int32), "entity_categories": categories, "entity_values": values}
    return {"seen": {**play.seen, **found}, "movement": changed(play.movement * 0, (2, 1, 1), pointer)}


def asked(step: Any, success: Any = None) -> dict[str, Any]:
    return {"requests": (Request(step, TASK),), "success_step": (success,)}


# What every episode has, of which each is a field and how the message goes on
PLAIN: list[tuple[dict[str, Any], str]] = [
    ({"movement": STILL.tolist()}, "movement is a list, not a NumPy array int8 [5, 8, 6]"),
    ({"movement": STILL.astype(np.int64)}, "movement is int64 [5, 8, 6], not a NumPy array int8"),
    ({"setter_movement": STILL[:4]}, "setter_movement is int8 [4, 8, 6], not"),
    ({"movement": with_bin(STILL, 3, 2)}, "movement has bin 3 at step 2, tick 1, where forward has bins 0 to 2"),
    ({"setter_movement": with_bin(STILL, -1, 4, 2)}, "setter_movement has bin -1 at step 4, tick 1, where turn has"),
    ({"controller": np.zeros((STEPS, 1), np.uint8)}, "controller is uint8 [5, 1], not"),
    ({"controller": np.array([0, 1, 0, 2, 3], np.uint8)}, "controller is 2 at step 3, not 0 (agent) or 1 (co-pilot)"),
    ({"image": PLAY["playhouse"].pictures()[..., 0]}, "image is uint8 [5, 4, 5], not a NumPy array uint8 [5, 4, 5, 3]"),
    ({"image": PLAY["playhouse"].pictures()[..., 0], "spaces": None}, "image is uint8 [5, 4, 5], not"),
    ({"image": PLAY["playhouse"].pictures()[:, :0], "spaces": None}, "image is uint8 [5, 0, 5, 3], not"),
    ({"image": None, "spaces": None}, "image is a NoneType, not"),
    ({"utterance": ()}, "utterance is empty or no tuple, not a tuple of a text for every step"),
    ({"setter_text": [""] * STEPS}, "setter_text is a list, not a tuple of 5 texts"),
    ({"solver_text": ("",) * 4}, "solver_text has 4 rows, not 5"),
    ({"setter_utterance": ("",) * 3 + (None, "")}, "setter_utterance is None at step 3, not text"),
    ({"requests": [], "success_step": ()}, "requests is a list, not a tuple"),
    (asked(True), "requests[0].step is True, not one of the steps 0 to 4"),
    (asked(5), "requests[0].step is 5, not one of the steps 0 to 4"),
    (asked(2, 1), "success_step[0] is 1, not None or a step from its request, 2, to 4"),
    (asked(2, 5), "success_step[0] is 5, not"),
    ({**asked(2), "success_step": ()}, "success_step has 0 values for 1 requests"),
    ({"truth": (Event(0, 1, ""), Event(6, 1, "late"))}, "truth[1].step is 6, not one of the steps 0 to 5"),
    ({"truth": (Event(0, 2, ""),)}, "truth[0].sign is 2, not +1 or -1"),
    ({"split": "test"}, "split is 'test', not"),
    ({"seed": 1.0}, "seed is 1.0, not a whole number"),
    ({"seed": 2**63}, "seed is 9223372036854775808, not a whole number of 64 bits"),
    ({"world": None}, "world is None, not text"),
    ({"notes": []}, "notes is a list, not a mapping"),
]

DECLARED: list[tuple[str, Callable[[Episode], dict[str, Any]], str]] = [
    ("grid", lambda e: {"image": np.zeros((STEPS, 4, 4, 3), np.uint8)}, "image is given, but the spaces declare none"),
    ("grey", lambda e: {"image": None}, "image is a NoneType, not a NumPy array uint8 [5, 4, 5, 1]"),
    ("grid", lambda e: {"seen": {}}, "seen has no 'grid', which the spaces declare"),
    ("grid", lambda e: seen(e, vector=np.zeros((5, 1), np.float32)), "seen has 'vector', which the spaces do not"),
    ("grid", lambda e: {"seen": None}, "seen is a NoneType, not a mapping"),
    ("grid", lambda e: seen(e, grid=e.seen["grid"].astype(np.int64)), "grid is int64 [5, 7, 7, 3], not a NumPy array"),
    ("grid", lambda e: seen(e, grid=changed(e.seen["grid"], (2, 3, 4, 1), 6)), "grid is 6 at step 2, cell [3, 4],"),
    ("continuous", lambda e: seen(e, vector=changed(e.seen["vector"], (1, 7), np.nan)), "vector is nan at step 1,"),
    ("continuous", lambda e: {"continuous": e.continuous.astype(np.float64)}, "continuous is float64 [5, 1, 28], not"),
    ("continuous", lambda e: {"continuous": changed(e.continuous, (3, 0, 2), -1.25)}, "continuous is -1.25 at step"),
    ("grid", lambda e: {"continuous": np.zeros((5, 1, 1), np.float32)}, "continuous is given, but no component of"),
    ("mixed", lambda e: {"movement": e.movement.astype(np.int8)}, "movement is int8 [5, 3, 1], not a NumPy array"),
    ("mixed", lambda e: {"movement": changed(e.movement, (1, 2, 0), 130)}, "movement has bin 130 at step 1, tick 2,"),
    ("grid", lambda e: {"setter_movement": e.movement}, "setter_movement is int8 [5, 1, 1], not a NumPy array int8"),
    ("entities", lambda e: entities(e, [3, 0, 2, 0, 0], pointer=3), "movement points at entity 3 at step 2, tick 1,"),
    ("entities", lambda e: entities(e, [3, 0, 2, 0, 0], category=4), "entity_categories is 4 at step 2, entity 1,"),
    ("entities", lambda e: entities(e, [3, 0, 2, 0, 0], value=-np.inf), "entity_values is -inf at step 2, entity 1,"),
    ("entities", lambda e: entities(e, [0, 201, 0, 0, 0]), "entity_counts is 201 at step 1, not 0 to 200"),
    ("entities", lambda e: seen(e, entity_values=e.seen["entity_values"][1:]), "entity_values is float32 ["),
    ("entities", lambda e: seen(e, legal=changed(e.seen["legal"], (3, slice(0, 4)), False)), "legal rules out every"),
    ("entities", lambda e: {"texts": {"room": ("",) * 5}}, "texts has no 'inventory', which the spaces declare"),
    ("entities", lambda e: {"texts": {**e.texts, "room": ("",) * 4}}, "texts['room'] has 4 rows, not 5"),
    ("continuous", lambda e: {"utterance": ("", "", "hello", "", "")}, "utterance is 'hello' at step 2, but the"),
    ("mixed", lambda e: {"utterance": ("help", "", "help Jack", "help me", "")}, "utterance is 'help me' at step 3,"),
    ("playhouse", lambda e: {"texts": {"room": ("",) * 5}}, "texts has 'room', which the spaces do not declare"),
    ("playhouse", lambda e: {"spaces": body_spec(4, 5)}, "spaces are a PlayerSpec, not EpisodeSpaces or None"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [*DECLARED, *(("playhouse", lambda e, fields=fields: fields, message) for fields, message in PLAIN)],
)
def test_a_field_that_is_wrong_is_named(name: str, change: Callable[[Episode], dict[str, Any]], message: str) -> None:
    with pytest.raises(InvalidField) as caught:
        replace(PLAY[name], **change(PLAY[name]))
    assert str(caught.value).startswith("episode e1: " + message) and "\n" not in str(caught.value)


def test_play_that_learns_is_checked_as_well() -> None:
    whole = compress(PLAY["playhouse"])
    with pytest.raises(InvalidField, match="episode e1: movement has bin 3 at step 2"):
        replace(whole, movement=with_bin(STILL, 3, 2))
    with pytest.raises(InvalidField, match="episode e1: controller is 2 at step 0"):
        replace(whole, controller=np.full(STEPS, 2, np.uint8))
    assert isinstance(pickle.loads(pickle.dumps(whole)), CompressedEpisode)


def test_an_event_may_follow_the_last_step() -> None:
    assert replace(PLAY["playhouse"], truth=(Event(STEPS, -1, "fell"),)).truth[0].step == STEPS


def test_an_episode_without_pictures() -> None:
    episode = PLAY["continuous"]
    with pytest.raises(UserError, match="episode e1 has no pictures: its world synthetic declares none"):
        episode.pictures()
    assert without_frames(episode).image is None and episode.spaces == CONTINUOUS
    assert set(episode.solver_action(2)) == {"movement", "utterance", "continuous"}
    before = episode.previous_continuous()
    assert before is not None and episode.continuous is not None
    assert (before[0] == 0).all() and np.array_equal(before[1:], episode.continuous[:-1])
    assert PLAY["grid"].previous_continuous() is None and "continuous" not in PLAY["grid"].solver_action(0)
    assert PLAY["grid"].previous_movement()[0].tolist() == [[6]]


@pytest.mark.parametrize("name", SPACES)
def test_episodes_are_put_together_from_observations_and_actions(name: str) -> None:
    episode = PLAY[name]
    rows = [
        (observed(episode, step), episode.solver_action(step), episode.setter_action(step)) for step in range(STEPS)
    ]
    found = episode_columns(rows, episode.controller.tolist(), SPACES[name])
    made = replace(episode, **found)
    for field, value in found.items():
        if isinstance(value, np.ndarray):
            other = getattr(episode, field)
            assert value.dtype == other.dtype and np.array_equal(value, other), field
    assert made.texts == episode.texts and made.spaces == episode.spaces and made.seen.keys() == episode.seen.keys()
    for part, array in episode.seen.items():
        assert made.seen[part].dtype == array.dtype and np.array_equal(made.seen[part], array), part


def observed(episode: Episode, step: int) -> dict[str, Any]:
    found: dict[str, Any] = {"setter_text": episode.setter_text[step], "solver_text": episode.solver_text[step]}
    found |= {name: texts[step] for name, texts in episode.texts.items()}
    if episode.image is not None:
        found["image"] = episode.image[step]
    for name, array in episode.seen.items():
        if not name.startswith("entity"):
            found[name] = array[step]
        elif name != "entity_counts":
            end = int(episode.seen["entity_counts"][: step + 1].sum())
            found[name] = array[end - episode.seen["entity_counts"][step] : end]
    return found


def test_parts_that_are_missing_or_change_their_shape_are_named() -> None:
    episode = PLAY["continuous"]
    action = episode.solver_action(0)
    seen_ = {"setter_text": "", "solver_text": "", "vector": np.zeros(39, np.float32)}
    still = episode.setter_action(0)
    for other, message in (
        ({"vector": np.zeros(3, np.float32)}, "vector has the shape [3] at step 1, not [39] as before"),
        ({"vector": None}, "vector is missing at step 1, not an array"),
    ):
        with pytest.raises(InvalidField) as caught:
            episode_columns([(seen_, action, still), ({**seen_, **other}, action, still)], [0, 0], CONTINUOUS)
        assert str(caught.value) == message
    wide = {**action, "movement": np.zeros((1, 1), np.int64) + 300}
    message = "movement has bin 300 at step 0, tick 0, where act has bins 0 to 6"
    with pytest.raises(InvalidField, match=message):
        episode_columns([({**seen_, "image": np.zeros((4, 5, 1), np.uint8)}, wide, wide)], [0], GREY)
