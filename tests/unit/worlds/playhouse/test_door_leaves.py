"""Door leaves: they are recorded, players push them open, they stay where they are left, and hide what is behind."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from worlds.contract import MOVEMENT_BINS, SETTER, SOLVER, TICKS_PER_STEP, WorldError, neutral_movement, silent
from worlds.playhouse import Playhouse
from worlds.playhouse.house.door_leaf import WIDEST, DoorLeaf
from worlds.playhouse.house.record import FLOOR, FORMAT_2, Doorway, House, Room, Start, Thing
from worlds.playhouse.house.sampling import HouseSettings, sample_house
from worlds.playhouse.navigation.floor_plan import FloorPlan
from worlds.playhouse.navigation.sight import Sight
from worlds.playhouse.physics.avatar import EYE_HEIGHT, HELD
from worlds.playhouse.players import behaviours
from worlds.playhouse.players.body import Body
from worlds.playhouse.players.steering import FORWARD, FORWARD_BIN

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


def three_rooms(*angles: float, things=(), furniture=(), solver=(2.0, 2.0, 0.0), setter=(1.0, 0.6, 0.0)) -> House:
    """Three rooms in a row, with leaves that are open to these angles in as many of the two doorways between them."""
    starts = (Start(SETTER, *setter), Start(SOLVER, *solver))
    leaves = [
        DoorLeaf(f"leaf_{i}", doorway.id, hinge, 0.9, angle, "oak")
        for i, (doorway, hinge, angle) in enumerate(zip(DOORWAYS, (1, -1), angles, strict=False))
    ]
    return House(ROOMS, DOORWAYS, tuple(furniture), tuple(things), starts, (), FORMAT_2, 2, tuple(leaves))


def enter(house: House, height: int = 8, width: int = 8) -> Playhouse:
    world = Playhouse(height, width, views=(), max_steps=10**6)
    world.reset(seed=0, options={"config": house.to_json()})
    return world


def walk(world: Playhouse, steps: int) -> None:
    """Let the solver walk straight ahead."""
    movement = neutral_movement()
    movement[:, FORWARD] = FORWARD_BIN
    for _ in range(steps):
        world.step({SOLVER: silent(movement)})


def run(world: Playhouse, body: Body, behaviour: behaviours.Behaviour, most: int) -> bool:
    """Let the solver do something; False also if it takes longer than some steps."""
    for _ in range(most):
        try:
            world.step({SOLVER: next(behaviour)})
        except StopIteration as end:
            return end.value
        body.sense()
    return False


# -- pushing -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("y", [1.75, 2.0, 2.25])
@pytest.mark.parametrize("angle", [0.0, 0.6, -0.6])
def test_a_leaf_is_opened_by_walking_against_it_and_stays_where_it_is_left(angle, y):
    world = enter(three_rooms(angle, solver=(2.0, y, 0.0)))
    assert world.door_angles() == pytest.approx([angle])
    walk(world, 12)
    assert world.avatar(SOLVER).position[0] > 6.3, "it hardly slows anybody down"
    for _ in range(5):
        world.step({})
    opened = float(world.door_angles()[0])
    assert math.radians(60) < opened < WIDEST + 0.05
    for _ in range(30):
        world.step({})
    assert float(world.door_angles()[0]) == opened


# -- records -----------------------------------------------------------------------------------------------------------


def test_leaves_are_sampled_closed_half_open_and_open_and_leave_the_rest_of_the_house_as_it_is():
    kinds, hung = Counter(), 0
    for seed in range(40):
        bare, house = (sample_house(seed, HouseSettings.of(preset="house", door_leaves=d)) for d in (0.0, 1.0))
        assert replace(house, door_leaves=()) == bare and "door_leaves" not in bare.to_json()
        assert House.from_json(house.to_json()) == house
        assert {leaf.doorway for leaf in house.door_leaves} == {doorway.id for doorway in house.doorways}
        for leaf in house.door_leaves:
            degrees = abs(math.degrees(leaf.angle))
            kinds["closed" if degrees == 0 else "half open" if degrees < 72 else "open"] += 1
        few = sample_house(seed, HouseSettings.of(preset="house", door_leaves=0.5))
        hung += len({leaf.doorway for leaf in few.door_leaves}) - len(few.doorways) / 2
    assert min(kinds.values()) > 0.15 * kinds.total() and set(kinds) == {"closed", "half open", "open"}
    assert abs(hung) < 25


def leaf(config, **fields):
    config["door_leaves"][0].update(fields)


def two_that_are_too_long(config):
    config["door_leaves"][1].update(doorway="doorway_0", length=0.45)
    leaf(config, length=0.6)


def stand_behind_the_leaf(config):
    config["starts"][1].update(x=4.6, y=2.6)
    leaf(config, angle=1.5)


SPOILERS = {
    "leaf_0 has the unknown doorway 'gate'": lambda c: leaf(c, doorway="gate"),
    "leaf_0 has the unknown paint 'gold'": lambda c: leaf(c, paint="gold"),
    "leaf_0 hangs on the hinge of leaf_1": lambda c: c["door_leaves"][1].update(doorway="doorway_0", hinge=1),
    "leaf_0 is 0.6 m long; give 0.2 to 0.44 m": two_that_are_too_long,
    "leaf_0 is 0.95 m long; give 0.2 to 0.9 m": lambda c: leaf(c, length=0.95),
    "leaf_0 has the hinge 0; give -1 or 1": lambda c: leaf(c, hinge=0),
    "leaf_0 is open to 2 rad; it opens to 1.745 at most": lambda c: leaf(c, angle=2.0),
    "leaf_0 overlaps solver; give it another angle": stand_behind_the_leaf,
    "leaf_0 overlaps object_0; give it another angle": lambda c: leaf(c, angle=0.9),
    "door_leaves[0].angle is 'ajar'": lambda c: leaf(c, angle="ajar"),
    "door_leaves[0] lacks 'paint'": lambda c: c["door_leaves"][0].pop("paint"),
}


@pytest.mark.parametrize("message", SPOILERS)
def test_an_impossible_leaf_is_refused_in_one_line(message):
    config = three_rooms(0.0, 0.0, things=[replace(BALL, room="room_1", x=4.6, y=2.0)]).to_json()
    House.from_json(config)
    SPOILERS[message](config)
    with pytest.raises(WorldError) as caught:
        House.from_json(config)
    assert message in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"preset": "flat", "door_leaves": 1.5}, "setting door_leaves: 1.5 is not a chance between 0 and 1"),
        ({"door_leaves": 0.5}, "setting door_leaves: plain houses have no doors; set style to 'furnished'"),
    ],
)
def test_a_setting_that_cannot_be_is_refused_in_one_line(settings, message):
    with pytest.raises(WorldError) as caught:
        HouseSettings.of(**settings)
    assert str(caught.value) == message


def test_an_episode_with_leaves_is_played_twice_and_from_its_middle_with_the_same_result_to_the_bit():
    config = sample_house(5, HouseSettings.of(preset="house", door_leaves=1.0)).to_json()
    rng, movements = np.random.default_rng(0), []
    for step in range(300):
        if step % 5 == 0:
            row = rng.integers(0, MOVEMENT_BINS, dtype=np.int8)
            row[FORWARD] = FORWARD_BIN
        movements.append(np.tile(row, (TICKS_PER_STEP, 1)))
    ends, world = [], Playhouse(24, 32, max_steps=10**6)

    def finish(first: int) -> None:
        for movement in movements[first:]:
            world.step({SOLVER: silent(movement), SETTER: silent(movement[::-1])})
        ends.append(world.state.data.qpos.tobytes() + world.state.data.qvel.tobytes() + world.render().tobytes())

    for _ in range(2):
        world.reset(seed=0, options={"config": config})
        for movement in movements[:100]:
            world.step({SOLVER: silent(movement), SETTER: silent(movement[::-1])})
        half = world.snapshot()
        finish(100)
    world.restore(half)
    finish(100)
    first = [leaf["angle"] for leaf in config["door_leaves"]]
    assert ends[0] == ends[1] == ends[2]
    assert np.abs(world.door_angles() - first).max() > 0.2, "somebody has pushed a leaf"


# -- sight -------------------------------------------------------------------------------------------------------------


def test_a_closed_leaf_hides_what_is_behind_it():
    for angle, hidden in ((0.0, True), (1.6, False)):
        world = enter(three_rooms(angle, things=[NEAR_BALL]), 48, 64)
        ball = world.object_position("object_0")
        eye = np.array([2.0, 2.0, EYE_HEIGHT])
        assert Sight.of(world).clear(eye, ball) is not hidden
        assert world.in_sight_from(eye, "object_0", SOLVER) is not hidden
        assert bool(world.things_in_view(SOLVER)) is not hidden
        assert Body(world, SOLVER, np.random.default_rng(0)).sees("object_0") is not hidden
        over = Sight.of(world).clear(np.array([3.5, 2.0, 2.3]), np.array([4.5, 2.0, 2.2]))
        assert over, "one could look over a leaf, were there no wall above it"


# -- ways --------------------------------------------------------------------------------------------------------------


def test_doorways_are_passable_and_an_open_leaf_is_walked_around():
    goal = (4.5, 3.3)  # at the wall, behind the open leaf
    for angle, around in ((0.0, False), (1.55, True)):
        world = enter(three_rooms(angle))
        route = FloorPlan.of(world).route((4.5, 2.0), goal, 0.1)
        assert route is not None
        way = sum(math.dist(a, b) for a, b in pairwise([(4.5, 2.0), *route]))
        assert (way > 1.6) is around
        assert FloorPlan.of(world).route((2.0, 2.0), (10.0, 2.0), 0.1) is not None


@pytest.mark.parametrize("angles", [(0.0, 0.0), (0.8, -0.8), (-0.8, 0.8), (1.7, -1.7)])
def test_a_scripted_player_passes_two_doors_with_empty_and_with_full_hands(angles):
    world = enter(three_rooms(*angles, things=(BALL, BOX)))
    body = Body(world, SOLVER, np.random.default_rng(0))
    assert run(world, body, behaviours.go(body, "object_0"), 60), "through two doors"
    assert run(world, body, behaviours.place(body, "object_0", "object_1"), 120), "and back with the ball"
    assert run(world, body, behaviours.get(body, "object_1"), 60)
    assert world.state.players[1, HELD] == 1
    behaviour = behaviours.walk_to(body, np.array([10.0, 2.0]))
    assert run(world, body, behaviour, 100) and body.held == "object_1", "with a large box"
