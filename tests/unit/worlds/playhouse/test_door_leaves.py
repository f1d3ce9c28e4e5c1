"""Door leaves: they are recorded, players push them open, they stay where they are left, and hide what is behind."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from tests.unit.worlds.playhouse.small_room import act
from worlds.contract import SETTER, SOLVER, WorldError
from worlds.playhouse import Playhouse
from worlds.playhouse.house.door_leaf import WIDEST
from worlds.playhouse.house.reading import read_house
from worlds.playhouse.house.record import FLOOR, FORMAT_2, DoorLeaf, Doorway, House, Room, Start, Thing
from worlds.playhouse.house.sampling import HouseSettings, sample_house
from worlds.playhouse.navigation.floor_plan import FloorPlan
from worlds.playhouse.navigation.sight import Sight
from worlds.playhouse.physics.avatar import EYE_HEIGHT, HELD
from worlds.playhouse.players import behaviours
from worlds.playhouse.players.body import Body

ROOMS = (
    Room("room_0", 0.0, 0.0, 4.0, 4.0, "oak", "playroom", "white"),
    Room("room_1", 4.0, 0.0, 8.0, 4.0, "pine", "study", "peach"),
    Room("room_2", 8.0, 0.0, 12.0, 4.0, "oak", "bedroom", "pink"),
)
DOORWAYS = (
    Doorway("doorway_0", ("room_0", "room_1"), 4.0, 2.0, "y", 1.0),
    Doorway("doorway_1", ("room_1", "room_2"), 8.0, 1.2, "y", 1.0),
)
BALL = Thing("object_0", "ball", "red", "medium", "room_2", FLOOR, 10.5, 3.0, 0.0, 0.0)
BOX = Thing("object_1", "box", "blue", "large", "room_0", FLOOR, 1.0, 2.0, 0.0, 0.0)
NEAR_BALL = replace(BALL, room="room_1", x=5.5, y=2.0)


def three_rooms(*angles: float, things=(), solver=(2.0, 2.0, 0.0)) -> House:
    """Three rooms in a row, with leaves that are open to these angles in as many of the two doorways between them."""
    starts = (Start(SETTER, 1.0, 0.6, 0.0), Start(SOLVER, *solver))
    leaves = [
        DoorLeaf(f"leaf_{i}", doorway.id, hinge, 0.9, angle, "oak")
        for i, (doorway, hinge, angle) in enumerate(zip(DOORWAYS, (1, -1), angles, strict=False))
    ]
    return House(ROOMS, DOORWAYS, (), tuple(things), starts, (), FORMAT_2, 2, tuple(leaves))


def enter(house: House, height: int = 8, width: int = 8) -> Playhouse:
    world = Playhouse(height, width, views=(), max_steps=10**6)
    world.reset(seed=0, options={"config": house.to_json()})
    return world


def run(world: Playhouse, body: Body, behaviour: behaviours.Behaviour, most: int) -> bool:
    """Let the solver do something; False also if it takes longer than some steps."""
    for _ in range(most):
        try:
            world.step({SOLVER: next(behaviour)})
        except StopIteration as end:
            return end.value
        body.sense()
    return False


@pytest.mark.parametrize(("angle", "y"), [(0.0, 1.75), (0.0, 2.25), (0.6, 2.0), (-0.6, 2.0)])
def test_a_leaf_is_opened_by_walking_against_it_and_stays_where_it_is_left(angle, y):
    world = enter(three_rooms(angle, solver=(2.0, y, 0.0)))
    assert world.door_angles() == pytest.approx([angle])
    assert act(world, 12, forward=1).position[0] > 6.3, "it hardly slows anybody down"
    act(world, 5)
    opened = float(world.door_angles()[0])
    assert math.radians(60) < opened < WIDEST + 0.05
    act(world, 30)
    assert float(world.door_angles()[0]) == opened


def test_leaves_are_sampled_closed_half_open_and_open_and_leave_the_rest_of_the_house_as_it_is():
    kinds, hung = Counter(), 0
    for seed in range(40):
        bare, house = (sample_house(seed, HouseSettings.of(preset="house", door_leaves=d)) for d in (0.0, 1.0))
        assert replace(house, door_leaves=()) == bare and "door_leaves" not in bare.to_json()
        assert read_house(house.to_json()) == house
        assert {leaf.doorway for leaf in house.door_leaves} == {doorway.id for doorway in house.doorways}
        for leaf in house.door_leaves:
            degrees = abs(math.degrees(leaf.angle))
            kinds["closed" if degrees == 0 else "half open" if degrees < 72 else "open"] += 1
        few = sample_house(seed, HouseSettings.of(preset="house", door_leaves=0.5))
        hung += len({leaf.doorway for leaf in few.door_leaves}) - len(few.doorways) / 2
    assert min(kinds.values()) > 0.15 * kinds.total() and set(kinds) == {"closed", "half open", "open"}
    assert abs(hung) < 25


@pytest.mark.parametrize(
    ("first", "second", "solver", "message"),
    [
        ({"doorway": "gate"}, {}, {}, "leaf_0 has the unknown doorway 'gate'"),
        ({"paint": "gold"}, {}, {}, "leaf_0 has the unknown paint 'gold'"),
        ({}, {"doorway": "doorway_0", "hinge": 1}, {}, "leaf_0 hangs on the hinge of leaf_1"),
        ({"length": 0.6}, {"doorway": "doorway_0", "length": 0.45}, {}, "leaf_0 is 0.6 m long; give 0.2 to 0.44 m"),
        ({"length": 0.95}, {}, {}, "leaf_0 is 0.95 m long; give 0.2 to 0.9 m"),
        ({"hinge": 0}, {}, {}, "leaf_0 has the hinge 0; give -1 or 1"),
        ({"angle": 2.0}, {}, {}, "leaf_0 is open to 2 rad; it opens to 1.745 at most"),
        ({"angle": 1.5}, {}, {"x": 4.6, "y": 2.6}, "leaf_0 overlaps solver; give it another angle"),
        ({"angle": 0.9}, {}, {}, "leaf_0 overlaps object_0; give it another angle"),
        ({"angle": "ajar"}, {}, {}, "door_leaves[0].angle is 'ajar'"),
    ],
)
def test_an_impossible_leaf_is_refused_in_one_line(first, second, solver, message):
    config = three_rooms(0.0, 0.0, things=[replace(BALL, room="room_1", x=4.6, y=2.0)]).to_json()
    read_house(config)
    for row, change in zip((*config["door_leaves"], config["starts"][1]), (first, second, solver), strict=True):
        row.update(change)
    with pytest.raises(WorldError) as caught:
        read_house(config)
    assert message in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(("angle", "hidden"), [(0.0, True), (1.6, False)])
def test_a_closed_leaf_hides_what_is_behind_it(angle, hidden):
    world = enter(three_rooms(angle, things=[NEAR_BALL]), 48, 64)
    ball, eye = world.object_position("object_0"), np.array([2.0, 2.0, EYE_HEIGHT])
    assert Sight.of(world).clear(eye, ball) is not hidden
    assert world.in_sight_from(eye, "object_0", SOLVER) is not hidden
    assert bool(world.things_in_view(SOLVER)) is not hidden
    assert Body(world, SOLVER, np.random.default_rng(0)).sees("object_0") is not hidden
    over = Sight.of(world).clear(np.array([3.5, 2.0, 2.3]), np.array([4.5, 2.0, 2.2]))
    assert over, "one could look over a leaf, were there no wall above it"


@pytest.mark.parametrize(("angle", "around"), [(0.0, False), (1.55, True)])
def test_doorways_are_passable_and_an_open_leaf_is_walked_around(angle, around):
    goal, plan = (4.5, 3.3), FloorPlan.of(enter(three_rooms(angle)))  # at the wall, behind the open leaf
    route = plan.route((4.5, 2.0), goal, 0.1)
    assert route is not None
    assert (sum(math.dist(a, b) for a, b in pairwise([(4.5, 2.0), *route])) > 1.6) is around
    assert plan.route((2.0, 2.0), (10.0, 2.0), 0.1) is not None


@pytest.mark.parametrize("angles", [(0.0, 0.0), (0.8, -0.8), (1.7, -1.7)])
def test_a_scripted_player_passes_two_doors_with_empty_and_with_full_hands(angles):
    world = enter(three_rooms(*angles, things=(BALL, BOX)))
    body = Body(world, SOLVER, np.random.default_rng(0))
    assert run(world, body, behaviours.go(body, "object_0"), 60), "through two doors"
    assert run(world, body, behaviours.place(body, "object_0", "object_1"), 120), "and back with the ball"
    assert run(world, body, behaviours.get(body, "object_1"), 60)
    assert world.state.players[1, HELD] == 1
    behaviour = behaviours.walk_to(body, np.array([10.0, 2.0]))
    assert run(world, body, behaviour, 100) and body.held == "object_1", "with a large box"
