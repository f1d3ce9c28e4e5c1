"""Full hands: what is held is rotated, thrown and offered."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.unit.worlds.playhouse import small_room
from tests.unit.worlds.playhouse.small_room import act, aim, do, thing
from worlds.contract import SETTER, SOLVER, TICKS_PER_SECOND, TICKS_PER_STEP, WorldError
from worlds.playhouse.house.catalogue import OBJECT_KINDS
from worlds.playhouse.house.record import FLOOR, Furniture
from worlds.playhouse.physics import avatar

THROW = 3
HEAVY = max(OBJECT_KINDS.values(), key=lambda kind: kind.mass_kg).name


def enter(*objects, **options):
    """A room whose players have full hands."""
    return small_room.enter(*objects, hands="full", **options)


def hold(world, name="object_0"):
    """Grab a thing and raise it to eye height."""
    aim(world, name)
    assert act(world, hand=1).held == name
    while world.avatar(SOLVER).pitch < -0.2:
        act(world, look=1)
    world.state.players[1, avatar.PITCH] = 0.0
    assert act(world, 4).held == name


def axes(world, name="object_0"):
    """Return the thing's own axes in the house: float64 [3, 3], columns."""
    return world.state.data.xmat[world._object_body[name]].reshape(3, 3)


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


@pytest.mark.parametrize(
    ("kind", "size", "pitch"), [("ball", "medium", 0.0), ("ball", "medium", 0.5), (HEAVY, "large", 0.0)]
)
def test_a_throw_has_the_documented_speed_along_the_gaze_and_heavy_things_fly_slower(kind, size, pitch):
    world = enter(thing(kind, x=3.2, size=size))
    hold(world)
    world.state.players[1, avatar.PITCH] = pitch
    act(world, 4)
    start, mass = world.object_position("object_0"), world.state.scene.object_mass[0]
    row = do(world, hand=THROW)["movement"]
    row[1:, 4] = 0
    world.play_ticks({SOLVER: row[:3]})
    seconds = 3 / TICKS_PER_SECOND
    way = world.state.data.qpos[world.state.scene.object_qpos[0] :][:3] - start
    speed = min(avatar.THROW_SPEED, avatar.THROW_IMPULSE / mass)
    assert (speed < avatar.THROW_SPEED) == (kind == HEAVY), "one of them is a heavy thing"
    assert world.avatar(SOLVER).held is None
    assert way[0] == pytest.approx(speed * math.cos(pitch) * seconds, abs=0.05)
    assert way[2] == pytest.approx(speed * math.sin(pitch) * seconds - 9.81 / 2 * seconds**2, abs=0.05)


@pytest.mark.parametrize("kind", sorted(OBJECT_KINDS))
def test_nothing_is_thrown_through_a_wall(kind):
    """From near and far, at the wall and into the corner, and with a run-up."""
    for x, yaw, walk in ((4.3, 0.0, 0), (3.5, 0.0, 1), (3.9, math.pi / 4, 1)):
        world = enter(thing(kind, x=x - 0.9, y=2.5, size="small"), solver=(x, 2.5, math.pi))
        aim(world, "object_0")
        if act(world, hand=1).held is None:
            continue
        state = world.state.players[1]
        state[avatar.PITCH], state[avatar.YAW] = 0.0, yaw
        act(world, 3, reach=-1)
        act(world, 1, forward=walk)
        act(world, 1, forward=walk, hand=THROW)
        for _ in range(8):
            world.step({})
            position = world.object_position("object_0")
            assert world.house.rooms[0].contains(position[0], position[1]) and position[2] > 0.0
            spin = world.state.data.qvel[world.state.scene.object_dof[0] :][3:6]
            assert np.linalg.norm(spin) <= avatar.THING_SPIN + 1e-9


def test_a_thing_held_out_can_be_taken_and_one_held_close_cannot():
    world = enter(thing("ball"), setter=(3.9, 2.5, math.pi))
    hold(world)
    assert not world.avatar(SOLVER).offers
    aim(world, "object_0", SETTER)
    act(world, setter={"hand": 1})
    assert world.avatar(SETTER).held is None, "held close"
    act(world, 2, reach=1)
    assert world.avatar(SOLVER).offers
    aim(world, "object_0", SETTER)
    assert world.target_under_crosshair(SETTER) == "object_0"
    act(world, setter={"hand": 1})
    assert world.avatar(SETTER).held == "object_0" and world.avatar(SOLVER).held is None
    act(world, 3, setter={"hand": 1}, hand=1)
    assert world.avatar(SETTER).held == "object_0", "a hand that still grabs does not take it back"
    assert not world.avatar(SETTER).offers


def test_nothing_is_held_out_to_someone_who_stands_elsewhere():
    world = enter(thing("ball"), setter=(2.0, 4.5, -math.pi / 2))
    hold(world)
    act(world, 3, reach=1)
    assert world.state.players[1, avatar.HOLD] > avatar.OFFER_REACH and not world.avatar(SOLVER).offers


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
