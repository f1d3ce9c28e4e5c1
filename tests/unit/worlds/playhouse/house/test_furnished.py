"""Furnished houses: rooms with names, furniture that belongs there, things on it and in containers."""

from __future__ import annotations

import copy
import json
import math
from collections import Counter
from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from worlds.contract import SOLVER, WorldError
from worlds.playhouse.house.catalogue import COLOURS, FURNITURE_KINDS, OBJECT_KINDS
from worlds.playhouse.house.record import FLOOR, FORMAT_2, House, Room, Window
from worlds.playhouse.house.room_types import ROOM_TYPES
from worlds.playhouse.house.rules import check, shared_wall
from worlds.playhouse.house.sampling import HouseSettings, sample_house
from worlds.playhouse.house.settings import PRESETS
from worlds.playhouse.navigation.floor_plan import FloorPlan
from worlds.playhouse.requests.ground_truth import grab_distance

HOUSES = 200
FURNISHED = [name for name, settings in PRESETS.items() if settings.get("style") == "furnished"]


@pytest.fixture(scope="module")
def houses() -> dict[str, list[House]]:
    """Houses of every preset, by its name."""
    return {name: [sample_house(seed, HouseSettings.of(preset=name)) for seed in range(HOUSES)] for name in PRESETS}


# -- what sampled houses are -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", PRESETS)
def test_sampled_houses_keep_the_rules_and_survive_json(houses, preset):
    for house in houses[preset]:
        check(house)
        assert House.from_json(json.loads(json.dumps(house.to_json()))) == house


def test_presets_go_from_easy_to_hard(houses):
    sizes = [[(len(h.rooms), len({o.kind for o in h.objects}), len(h.objects)) for h in houses[p]] for p in PRESETS]
    assert all(max(easy) < min(hard) for easy, hard in pairwise(sizes))
    assert list(PRESETS) == ["room", "flat", "house"]
    assert {len(h.rooms) for h in houses["house"]} == {5} and {len(h.objects) for h in houses["house"]} == {60}
    assert len({o.kind for h in houses["flat"] for o in h.objects}) == 20


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


def test_of_two_rooms_of_a_type_the_colour_tells_them_apart():
    settings = HouseSettings.of(preset="flat", rooms=(3, 3), room_types=("bedroom",))
    house = sample_house(0, settings)
    assert {house.room_name(r.id) for r in house.rooms} == {f"{r.walls} bedroom" for r in house.rooms}


def test_rooms_hold_what_belongs_there(houses):
    known = Counter()
    for house in houses["house"]:
        for room in house.rooms:
            kinds = {piece.kind for piece in house.furniture_in[room.id]}
            known[room.type, "all"] += 1
            known[room.type, "known"] += bool(kinds & set(ROOM_TYPES[room.type].needs[:2]))
    assert all(known[name, "known"] >= 0.9 * known[name, "all"] for name in ROOM_TYPES)
    at_home = [
        not spec.rooms or house.rooms_by_id[thing.room].type in spec.rooms
        for house in houses["house"]
        for thing in house.objects
        if (spec := thing.spec)
    ]
    assert 0.6 < np.mean(at_home) < 0.95, "most things belong where they are, and some do not"


def test_words_matter_because_things_of_a_kind_differ_in_colour(houses):
    for house in houses["house"]:
        colours = {kind: {o.colour for o in house.objects if o.kind == kind} for kind in OBJECT_KINDS}
        assert sum(len(several) > 1 for several in colours.values()) >= 5


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
    assert min(places.values()) > 20 and 0.2 < places["furniture"] / places.total() < 0.6


@pytest.mark.parametrize("preset", FURNISHED)
def test_everything_can_be_walked_to_and_taken(houses, preset):
    for house in houses[preset][:40]:
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


def test_a_chair_faces_its_table_and_planks_lie_across_bathtubs(houses):
    chairs = planks = 0
    for house in houses["house"]:
        for piece in house.furniture:
            others = house.furniture_in[piece.room]
            if piece.kind == "bathtub plank":
                planks += 1
                assert any(f.kind == "bathtub" and f.gap_to(piece.x, piece.y) == 0.0 for f in others)
            if piece.kind == "chair":
                ahead = piece.to_house(0.0, 0.5)
                tables = (f for f in others if f.kind.endswith(("table", "desk")))
                chairs += any(f.gap_to(*ahead) == 0.0 for f in tables)
    assert planks > 50 and chairs > 100


def test_the_seed_decides():
    settings = HouseSettings.of(preset="flat")
    assert sample_house(3, settings) == sample_house(3, settings) != sample_house(4, settings)


def test_players_of_furnished_houses_can_be_turned_to_the_open_room():
    turned = 0
    for seed in range(20):
        plain = sample_house(seed, HouseSettings.of(preset="flat"))
        facing = sample_house(seed, HouseSettings.of(preset="flat", face_room=True))
        assert replace(facing, starts=plain.starts) == plain
        turned += facing != plain
    assert turned > 3


# -- settings ----------------------------------------------------------------------------------------------------------


@given(
    st.integers(0, 10**6), st.integers(1, 7), st.integers(0, 6), st.integers(0, 20),
    st.lists(st.sampled_from(sorted(OBJECT_KINDS)), min_size=1, max_size=5, unique=True),
    st.lists(st.sampled_from(sorted(COLOURS)), min_size=1, max_size=5, unique=True),
    st.lists(st.sampled_from(sorted(ROOM_TYPES)), min_size=1, max_size=3, unique=True),
)  # fmt: skip
@hypothesis_settings(max_examples=40)
def test_settings_are_obeyed(seed, rooms, furniture, objects, kinds, colours, types):
    settings = HouseSettings(
        rooms=(rooms, rooms), furniture=(furniture, furniture), objects=(objects, objects), kinds=tuple(kinds),
        colours=tuple(colours), room_types=tuple(types), style="furnished", room_size=(5.0, 6.0), sizes=("small",),
    )  # fmt: skip
    house = sample_house(seed, settings)
    check(house)
    assert house.format == FORMAT_2
    assert (len(house.rooms), len(house.furniture), len(house.objects)) == (rooms, furniture, objects)
    assert {o.kind for o in house.objects} <= set(kinds) and {r.type for r in house.rooms} <= set(types)
    assert {o.colour for o in house.objects} | {f.colour for f in house.furniture} <= set(colours)
    assert {o.size for o in house.objects} <= {"small"}
    for a, b in combinations(house.rooms, 2):
        assert a.type != b.type or rooms > len(types)


def test_what_is_included_is_there():
    include = ("red drum", "white teddy in the playroom", "tub in the washroom", "small wardrobe", "orange fruit",
               "red drum", "blue rack in the play area")  # fmt: skip
    for seed in range(20):
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


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"preset": "palace"}, "setting preset: unknown 'palace'; known: room, flat, house"),
        ({"style": "baroque"}, "setting style: unknown 'baroque'; known: plain, furnished"),
        ({"style": "furnished", "rooms": (1, 8)}, "setting rooms: 8 rooms; a house has at most 7"),
        (
            {"style": "furnished", "room_types": ("dungeon",)},
            "setting room_types: unknown 'dungeon'; known: living room",
        ),
        ({"style": "furnished", "include": "drum"}, "is not a list; write ('drum',)"),
        ({"style": "furnished", "include": ("red unicorn",)}, "names the unknown kind 'unicorn'; near it: "),
        ({"style": "furnished", "include": ("drum in the dungeon",)}, "names the unknown room 'the dungeon'; known:"),
        (
            {"style": "furnished", "room_types": ("study",), "include": ("drum in the pantry",)},
            "no room may be a pantry; add it to room_types",
        ),
        (
            {"style": "furnished", "rooms": (1, 1), "include": ("drum in the pantry", "drum in the study")},
            "it names 2 rooms, and rooms allows 1",
        ),
        ({"include": ("drum",)}, "plain rooms have no names; set style to 'furnished'"),
        ({"room_types": ("study",)}, "setting room_types: plain rooms have no names"),
        ({"style": "furnished", "strays": 2.0}, "setting strays: 2.0 is not a chance between 0 and 1"),
        ({"preset": "flat", "substeps": 1}, "setting substeps: 1 is not a number of physics steps, 2 to 16"),
        ({"preset": "flat", "objects": (300, 300)}, "setting objects"),
        ({"preset": "flat", "furniture": (90, 90)}, "setting furniture"),
        ({"preset": "flat", "rooms": (1, 1), "include": ("bed",) * 9}, "no place for the bed (setting include)"),
        (
            {"preset": "flat", "room_size": (3.0, 3.0), "include": ("hoop",) * 90},
            "no place for the hoop (setting include); ask for fewer or allow larger rooms (room_size)",
        ),
    ],
)
def test_impossible_settings_are_refused_in_one_line(settings, message):
    with pytest.raises(WorldError) as caught:
        sample_house(0, HouseSettings.of(**settings))
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_a_preset_gives_way_to_what_is_set():
    assert HouseSettings.of(preset="room") == HouseSettings.of(**PRESETS["room"])
    flat = HouseSettings.of(preset="flat", objects=(3, 3))
    assert flat.objects == (3, 3) and flat.rooms == (2, 2)
    assert HouseSettings(preset="flat", objects=(3, 3)) == flat
    same_as_default = HouseSettings.of(preset="flat", rooms=HouseSettings().rooms)
    assert same_as_default.rooms == HouseSettings().rooms


# -- houses that cannot be ---------------------------------------------------------------------------------------------


def first(rows, wanted):
    return next(row for row in rows if wanted(row))


def change(path, value):
    """A change of one field, addressed as list, index, field."""
    return lambda config: config[path[0]][path[1]].update({path[2]: value})


def take_out_of_its_container(config):
    thing = first(config["objects"], lambda o: o["support"].startswith("object"))
    thing["x"] += 0.5


def put_into_a_thing_that_holds_nothing(config):
    ids = {o["id"]: o for o in config["objects"]}
    thing = first(config["objects"], lambda o: o["support"].startswith("object"))
    solid = first(config["objects"], lambda o: not OBJECT_KINDS[o["kind"]].inside and o["room"] == thing["room"])
    assert ids[thing["support"]] is not solid
    thing["support"] = solid["id"]


def stand_in_the_sofa(config):
    bed = first(config["furniture"], lambda f: f["kind"] in ("bed", "wardrobe", "counter", "chest"))
    thing = first(config["objects"], lambda o: o["support"] == FLOOR and o["room"] == bed["room"])
    thing |= {"x": bed["x"], "y": bed["y"]}


def hang_a_window_indoors(config):
    rooms = [Room(**row) for row in config["rooms"]]
    walls = ((a, shared_wall(a, b)) for a, b in combinations(rooms, 2))
    room, wall = next((a, wall) for a, wall in walls if wall and wall[3] - wall[2] > 1.2)
    middle = (wall[2] + wall[3]) / 2
    x, y = (wall[1], middle) if wall[0] == "y" else (middle, wall[1])
    config["windows"][0] = vars(Window("window_0", room.id, x, y, wall[0], 1.0)).copy()


SPOILERS = {
    "unknown type of room 'dungeon'": change(("rooms", 0, "type"), "dungeon"),
    "unknown colour of walls 'infrared'": change(("rooms", 0, "walls"), "infrared"),
    "lacks 'walls'": lambda config: config["rooms"][0].pop("walls"),
    "'windows' is missing": lambda config: config.pop("windows"),
    "does not lie in a wall of": change(("windows", 0, "width"), 90.0),
    "does not lie in an outer wall": hang_a_window_indoors,
    "does not lie wholly in": take_out_of_its_container,
    "into which nothing can be put": put_into_a_thing_that_holds_nothing,
    "overlaps furniture": stand_in_the_sofa,
    "substeps: 'two' is not a number of physics steps": lambda config: config.update(substeps="two"),
    "this version reads 'playhouse-1' and 'playhouse-2'": lambda config: config.update(format="playhouse-3"),
}


@pytest.mark.parametrize("message", SPOILERS)
def test_an_impossible_house_is_refused_in_one_line(houses, message):
    config = copy.deepcopy(houses["house"][3].to_json())
    SPOILERS[message](config)
    with pytest.raises(WorldError) as caught:
        House.from_json(config)
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_the_first_furnished_houses_keep_their_physics(houses):
    config = houses["house"][0].to_json()
    assert (config.pop("substeps"), House.from_json(config).substeps) == (2, 4)


def test_a_thing_lies_in_a_container_however_that_is_turned(houses):
    for house in houses["house"][:60]:
        for thing in house.objects:
            holder = house.objects_by_id.get(thing.support)
            if holder is not None:
                x, y = holder.from_house(thing.x, thing.y)
                reach = [half * holder.scale - thing.radius for half in holder.spec.inside.half]
                assert abs(x) <= reach[0] and abs(y) <= reach[1]
                assert math.isclose(math.hypot(x, y), math.hypot(thing.x - holder.x, thing.y - holder.y), abs_tol=1e-9)
