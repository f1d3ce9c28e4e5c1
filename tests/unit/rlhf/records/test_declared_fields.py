"""An episode that holds what its declared spaces do not have is refused: field, step, value and range are named."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from rlhf.records.columns import episode_columns
from rlhf.records.episode import Episode, without_frames
from rlhf.records.fields import InvalidField
from rlhf.records.spaces import playhouse_spaces
from rlhf.store.synthetic import synthetic_play
from tests.unit.rlhf.declared_spaces import CONTINUOUS, GREY, PLAYHOUSE, SPACES
from worlds.contract import body_spec
from worlds.errors import UserError

STEPS = 5
PLAY = {name: synthetic_play(3, spaces, STEPS, "e1") for name, spaces in SPACES.items()}


def changed(array: np.ndarray | None, place: tuple[int, ...], value: Any) -> np.ndarray:
    assert array is not None
    array = array.copy()
    array[place] = value
    return array


def seen(play: Episode, **arrays: Any) -> dict[str, Any]:
    return {"seen": {**play.seen, **arrays}}


def entities(play: Episode, counts: list[int]) -> dict[str, Any]:
    """Observations of that many entities, the first of each step with feature 0."""
    rows = sum(counts)
    categories, values = np.zeros((rows, 2), np.int16), np.zeros((rows, 3), np.float32)
    found = {"entity_counts": np.array(counts, np.int32), "entity_categories": categories, "entity_values": values}
    return {"seen": {**play.seen, **found}, "movement": play.movement * 0}


def bad_entity(play: Episode) -> dict[str, Any]:
    """A category that does not exist, of the second entity at step 2."""
    fields = entities(play, [3, 0, 2, 0, 0])
    fields["seen"]["entity_categories"][4, 1] = 4
    return fields


def bad_value(play: Episode) -> dict[str, Any]:
    fields = entities(play, [3, 0, 2, 0, 0])
    fields["seen"]["entity_values"][3, 2] = -np.inf
    return fields


def bad_pointer(play: Episode) -> dict[str, Any]:
    fields = entities(play, [3, 0, 2, 0, 0])
    return {**fields, "movement": changed(fields["movement"], (2, 1, 1), 3)}


CASES: list[tuple[str, Callable[[Episode], dict[str, Any]], str]] = [
    ("grid", lambda e: {"image": np.zeros((STEPS, 4, 4, 3), np.uint8)}, "image is given, but the spaces declare none"),
    ("grey", lambda e: {"image": None}, "image is a NoneType, not a NumPy array uint8 [5, 4, 5, 1]"),
    ("grid", lambda e: {"seen": {}}, "seen has no 'grid', which the spaces declare"),
    ("grid", lambda e: seen(e, vector=np.zeros((5, 1), np.float32)),
     "seen has 'vector', which the spaces do not declare"),
    ("grid", lambda e: {"seen": None}, "seen is a NoneType, not a mapping"),
    ("entities", lambda e: {"texts": {**e.texts, "x": ("",) * 5}}, "texts has 'x', which the spaces do not declare"),
    ("grid", lambda e: seen(e, grid=e.seen["grid"].astype(np.int64)),
     "grid is int64 [5, 7, 7, 3], not a NumPy array int16"),
    ("grid", lambda e: seen(e, grid=changed(e.seen["grid"], (2, 3, 4, 1), 6)),
     "grid is 6 at step 2, cell [3, 4], where channel 1 has categories 0 to 5"),
    ("continuous", lambda e: seen(e, vector=changed(e.seen["vector"], (1, 7), np.nan)),
     "vector is nan at step 1, number 7, not finite"),
    ("continuous", lambda e: {"continuous": e.continuous.astype(np.float64)}, "continuous is float64 [5, 1, 28], not"),
    ("continuous", lambda e: {"continuous": changed(e.continuous, (3, 0, 2), -1.25)},
     "continuous is -1.25 at step 3, tick 0, where joint 2 has -1.0 to 1.0"),
    ("grid", lambda e: {"continuous": np.zeros((5, 1, 1), np.float32)},
     "continuous is given, but no component of the action is continuous"),
    ("mixed", lambda e: {"movement": e.movement.astype(np.int8)},
     "movement is int8 [5, 3, 1], not a NumPy array int16"),
    ("mixed", lambda e: {"movement": changed(e.movement, (1, 2, 0), 130)},
     "movement has bin 130 at step 1, tick 2, where gear has bins 0 to 129"),
    ("grid", lambda e: {"setter_movement": e.movement},
     "setter_movement is int8 [5, 1, 1], not a NumPy array int8 [5, 1, 0]"),
    ("entities", bad_pointer,
     "movement points at entity 3 at step 2, tick 1, where thing has entities 1 to 2, and 0 for none"),
    ("entities", bad_entity, "entity_categories is 4 at step 2, entity 1, where state has categories 0 to 3"),
    ("entities", bad_value, "entity_values is -inf at step 2, entity 0, z, not finite"),
    ("entities", lambda e: entities(e, [0, 201, 0, 0, 0]), "entity_counts is 201 at step 1, not 0 to 200"),
    ("entities", lambda e: seen(e, entity_values=e.seen["entity_values"][1:]), "entity_values is float32 ["),
    ("entities", lambda e: seen(e, legal=changed(e.seen["legal"], (3, slice(0, 4)), False)),
     "legal rules out every value of verb at step 3"),
    ("entities", lambda e: {"texts": {"room": ("",) * 5}}, "texts has no 'inventory', which the spaces declare"),
    ("entities", lambda e: {"texts": {**e.texts, "room": ("",) * 4}}, "texts['room'] has 4 rows, not 5"),
    ("continuous", lambda e: {"utterance": ("", "", "hello", "", "")},
     "utterance is 'hello' at step 2, but the player cannot speak"),
    ("mixed", lambda e: {"utterance": ("help", "", "help Jack", "help me", "")},
     "utterance is 'help me' at step 3, which is no sentence of the grammar"),
    ("playhouse", lambda e: {"seen": {"grid": np.zeros(5)}}, "seen has 'grid', which the spaces do not declare"),
    ("playhouse", lambda e: {"texts": {"room": ("",) * 5}}, "texts has 'room', which the spaces do not declare"),
    ("playhouse", lambda e: {"continuous": np.zeros((5, 8, 1), np.float32)}, "continuous is given, but no spaces"),
    ("playhouse", lambda e: {"spaces": body_spec(4, 5)}, "spaces are a PlayerSpec, not EpisodeSpaces or None"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "change", "message"), CASES)
def test_a_field_that_is_not_of_the_spaces_is_named(
    name: str, change: Callable[[Episode], dict[str, Any]], message: str
) -> None:
    with pytest.raises(InvalidField) as caught:
        replace(PLAY[name], **change(PLAY[name]))
    assert str(caught.value).startswith("episode e1: " + message) and "\n" not in str(caught.value)


def test_an_episode_without_pictures() -> None:
    episode = PLAY["continuous"]
    with pytest.raises(UserError, match="episode e1 has no pictures: its world synthetic declares none"):
        episode.pictures()
    assert without_frames(episode).image is None and episode.declared == CONTINUOUS
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
    assert playhouse_spaces(4, 5) is PLAYHOUSE
