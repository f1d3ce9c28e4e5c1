"""Settings of worlds and of scripted players as typed flags, as JSON, and from a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pipelines.cli.own_settings import declared
from pipelines.cli.settings import parse
from pipelines.cli.usage import UsageError
from pipelines.stages.record import RecordConfig
from worlds.errors import UserError


def record(*words: str, default: Any = None) -> RecordConfig:
    return parse(RecordConfig, words, command="rlhf record", default=default)


def test_flags_are_typed_as_the_world_declares_them() -> None:
    config = record(
        "--world.rooms", "1", "3", "--world.kinds=ball,duck", "--world.face-room", "--world.fov-y-deg", "60",
        "--players.pause", "1", "2", "--players.no-follow-up", "--players.drop=0.5", "--episodes", "3",
    )  # fmt: skip
    assert config.world.settings == {"rooms": [1, 3], "kinds": ["ball", "duck"], "face_room": True}
    assert config.world.options == {"fov_y_deg": 60.0}
    assert config.players.setter == {"pause": [1, 2], "follow_up": False}
    assert config.players.solver == {"drop": 0.5} and config.episodes == 3
    assert record("--world.settings.rooms", "1", "1").world.settings == {"rooms": [1, 1]}
    assert record("--players.patience", "None").players.setter == {"patience": None}


def test_json_a_file_and_flags_are_one_object(tmp_path: Path) -> None:
    (tmp_path / "house.json").write_text(json.dumps({"rooms": [2, 2], "objects": [1, 1]}))
    (tmp_path / "house.toml").write_text("rooms = [2, 2]\nobjects = [1, 1]\n")
    for given in (str(tmp_path / "house.json"), str(tmp_path / "house.toml"), '{"rooms": [2, 2], "objects": [1, 1]}'):
        config = record("--world.settings", given, "--world.rooms", "1", "1")
        assert config.world.settings == {"rooms": [1, 1], "objects": [1, 1]}
    with pytest.raises(UserError, match="missing.json cannot be read"):
        record("--world.settings", "missing.json")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--world.roms 1 3", "no setting world.roms; did you mean world.rooms.*known in playhouse: .*fov-y"),
        ("--players.paus 1", "no setting players.paus; did you mean players.pause.*patience"),
        ("--world.rooms 1", "--world.rooms is INT INT, not 1"),
        ("--world.rooms one two", "--world.rooms\\[0\\] is a whole number, not one"),
        ("--world.kinds blok", "--world.kinds: unknown 'blok'; known: ball"),
        ("--players.drop 2", "--players.drop: .*not a probability between 0 and 1"),
        ("--world.name gym:CartPole-v1 --world.env {sutton", "--world.env is not JSON"),
        ("--world.face-room=perhaps", "--world.face-room is true or false, not perhaps"),
    ],
)
def test_wrong_names_and_values_are_refused_with_the_right_ones(words: str, message: str) -> None:
    with pytest.raises(UsageError, match=message) as refused:
        record(*words.split())
    assert "\n" not in str(refused.value)


def test_a_world_of_ones_own_declares_its_settings_by_its_signatures() -> None:
    own = Path(__file__).parents[4] / "examples" / "own_world"
    names = declared(str(own / "discs.py"), "world")
    assert names and not {"height", "width", "views", "seed"} & names.keys()
    for world in ("discs.py", "shelf.py"):  # whose players are made by default
        known = declared(str(own / world), "players")
        assert {"first_request", "pause", "wrong"} <= known.keys() and known["pause"].form == "INT INT"
