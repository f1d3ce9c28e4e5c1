"""A player's own hand in its picture: there while it holds something, and only where that is asked for."""

from __future__ import annotations

import math

import numpy as np
import pytest

from worlds.contract import MOVEMENT, SETTER, SOLVER, TICKS_PER_STEP, WorldError, silent
from worlds.playhouse.drawing.own_hand import CENTRE, RADIUS
from worlds.playhouse.house.record import FLOOR, House, Room, Start, Thing
from worlds.playhouse.physics import avatar
from worlds.playhouse.world import Playhouse

HEIGHT, WIDTH = 36, 48
_GRAB, _RELEASE = 1, 2


def enter(show_hand: bool) -> Playhouse:
    """A world whose solver looks at a block in reach."""
    block = Thing("object_0", "block", "red", "medium", "room_0", FLOOR, 3.0, 2.5, 0.0, 0.0)
    starts = (Start(SETTER, 0.5, 4.5, 0.0), Start(SOLVER, 2.0, 2.5, 0.0))
    house = House((Room("room_0", 0.0, 0.0, 5.0, 5.0, "oak"),), (), (), (block,), starts)
    world = Playhouse(HEIGHT, WIDTH, show_hand=show_hand)
    world.reset(options={"config": house.to_json()})
    away = world.object_position("object_0") - world.avatar(SOLVER).eye
    world._players[1, avatar.PITCH] = math.atan2(away[2], math.hypot(away[0], away[1]))
    return world


def see(world: Playhouse, hand: int) -> np.ndarray:
    """The solver's picture after a step in which its hand does the same in all ticks."""
    row = [hand if c.name == "hand" else c.neutral for c in MOVEMENT]
    return world.step({SOLVER: silent(np.tile(np.array(row, np.int8), (TICKS_PER_STEP, 1)))})[0][SOLVER]["image"].copy()


def test_the_hand_is_seen_from_taking_to_letting_go_and_nowhere_else_differs() -> None:
    shown, plain = enter(True), enter(False)
    down, right = np.mgrid[:HEIGHT, :WIDTH] + 0.5
    place = np.hypot(down - CENTRE[0] * HEIGHT, right - CENTRE[1] * WIDTH) <= RADIUS * HEIGHT
    for hand, holds in ((0, False), (_GRAB, True), (0, True), (_RELEASE, False)):
        one, other = see(shown, hand), see(plain, hand)
        assert (shown.avatar(SOLVER).held is not None) == holds
        differs = (one != other).any(axis=-1)
        np.testing.assert_array_equal(differs, place & holds)


def test_views_for_people_have_the_hand_too() -> None:
    world = enter(True)
    see(world, _GRAB)
    np.testing.assert_array_equal(world.view(SOLVER, HEIGHT, WIDTH), world.draw(SOLVER, HEIGHT, WIDTH))


def test_it_is_shown_or_not() -> None:
    with pytest.raises(WorldError, match="setting show_hand: true or false, not 'yes'"):
        Playhouse(show_hand="yes")  # pyright: ignore[reportArgumentType]
