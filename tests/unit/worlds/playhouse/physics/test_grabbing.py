"""Hints about grabbing, for people who play: what a grab would take, and why one took nothing."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.unit.worlds.playhouse.physics.test_physics import aim, do, enter, thing
from worlds.contract import SETTER, SOLVER, TICKS_PER_STEP, neutral_movement
from worlds.playhouse.house.record import Furniture
from worlds.playhouse.physics.avatar import REACH


def play(world, who=SOLVER, ticks=1, **components):
    """Play ``ticks`` tick by tick, ending every step that is complete."""
    for _ in range(ticks):
        world.play_ticks({who: do(**components)["movement"][:1]})
        if world._tick == TICKS_PER_STEP:
            world.end_step({})


def reason(world, who=SOLVER):
    failure = world.last_grab_failure(who)
    return failure.reason if failure else None


def test_the_target_of_a_grab_is_named():
    world = enter(thing("ball"))
    aim(world, "object_0")
    assert world.graspable(SOLVER) == "the red ball" and world.graspable(SETTER) is None
    play(world, hand=1)
    assert world.avatar(SOLVER).held == "object_0" and world.graspable(SOLVER) is None
    assert reason(world) is None


def test_a_thing_out_of_reach_is_named_with_the_distance():
    world = enter(thing("ball", x=4.6))
    aim(world, "object_0")
    play(world, hand=1)
    lacking = np.linalg.norm(world.object_position("object_0") - world.avatar(SOLVER).eye) - REACH
    words, _, rest = reason(world).partition(" is ")
    assert words == "the red ball" and rest.endswith("m out of reach: go nearer")
    assert float(rest.split()[0]) == pytest.approx(lacking, abs=0.3)


def test_a_hidden_thing_is_named():
    wardrobe = Furniture("furniture_0", "wardrobe", "blue", "room_0", 2.7, 2.5, 1)
    world = enter(thing("ball", x=3.3), furniture=[wardrobe])
    aim(world, "object_0")
    play(world, hand=1)
    assert reason(world) == "something is in front of the red ball"


def test_an_object_held_by_the_other_is_named():
    world = enter(thing("ball"), setter=(4.0, 2.5, math.pi))
    aim(world, "object_0")
    play(world, hand=1)
    aim(world, "object_0", SETTER)
    play(world, SETTER, hand=1)
    assert reason(world, SETTER) == "the solver holds the red ball" and reason(world) is None


def test_aiming_beside_a_thing_and_at_nothing():
    world = enter(thing("ball"))
    aim(world, world.object_position("object_0") + [0.0, 0.3, 0.0])
    play(world, hand=1)
    assert reason(world) == "the crosshair is beside the red ball: aim at it"
    aim(world, (1.0, 2.5, 1.15))
    play(world, 1)
    play(world, hand=1)
    assert reason(world) == "nothing within reach is under the crosshair"


def test_full_hands_are_named_and_one_long_grab_is_no_failure():
    world = enter(thing("ball"))
    aim(world, "object_0")
    play(world, ticks=TICKS_PER_STEP + 3, hand=1)
    assert reason(world) is None and world.avatar(SOLVER).held
    play(world)
    play(world, hand=1)
    assert reason(world) == "you hold the red ball: release it first"
    assert world.last_grab_failure(SOLVER).tick == TICKS_PER_STEP + 5


def test_a_failure_is_forgotten_by_success_and_by_reset():
    world = enter(thing("ball"))
    aim(world, (1.0, 2.5, 1.15))
    play(world, hand=1)
    assert reason(world)
    config = world.config
    aim(world, "object_0")
    play(world)
    play(world, hand=1)
    assert reason(world) is None
    play(world, hand=1)
    world.reset(options={"config": config})
    assert reason(world) is None


def test_hints_do_not_change_play():
    ends = []
    for asks in (False, True):
        world = enter(thing("ball", y=2.2), thing("mug", y=2.8, name="object_1"))
        rng = np.random.default_rng(0)
        for _ in range(80):
            row = do(forward=int(rng.integers(3)) - 1, hand=int(rng.integers(3)))["movement"][:1]
            row[0, 2] = rng.integers(5)
            if asks:
                world.graspable(SOLVER), world.last_grab_failure(SOLVER)
                world.play_ticks({SOLVER: row})
            else:
                world._play(world._read_movement({SOLVER: row, SETTER: neutral_movement()[:1]}, 1))
            if world._tick == TICKS_PER_STEP:
                world.end_step({})
        ends.append(world._data.qpos.tobytes())
    assert ends[0] == ends[1]
