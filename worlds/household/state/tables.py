"""Arrays of a home and of its state in one tuple, as compiled code reads them, and the tree of things in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from worlds.household.state.home import NO_ROW, Home, State
from worlds.household.state.vocabulary import Held

_njit: Callable[..., Any] = njit
kernel: Callable[..., Any] = _njit(nogil=True, cache=True, error_model="numpy")
# Functions that make no array: without Numba's counting of references a call with Tables is several times as fast.
inner: Callable[..., Any] = _njit(nogil=True, cache=True, error_model="numpy", _nrt=False)

_INSIDE, _RIGHT_HAND, _LEFT_HAND = int(Held.INSIDE), int(Held.RIGHT_HAND), int(Held.LEFT_HAND)


class Tables(NamedTuple):
    """Fields of :class:`~worlds.household.state.home.State` and of :class:`~worlds.household.state.home.Home`.

    Play changes the arrays of the state in place, so a tuple stays valid for as long as its state.
    """

    held: np.ndarray
    parent: np.ndarray
    room: np.ndarray
    conditions: np.ndarray
    centre: np.ndarray
    facing: np.ndarray
    size: np.ndarray
    between: np.ndarray
    properties: np.ndarray
    places: np.ndarray  # int8 [N], persons who can sit on each thing
    persons: np.ndarray  # int64 [2], rows


def tables(home: Home, state: State) -> Tables:
    """Return the arrays of a home and of its state."""
    return Tables(
        state.held, state.parent, state.room, state.conditions, state.centre, state.facing,
        home.size, home.between, home.properties, home.places, home.person_rows,
    )  # fmt: skip


@inner
def is_below(parent, row, above):
    """Return True if ``row`` is ``above``, or lies on or in it at any depth, or is held by it."""
    while row != NO_ROW:
        if row == above:
            return True
        row = parent[row]
    return False


@inner
def in_hand(t, person, hand):
    """Return the row of what a person holds in a hand, a value of Held; NO_ROW if it is empty."""
    for row in range(len(t.parent)):
        if t.parent[row] == person and t.held[row] == hand:
            return row
    return NO_ROW


@inner
def holder(t, row):
    """Return the row of the person in whose hand a thing is, also on or in another thing; NO_ROW without."""
    while row != NO_ROW:
        if t.held[row] == _RIGHT_HAND or t.held[row] == _LEFT_HAND:
            return t.parent[row]
        row = t.parent[row]
    return NO_ROW


@inner
def outermost_container(t, row):
    """Return the outermost thing in which ``row`` is, at any depth; ``row`` itself without one."""
    found = row
    while row != NO_ROW:
        if t.held[row] == _INSIDE:
            found = t.parent[row]
        row = t.parent[row]
    return found


@inner
def move(t, row, x, y, z, room):
    """Move the centre of a thing, with everything on, in or held by it, to a point in a room."""
    dx, dy, dz = x - t.centre[row, 0], y - t.centre[row, 1], z - t.centre[row, 2]
    for each in range(len(t.parent)):
        if is_below(t.parent, each, row):
            t.room[each] = room
            if each != row:
                t.centre[each, 0] += dx
                t.centre[each, 1] += dy
                t.centre[each, 2] += dz
    t.centre[row, 0], t.centre[row, 1], t.centre[row, 2] = x, y, z
