"""What a person sees and what is near: of one thing, for the rules, and of all."""

from __future__ import annotations

import math

import numpy as np

from worlds.household.state.home import NO_ROW, Home, State
from worlds.household.state.tables import inner, kernel, outermost_container, tables
from worlds.household.state.vocabulary import NEAR_M, Condition, Held

_NOWHERE, _INSIDE, _CLOSED = int(Held.NOWHERE), int(Held.INSIDE), int(Condition.CLOSED)


def visible(home: Home, state: State, person: int, full: bool = False) -> np.ndarray:
    """Return which things a person sees: bool [N].

    These are all rooms, the doors of its own room, and everything in that room that is in no closed container, at any
    depth: so also what it holds, and the other person with what that one holds.
    """
    if full:
        return np.ones(len(home), np.bool_)
    return _visible(tables(home, state), person)


def near(home: Home, state: State, person: int) -> np.ndarray:
    """Return which things are in a person's room and less than NEAR_M from its centre, horizontally: bool [N].

    The distance is to the thing's box, or to the box of the outermost container around it.
    """
    return _near(tables(home, state), person)


@inner
def joins(t, row, room):
    """Return True if ``row`` is a door of a room."""
    return t.between[row, 0] == room or t.between[row, 1] == room


@inner
def is_enclosed(t, row):
    """Return True if a thing is in a closed container, at any depth."""
    while row != NO_ROW:
        above = t.parent[row]
        if t.held[row] == _INSIDE and t.conditions[above] & _CLOSED:
            return True
        row = above
    return False


@inner
def sees(t, person, row):
    """Return True if a person sees a thing; see :func:`visible`."""
    if t.held[row] == _NOWHERE or joins(t, row, t.room[person]):
        return True
    return t.room[row] == t.room[person] and not is_enclosed(t, row)


@inner
def distance_to(t, person, row):
    """Return the horizontal distance from a person's centre to a thing's box in metres."""
    x = max(abs(t.centre[row, 0] - t.centre[person, 0]) - t.size[row, 0] / 2, 0.0)
    y = max(abs(t.centre[row, 1] - t.centre[person, 1]) - t.size[row, 1] / 2, 0.0)
    return math.sqrt(x * x + y * y)


@inner
def is_near(t, person, row):
    """Return True if a thing is near a person; see :func:`near`."""
    if t.room[row] != t.room[person] and not joins(t, row, t.room[person]):
        return False
    return distance_to(t, person, outermost_container(t, row)) < NEAR_M


@kernel
def _visible(t, person):
    found = np.zeros(len(t.parent), np.bool_)
    for row in range(len(found)):
        found[row] = sees(t, person, row)
    return found


@kernel
def visible_rows(t, number, full):
    """Return the rows of the things that person ``number`` (0 or 1) sees, in order: int64 [n]; all if ``full``."""
    found, count = np.empty(len(t.parent), np.int64), 0
    for row in range(len(found)):
        if full or sees(t, t.persons[number], row):
            found[count] = row
            count += 1
    return found[:count].copy()


@kernel
def _near(t, person):
    found = np.zeros(len(t.parent), np.bool_)
    for row in range(len(found)):
        found[row] = is_near(t, person, row)
    return found
