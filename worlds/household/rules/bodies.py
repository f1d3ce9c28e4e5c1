"""Where persons and what they hold are, compiled: moving, taking into a hand, sitting down."""

from __future__ import annotations

import math

from worlds.household.state.tables import inner, move
from worlds.household.state.vocabulary import Condition, Held

FORWARD_M, ASIDE_M = 0.30, 0.22  # of what is held, from the person's centre
CHEST = 0.15  # height of what is held above the person's centre, as a share of the person's height
SEAT_M = 0.45  # height of a seat that has a back
HIPS = 0.48  # share of the height of a person who sits that is below the seat

_ROOM, _SITS = int(Held.ROOM), int(Held.SITS)
_RIGHT, _LEFT, _SITTING = int(Held.RIGHT_HAND), int(Held.LEFT_HAND), int(Condition.SITTING)


@inner
def carry(t, number):
    """Bring what a person holds to where its hands are, with all that lies on or in it."""
    person = t.persons[number]
    ahead_x, ahead_y = math.cos(t.facing[number]), math.sin(t.facing[number])
    x = t.centre[person, 0] + FORWARD_M * ahead_x
    y = t.centre[person, 1] + FORWARD_M * ahead_y
    z = t.centre[person, 2] + CHEST * t.size[person, 2]
    for row in range(len(t.parent)):
        if t.parent[row] == person and (t.held[row] == _RIGHT or t.held[row] == _LEFT):
            aside = ASIDE_M if t.held[row] == _RIGHT else -ASIDE_M
            move(t, row, x + aside * ahead_y, y - aside * ahead_x, z, t.room[person])


@inner
def stand_at(t, number, x, y, facing, room):
    """Put a person on its feet at a point of the floor, with what it holds."""
    person = t.persons[number]
    floor = t.centre[room, 2] - t.size[room, 2] / 2
    t.held[person], t.parent[person], t.room[person] = _ROOM, room, room
    t.conditions[person] &= ~_SITTING
    t.centre[person, 0], t.centre[person, 1] = x, y
    t.centre[person, 2] = floor + t.size[person, 2] / 2
    t.facing[number] = facing
    carry(t, number)


@inner
def sit_on(t, number, seat, facing):
    """Put a person on the first free place of a seat, with what it holds."""
    person = t.persons[number]
    axis = 0 if t.size[seat, 0] >= t.size[seat, 1] else 1
    width = t.size[seat, axis] / t.places[seat]
    place = 0
    while _is_taken(t, seat, axis, _along(t, seat, axis, width, place), width):
        place += 1
    for each in range(2):
        t.centre[person, each] = t.centre[seat, each]
    t.centre[person, axis] = _along(t, seat, axis, width, place)
    bottom = t.centre[seat, 2] - t.size[seat, 2] / 2
    t.centre[person, 2] = bottom + min(SEAT_M, t.size[seat, 2]) + (0.5 - HIPS) * t.size[person, 2]
    t.held[person], t.parent[person], t.room[person] = _SITS, seat, t.room[seat]
    t.conditions[person] |= _SITTING
    t.facing[number] = facing
    carry(t, number)


@inner
def _along(t, seat, axis, width, place):
    """Return the middle of a place of a seat, along its longer side."""
    return t.centre[seat, axis] + (place + 0.5) * width - t.size[seat, axis] / 2


@inner
def _is_taken(t, seat, axis, at, width):
    for person in t.persons:
        if t.parent[person] == seat and abs(t.centre[person, axis] - at) < width / 2:
            return True
    return False


@inner
def take(t, number, row, hand):
    """Give a thing into the hand of a person, with all that lies on or in it."""
    t.parent[row], t.held[row] = t.persons[number], hand
    carry(t, number)
