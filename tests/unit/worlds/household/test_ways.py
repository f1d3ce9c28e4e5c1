"""Ways in the seven apartments, and in the small home."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.unit.worlds.household.small_home import ROW, small_home
from worlds.household import rules
from worlds.household.homes.apartments import APARTMENTS
from worlds.household.homes.graphs.reading import home_of_graph
from worlds.household.homes.placing import home
from worlds.household.navigation.floor_plan import CELL_M, floor_plan
from worlds.household.navigation.kernels import components
from worlds.household.navigation.ways import Ways
from worlds.household.observing import graph_of
from worlds.household.rules.bodies import stand_at
from worlds.household.state.home import Home, State
from worlds.household.state.tables import tables
from worlds.household.state.vocabulary import NEAR_M, STEP_M, Held, Verb


def gap(found: Home, state: State, row: int, xy: tuple[float, float]) -> float:
    """Return the horizontal distance of a point from the box of a thing, metres."""
    out = np.maximum(np.abs(state.centre[row, :2] - xy) - found.size[row, :2] / 2, 0.0)
    return float(np.hypot(out[0], out[1]))


def overlapping() -> tuple[Home, State]:
    """A home as VirtualHome's scenes are: boxes of rooms overlap by 3 m, furniture stands in the box of an L of
    counters and on a rug, and a corner of the living room is reached through the kitchen alone."""
    boxes = {  # id: class, x and y of the western and southern corner, size, bottom and height
        11: ("kitchen", 0, 0, 6, 6, 0, 2.5), 12: ("livingroom", 3, 0, 7, 6, 0, 2.5),
        20: ("kitchencounter", 0, 3, 3, 3, 0, 0.9), 21: ("kitchentable", 1, 3.5, 1, 1, 0, 0.8),
        22: ("microwave", 0.1, 5.5, 0.4, 0.4, 0.9, 0.3), 23: ("fridge", 2.2, 0, 0.7, 0.7, 0, 1.8),
        24: ("cabinet", 3.2, 2, 0.4, 1.2, 0, 1), 25: ("rug", 6, 2, 3, 3, 0, 0.02),
        26: ("coffeetable", 6.5, 2.5, 1.5, 1.5, 0.02, 0.4), 27: ("bookshelf", 3.1, 5.6, 0.9, 0.3, 0, 1.9),
        28: ("stove", 3.6, 4.2, 0.6, 0.9, 0, 0.9),
    }  # fmt: skip
    within = {22: ("ON", 20), 26: ("ON", 25), 24: ("INSIDE", 12), 25: ("INSIDE", 12), 27: ("INSIDE", 12)}
    nodes = [
        {"id": each, "class_name": name,
         "bounding_box": {"center": [x + w / 2, z + h / 2, y + d / 2], "size": [w, h, d]}}
        for each, (name, x, y, w, d, z, h) in boxes.items()
    ]  # fmt: skip
    held = [(each, *within.get(each, ("INSIDE", 11))) for each in list(boxes)[2:]]
    edges = [{"from_id": each, "relation_type": relation, "to_id": other} for each, relation, other in held]
    return home_of_graph({"nodes": nodes, "edges": edges})[:2]


def places(name: str) -> tuple[Home, State, Ways]:
    found, state = overlapping() if name == "overlapping" else home(name)
    return found, state, Ways(found, state)


@pytest.mark.parametrize("name", [*APARTMENTS, "overlapping"])
def test_everything_is_near_for_who_walks_to_it_from_any_room(name: str) -> None:
    found, state, ways = places(name)
    for room in found.rooms:
        assert np.isfinite(ways.distances(ways.plan.standing_places(room)[0])).all()
        assert components(ways.plan.free & (ways.plan.room == room))[1].size == 1  # no way out of it and in again
    for row in set(range(len(found))) - {*found.persons}:
        anchor = ways.anchor(row)
        cells = np.flatnonzero(ways.plan.distance[np.flatnonzero(ways.plan.fixed == anchor)[0]] == 0).tolist()
        points = [ways.plan.centre(cell) for cell in cells]
        assert points
        if anchor not in found.rooms:
            rooms = {*found.between[anchor].tolist()} if anchor in found.doors else {int(state.room[row])}
            assert all(gap(found, state, anchor, point) < NEAR_M for point in points), found.name_of(anchor)
            assert {ways.room_at(point) for point in points} <= rooms


def test_what_stands_on_a_rug_is_in_the_way_and_an_l_of_counters_is_not() -> None:
    found, state = overlapping()
    plan = floor_plan(found, state)
    (counter,), (table,) = found.rows_of("kitchencounter"), found.rows_of("coffeetable")
    assert plan.hollow == {counter} and plan.floor(2.6, 5.4) == (2.6, 5.4)
    assert plan.floor(*state.centre[table, :2]) != tuple(state.centre[table, :2])


def test_walking_step_by_step_arrives_without_passing_through_furniture() -> None:
    found, state, ways = places("apartment-2")
    start = ways.plan.standing_places(found.rows_of("kitchen")[0])[0]
    for row in found.rows_of("nightstand"):
        xy, facing = (float(start[0]), float(start[1])), 0.0
        assert ways.distance(start, row) >= 5
        for _ in range(40):
            there, facing = ways.advance(xy, row, STEP_M)
            assert math.dist(xy, there) <= STEP_M + 1e-6
            assert ways.floor(there) == there  # a person can stand there
            xy = there
            if ways.distance(xy, row) == 0:
                break
        assert gap(found, state, row, xy) < NEAR_M and ways.room_at(xy) == state.room[row]
        towards = state.centre[row, :2] - xy
        assert math.isclose(facing, math.atan2(towards[1], towards[0]), abs_tol=1e-6)
        assert ways.advance(xy, row, STEP_M) == (xy, facing)  # who has arrived stays


@pytest.mark.parametrize("scale", [0.93, 1.0, 1.07])
def test_a_way_to_a_room_ends_in_it_wherever_walls_cross_the_cells_of_the_floor(scale: float) -> None:
    graph = graph_of(*home("apartment-0"))
    for node in graph["nodes"]:
        for values in node["bounding_box"].values():
            values[0], values[2] = scale * values[0], scale * values[2]
    found, first, _ = home_of_graph(graph)
    person, rng = found.persons[1], np.random.default_rng(0)
    for _ in range(100):
        state, (here, there) = first.copy(), rng.choice(found.rooms, 2, replace=False)
        ways, walk = Ways(found, state), (Verb.WALK_TOWARDS, int(there), Held.RIGHT_HAND)
        x, y = rng.choice(ways.plan.standing_places(here)) + rng.uniform(-CELL_M / 2, CELL_M / 2, 2)
        stand_at(tables(found, state), 1, float(x), float(y), 0.0, int(here))
        while state.room[person] != there:
            assert rules.apply(found, state, ways, (rules.WAITING, walk)) == ("", "")


def test_ways_in_the_small_home_lead_to_rooms_doors_and_the_floor_and_end_at_furniture_and_walls() -> None:
    found, state = small_home()
    ways = Ways(found, state)
    assert ways.distance((2.0, 2.0), ROW["kitchen"]) == 0
    xy, steps = (2.0, 2.0), 0
    while ways.room_at(xy) != ROW["livingroom"]:
        xy, _ = ways.advance(xy, ROW["livingroom"], STEP_M)
        steps += 1
    assert steps == 3 and xy[0] < 4.5
    sides = {ways.room_at(ways.advance(start, ROW["door"], 9.0)[0]) for start in ((1.0, 2.0), (7.0, 2.0))}
    assert sides == {ROW["kitchen"], ROW["livingroom"]}
    assert ways.forward((1.0, 1.0), 0.0, STEP_M) == pytest.approx((2.0, 1.0), abs=0.01)
    x, y = ways.forward((1.0, 1.0), math.pi, STEP_M)
    assert 0.2 <= x <= 0.45 and y == pytest.approx(1.0)
    assert 2.3 <= ways.forward((2.1, 2.0), math.pi / 2, STEP_M)[1] <= 2.6  # the table begins at y 2.8
    assert gap(found, state, ROW["sofa"], ways.floor((7.0, 0.5))) >= 0.2  # from the middle of the sofa
