"""A player's own hand in its picture: there while it holds something, and only where that is asked for."""

from __future__ import annotations

import numpy as np

from tests.unit.worlds.playhouse.physics.test_physics import aim, do, enter, thing
from worlds.contract import HAND_GRAB, HAND_KEEP, HAND_RELEASE, SOLVER
from worlds.playhouse.drawing.own_hand import CENTRE, RADIUS
from worlds.playhouse.house.record import Thing
from worlds.playhouse.world import Playhouse

HEIGHT, WIDTH = 36, 48


def before_a_block(*others: Thing, size: str = "medium", **options: bool) -> Playhouse:
    """A world with these options whose solver looks at a block in reach, among other things."""
    world = Playhouse(HEIGHT, WIDTH, **options)  # pyright: ignore[reportArgumentType]
    world.reset(options={"config": enter(thing(size=size), *others).house.to_json()})
    aim(world, "object_0")
    return world


def see(world: Playhouse, hand: int) -> np.ndarray:
    """The solver's picture after a step in which its hand does the same in all ticks."""
    return world.step({SOLVER: do(hand=hand)})[0][SOLVER]["image"].copy()


def test_the_hand_is_seen_from_taking_to_letting_go_and_nowhere_else_differs() -> None:
    shown, plain = before_a_block(show_hand=True), before_a_block(show_hand=False)
    down, right = np.mgrid[:HEIGHT, :WIDTH] + 0.5
    place = np.hypot(down - CENTRE[0] * HEIGHT, right - CENTRE[1] * WIDTH) <= RADIUS * HEIGHT
    for hand, holds in ((HAND_KEEP, False), (HAND_GRAB, True), (HAND_KEEP, True), (HAND_RELEASE, False)):
        one, other = see(shown, hand), see(plain, hand)
        assert (shown.avatar(SOLVER).held is not None) == holds
        differs = (one != other).any(axis=-1)
        np.testing.assert_array_equal(differs, place & holds)
