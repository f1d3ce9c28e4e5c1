"""Houses: sampled the same from the same seed, possible, and refused when they are not."""

from __future__ import annotations

import copy
import json
import math
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from worlds import registry
from worlds.contract import WorldError
from worlds.playhouse.house.catalogue import COLOURS, FURNITURE_KINDS, OBJECT_KINDS, SIZES
from worlds.playhouse.house.record import AVATAR_RADIUS, FLOOR, House
from worlds.playhouse.house.rules import check
from worlds.playhouse.house.sampling import HouseSettings, sample_house
from worlds.playhouse.physics.scene import walls

ROOMY = HouseSettings(rooms=(3, 3), furniture=(5, 5), objects=(12, 12))


def test_the_catalogue_is_as_large_as_promised():
    assert len(OBJECT_KINDS) >= 60 + 14 and len(FURNITURE_KINDS) >= 25 + 10 and len(COLOURS) == 17 and len(SIZES) == 3
    for a, b in combinations(COLOURS.values(), 2):
        assert math.dist(a, b) > 0.3, "colours are distinguishable"
    scales = sorted(SIZES.values())
    assert all(larger / smaller > 1.3 for smaller, larger in zip(scales, scales[1:], strict=False))


@given(st.integers(0, 2**31 - 1))
def test_sampled_houses_keep_the_rules_and_survive_json(seed):
    house = sample_house(seed)
    check(house)
    assert House.from_json(json.loads(json.dumps(house.to_json()))) == house


def test_the_seed_decides():
    assert sample_house(3) == sample_house(3)
    assert sample_house(3) != sample_house(4)
    assert sample_house(3, ROOMY) == sample_house(3, ROOMY)


@given(
    st.integers(0, 10**6), st.integers(1, 5), st.integers(0, 4), st.integers(0, 10),
    st.lists(st.sampled_from(sorted(OBJECT_KINDS)), min_size=1, max_size=4),
    st.lists(st.sampled_from(sorted(COLOURS)), min_size=1, max_size=4),
    st.sampled_from(sorted(SIZES)), st.floats(0, 1),
)  # fmt: skip
def test_settings_are_obeyed(seed, rooms, furniture, objects, kinds, colours, size, on_furniture):
    settings = HouseSettings(
        rooms=(rooms, rooms), furniture=(furniture, furniture), objects=(objects, objects), kinds=tuple(kinds),
        colours=tuple(colours), sizes=(size,), on_furniture=on_furniture,
    )  # fmt: skip
    house = sample_house(seed, settings)
    assert (len(house.rooms), len(house.furniture), len(house.objects)) == (rooms, furniture, objects)
    assert {o.kind for o in house.objects} <= set(kinds)
    assert {o.colour for o in house.objects} | {f.colour for f in house.furniture} <= set(colours)
    assert {o.size for o in house.objects} <= {size}
    on_floor = [o.support == FLOOR for o in house.objects]
    assert all(on_floor) if on_furniture == 0 or furniture == 0 else True


def test_furniture_leaves_a_passage():
    for seed in range(40):
        for a, b in combinations(sample_house(seed).furniture, 2):
            (ax, ay), (bx, by) = a.half, b.half
            gap = max(abs(a.x - b.x) - ax - bx, abs(a.y - b.y) - ay - by)
            assert gap > 2 * AVATAR_RADIUS


def test_walls_surround_rooms_and_are_open_at_doorways():
    for seed in range(20):
        house = sample_house(seed, ROOMY)
        solid = list(walls(house))

        def blocked(x, y, solid=solid):
            return any(x0 <= x <= x1 and y0 <= y <= y1 for x0, y0, x1, y1 in solid)

        for door in house.doorways:
            assert not blocked(door.x, door.y)
            along = (1, 0) if door.along == "x" else (0, 1)
            for side in (-1, 1):
                reach = side * (door.width / 2 + 0.05)
                assert blocked(door.x + reach * along[0], door.y + reach * along[1])
        for room in house.rooms:
            middle = ((room.x0 + room.x1) / 2, (room.y0 + room.y1) / 2)
            assert not blocked(*middle)
            for x, y in ((room.x0, room.y0), (room.x1, room.y1), (room.x0, room.y1), (room.x1, room.y0)):
                assert blocked(x, y), "corners are closed"


# -- refusals --------------------------------------------------------------------------------------------------


def first(rows, **wanted):
    return next(r for r in rows if all(r[k] == v for k, v in wanted.items()))


def spoil(path, value):
    """A change of one field, addressed as list, index, field."""

    def change(config):
        config[path[0]][path[1]][path[2]] = value

    return change


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


SPOILERS = {
    "overlaps": overlap_rooms,
    "a room is 1.5 to 100 m wide": spoil(("rooms", 0, "x1"), -1.0),
    "a room is 1.5 to 100 m": spoil(("rooms", 0, "x1"), 1e6),
    "unknown floor": spoil(("rooms", 0, "floor"), "lava"),
    "cannot be reached": cut_off_a_room,
    "does not lie in the wall": spoil(("doorways", 0, "width"), 30.0),
    "a player needs": spoil(("doorways", 0, "width"), 0.3),
    "unknown room": spoil(("doorways", 0, "rooms"), ["room_0", "room_9"]),
    "unknown furniture kind": spoil(("furniture", 0, "kind"), "throne"),
    "wholly inside": spoil(("furniture", 0, "x"), 99.0),
    "blocks": put_furniture_into_doorway,
    "unknown object kind": spoil(("objects", 0, "kind"), "unicorn"),
    "unknown colour": spoil(("objects", 0, "colour"), "infrared"),
    "unknown size": spoil(("objects", 0, "size"), "-1"),
    "lies outside": spoil(("objects", 0, "x"), -50.0),
    "is in a wall": move_object_into_wall,
    "unknown support": spoil(("objects", 0, "support"), "cloud"),
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


@pytest.mark.parametrize("message", SPOILERS)
def test_an_impossible_house_is_refused_in_one_line(message):
    config = copy.deepcopy(sample_house(1, HouseSettings(rooms=(3, 3), objects=(12, 12), on_furniture=0.3)).to_json())
    SPOILERS[message](config)
    with pytest.raises(WorldError) as caught:
        House.from_json(config)
    assert message in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"objects": (300, 300), "rooms": (1, 1)}, "setting objects"),
        ({"furniture": (60, 60), "rooms": (1, 1)}, "setting furniture"),
        ({"rooms": (0, 2)}, "setting rooms"),
        ({"rooms": (3, 2)}, "setting rooms"),
        ({"rooms": (6, 6)}, "at most 5"),
        ({"objects": (-2, 3)}, "setting objects"),
        ({"objects": 3}, "setting objects"),
        ({"room_size": (0.5, 9.0)}, "setting room_size"),
        ({"room_size": (4.0, 1e6)}, "setting room_size: 1000000.0 m; a room has at most 100 m"),
        ({"kinds": ("unicorn",)}, "setting kinds"),
        ({"colours": "red"}, "setting colours"),
        ({"sizes": ()}, "setting sizes"),
        ({"on_furniture": 1.5}, "setting on_furniture"),
        ({"romos": (1, 2)}, "no house setting named 'romos'"),
    ],
)
def test_impossible_settings_are_refused_in_one_line(settings, message):
    with pytest.raises(WorldError) as caught:
        sample_house(0, HouseSettings.of(**settings))
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_who_starts_nose_to_wall_is_turned_to_the_room_and_nothing_else_changes():
    turned = 0
    for seed in range(30):
        plain, facing = sample_house(seed), sample_house(seed, HouseSettings(face_room=True))
        assert replace(facing, starts=plain.starts) == plain
        for before, after in zip(plain.starts, facing.starts, strict=True):
            assert (before.x, before.y) == (after.x, after.y)
            free, freer = (_free_before(plain, start) for start in (before, after))
            assert freer >= min(free, 2.0)
            turned += before != after
            assert before == after or (free < 2.0 and freer > free)
    assert turned > 10


def _free_before(house, start):
    """Metres from a start, along its gaze, to the first wall or piece of furniture."""
    room = house.room_at(start.x, start.y)
    for distance in np.arange(0.0, 10.0, 0.05):
        x, y = start.x + distance * np.cos(start.yaw), start.y + distance * np.sin(start.yaw)
        if not room.contains(x, y) or any(piece.gap_to(x, y) == 0.0 for piece in house.furniture):
            return distance


def test_people_play_in_houses_where_they_look_into_the_room():
    entry = registry.get("playhouse")
    assert entry.people_settings == {"face_room": True}
    assert entry.sample_config(3) == sample_house(3).to_json()
