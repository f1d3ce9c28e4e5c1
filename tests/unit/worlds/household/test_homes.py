"""Homes: the table of classes, the seven apartments, places of episodes in them, and what is packed into containers."""

from __future__ import annotations

import hashlib
import re
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from worlds.errors import UserError
from worlds.household.catalogue.classes import CLASS_OF, CLASSES
from worlds.household.homes import lay
from worlds.household.homes.apartments import APARTMENTS
from worlds.household.homes.packing import pack
from worlds.household.homes.placing import home, place
from worlds.household.homes.surfaces import EDGE_M, GAP_M, Box, levels
from worlds.household.navigation.floor_plan import floor_plan
from worlds.household.state.home import Home, State
from worlds.household.state.vocabulary import Condition, Held, Property

# Counts of the published apartments: kitchencabinet, fridge, dishwasher, coffeetable, kitchentable, sofa, bench; and
# digests of the bits of each and its first state: what was recorded in an apartment is replayed in it.
PUBLISHED = {
    "apartment-0": ((4, 1, 0, 2, 1, 1, 2), "6e4437223c4f3160"),
    "apartment-1": ((8, 1, 1, 2, 1, 2, 2), "c51a5d2a6deb1e23"),
    "apartment-2": ((8, 1, 1, 1, 2, 1, 4), "6c4bf4ff11ad3155"),
    "apartment-3": ((8, 1, 1, 1, 1, 3, 0), "95ffa2eb26446646"),
    "apartment-4": ((8, 1, 1, 0, 1, 3, 0), "d6878b4d0667811e"),
    "apartment-5": ((0, 1, 0, 2, 1, 1, 2), "407af1a81827a9e9"),
    "apartment-6": ((8, 2, 1, 2, 1, 1, 2), "860555e343bac974"),
}
COUNTED = ("kitchencabinet", "fridge", "dishwasher", "coffeetable", "kitchentable", "sofa", "bench")
ONE_EACH = ("stove", "microwave", "cabinet", "bathroomcabinet", "bathroom", "kitchen", "livingroom")


def box(home: Home, state: State, row: Any) -> Box:
    return Box(tuple(state.centre[row].tolist()), tuple(home.size[row].tolist()))


def overlap(boxes: list[Box]) -> bool:
    return any(one.overlaps(other) for one, other in combinations(boxes, 2))


def test_classes_have_names_of_one_word_and_sizes_that_fit_their_use() -> None:
    names = [each.name for each in CLASSES]
    assert len(set(names)) == len(names) >= 130 and all(re.fullmatch("[a-z]+", name) for name in names)
    for each in CLASSES:
        assert all(0.01 <= length <= 5 for length in each.size), each
        if Property.GRABBABLE in each.properties:
            assert max(each.size) < 1.0, each
        elif each.properties & (Property.SURFACES | Property.CONTAINERS) and each.category == "Furniture":
            assert each.size[1] > 0.24, f"{each} has no room for a plate"
    for name in "kitchencabinet cabinet bathroomcabinet fridge microwave stove dishwasher".split():
        assert Property.CAN_OPEN | Property.CONTAINERS in CLASS_OF[name].properties


@pytest.mark.parametrize("name", APARTMENTS)
def test_apartments_have_the_published_scale_and_always_the_same_bits(name: str) -> None:
    found, state = home(name)
    assert 300 <= len(found) <= 400 and len(np.unique(found.kind)) >= 100
    assert len(found.rooms) in (4, 5) and 6 <= len(found.doors) <= 8
    assert 114 <= np.count_nonzero(found.properties & Property.GRABBABLE) <= 184
    assert 45 <= np.count_nonzero(found.properties & Property.CAN_OPEN) <= 76
    counts, digest = PUBLISHED[name]
    assert tuple(len(found.rows_of(each)) for each in COUNTED) == counts
    assert {len(found.rows_of(each)) for each in ONE_EACH} == {1}
    assert len(set(found.ids)) == len(found) and tuple(found.ids[list(found.persons)]) == (1, 2)
    arrays = (found.ids, found.kind, found.size, found.yaw, found.between, state.held, state.parent, state.room,
              state.conditions, state.centre, state.facing)  # fmt: skip
    assert hashlib.sha256(b"".join(each.tobytes() for each in arrays)).hexdigest()[:16] == digest


@pytest.mark.parametrize("name", APARTMENTS)
def test_rooms_cover_a_rectangle_and_furniture_stands_in_them_apart(name: str) -> None:
    found, state = home(name)
    rooms = [box(found, state, row) for row in found.rooms]
    width, depth = (max(each.high(axis) for each in rooms) - min(each.low(axis) for each in rooms) for axis in (0, 1))
    assert not overlap(rooms) and sum(each.size[0] * each.size[1] for each in rooms) == pytest.approx(width * depth)
    rows = [
        int(row)
        for row in np.flatnonzero(state.held == Held.ROOM)
        if row not in found.persons and found.name_of(int(row)) not in ("door", "rug", "mat")
    ]
    boxes = [box(found, state, row) for row in rows]
    assert not overlap(boxes)
    for row, here in zip(rows, boxes, strict=True):
        room = box(found, state, int(state.parent[row]))
        for axis in range(3):
            assert room.low(axis) - 1e-4 <= here.low(axis) and here.high(axis) <= room.high(axis) + 1e-4
    for door in found.doors:
        size = found.size[door].tolist()
        size[0 if size[0] < size[1] else 1] = 1.2
        doorway = Box(tuple(state.centre[door].tolist()), tuple(size))
        assert not any(doorway.overlaps(here) for here in boxes)


@pytest.mark.parametrize("name", APARTMENTS)
def test_things_lie_within_their_support_or_container_apart_from_each_other(name: str) -> None:
    found, state = home(name)
    laid = np.flatnonzero((state.held == Held.ON) | (state.held == Held.INSIDE))
    for row in laid:
        parent, held, here = int(state.parent[row]), Held(int(state.held[row])), box(found, state, row)
        assert found.has(parent, Property.SURFACES if held == Held.ON else Property.CONTAINERS)
        on = levels(box(found, state, parent), float(found.yaw[parent]), Property(int(found.properties[parent])), held)
        assert any(
            each.west - 1e-4 <= here.low(0) and here.high(0) <= each.east + 1e-4
            and each.south - 1e-4 <= here.low(1) and here.high(1) <= each.north + 1e-4
            and abs(here.low(2) - each.z) < 1e-3 and here.size[2] <= each.clearance
            for each in on
        ), (found.name_of(int(row)), found.name_of(parent))  # fmt: skip
    for parent in np.unique(state.parent[laid]):
        for held in (Held.ON, Held.INSIDE):
            beside = laid[(state.parent[laid] == parent) & (state.held[laid] == held)]
            assert not overlap([box(found, state, row) for row in beside])


NAME = "apartment-0"


def thing(name: str) -> int:
    """Return the id of the first thing of a class in the apartment."""
    found, _ = home(NAME)
    return int(found.ids[found.rows_of(name)[0]])


def test_the_same_configuration_leads_to_the_same_bits_and_another_seed_to_others() -> None:
    added = [[1000, "apple", "INSIDE", thing("fridge")]]
    config = {"home": NAME, "seed": 3, "removed": [thing("plate")], "added": added}
    (one, state), (_, again), (_, other) = place(config), place(config), place({**config, "seed": 4})
    for name in ("held", "parent", "room", "conditions", "centre", "facing"):
        assert getattr(state, name).tobytes() == getattr(again, name).tobytes()
    assert state.centre.tobytes() != other.centre.tobytes()
    assert floor_plan(one, state) is floor_plan(*home(NAME))


def test_removed_things_are_gone_with_all_that_is_on_them_and_others_stay() -> None:
    before, first = home(NAME)
    table = thing("kitchentable")
    gone = {table, *before.ids[first.parent == before.row_of[table]].tolist()}
    found, state = place({"home": NAME, "removed": [table]})
    assert not gone & set(found.ids.tolist()) and len(before) - len(found) >= len(gone) > 1
    for row in range(len(found)):
        old = before.row_of[int(found.ids[row])]
        assert found.name_of(row) == before.name_of(old)
        if row not in found.persons:
            assert (state.centre[row] == first.centre[old]).all()
            parent = int(first.parent[old])
            assert parent < 0 or found.ids[state.parent[row]] == before.ids[parent]


def test_added_things_lie_apart_from_what_is_there() -> None:
    table = thing("coffeetable")
    added = [[1000 + number, name, "ON", table] for number, name in enumerate(["plate"] + ["cupcake"] * 6)]
    found, state = place({"home": NAME, "seed": 1, "added": [*added, [1010, "apple", "ON", 1000]]})
    plate = found.row_of[1000]
    assert state.parent[found.row_of[1010]] == plate and state.room[plate] == state.room[found.row_of[table]]
    rows = np.flatnonzero((state.parent == found.row_of[table]) & (state.held == Held.ON))
    assert len(rows) >= 7 and not overlap([box(found, state, row) for row in rows])


def test_conditions_replace_their_opposites_and_persons_begin_where_they_are_placed() -> None:
    fridge, stove = thing("fridge"), thing("stove")
    conditions = {str(fridge): "OPEN", str(stove): ["ON", "OPEN"]}
    found, state = place({"home": NAME, "conditions": conditions, "persons": ["bedroom", [1.5, 0.7, 0.5]]})
    assert state.conditions[found.row_of[fridge]] == Condition.OPEN | Condition.PLUGGED_IN
    assert state.conditions[found.row_of[stove]] == Condition.OPEN | Condition.ON | Condition.PLUGGED_IN
    assert [found.name_of(int(state.room[person])) for person in found.persons] == ["bedroom", "livingroom"]
    assert state.centre[found.persons[1]].tolist() == pytest.approx([1.5, 0.7, 0.85])
    assert state.facing[1] == pytest.approx(0.5)
    rooms = {tuple(place({"home": NAME, "seed": seed})[1].room[[0, 1]].tolist()) for seed in range(12)}
    assert len(rooms) > 5 and all(one != other for one, other in rooms)


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"home": "apartment-9"}, "there is no home 'apartment-9'; there are apartment-0"),
        ({"home": 7}, "neither the name of one nor a graph"),
        ({"removed": [99999]}, "no thing with id 99999"),
        ({"removed": [1]}, "a character (1) cannot be removed"),
        ({"added": [[1000, "apple", "UNDER", 12]]}, "is not [id, class,"),
        ({"added": [[1000, "unicorn", "ON", 12]]}, "no class 'unicorn'"),
        ({"added": [[1, "apple", "ON", thing("kitchentable")]]}, "the id 1 is another thing's"),
        ({"added": [[1000, "apple", "ON", thing("fridge")]]}, "it lacks SURFACES"),
        ({"added": [[1000, "bed", "ON", thing("kitchentable")]]}, "no room for a bed (1000) ON the kitchentable"),
        ({"conditions": {"99999": "OPEN"}}, "no thing with id '99999'"),
        ({"conditions": {"12": "AJAR"}}, "'AJAR' is none of CLOSED"),
        ({"persons": ["kitchen"]}, "1 are placed, not two"),
        ({"persons": ["kitchen", "attic"]}, "'attic', which is no room of the home; its rooms: bathroom (11)"),
        ({"persons": ["kitchen", [1.0, 2.0]]}, "give x, y and facing"),
        ({"persons": ["kitchen", [1.0, 2.0, float("nan")]]}, "finite"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(config: dict[str, Any], words: str) -> None:
    with pytest.raises(UserError) as refused:
        place({"home": NAME, **config})
    assert words in str(refused.value) and "\n" not in str(refused.value)


CABINET = Box((1.0, 2.0, 0.5), (0.6, 0.5, 0.75))  # two shelves
CLOSED = Property.CONTAINERS | Property.CAN_OPEN


def cut(width: float, depth: float, pieces: int, rng: np.random.Generator) -> list[tuple[float, float]]:
    """Return sizes of pieces that fill a rectangle but for gaps between them."""
    if pieces == 1:
        return [(width, depth)]
    along, share, half = rng.random() < width / (width + depth), rng.uniform(0.3, 0.7), pieces // 2
    length = (width if along else depth) - GAP_M
    one, other = (((length * part, depth) if along else (width, length * part)) for part in (share, 1 - share))
    return cut(*one, half, rng) + cut(*other, pieces - half, rng)


@pytest.mark.parametrize("pieces", range(1, 5))
def test_what_was_cut_out_of_two_shelves_fits_into_them(pieces: int) -> None:
    shelves = levels(CABINET, 0.0, CLOSED, Held.INSIDE)
    assert len(shelves) == 2
    rng = np.random.default_rng(pieces)
    for _ in range(5):
        flat = [size for each in shelves for size in cut(each.east - each.west, each.north - each.south, pieces, rng)]
        sizes = [(*flat[number], 0.1) for number in rng.permutation(len(flat))]
        found = pack(CABINET, 0.0, CLOSED, Held.INSIDE, sizes, [])
        assert found is not None and [each.size for each in found] == sizes and not overlap(found)
        for each in found:
            for axis in range(2):
                assert each.low(axis) > CABINET.low(axis) + EDGE_M - 1e-5
                assert each.high(axis) < CABINET.high(axis) - EDGE_M + 1e-5


def test_what_stays_where_it_is_is_packed_around_and_too_much_is_not_packed() -> None:
    lamp = Box((1.0, 2.0, 0.4), (0.02, 0.45, 0.4))  # through both shelves, and in the middle of them
    sizes = [(0.25, 0.45, 0.1)] * 4
    found = pack(CABINET, 0.0, CLOSED, Held.INSIDE, sizes, [lamp])
    assert found is not None and not any(each.overlaps(lamp) for each in found)
    assert pack(CABINET, 0.0, CLOSED, Held.INSIDE, [*sizes, (0.015, 0.3, 0.1)], [lamp]) is not None
    assert pack(CABINET, 0.0, CLOSED, Held.INSIDE, [*sizes, (0.1, 0.3, 0.1)], [lamp]) is None
    assert pack(CABINET, 0.0, CLOSED, Held.INSIDE, [(0.1, 0.1, 0.5)], []) is None  # too high


def test_things_in_the_way_are_moved_with_what_lies_on_them_where_there_is_room() -> None:
    names = ["waterglass", "plate", "mug", "plate", "bowl", "plate", "waterglass", "plate"]
    for order in (names, names[::-1], sorted(names)):
        found, state = home("apartment-1")
        dishwasher = int(found.rows_of("dishwasher")[0])
        fork, plate, bed = (int(found.rows_of(name)[0]) for name in ("cutleryfork", "plate", "bed"))
        before = state.copy()
        assert not lay(found, state, bed, Held.INSIDE, dishwasher)
        assert (state.centre == before.centre).all() and (state.parent == before.parent).all()
        state.parent[fork], state.held[fork], state.centre[fork] = plate, Held.ON, state.centre[plate] + (0, 0, 0.02)
        state.parent[state.parent == dishwasher] = bed  # emptied
        rows = [int(found.rows_of(name)[order[:number].count(name)]) for number, name in enumerate(order)]
        assert all(lay(found, state, row, Held.INSIDE, dishwasher) for row in rows)
        assert not overlap([box(found, state, row) for row in rows])
        np.testing.assert_allclose(state.centre[fork], state.centre[plate] + (0, 0, 0.02), atol=1e-5)
        assert state.room[fork] == state.room[dishwasher]
