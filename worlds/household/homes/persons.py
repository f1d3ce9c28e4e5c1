"""Where persons begin."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from worlds.errors import UserError
from worlds.household.navigation.floor_plan import floor_plan
from worlds.household.state.home import NO_ROW, Home, State
from worlds.household.state.vocabulary import Condition, Held

APART_M = 1.0  # at least this far from each other two persons begin in a room
TRIES = 50


def place_persons(home: Home, state: State, wanted: Sequence[Any], chance: Callable[[], float]) -> None:
    """Stand both persons somewhere, in place.

    ``wanted`` has for each person [x, y, facing] in metres and radians, or the class or id of a room; if it is empty,
    two rooms are drawn. ``chance`` returns random numbers from 0 to 1.
    """
    if len(wanted) not in (0, 2):
        raise UserError(f"persons of a home: {len(wanted)} are placed, not two; name a room or x, y, facing for each")
    plan = floor_plan(home, state)
    drawn = _two_rooms([row for row in home.rooms if len(plan.standing_places(row))], chance)
    for number, person in enumerate(home.persons):
        where = wanted[number] if wanted else int(home.ids[drawn[number]])
        if isinstance(where, str | int):
            x, y, facing = _in_room(home, state, _room(home, where), number, chance)
        else:
            x, y, facing = _point(where)
            x, y = plan.floor(x, y)
        room = plan.room_at(x, y)
        state.held[person], state.parent[person] = Held.ROOM, room
        floor = state.centre[room, 2] - home.size[room, 2] / 2
        _bring(state, person, np.array([x, y, floor + home.size[person, 2] / 2]), room)
        state.conditions[person] &= ~int(Condition.SITTING | Condition.LYING)
        state.facing[number] = facing


def _bring(state: State, person: int, centre: np.ndarray, room: int) -> None:
    """Bring a person, and what it holds, to another place."""
    moved = np.arange(len(state.parent)) == person
    before = 0
    while before != (before := int(moved.sum())):
        moved |= moved[state.parent] & (state.parent != NO_ROW)
    state.centre[moved] += (centre - state.centre[person]).astype(np.float32)
    state.centre[person], state.room[moved] = centre, room


def _two_rooms(rooms: list[int], chance: Callable[[], float]) -> list[int]:
    """Draw two rooms, different ones if there are two."""
    if not rooms:
        raise UserError("in no room of the home is there a place to stand")
    first = rooms[math.floor(chance() * len(rooms))]
    others = [room for room in rooms if room != first] or rooms
    return [first, others[math.floor(chance() * len(others))]]


def _room(home: Home, where: str | int) -> int:
    for row in home.rooms:
        if where in (home.name_of(row), int(home.ids[row])):
            return int(row)
    names = ", ".join(f"{home.name_of(row)} ({home.ids[row]})" for row in home.rooms)
    raise UserError(f"a person begins in {where!r}, which is no room of the home; its rooms: {names}")


def _point(where: Any) -> tuple[float, float, float]:
    try:
        x, y, facing = (float(each) for each in where)
    except (TypeError, ValueError):
        raise UserError(f"a person begins at {where!r}; give x, y and facing, or a room") from None
    if not all(math.isfinite(each) for each in (x, y, facing)):
        raise UserError(f"a person begins at {where!r}; x, y and facing are finite numbers")
    return x, y, facing


def _in_room(
    home: Home, state: State, room: int, number: int, chance: Callable[[], float]
) -> tuple[float, float, float]:
    """Draw a place in a room, and a direction; the second person keeps away from the first."""
    places = floor_plan(home, state).standing_places(room)
    if not len(places):
        raise UserError(f"in the {home.name_of(room)} ({home.ids[room]}) there is no place to stand")
    x = y = 0.0
    for _ in range(TRIES):
        x, y = places[math.floor(chance() * len(places))].tolist()
        first = state.centre[home.persons[0]]
        if number == 0 or math.hypot(first[0] - x, first[1] - y) >= APART_M:
            break
    return x, y, math.radians(30 * math.floor(12 * chance()) - 180)
