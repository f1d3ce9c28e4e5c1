"""The seven apartments: their scale, their geometry, and what lies where."""

from __future__ import annotations

import hashlib
from itertools import combinations

import numpy as np
import pytest

from worlds.household.homes.apartments import APARTMENTS
from worlds.household.homes.placing import home
from worlds.household.homes.surfaces import Box, levels
from worlds.household.state.home import Home, State
from worlds.household.state.vocabulary import Held, Property

# Counts of the published apartments: kitchencabinet, fridge, dishwasher, coffeetable, kitchentable, sofa, bench.
PUBLISHED = {
    0: (4, 1, 0, 2, 1, 1, 2),
    1: (8, 1, 1, 2, 1, 2, 2),
    2: (8, 1, 1, 1, 2, 1, 4),
    3: (8, 1, 1, 1, 1, 3, 0),
    4: (8, 1, 1, 0, 1, 3, 0),
    5: (0, 1, 0, 2, 1, 1, 2),
    6: (8, 2, 1, 2, 1, 1, 2),
}
COUNTED = ("kitchencabinet", "fridge", "dishwasher", "coffeetable", "kitchentable", "sofa", "bench")
ONE_EACH = ("stove", "microwave", "cabinet", "bathroomcabinet", "bathroom", "kitchen", "livingroom")
FLAT = ("rug", "mat")  # furniture stands on them

# Of the bits of each apartment and its first state: what was recorded in an apartment is replayed in it.
DIGESTS = {
    0: "6e4437223c4f3160",
    1: "c51a5d2a6deb1e23",
    2: "6c4bf4ff11ad3155",
    3: "95ffa2eb26446646",
    4: "d6878b4d0667811e",
    5: "407af1a81827a9e9",
    6: "860555e343bac974",
}


def box(home: Home, state: State, row: int) -> Box:
    return Box(tuple(state.centre[row].tolist()), tuple(home.size[row].tolist()))


def standing(home: Home, state: State) -> list[int]:
    """Rows of all that stands or hangs in a room, without persons, doors and what is flat."""
    return [
        int(row)
        for row in np.flatnonzero(state.held == Held.ROOM)
        if row not in home.persons and home.name_of(row) not in ("door", *FLAT)
    ]


@pytest.mark.parametrize("name", APARTMENTS)
def test_scale_is_the_published_one(name: str) -> None:
    found, state = home(name)
    assert 300 <= len(found) <= 400
    assert len(np.unique(found.kind)) >= 100
    assert len(found.rooms) in (4, 5)
    assert 6 <= len(found.doors) <= 8
    assert 114 <= np.count_nonzero(found.properties & Property.GRABBABLE) <= 184
    assert 45 <= np.count_nonzero(found.properties & Property.CAN_OPEN) <= 76
    assert tuple(len(found.rows_of(each)) for each in COUNTED) == PUBLISHED[int(name[-1])]
    assert {len(found.rows_of(each)) for each in ONE_EACH} == {1}
    assert len(set(found.ids)) == len(found) and tuple(found.ids[list(found.persons)]) == (1, 2)


@pytest.mark.parametrize("name", APARTMENTS)
def test_bits_never_change(name: str) -> None:
    found, state = home(name)
    arrays = (found.ids, found.kind, found.size, found.yaw, found.between, state.held, state.parent, state.room,
              state.conditions, state.centre, state.facing)  # fmt: skip
    assert hashlib.sha256(b"".join(each.tobytes() for each in arrays)).hexdigest()[:16] == DIGESTS[int(name[-1])]


@pytest.mark.parametrize("name", APARTMENTS)
def test_rooms_cover_a_rectangle_without_gaps_and_overlaps(name: str) -> None:
    found, state = home(name)
    boxes = [box(found, state, row) for row in found.rooms]
    assert not [pair for pair in combinations(boxes, 2) if pair[0].overlaps(pair[1])]
    width, depth = (max(each.high(axis) for each in boxes) - min(each.low(axis) for each in boxes) for axis in (0, 1))
    assert sum(each.size[0] * each.size[1] for each in boxes) == pytest.approx(width * depth)


@pytest.mark.parametrize("name", APARTMENTS)
def test_furniture_stands_in_its_room_apart_from_other_furniture_and_from_doors(name: str) -> None:
    found, state = home(name)
    rows = standing(found, state)
    for row in rows:
        room, here = box(found, state, int(state.parent[row])), box(found, state, row)
        within = [
            room.low(axis) - 1e-4 <= here.low(axis) and here.high(axis) <= room.high(axis) + 1e-4 for axis in range(3)
        ]
        assert all(within), found.name_of(row)
    for one, other in combinations(rows, 2):
        assert not box(found, state, one).overlaps(box(found, state, other)), (found.name_of(one), found.name_of(other))
    for door in found.doors:
        across = 0 if found.size[door, 0] < found.size[door, 1] else 1
        size = [*found.size[door].tolist()]
        size[across] = 1.2
        doorway = Box(tuple(state.centre[door].tolist()), tuple(size))
        assert not [found.name_of(row) for row in rows if doorway.overlaps(box(found, state, row))]


@pytest.mark.parametrize("name", APARTMENTS)
def test_things_lie_within_their_support_or_container_apart_from_each_other(name: str) -> None:
    found, state = home(name)
    laid = np.flatnonzero((state.held == Held.ON) | (state.held == Held.INSIDE))
    for row in laid:
        parent, held = int(state.parent[row]), Held(int(state.held[row]))
        wanted = Property.SURFACES if held == Held.ON else Property.CONTAINERS
        here, names = box(found, state, row), (found.name_of(row), found.name_of(parent))
        assert found.has(parent, wanted), names
        properties = Property(int(found.properties[parent]))
        on = levels(box(found, state, parent), float(found.yaw[parent]), properties, held)
        assert any(
            each.west - 1e-4 <= here.low(0) and here.high(0) <= each.east + 1e-4
            and each.south - 1e-4 <= here.low(1) and here.high(1) <= each.north + 1e-4
            and abs(here.low(2) - each.z) < 1e-3 and here.size[2] <= each.clearance
            for each in on
        ), names  # fmt: skip
    for parent in np.unique(state.parent[laid]):
        for held in (Held.ON, Held.INSIDE):
            beside = laid[(state.parent[laid] == parent) & (state.held[laid] == held)]
            for one, other in combinations(beside, 2):
                assert not box(found, state, one).overlaps(box(found, state, other))
