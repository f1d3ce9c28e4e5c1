"""Bodies in the Playhouse: walking, looking, walls, hands, rest. Houses are built by hand: outcomes are known."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.unit.worlds.playhouse.small_room import act, aim, enter, grab, thing
from worlds.contract import MOVEMENT_BINS, SETTER, SOLVER, TICKS_PER_SECOND, TICKS_PER_STEP, WorldError, silent
from worlds.playhouse.house.catalogue import OBJECT_KINDS
from worlds.playhouse.house.record import AVATAR_RADIUS, Furniture
from worlds.playhouse.house.sampling import HouseSettings
from worlds.playhouse.physics import avatar
from worlds.playhouse.world import Playhouse

WALL = 0.05  # half a wall's thickness
STEP_SEC = TICKS_PER_STEP / TICKS_PER_SECOND


@pytest.mark.parametrize(
    ("components", "direction"),
    [({"forward": 1}, 0.0), ({"forward": -1}, math.pi), ({"strafe": 1}, -math.pi / 2), ({"strafe": -1}, math.pi / 2)],
)
def test_walking_has_direction_and_human_speed(components, direction):
    world = enter(solver=(2.5, 2.5, 0.3))
    before = act(world, 2, **components).position
    moved = act(world, 2, **components).position - before
    way = 2 * STEP_SEC * avatar.WALK_SPEED
    assert moved[:2] == pytest.approx([way * math.cos(direction + 0.3), way * math.sin(direction + 0.3)], abs=0.02)
    act(world, 2)
    stopped = world.avatar(SOLVER).position
    assert np.linalg.norm(act(world, 2).position - stopped) < 0.01, "stops within half a second"


def test_turning_and_looking_are_exact_and_pitch_is_bounded():
    world = enter()
    assert act(world, turn=1).yaw == pytest.approx(STEP_SEC * avatar.TURN_RATE)
    assert act(world, turn=-0.3).yaw == pytest.approx(0.7 * STEP_SEC * avatar.TURN_RATE)
    assert act(world, look=1).pitch == pytest.approx(STEP_SEC * avatar.LOOK_RATE)
    assert act(world, 20, look=1).pitch == avatar.PITCH_MAX
    assert act(world, 20, look=-1).pitch == avatar.PITCH_MIN
    assert all(-math.pi <= act(world, turn=1).yaw <= math.pi for _ in range(40))


@pytest.mark.parametrize("yaw", [0.0, 1.0, -1.8])
def test_walls_block(yaw):
    place = act(enter(solver=(2.5, 2.5, yaw)), 30, forward=1).position[:2]
    nearest, farthest = WALL + AVATAR_RADIUS, 5 - WALL - AVATAR_RADIUS
    assert np.all(place > nearest - 0.02) and np.all(place < farthest + 0.02)
    assert (np.isclose(place, nearest, atol=0.02) | np.isclose(place, farthest, atol=0.02)).any()


def test_players_block_each_other():
    world = enter(setter=(3.0, 2.5, math.pi))
    act(world, 10, forward=1, setter={"forward": 1})
    apart = np.linalg.norm(world.avatar(SETTER).position - world.avatar(SOLVER).position)
    assert apart == pytest.approx(2 * AVATAR_RADIUS, abs=0.03)


@pytest.mark.parametrize("kind", OBJECT_KINDS)
@pytest.mark.parametrize("size", ["small", "large"])
def test_grabbing_lifts_and_releasing_drops_every_kind(kind, size):
    world = enter(thing(kind, size=size))
    grab(world)
    act(world, 8, look=1)
    assert world.object_position("object_0")[2] > 1.0 and world.avatar(SOLVER).held == "object_0"
    assert world.target_under_crosshair(SOLVER) is None, "the hand is full"
    assert act(world, hand=2).held is None
    act(world, 12)
    assert world.object_position("object_0")[2] < 0.45, "it lies on the floor, perhaps on its side"


def test_a_thing_can_be_put_on_furniture_and_stays_there():
    table = Furniture("furniture_0", "table", "blue", "room_0", 3.4, 4.2, 0)
    world = enter(thing("mug"), furniture=[table])
    grab(world)
    act(world, 6, look=1)
    act(world, 3, turn=1)
    act(world, 4, strafe=1)
    act(world, 3, forward=1)
    aim(world, (3.4, 4.1, 0.6))
    act(world, 4)
    act(world, hand=2)
    act(world, 12)
    x, y, z = world.object_position("object_0")
    assert table.gap_to(x, y) == 0.0 and z == pytest.approx(0.6 + thing("mug").height / 2, abs=0.02)


def test_untouched_objects_rest_exactly():
    world = Playhouse(height=8, width=8, views=(), settings=HouseSettings(rooms=(5, 5), objects=(30, 30)))
    world.reset(seed=4)
    before = world.object_positions()
    for _ in range(20):
        world.step({})
    for name, place in world.object_positions().items():
        assert np.array_equal(place, before[name])


@pytest.mark.parametrize("seed", range(2))
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
        data = world.state.data
        assert np.isfinite(data.qpos).all() and np.isfinite(data.qvel).all()
        for dof in world.state.scene.object_dof:
            assert np.linalg.norm(data.qvel[dof : dof + 3]) <= avatar.THING_SPEED + 1e-9
            assert np.linalg.norm(data.qvel[dof + 3 : dof + 6]) <= avatar.THING_SPIN + 1e-9
    assert held > 40, "the test is about holding things"
    assert all(world.room_at(place) and place[2] > 0 for place in world.object_positions().values())
    assert sum(w.number for w in world.state.data.warning) == 0


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
    ("settings", "named"),
    [
        ({"height": 0}, "height"),
        ({"max_steps": 2.5}, "max_steps"),
        ({"views": ("referee",)}, "views"),
        ({"views": "solver"}, "views"),
        ({"settings": {"romos": 3}}, "romos"),
        ({"fov_y_deg": 200.0}, "fov_y_deg"),
        ({"hands": "four"}, "known: simple, full"),
    ],
)
def test_bad_settings_of_the_world_are_refused(settings, named):
    with pytest.raises(WorldError, match=named):
        Playhouse(**settings).reset(seed=0)


def test_before_the_first_reset_there_is_nothing():
    for use in (lambda w: w.house, lambda w: w.render(), lambda w: w.step({})):
        with pytest.raises(WorldError, match="reset"):
            use(Playhouse())
