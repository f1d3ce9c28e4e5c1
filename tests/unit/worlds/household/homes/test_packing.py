"""Packing finds room for what was cut out of the levels of a container, in whatever order it comes."""

from __future__ import annotations

import numpy as np
import pytest

from worlds.household.homes import home, lay
from worlds.household.homes.packing import pack
from worlds.household.homes.surfaces import EDGE_M, GAP_M, Box, levels
from worlds.household.state.home import Home, State
from worlds.household.state.vocabulary import Held, Property

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
        assert found is not None
        for number, box in enumerate(found):
            assert box.size == sizes[number]
            assert not any(box.overlaps(other) for other in found[:number])
            for axis in range(2):
                assert box.low(axis) > CABINET.low(axis) + EDGE_M - 1e-5
                assert box.high(axis) < CABINET.high(axis) - EDGE_M + 1e-5


def test_what_stays_where_it_is_is_packed_around_and_too_much_is_not_packed() -> None:
    lamp = Box((1.0, 2.0, 0.4), (0.02, 0.45, 0.4))  # through both shelves, and in the middle of them
    sizes = [(0.25, 0.45, 0.1)] * 4
    found = pack(CABINET, 0.0, CLOSED, Held.INSIDE, sizes, [lamp])
    assert found is not None and not any(box.overlaps(lamp) for box in found)
    assert pack(CABINET, 0.0, CLOSED, Held.INSIDE, [*sizes, (0.015, 0.3, 0.1)], [lamp]) is not None
    assert pack(CABINET, 0.0, CLOSED, Held.INSIDE, [*sizes, (0.1, 0.3, 0.1)], [lamp]) is None
    assert pack(CABINET, 0.0, CLOSED, Held.INSIDE, [(0.1, 0.1, 0.5)], []) is None  # too high


def laid(found: Home, state: State, names: list[str], dishwasher: int) -> list[int]:
    """Return the things of these classes that find room in an empty dishwasher, one after another."""
    state.parent[state.parent == dishwasher] = found.rows_of("bed")[0]
    rows = [int(found.rows_of(name)[names[:number].count(name)]) for number, name in enumerate(names)]
    return [row for row in rows if lay(found, state, row, Held.INSIDE, dishwasher)]


def test_things_in_the_way_are_moved_with_what_lies_on_them() -> None:
    names = ["waterglass", "plate", "mug", "plate", "bowl", "plate", "waterglass", "plate"]
    for order in (names, names[::-1], sorted(names)):
        found, state = home("apartment-1")
        dishwasher = int(found.rows_of("dishwasher")[0])
        fork, plate = int(found.rows_of("cutleryfork")[0]), int(found.rows_of("plate")[0])
        state.parent[fork], state.held[fork], state.centre[fork] = plate, Held.ON, state.centre[plate] + (0, 0, 0.02)
        rows = laid(found, state, order, dishwasher)
        assert len(rows) == len(names)
        boxes = [Box(tuple(state.centre[row].tolist()), tuple(found.size[row].tolist())) for row in rows]
        assert not any(one.overlaps(other) for one in boxes for other in boxes if one is not other)
        np.testing.assert_allclose(state.centre[fork], state.centre[plate] + (0, 0, 0.02), atol=1e-5)
        assert state.room[fork] == state.room[dishwasher]


def test_nothing_is_moved_where_there_is_no_room_at_all() -> None:
    found, state = home("apartment-1")
    dishwasher, bed = int(found.rows_of("dishwasher")[0]), int(found.rows_of("bed")[0])
    before = state.copy()
    assert not lay(found, state, bed, Held.INSIDE, dishwasher)
    assert (state.centre == before.centre).all() and (state.parent == before.parent).all()
