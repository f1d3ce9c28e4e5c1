"""Bodies in the Playhouse: walking, looking, walls, hands, rest. Houses are built by hand: outcomes are known."""

from __future__ import annotations

import math

import numpy as np
import pytest

from worlds.contract import (
    MOVEMENT,
    MOVEMENT_BINS,
    SETTER,
    SOLVER,
    TICKS_PER_SECOND,
    TICKS_PER_STEP,
    WorldError,
    silent,
)
from worlds.playhouse.house.catalogue import OBJECT_KINDS
from worlds.playhouse.house.record import AVATAR_RADIUS, FLOOR, Furniture, House, Room, Start, Thing
from worlds.playhouse.house.sampling import HouseSettings
from worlds.playhouse.physics import avatar
from worlds.playhouse.world import Playhouse

BINS = {c.name: dict(zip(c.values, range(len(c.values)), strict=True)) for c in MOVEMENT}
WALL = 0.05  # half a wall's thickness
STEPS_PER_SECOND = TICKS_PER_SECOND / TICKS_PER_STEP


def do(**components):
    """An action that holds the same values for all ticks, e.g. do(forward=1, hand=2)."""
    row = [BINS[c.name][components.pop(c.name)] if c.name in components else c.neutral for c in MOVEMENT]
    assert not components
    return silent(np.tile(np.array(row, dtype=np.int8), (TICKS_PER_STEP, 1)))


def thing(kind="block", x=3.0, y=2.5, z=0.0, size="medium", support=FLOOR, name="object_0", yaw=0.0):
    return Thing(name, kind, "red", size, "room_0", support, x, y, z, yaw)


def enter(*objects, furniture=(), solver=(2.0, 2.5, 0.0), setter=(0.5, 4.5, 0.0), rooms=None, doorways=()):
    """A world in a room of 5 x 5 m. The solver looks along +x from (2, 2.5) by default."""
    rooms = rooms or (Room("room_0", 0.0, 0.0, 5.0, 5.0, "oak"),)
    house = House(rooms, doorways, tuple(furniture), objects, (Start(SETTER, *setter), Start(SOLVER, *solver)))
    world = Playhouse(height=8, width=8, views=(), max_steps=10**6)
    world.reset(options={"config": house.to_json()})
    return world


def act(world, steps=1, setter=None, **components):
    for _ in range(steps):
        world.step({SOLVER: do(**components)} | ({SETTER: setter} if setter else {}))
    return world.avatar(SOLVER)


def aim(world, what, who=SOLVER):
    """Turn and pitch the head straight at an object or a point: the one thing that a test does by hand."""
    dx, dy, dz = (world.object_position(what) if isinstance(what, str) else np.array(what)) - world.avatar(who).eye
    state = world._players[0 if who == SETTER else 1]
    state[avatar.YAW], state[avatar.PITCH] = math.atan2(dy, dx), math.atan2(dz, math.hypot(dx, dy))


def grab(world, object_id="object_0"):
    aim(world, object_id)
    assert world.target_under_crosshair(SOLVER) == object_id
    assert act(world, hand=1).held == object_id


# -- walking and looking -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("components", "direction"),
    [({"forward": 1}, 0.0), ({"forward": -1}, math.pi), ({"strafe": 1}, -math.pi / 2), ({"strafe": -1}, math.pi / 2)],
)
def test_walking_has_direction_and_human_speed(components, direction):
    world = enter(solver=(2.5, 2.5, 0.3))
    direction += 0.3
    before = act(world, 2, **components).position
    moved = act(world, 2, **components).position - before
    expected = avatar.WALK_SPEED * 2 / STEPS_PER_SECOND
    assert moved[:2] == pytest.approx([expected * math.cos(direction), expected * math.sin(direction)], abs=0.02)
    act(world, 2)
    stopped = world.avatar(SOLVER).position
    assert np.linalg.norm(act(world, 2).position - stopped) < 0.01, "stops within half a second"


def test_turning_and_looking_are_exact_and_pitch_is_bounded():
    world = enter()
    tick = 1 / TICKS_PER_SECOND
    assert act(world, turn=1).yaw == pytest.approx(TICKS_PER_STEP * tick * avatar.TURN_RATE)
    assert act(world, turn=-0.3).yaw == pytest.approx(0.7 * TICKS_PER_STEP * tick * avatar.TURN_RATE)
    assert act(world, look=1).pitch == pytest.approx(TICKS_PER_STEP * tick * avatar.LOOK_RATE)
    assert act(world, 20, look=1).pitch == avatar.PITCH_MAX
    assert act(world, 20, look=-1).pitch == avatar.PITCH_MIN
    assert all(-math.pi <= act(world, turn=1).yaw <= math.pi for _ in range(40))


@pytest.mark.parametrize("yaw", [0.0, 1.0, math.pi / 2, 2.5, math.pi, -1.8])
def test_walls_block(yaw):
    place = act(enter(solver=(2.5, 2.5, yaw)), 30, forward=1).position
    nearest, farthest = WALL + AVATAR_RADIUS, 5 - WALL - AVATAR_RADIUS
    assert np.all(place[:2] > nearest - 0.02) and np.all(place[:2] < farthest + 0.02)
    touched = np.isclose(place[:2], nearest, atol=0.02) | np.isclose(place[:2], farthest, atol=0.02)
    assert touched.any()


def test_players_block_each_other():
    world = enter(setter=(3.0, 2.5, math.pi))
    act(world, 10, forward=1, setter=do(forward=1))
    apart = np.linalg.norm(world.avatar(SETTER).position - world.avatar(SOLVER).position)
    assert apart == pytest.approx(2 * AVATAR_RADIUS, abs=0.03)


# -- hands -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", OBJECT_KINDS)
@pytest.mark.parametrize("size", ["small", "large"])
def test_grabbing_lifts_and_releasing_drops_every_kind(kind, size):
    world = enter(thing(kind, size=size))
    rest = world.object_position("object_0")[2]
    grab(world)
    act(world, 8, look=1)
    high = world.object_position("object_0")
    assert high[2] > 1.0 and world.avatar(SOLVER).held == "object_0"
    assert world.target_under_crosshair(SOLVER) is None, "the hand is full"
    assert act(world, hand=2).held is None
    act(world, 12)
    assert world.object_position("object_0")[2] < 0.45, "it lies on the floor, perhaps on its side"
    assert rest < 0.45


def test_a_thing_can_be_put_on_furniture_and_stays_there():
    table = Furniture("furniture_0", "table", "blue", "room_0", 3.4, 4.2, 0)
    world = enter(thing("mug"), furniture=[table])
    grab(world)
    act(world, 6, look=1)
    act(world, 3, turn=1)
    act(world, 4, strafe=1)
    act(world, 3, forward=1)
    act(world, 5, look=-1)
    aim(world, (3.4, 4.1, 0.6))
    act(world, 4)
    act(world, hand=2)
    act(world, 12)
    x, y, z = world.object_position("object_0")
    assert table.gap_to(x, y) == 0.0 and z == pytest.approx(0.6 + thing("mug").height / 2, abs=0.02)


def test_reach_is_limited():
    world = enter(thing("ball", x=4.0))
    aim(world, "object_0")
    assert world.target_under_crosshair(SOLVER) is None and act(world, hand=1).held is None
    act(world, 4, forward=1)
    grab(world)


def test_the_crosshair_chooses():
    world = enter(thing("ball", y=2.2), thing("mug", y=2.8, name="object_1"))
    for wanted in ("object_1", "object_0"):
        aim(world, wanted)
        assert world.target_under_crosshair(SOLVER) == wanted
    world._players[1, avatar.YAW] = math.pi
    assert world.target_under_crosshair(SOLVER) is None


def test_nothing_is_grabbed_through_walls_or_furniture():
    wardrobe = Furniture("furniture_0", "wardrobe", "blue", "room_0", 2.7, 2.5, 1)
    world = enter(thing("ball", x=3.3), furniture=[wardrobe])
    aim(world, "object_0")
    eye = world.avatar(SOLVER).eye
    assert np.linalg.norm(world.object_position("object_0") - eye) < avatar.REACH + 0.1
    assert world.target_under_crosshair(SOLVER) is None and act(world, hand=1).held is None


def test_an_object_held_by_one_cannot_be_grabbed_by_the_other():
    world = enter(thing("ball"), setter=(4.0, 2.5, math.pi))
    grab(world)
    aim(world, "object_0", SETTER)
    assert world.target_under_crosshair(SETTER) is None
    world.step({SETTER: do(hand=1)})
    assert world.avatar(SETTER).held is None and world.avatar(SOLVER).held == "object_0"


# -- rest and violence -------------------------------------------------------------------------------------------------


def test_untouched_objects_rest_exactly():
    world = Playhouse(height=8, width=8, views=(), settings=HouseSettings(rooms=(5, 5), objects=(30, 30)))
    world.reset(seed=4)
    before = world.object_positions()
    for _ in range(20):
        world.step({})
    for name, place in world.object_positions().items():
        assert np.array_equal(place, before[name])


@pytest.mark.parametrize("seed", range(4))
def test_wild_play_stays_finite_bounded_and_indoors(seed):
    settings = HouseSettings(rooms=(1, 2), objects=(8, 12), furniture=(2, 4), room_size=(4.0, 4.5))
    world = Playhouse(height=8, width=8, views=(), settings=settings, max_steps=10**6)
    world.reset(seed=seed)
    rng, actions, held = np.random.default_rng(seed), {}, 0
    for step in range(400):
        if step % 6 == 0:
            for agent in (SETTER, SOLVER):
                if world.avatar(agent).held is None:
                    places, here = world.object_positions(), world.avatar(agent).eye
                    aim(world, min(places, key=lambda name: np.linalg.norm(places[name] - here)), agent)
                row = rng.integers(0, MOVEMENT_BINS).astype(np.int8)
                row[avatar.HAND] = rng.choice(3, p=[0.3, 0.65, 0.05])
                row[avatar.LOOK] = rng.choice(3, p=[0.45, 0.2, 0.35])
                actions[agent] = silent(np.tile(row, (TICKS_PER_STEP, 1)))
        world.step(actions)
        held += world.avatar(SOLVER).held is not None
        data = world._data
        assert np.isfinite(data.qpos).all() and np.isfinite(data.qvel).all()
        for dof in world._scene.object_dof:
            assert np.linalg.norm(data.qvel[dof : dof + 3]) <= avatar.THING_SPEED + 1e-9
            assert np.linalg.norm(data.qvel[dof + 3 : dof + 6]) <= avatar.THING_SPIN + 1e-9
    assert held > 40, "the test is about holding things"
    assert all(world.room_at(place) and place[2] > 0 for place in world.object_positions().values())
    assert sum(w.number for w in world._data.warning) == 0


# -- bad input ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (silent(np.zeros((8, 5), dtype=np.int8)), "movement is int8"),
        (silent(np.zeros((8, 6))), "movement is float64"),
        (silent(np.full((8, 6), 258)), "forward is 258 at tick 0"),
        (silent(np.full((8, 6), -1)), "forward is -1"),
        ({"movement": np.ones((8, 6), dtype=np.int8), "utterance": 3}, "utterance is a int"),
    ],
)
def test_a_bad_action_is_refused_and_changes_nothing(action, message):
    world = enter()
    with pytest.raises(WorldError, match=message):
        world.step({SETTER: {"movement": silent()["movement"], "utterance": "hello"}, SOLVER: action})
    assert world.step_index == 0
    observations, *_ = world.step({})
    assert observations[SOLVER]["setter_text"] == ""


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"height": 0}, "height"),
        ({"max_steps": 2.5}, "max_steps"),
        ({"views": ("referee",)}, "views"),
        ({"views": "solver"}, "views"),
        ({"settings": {"romos": 3}}, "romos"),
        ({"fov_y_deg": 200.0}, "fov_y_deg"),
    ],
)
def test_bad_settings_of_the_world_are_refused(settings, message):
    with pytest.raises(WorldError, match=message):
        Playhouse(**settings).reset(seed=0)


def test_before_the_first_reset_there_is_nothing():
    for use in (lambda w: w.house, lambda w: w.render(), lambda w: w.step({})):
        with pytest.raises(WorldError, match="reset"):
            use(Playhouse())
