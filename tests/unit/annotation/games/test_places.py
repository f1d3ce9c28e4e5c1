"""Whose settings decide where people play, and the sentence that tells them."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

from agents.play_settings import PLAY_SETTINGS_FILE
from annotation.games.places import (
    DEFAULT_WORLD,
    UNKNOWN,
    KnownPlaces,
    Places,
    Sources,
    check_places,
    choose_places,
    common_places,
    in_words,
    places_of_agent,
    places_of_dataset,
)
from pipelines.stages.record import RecordConfig, record
from pipelines.stages.settings.play_settings import PlaySettings
from pipelines.stages.settings.world_config import WorldConfig
from rlhf.records.json_records import to_json
from rlhf.store import open_store
from worlds.errors import UserError

ORDER = ("project", "agent", "dataset", "study")


def known(number: int) -> KnownPlaces:
    return KnownPlaces(DEFAULT_WORLD, {"rooms": [number, number]}, {"fov_y_deg": float(number)})


@pytest.mark.parametrize("there", itertools.product([False, True], repeat=4))
def test_the_first_that_knows_decides(there: tuple[bool, ...]) -> None:
    given = {name: known(number) for number, (name, is_there) in enumerate(zip(ORDER, there, strict=True)) if is_there}
    found = choose_places(DEFAULT_WORLD, Sources(**given))  # pyright: ignore[reportArgumentType]
    if not given:
        assert found == Places(line="Houses of the world's default settings.")
        return
    first, expected = next(iter(given.items()))
    assert (found.settings_of, found.options_of) == (first, first)
    assert (found.settings, found.options) == (expected.settings, expected.options)


def test_settings_and_options_may_be_of_different_origins() -> None:
    sources = Sources(project=KnownPlaces(settings={"rooms": [1, 1]}), dataset=KnownPlaces(None, {}, {"fov_y_deg": 60}))
    found = choose_places(DEFAULT_WORLD, sources)
    assert (found.settings_of, found.options_of) == ("project", "dataset")
    assert found.line == "Houses as the study's leader set them: rooms 1, fov y deg 60."


def test_what_is_of_another_world_is_left_out_and_said_of_the_agent() -> None:
    sources = Sources(agent=KnownPlaces("household", {"apartment": 2}, {}), agent_name="bob", study=known(2))
    found = choose_places(DEFAULT_WORLD, sources)
    assert found.settings_of == "study"
    assert found.line.endswith(f"The agent bob learned in the world household ({PLAY_SETTINGS_FILE} in its folder).")
    assert choose_places("household", sources).line.startswith("Places in which the agent bob learned: apartment 2")


@pytest.mark.parametrize("places", [known(3), UNKNOWN])
def test_a_hidden_agent_is_not_given_away(places: KnownPlaces) -> None:
    line = choose_places(DEFAULT_WORLD, Sources(agent=places, agent_name="rl"), blind=True).line
    assert "rl" not in line.split() and "3" not in line and PLAY_SETTINGS_FILE not in line


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"rooms": [1, 1], "objects": [3, 4]}, "rooms 1, objects 3 to 4"),
        ({"room_size": [4.0, 5.5], "on_furniture": 0.0}, "room size 4 to 5.5, on furniture 0"),
        ({"kinds": ["ball", "mug"], "face_room": True}, "kinds ball or mug, face room true"),
        ({"sizes": [4, 3], "deep": {"a": [1]}}, 'sizes [4, 3], deep {"a": [1]}'),
        ({}, ""),
    ],
)
def test_settings_in_words(settings: dict, words: str) -> None:
    assert in_words(settings) == words
    assert len(in_words({"long": "x" * 1000})) <= 301


def test_the_studys_datasets_count_where_they_agree() -> None:
    assert common_places([]) == UNKNOWN
    assert common_places([UNKNOWN, known(1), known(1)]) == known(1)
    assert common_places([known(1), known(2)]) == UNKNOWN
    assert common_places([KnownPlaces("household", {}, {}), known(1)]) == known(1)


def test_agents_and_datasets_say_where_they_were_recorded(tmp_path: Path) -> None:
    world = WorldConfig("playhouse", 12, 16, settings={"rooms": [1, 1], "objects": [2, 2]}, options={"fov_y_deg": 50.0})
    record(RecordConfig(data=tmp_path / "play", episodes=1, steps=2, workers=1, world=world))
    expected = KnownPlaces("playhouse", world.settings, world.options)
    assert places_of_dataset(open_store(tmp_path / "play"), "playhouse") == expected
    (tmp_path / PLAY_SETTINGS_FILE).write_text(json.dumps(to_json(PlaySettings(world))))
    assert places_of_agent(tmp_path) == expected
    assert places_of_agent(tmp_path / "elsewhere") == UNKNOWN
    assert places_of_dataset(open_store(tmp_path / "new", create=True), "playhouse") == UNKNOWN


@pytest.mark.parametrize(
    "text", ["{", "[]", "{}", '{"world": {}}', '{"world": {"name": 1, "settings": 3, "options": {}}}']
)
def test_a_damaged_file_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / PLAY_SETTINGS_FILE).write_text(text)
    with pytest.raises(UserError, match=f"{PLAY_SETTINGS_FILE} is damaged"):
        places_of_agent(tmp_path)


def test_impossible_settings_are_refused_before_anybody_plays() -> None:
    check_places("playhouse", KnownPlaces(None, {"rooms": [1, 1]}, {"fov_y_deg": 60.0}), 12, 16)
    for settings, options in (({"chimneys": 3}, {}), ({}, {"zoom": 3}), ({"rooms": [0, 0]}, {})):
        with pytest.raises(UserError):
            check_places("playhouse", KnownPlaces(None, settings, options), 12, 16)
