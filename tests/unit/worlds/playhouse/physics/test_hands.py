"""Full hands: what is held is rotated, thrown and offered."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.unit.worlds.playhouse.physics.test_physics import aim, thing
from worlds.contract import FULL_MOVEMENT, MOVEMENT, SETTER, SOLVER, TICKS_PER_SECOND, TICKS_PER_STEP, WorldError
from worlds.playhouse.house.catalogue import OBJECT_KINDS
from worlds.playhouse.house.record import FLOOR, Furniture, House, Room, Start
from worlds.playhouse.physics import avatar
from worlds.playhouse.world import Playhouse

BINS = {c.name: dict(zip(c.values, range(len(c.values)), strict=True)) for c in FULL_MOVEMENT}
THROW = 3


def do(**components):
    """An action of full hands that holds the same values for all ticks, e.g. do(tilt=1)."""
    row = [BINS[c.name][components.pop(c.name)] if c.name in components else c.neutral for c in FULL_MOVEMENT]
    assert not components
    return {"movement": np.tile(np.array(row, dtype=np.int8), (TICKS_PER_STEP, 1)), "utterance": ""}


def enter(*objects, furniture=(), solver=(2.0, 2.5, 0.0), setter=(0.5, 4.5, 0.0)):
    """A room of 5 x 5 m; the solver looks along +x."""
    rooms = (Room("room_0", 0.0, 0.0, 5.0, 5.0, "oak"),)
    house = House(rooms, (), tuple(furniture), objects, (Start(SETTER, *setter), Start(SOLVER, *solver)))
    world = Playhouse(height=8, width=8, views=(), max_steps=10**6, hands="full")
    world.reset(options={"config": house.to_json()})
    return world


def act(world, steps=1, setter=None, **components):
    for _ in range(steps):
        world.step({SOLVER: do(**components)} | ({SETTER: setter} if setter else {}))
    return world.avatar(SOLVER)


def hold(world, name="object_0"):
    """Grab a thing and raise it to eye height."""
    aim(world, name)
    assert act(world, hand=1).held == name
    while world.avatar(SOLVER).pitch < -0.2:
        act(world, look=1)
    world._players[1, avatar.PITCH] = 0.0
    assert act(world, 4).held == name


def axes(world, name="object_0"):
    """Return the thing's own axes in the house: float64 [3, 3], columns."""
    return world._data.xmat[world._object_body[name]].reshape(3, 3)


def test_simple_hands_are_the_default_and_the_full_ones_declare_more():
    simple, full = Playhouse(8, 8), Playhouse(8, 8, hands="full")
    assert simple.spec(SOLVER).action.components == MOVEMENT
    for player in (SETTER, SOLVER):
        assert full.spec(player).action.components == FULL_MOVEMENT
        assert full.action_space(player)["movement"].shape == (TICKS_PER_STEP, len(FULL_MOVEMENT))
    observations, _ = full.reset(seed=0)
    assert full.observation_space(SOLVER).contains(observations[SOLVER])
    with pytest.raises(WorldError, match="known: simple, full"):
        Playhouse(8, 8, hands="four")


@pytest.mark.parametrize(
    ("component", "axis"),
    [("tilt", (0.0, 1.0, 0.0)), ("spin", (0.0, 0.0, 1.0)), ("roll", (1.0, 0.0, 0.0))],
)
@pytest.mark.parametrize("sign", [1, -1])
def test_a_held_thing_turns_about_the_holders_axes(component, axis, sign):
    """Against Rodrigues' formula: three steps of ROTATION_RATE about an axis of a holder who looks along +x."""
    world = enter(thing("duck", yaw=0.4))
    hold(world)
    before = axes(world).copy()
    act(world, 3, **{component: sign})
    act(world, 4)
    angle = sign * 3 * TICKS_PER_STEP / TICKS_PER_SECOND * avatar.ROTATION_RATE
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    turn = np.eye(3) + math.sin(angle) * cross + (1 - math.cos(angle)) * cross @ cross
    assert axes(world) == pytest.approx(turn @ before, abs=0.06)
    assert world.avatar(SOLVER).held == "object_0"


def test_a_rotated_thing_keeps_its_side_to_a_holder_who_turns():
    world = enter(thing("book"))
    hold(world)
    act(world, 3, tilt=1)
    act(world, 3, turn=1)
    player = act(world, 5)
    top = axes(world)[:, 2]
    assert math.atan2(top[1], top[0]) == pytest.approx(player.yaw, abs=0.1), "its top points away from the holder"
    assert top[2] == pytest.approx(math.cos(math.radians(96.0)), abs=0.1)


def test_a_thing_put_down_on_its_head_lies_on_its_head():
    table = Furniture("furniture_0", "table", "blue", "room_0", 3.4, 2.5, 1)
    world = enter(thing("block", x=2.4), furniture=[table], solver=(1.8, 2.5, 0.0))
    hold(world)
    act(world, 6, tilt=1)
    act(world, 2, reach=1)
    aim(world, (3.1, 2.5, 0.6))
    act(world, 6)
    act(world, hand=2)
    act(world, 8)
    assert world.touching("object_0", "furniture_0")
    assert axes(world)[2, 2] == pytest.approx(-1.0, abs=0.05)


@pytest.mark.parametrize("pitch", [0.0, 0.5])
def test_a_throw_has_the_documented_speed_along_the_gaze(pitch):
    world = enter(thing("ball"), solver=(2.0, 2.5, 0.0))
    hold(world)
    world._players[1, avatar.PITCH] = pitch
    act(world, 4)
    start = world.object_position("object_0")
    row = do(hand=THROW)["movement"]
    row[1:, 4] = 0
    world.play_ticks({SOLVER: row[:3]})
    seconds = 3 / TICKS_PER_SECOND
    way = world._data.qpos[world._scene.object_qpos[0] :][:3] - start
    speed = avatar.THROW_SPEED
    assert world.avatar(SOLVER).held is None
    assert way[0] == pytest.approx(speed * math.cos(pitch) * seconds, abs=0.05)
    assert way[2] == pytest.approx(speed * math.sin(pitch) * seconds - 9.81 / 2 * seconds**2, abs=0.05)


def test_heavy_things_fly_slower():
    heavy = max(OBJECT_KINDS.values(), key=lambda kind: kind.mass_kg)
    world = enter(thing(heavy.name, x=3.2, size="large"))
    mass = world._scene.object_mass[0]
    hold(world)
    row = do(hand=THROW)["movement"]
    world.play_ticks({SOLVER: row[:1]})
    speed = float(np.linalg.norm(world._data.qvel[world._scene.object_dof[0] :][:2]))
    assert mass > avatar.THROW_IMPULSE / avatar.THROW_SPEED, "the test is about a heavy thing"
    assert speed == pytest.approx(avatar.THROW_IMPULSE / mass, rel=0.1)


@pytest.mark.parametrize("kind", sorted(OBJECT_KINDS))
def test_nothing_is_thrown_through_a_wall(kind):
    """From near and far, at the wall and into the corner, and with a run-up."""
    for x, yaw, walk in ((4.3, 0.0, 0), (3.5, 0.0, 1), (3.9, math.pi / 4, 1)):
        world = enter(thing(kind, x=x - 0.9, y=2.5, size="small"), solver=(x, 2.5, math.pi))
        aim(world, "object_0")
        if act(world, hand=1).held is None:
            continue
        state = world._players[1]
        state[avatar.PITCH], state[avatar.YAW] = 0.0, yaw
        act(world, 3, reach=-1)
        act(world, 1, forward=walk)
        act(world, 1, forward=walk, hand=THROW)
        for _ in range(8):
            world.step({})
            position = world.object_position("object_0")
            assert world.house.rooms[0].contains(position[0], position[1]) and position[2] > 0.0
            spin = world._data.qvel[world._scene.object_dof[0] :][3:6]
            assert np.linalg.norm(spin) <= avatar.THING_SPIN + 1e-9


def test_a_thing_held_out_can_be_taken_and_one_held_close_cannot():
    world = enter(thing("ball"), setter=(3.9, 2.5, math.pi))
    hold(world)
    assert not world.avatar(SOLVER).offers
    aim(world, "object_0", SETTER)
    act(world, setter=do(hand=1))
    assert world.avatar(SETTER).held is None, "held close"
    act(world, 2, reach=1)
    assert world.avatar(SOLVER).offers
    aim(world, "object_0", SETTER)
    assert world.target_under_crosshair(SETTER) == "object_0"
    act(world, setter=do(hand=1))
    assert world.avatar(SETTER).held == "object_0" and world.avatar(SOLVER).held is None
    act(world, 3, setter=do(hand=1), hand=1)
    assert world.avatar(SETTER).held == "object_0", "a hand that still grabs does not take it back"
    assert not world.avatar(SETTER).offers


def test_nothing_is_held_out_to_someone_who_stands_elsewhere():
    world = enter(thing("ball"), setter=(2.0, 4.5, -math.pi / 2))
    hold(world)
    act(world, 3, reach=1)
    assert world._players[1, avatar.HOLD] > avatar.OFFER_REACH and not world.avatar(SOLVER).offers


def test_what_lies_on_something_touches_it_also_asleep():
    table = Furniture("furniture_0", "table", "blue", "room_0", 3.5, 2.5, 0)
    world = enter(
        thing("block", x=3.5, z=0.6, support="furniture_0"), thing("ball", x=1.0, name="object_1"), furniture=[table]
    )
    act(world, 2)
    assert world.touching("object_0", "furniture_0") and world.touching("furniture_0", "object_0")
    assert world.touching("object_1", FLOOR) and not world.touching("object_0", FLOOR)
    assert not world.touching("object_0", "object_1") and not world.touching(SOLVER, "object_1")
    assert not {pair for pair in world.contacts() if "object_0" in pair}, "it sleeps"
    with pytest.raises(WorldError, match="nothing named 'object_7'"):
        world.touching("object_0", "object_7")


def test_a_hit_is_noted_also_if_it_is_over_when_the_step_ends():
    table = Furniture("furniture_0", "table", "blue", "room_0", 4.4, 2.5, 1)
    on_table = thing("block", x=4.4, z=0.6, name="object_1", support="furniture_0")
    world = enter(thing("ball"), on_table, furniture=[table])
    hold(world)
    aim(world, "object_1")
    act(world, 3)
    act(world, hand=THROW)
    hits = [("object_0", "object_1") in world.contacts()]
    for _ in range(4):
        act(world)
        hits.append(("object_0", "object_1") in world.contacts())
    assert any(hits) and not hits[-1] and not world.touching("object_0", "object_1")
