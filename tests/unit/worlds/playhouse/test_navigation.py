"""Ways and sight are true of the house."""

from __future__ import annotations

import math

import numpy as np
import pytest

from worlds.playhouse.house.record import AVATAR_RADIUS, Doorway, Furniture, House, Room
from worlds.playhouse.navigation.floor_plan import FloorPlan
from worlds.playhouse.navigation.sight import Sight

TWO_ROOMS = House(
    rooms=(Room("a", 0.0, 0.0, 4.0, 4.0, "oak"), Room("b", 4.0, 0.0, 8.0, 4.0, "oak")),
    doorways=(Doorway("door", ("a", "b"), 4.0, 3.2, "y", 1.0),),
    furniture=(Furniture("t", "table", "red", "a", 2.0, 2.0, 0),),
    objects=(),
    starts=(),
)


def along(start, way):
    """Points of a way, close to each other."""
    return np.concatenate([np.linspace(a, b, 50) for a, b in zip([start, *way[:-1]], way, strict=True)])


def test_ways_keep_clear_of_walls_and_furniture():
    plan, table = FloorPlan(TWO_ROOMS), TWO_ROOMS.furniture[0]
    way = plan.route((0.6, 2.0), (7.0, 0.6), 0.3)
    assert way is not None and math.dist(way[-1], (7.0, 0.6)) <= 0.3
    points = along((0.6, 2.0), way)
    assert min(table.gap_to(*p) for p in points) >= AVATAR_RADIUS - 0.05
    through = [p for p in points if abs(p[0] - 4.0) < 0.1]
    assert through and all(2.7 + AVATAR_RADIUS - 0.05 < p[1] < 3.7 - AVATAR_RADIUS + 0.05 for p in through)


def test_ways_go_round_loose_things_where_they_can():
    plan, disc = FloorPlan(TWO_ROOMS), np.array([[6.0, 2.0, 0.2]])
    assert plan.straight((5.0, 2.0), (7.0, 2.0)) and not plan.straight((5.0, 2.0), (7.0, 2.0), disc)
    way = plan.route((5.0, 2.0), (7.0, 2.0), 0.1, disc)
    assert way is not None and len(way) >= 2
    assert min(math.dist(p, (6.0, 2.0)) for p in along((5.0, 2.0), way)) >= 0.2 + AVATAR_RADIUS - 0.1


def test_there_is_no_path_to_objects_far_from_any_floor():
    plan = FloorPlan(TWO_ROOMS)
    assert plan.route((0.6, 2.0), (2.0, 2.0), 0.3) is None  # the middle of the table
    assert plan.route((0.6, 2.0), (2.0, 2.0), 0.9) is not None
    assert plan.route((0.6, 2.0), (20.0, 2.0), 0.9) is None
    closed = House(TWO_ROOMS.rooms, (), (), (), ())
    assert FloorPlan(closed).route((0.6, 2.0), (7.0, 2.0), 0.5) is None
    # Near enough through the wall is not near enough.
    way = plan.route((0.6, 2.0), (4.3, 0.6), 1.0)
    assert way is not None and way[-1][0] > 4.0


@pytest.mark.parametrize(
    ("eye", "point", "clear"),
    [
        ((0.6, 2.0, 1.15), (0.7, 0.5, 0.1), True),
        ((0.6, 2.0, 1.15), (6.0, 0.5, 0.1), False),
        ((0.6, 2.0, 1.15), (2.9, 2.0, 0.1), False),
        ((0.6, 2.0, 1.15), (2.4, 2.0, 0.7), True),
        ((3.0, 3.2, 1.15), (6.0, 3.2, 0.3), True),
    ],
    ids=["in the room", "behind the wall", "under the table", "on the table", "through the doorway"],
)
def test_walls_and_tables_hide_things(eye, point, clear):
    assert Sight(TWO_ROOMS).clear(np.array(eye), np.array(point)) == clear
