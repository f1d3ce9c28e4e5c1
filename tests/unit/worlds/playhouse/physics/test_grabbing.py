"""What a grab takes, and why it took nothing: hints for people who play."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from tests.unit.worlds.playhouse.small_room import aim, do, enter, thing
from worlds.contract import SETTER, SOLVER, TICKS_PER_STEP
from worlds.playhouse.house.record import Furniture
from worlds.playhouse.physics import avatar

WARDROBE = Furniture("furniture_0", "wardrobe", "blue", "room_0", 2.7, 2.5, 1)


def play(world, who=SOLVER, ticks=1, **components):
    """Play some ticks one by one, ending every step that is complete."""
    for _ in range(ticks):
        world.play_ticks({who: do(world, **components)["movement"][:1]})
        if world._tick == TICKS_PER_STEP:
            world.end_step({})


def reason(world, who=SOLVER):
    failure = world.last_grab_failure(who)
    return failure.reason if failure else ""


@pytest.mark.parametrize(
    ("x", "furniture", "aim_at", "why"),
    [
        (4.6, (), "object_0", r"the red ball is (\S+) m out of reach: go nearer"),
        (3.3, (WARDROBE,), "object_0", "something is in front of the red ball"),
        (3.0, (), (3.0, 2.8, 0.15), "the crosshair is beside the red ball: aim at it"),
        (3.0, (), (1.0, 2.5, 1.15), "nothing within reach is under the crosshair"),
    ],
    ids=["out of reach", "hidden", "beside", "nothing"],
)
def test_a_grab_that_takes_nothing_says_why(x, furniture, aim_at, why):
    world = enter(thing("ball", x=x), furniture=furniture)
    aim(world, aim_at)
    assert world.target_under_crosshair(SOLVER) is None and world.graspable(SOLVER) is None
    play(world, hand=1)
    assert world.avatar(SOLVER).held is None
    said = re.fullmatch(why, reason(world))
    assert said
    if said.groups():
        lacking = np.linalg.norm(world.object_position("object_0") - world.avatar(SOLVER).eye) - avatar.REACH
        assert float(said[1]) == pytest.approx(lacking, abs=0.3)


def test_the_crosshair_chooses():
    world = enter(thing("ball", y=2.2), thing("mug", y=2.8, name="object_1"))
    for wanted, named in (("object_1", "the red mug"), ("object_0", "the red ball")):
        aim(world, wanted)
        assert world.target_under_crosshair(SOLVER) == wanted and world.graspable(SOLVER) == named
        assert world.graspable(SETTER) is None


def test_an_object_held_by_one_cannot_be_grabbed_by_the_other():
    world = enter(thing("ball"), setter=(4.0, 2.5, math.pi))
    aim(world, "object_0")
    play(world, hand=1)
    aim(world, "object_0", SETTER)
    assert world.target_under_crosshair(SETTER) is None
    play(world, SETTER, hand=1)
    assert world.avatar(SETTER).held is None and world.avatar(SOLVER).held == "object_0"
    assert reason(world, SETTER) == "the solver holds the red ball" and reason(world) == ""


def test_full_hands_are_named_and_one_long_grab_is_no_failure():
    world = enter(thing("ball"))
    aim(world, "object_0")
    play(world, ticks=TICKS_PER_STEP + 3, hand=1)
    assert reason(world) == "" and world.avatar(SOLVER).held and world.graspable(SOLVER) is None
    play(world)
    play(world, hand=1)
    failure = world.last_grab_failure(SOLVER)
    assert failure is not None and failure.reason == "you hold the red ball: release it first"
    assert failure.tick == TICKS_PER_STEP + 5


def test_a_failure_is_forgotten_by_success_and_by_reset():
    world = enter(thing("ball"))
    for forget in (lambda: play(world, hand=1), lambda: world.reset(options={"config": world.config})):
        aim(world, (1.0, 2.5, 1.15))
        play(world, hand=2)
        play(world, hand=1)
        assert reason(world)
        play(world)
        aim(world, "object_0")
        forget()
        assert reason(world) == ""
