"""Houses and settings that cannot be are refused in one line that names what is wrong."""

from __future__ import annotations

import copy
import math
from functools import cache
from itertools import combinations
from typing import Any

import pytest

from worlds.contract import WorldError
from worlds.playhouse.house.catalogue import OBJECT_KINDS
from worlds.playhouse.house.reading import read_house
from worlds.playhouse.house.record import FLOOR, Room, Window
from worlds.playhouse.house.rules import shared_wall
from worlds.playhouse.house.sampling import HouseSettings, sample_house


def first(rows, **wanted):
    return where(rows, lambda row: all(row[k] == v for k, v in wanted.items()))


def where(rows, wanted):
    return next(row for row in rows if wanted(row))


def spoil(path, value):
    """A change of one field, addressed as list, index, field."""
    return lambda config: config[path[0]][path[1]].update({path[2]: value})


def move_object_into_wall(config):
    thing, room = first(config["objects"], support=FLOOR), config["rooms"][0]
    thing |= {"room": room["id"], "x": room["x0"] + 0.06, "y": (room["y0"] + room["y1"]) / 2}


def stack_two_objects(config):
    floor = [o for o in config["objects"] if o["support"] == FLOOR]
    floor[1] |= {k: floor[0][k] for k in ("x", "y", "room")}


def put_furniture_into_doorway(config):
    door = config["doorways"][0]
    room = first(config["rooms"], id=door["rooms"][0])
    towards = [math.copysign(0.35, (room[a + "0"] + room[a + "1"]) / 2 - door[a]) for a in "xy"]
    towards[0 if door["along"] == "x" else 1] = 0.0
    stool = {"id": "extra", "kind": "stool", "colour": "red", "room": room["id"], "quarter_turns": 0}
    config["furniture"].append(stool | {"x": door["x"] + towards[0], "y": door["y"] + towards[1]})


def put_start_on_furniture(config):
    piece = config["furniture"][0]
    config["starts"][1] |= {"x": piece["x"], "y": piece["y"]}


def cut_off_a_room(config):
    config["doorways"] = [d for d in config["doorways"] if "room_2" not in d["rooms"]]


def overlap_rooms(config):
    config["rooms"][1] = config["rooms"][0] | {"id": "room_1"}


def take_out_of_its_container(config):
    thing = where(config["objects"], lambda o: o["support"].startswith("object"))
    thing["x"] += 0.5


def put_into_a_thing_that_holds_nothing(config):
    thing = where(config["objects"], lambda o: o["support"].startswith("object"))
    solid = where(config["objects"], lambda o: not OBJECT_KINDS[o["kind"]].inside and o["room"] == thing["room"])
    thing["support"] = solid["id"]


def stand_in_the_sofa(config):
    bed = where(config["furniture"], lambda f: f["kind"] in ("bed", "wardrobe", "counter", "chest"))
    thing = where(config["objects"], lambda o: o["support"] == FLOOR and o["room"] == bed["room"])
    thing |= {"x": bed["x"], "y": bed["y"]}


def hang_a_window_indoors(config):
    rooms = [Room(**row) for row in config["rooms"]]
    walls = ((a, shared_wall(a, b)) for a, b in combinations(rooms, 2))
    room, wall = next((a, wall) for a, wall in walls if wall and wall[3] - wall[2] > 1.2)
    middle = (wall[2] + wall[3]) / 2
    x, y = (wall[1], middle) if wall[0] == "y" else (middle, wall[1])
    config["windows"][0] = vars(Window("window_0", room.id, x, y, wall[0], 1.0)).copy()


PLAIN = {
    "overlaps": overlap_rooms,
    "a room is 1.5 to 100 m": spoil(("rooms", 0, "x1"), 1e6),
    "unknown floor": spoil(("rooms", 0, "floor"), "lava"),
    "cannot be reached": cut_off_a_room,
    "does not lie in the wall": spoil(("doorways", 0, "width"), 30.0),
    "a player needs": spoil(("doorways", 0, "width"), 0.3),
    "unknown room": spoil(("doorways", 0, "rooms"), ["room_0", "room_9"]),
    "unknown furniture kind": spoil(("furniture", 0, "kind"), "throne"),
    "wholly inside": spoil(("furniture", 0, "x"), 99.0),
    "blocks": put_furniture_into_doorway,
    "unknown colour": spoil(("objects", 0, "colour"), "infrared"),
    "lies outside": spoil(("objects", 0, "x"), -50.0),
    "is in a wall": move_object_into_wall,
    "unknown support 'cloud'": spoil(("objects", 0, "support"), "cloud"),
    "unknown support 'object_0'": spoil(("objects", 1, "support"), "object_0"),  # things in things are of format 2
    "unknown field 'walls'": spoil(("rooms", 0, "walls"), "red"),
    "overlaps object": stack_two_objects,
    "is inside furniture": put_start_on_furniture,
    "is in a wall or outside": spoil(("starts", 0, "x"), 70.0),
    "names two things": spoil(("objects", 0, "id"), "room_0"),
    "finite number": spoil(("objects", 0, "x"), math.nan),
    "not a valid finite": spoil(("objects", 0, "y"), "near the door"),
    "not a valid whole": spoil(("furniture", 0, "quarter_turns"), 0.5),
    "lacks 'z'": lambda config: config["objects"][0].pop("z"),
    "unknown field 'smell'": spoil(("objects", 0, "smell"), "lavender"),
    "missing or not a list": lambda config: config.pop("doorways"),
    "no rooms": lambda config: config.update(rooms=[], doorways=[], furniture=[], objects=[]),
    "one to each player": lambda config: config["starts"].pop(),
    "inside each other": lambda config: config["starts"][1].update({k: config["starts"][0][k] for k in "xy"}),
    "format": lambda config: config.update(format="playhouse-0"),
    "not an object": lambda config: config["objects"].append(7),
}
FURNISHED = {
    "unknown type of room 'dungeon'": spoil(("rooms", 0, "type"), "dungeon"),
    "unknown colour of walls 'infrared'": spoil(("rooms", 0, "walls"), "infrared"),
    "lacks 'walls'": lambda config: config["rooms"][0].pop("walls"),
    "'windows' is missing": lambda config: config.pop("windows"),
    "does not lie in a wall of": spoil(("windows", 0, "width"), 90.0),
    "does not lie in an outer wall": hang_a_window_indoors,
    "does not lie wholly in": take_out_of_its_container,
    "into which nothing can be put": put_into_a_thing_that_holds_nothing,
    "overlaps furniture": stand_in_the_sofa,
    "substeps: 'two' is not a number of physics steps": lambda config: config.update(substeps="two"),
    "this version reads 'playhouse-1' and 'playhouse-2'": lambda config: config.update(format="playhouse-3"),
}

FLAT = {"preset": "flat"}


@cache
def sampled(style: str) -> dict[str, Any]:
    """A house of a style, as JSON."""
    if style == "furnished":
        return sample_house(3, HouseSettings.of(preset="house")).to_json()
    return sample_house(1, HouseSettings(rooms=(3, 3), objects=(12, 12), on_furniture=0.3)).to_json()


@pytest.mark.parametrize(
    ("style", "message"), [*(("plain", named) for named in PLAIN), *(("furnished", named) for named in FURNISHED)]
)
def test_an_impossible_house_is_refused_in_one_line(style: str, message: str) -> None:
    config = copy.deepcopy(sampled(style))
    (PLAIN if style == "plain" else FURNISHED)[message](config)
    with pytest.raises(WorldError) as caught:
        read_house(config)
    assert message in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"objects": (300, 300), "rooms": (1, 1)}, "objects"),
        ({"rooms": (0, 2)}, "rooms"),
        ({"rooms": (6, 6)}, "at most 5"),
        ({"room_size": (0.5, 9.0)}, "room_size"),
        ({"room_size": (4.0, 1e6)}, "room_size: 1000000.0 m; a room has at most 100 m"),
        ({"kinds": ("unicorn",)}, "kinds"),
        ({"colours": "red"}, "colours"),
        ({"sizes": ()}, "sizes"),
        ({"on_furniture": 1.5}, "on_furniture"),
        ({"romos": (1, 2)}, "no house setting named 'romos'"),
        ({"preset": "palace"}, "preset: unknown 'palace'; known: room, flat, house"),
        ({"style": "baroque"}, "style: unknown 'baroque'; known: plain, furnished"),
        ({"include": ("drum",)}, "plain rooms have no names; set style to 'furnished'"),
        ({"room_types": ("study",)}, "room_types: plain rooms have no names"),
        ({"door_leaves": 0.5}, "door_leaves: plain houses have no doors; set style to 'furnished'"),
        (FLAT | {"door_leaves": 1.5}, "door_leaves: 1.5 is not a chance between 0 and 1"),
        (FLAT | {"rooms": (1, 8)}, "rooms: 8 rooms; a house has at most 7"),
        (FLAT | {"room_types": ("dungeon",)}, "room_types: unknown 'dungeon'; known: living room"),
        (FLAT | {"include": "drum"}, "is not a list; write ('drum',)"),
        (FLAT | {"include": ("red unicorn",)}, "names the unknown kind 'unicorn'; near it: "),
        (FLAT | {"include": ("drum in the dungeon",)}, "names the unknown room 'the dungeon'; known:"),
        (FLAT | {"room_types": ("study",), "include": ("drum in the pantry",)}, "no room may be a pantry"),
        (FLAT | {"rooms": (1, 1), "include": ("drum in the pantry", "drum in the study")}, "it names 2 rooms"),
        (FLAT | {"strays": 2.0}, "strays: 2.0 is not a chance between 0 and 1"),
        (FLAT | {"substeps": 1}, "substeps: 1 is not a number of physics steps, 2 to 16"),
        (FLAT | {"rooms": (1, 1), "include": ("bed",) * 9}, "no place for the bed (setting include)"),
        (
            FLAT | {"room_size": (3.0, 3.0), "include": ("hoop",) * 90},
            "ask for fewer or allow larger rooms (room_size)",
        ),
    ],
)
def test_impossible_settings_are_refused_in_one_line(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(WorldError) as caught:
        sample_house(0, HouseSettings.of(**settings))
    assert message in str(caught.value) and "\n" not in str(caught.value)
