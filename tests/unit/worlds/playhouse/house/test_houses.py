"""Sampled houses: possible, as their settings say, with rooms that hold what belongs there."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from worlds import registry
from worlds.contract import SOLVER
from worlds.playhouse.house.catalogue import COLOURS, FURNITURE_KINDS, OBJECT_KINDS, SIZES
from worlds.playhouse.house.reading import read_house
from worlds.playhouse.house.record import AVATAR_RADIUS, FLOOR, FORMAT, FORMAT_2, House
from worlds.playhouse.house.room_types import ROOM_TYPES
from worlds.playhouse.house.rules import check
from worlds.playhouse.house.sampling import HouseSettings, sample_house
from worlds.playhouse.house.settings import PRESETS
from worlds.playhouse.navigation.floor_plan import FloorPlan
from worlds.playhouse.physics.scene import walls
from worlds.playhouse.requests.ground_truth import grab_distance

HOUSES = 100
FURNISHED = ("flat", "house")


@pytest.fixture(scope="module")
def houses() -> dict[str, list[House]]:
    """Plain houses, and furnished ones by their preset."""
    settings = {"plain": HouseSettings(), **{name: HouseSettings.of(preset=name) for name in FURNISHED}}
    return {name: [sample_house(seed, each) for seed in range(HOUSES)] for name, each in settings.items()}


@pytest.mark.parametrize("kind", ["plain", *FURNISHED])
def test_sampled_houses_keep_the_rules_and_survive_json(houses, kind):
    for house in houses[kind]:
        check(house)
        assert house.format == (FORMAT if kind == "plain" else FORMAT_2)
        assert read_house(json.loads(json.dumps(house.to_json()))) == house


def names_in(names):
    return st.lists(st.sampled_from(sorted(names)), min_size=1, max_size=4, unique=True).map(tuple)


@given(
    st.integers(0, 10**6), st.sampled_from(("plain", "furnished")), st.integers(1, 5), st.integers(0, 4),
    st.integers(0, 10), names_in(OBJECT_KINDS), names_in(COLOURS), names_in(ROOM_TYPES), st.sampled_from(sorted(SIZES)),
    st.floats(0, 1),
)  # fmt: skip
def test_settings_are_obeyed(seed, style, rooms, furniture, objects, kinds, colours, types, size, on_furniture):
    furnished = style == "furnished"
    settings = HouseSettings(
        rooms=(rooms, rooms), furniture=(furniture, furniture), objects=(objects, objects), kinds=kinds, style=style,
        colours=colours, sizes=("small",) if furnished else (size,), on_furniture=on_furniture,
        **({"room_types": types, "room_size": (5.0, 6.0)} if furnished else {}),
    )  # fmt: skip
    house = sample_house(seed, settings)
    check(house)
    assert (len(house.rooms), len(house.furniture), len(house.objects)) == (rooms, furniture, objects)
    assert {o.kind for o in house.objects} <= set(kinds) and {o.size for o in house.objects} <= set(settings.sizes)
    assert {o.colour for o in house.objects} | {f.colour for f in house.furniture} <= set(colours)
    if furnished:
        assert {r.type for r in house.rooms} <= set(types)
        assert rooms > len(types) or len({r.type for r in house.rooms}) == rooms
    elif on_furniture == 0:
        assert all(o.support == FLOOR for o in house.objects)


def test_what_is_included_is_there():
    include = ("red drum", "white teddy in the playroom", "tub in the washroom", "small wardrobe", "orange fruit",
               "red drum", "blue rack in the play area")  # fmt: skip
    for seed in range(10):
        house = sample_house(seed, HouseSettings.of(preset="house", include=include))
        check(house)
        types = {room.id: room.type for room in house.rooms}
        things = Counter((o.kind, o.colour) for o in house.objects)
        pieces = {(f.kind, f.colour, types[f.room]) for f in house.furniture}
        assert things["drum", "red"] >= 2 and any(kind == "orange fruit" for kind, _ in things)
        assert any((o.kind, o.colour, types[o.room]) == ("teddy", "white", "playroom") for o in house.objects)
        assert ("rack", "blue", "playroom") in pieces
        assert any(kind == "bathtub" and room == "bathroom" for kind, _, room in pieces)
        assert any(kind == "small wardrobe" for kind, _, _ in pieces)
        assert len(house.rooms) == 5 and len(house.objects) == 60


def test_a_preset_gives_way_to_what_is_set():
    assert HouseSettings.of(preset="room") == HouseSettings.of(**PRESETS["room"])
    flat = HouseSettings.of(preset="flat", objects=(3, 3))
    assert flat.objects == (3, 3) and flat.rooms == (2, 2)
    assert HouseSettings(preset="flat", objects=(3, 3)) == flat
    assert HouseSettings.of(preset="flat", rooms=HouseSettings().rooms).rooms == HouseSettings().rooms


def test_the_first_furnished_houses_keep_their_physics(houses):
    config = houses["house"][0].to_json()
    assert (config.pop("substeps"), read_house(config).substeps) == (2, 4)


def test_furniture_leaves_a_passage(houses):
    for house in houses["plain"]:
        for a, b in combinations(house.furniture, 2):
            (ax, ay), (bx, by) = a.half, b.half
            assert max(abs(a.x - b.x) - ax - bx, abs(a.y - b.y) - ay - by) > 2 * AVATAR_RADIUS


def test_walls_surround_rooms_and_are_open_at_doorways():
    for seed in range(20):
        house = sample_house(seed, HouseSettings(rooms=(3, 3), furniture=(5, 5), objects=(12, 12)))
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
            assert not blocked((room.x0 + room.x1) / 2, (room.y0 + room.y1) / 2)
            for x, y in ((room.x0, room.y0), (room.x1, room.y1), (room.x0, room.y1), (room.x1, room.y0)):
                assert blocked(x, y), "corners are closed"


@pytest.mark.parametrize("settings", [{}, {"preset": "flat"}])
def test_who_starts_nose_to_wall_is_turned_to_the_room_and_nothing_else_changes(settings):
    turned = 0
    for seed in range(30):
        plain, facing = (sample_house(seed, HouseSettings.of(**settings, face_room=face)) for face in (False, True))
        assert replace(facing, starts=plain.starts) == plain
        for before, after in zip(plain.starts, facing.starts, strict=True):
            assert (before.x, before.y) == (after.x, after.y)
            free, freer = (free_before(plain, start) for start in (before, after))
            assert freer >= min(free, 2.0)
            turned += before != after
            assert before == after or (free < 2.0 and freer > free)
    assert turned > (3 if settings else 10)
    assert registry.get("playhouse").people_settings == {"face_room": True}


def free_before(house, start):
    """Metres from a start, along its gaze, to the first wall or piece of furniture."""
    room = house.room_at(start.x, start.y)
    for distance in np.arange(0.0, 10.0, 0.05):
        x, y = start.x + distance * np.cos(start.yaw), start.y + distance * np.sin(start.yaw)
        if not room.contains(x, y) or any(piece.gap_to(x, y) == 0.0 for piece in house.furniture):
            return distance


def test_every_kind_and_room_type_occurs(houses):
    assert {room.type for h in houses["house"] for room in h.rooms} == set(ROOM_TYPES)
    assert {o.kind for h in houses["house"] for o in h.objects} == set(OBJECT_KINDS)
    assert {o.colour for h in houses["house"] for o in h.objects} == set(COLOURS)
    # The first houses' own stool is fixed; in furnished ones stools are carried about.
    assert {f.kind for h in houses["house"] for f in h.furniture} == set(FURNITURE_KINDS) - {"stool"}


def test_rooms_of_a_house_have_names_and_colours_of_their_own(houses):
    for house in houses["house"]:
        names = [house.room_name(room.id) for room in house.rooms]
        assert names == [room.type for room in house.rooms] and len(set(names)) == len(names)
        assert len({room.walls for room in house.rooms}) == len(house.rooms)
    three = sample_house(0, HouseSettings.of(preset="flat", rooms=(3, 3), room_types=("bedroom",)))
    assert {three.room_name(r.id) for r in three.rooms} == {f"{r.walls} bedroom" for r in three.rooms}
    plain = houses["plain"][3]
    assert {plain.room_name(room.id) for room in plain.rooms} == {"room"} and not plain.windows


def test_rooms_hold_what_belongs_there(houses):
    rooms, known, at_home = Counter(), Counter(), []
    for house in houses["house"]:
        for room in house.rooms:
            rooms[room.type] += 1
            kinds = {piece.kind for piece in house.furniture_in[room.id]}
            known[room.type] += bool(kinds & set(ROOM_TYPES[room.type].needs[:2]))
        for thing in house.objects:
            at_home.append(not thing.spec.rooms or house.rooms_by_id[thing.room].type in thing.spec.rooms)
    assert all(known[name] >= 0.9 * rooms[name] for name in ROOM_TYPES)
    assert 0.6 < np.mean(at_home) < 0.95, "most things belong where they are, and some do not"


def test_things_are_on_under_and_in_others(houses):
    places = Counter()
    for house in houses["house"]:
        for thing in house.objects:
            below = next((f for f in house.obstacles if f.spec.under and f.gap_to(thing.x, thing.y) == 0.0), None)
            if thing.support in house.objects_by_id:
                places[house.objects_by_id[thing.support].kind] += 1
            else:
                places["under" if thing.support == FLOOR and below else thing.support.split("_")[0]] += 1
    assert {"bin", "box", "basket", "tray", "under", "furniture", FLOOR} == set(places)
    assert min(places.values()) > 10 and 0.2 < places["furniture"] / places.total() < 0.6


@pytest.mark.parametrize("preset", FURNISHED)
def test_everything_can_be_walked_to_and_taken(houses, preset):
    for house in houses[preset][:20]:
        plan, start = FloorPlan(house), house.start(SOLVER)
        for thing in house.objects:
            middle = np.array([thing.x, thing.y, thing.z + thing.height / 2])
            assert plan.route((start.x, start.y), middle, grab_distance(house, thing.id, middle)) is not None, thing


@pytest.mark.parametrize("preset", FURNISHED)
def test_windows_look_out_and_nothing_tall_stands_before_them(houses, preset):
    number = 0
    for house in houses[preset]:
        for window in house.windows:
            number += 1
            along_x = window.along == "x"
            out = (0.0, 0.3) if along_x else (0.3, 0.0)
            sides = [house.room_at(window.x + s * out[0], window.y + s * out[1]) for s in (-1, 1)]
            assert sorted(room.id if room else "" for room in sides) == ["", window.room]
            for piece in house.furniture_in[window.room]:
                if piece.spec.height > 1.0 and piece.spec.against_wall:
                    gap = (abs(piece.x - window.x), abs(piece.y - window.y))
                    beside, before = gap if along_x else gap[::-1]
                    assert beside > window.width / 2 or before > 0.7, (piece.kind, window)
    assert number > HOUSES
