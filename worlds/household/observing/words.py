"""What a person sees in words, for language models."""

from __future__ import annotations

from functools import cache

import numpy as np

from worlds.household.observing.senses import near
from worlds.household.state.home import NO_ROW, Home, State
from worlds.household.state.vocabulary import Condition, Held

_NOWHERE = int(Held.NOWHERE)
_SHOWN = (Condition.OPEN, Condition.CLOSED, Condition.ON, Condition.OFF)
_ALL_SHOWN = int(sum(_SHOWN))
_WHERE = {
    int(Held.ON): " on ",
    int(Held.INSIDE): " in ",
    int(Held.SITS): " on ",
    int(Held.RIGHT_HAND): " in the right hand of ",
    int(Held.LEFT_HAND): " in the left hand of ",
}


def surroundings(home: Home, state: State, person: int, rows: np.ndarray) -> str:
    """Return what a person sees, in words: a line for its room, one for each thing, one for the other rooms.

    Things are named by their class and by the number with which an action points at them: ``plate (12) on
    kitchentable (4), near``.
    """
    within = near(home, state, person)[rows].tolist()
    held, parent, conditions = (array[rows].tolist() for array in (state.held, state.parent, state.conditions))
    number = {row: place for place, row in enumerate(rows.tolist(), 1)}
    kinds, classes = home.kind[rows].tolist(), home.classes
    names = {row: f"{classes[kind].name} ({place})" for (row, place), kind in zip(number.items(), kinds, strict=True)}
    room, own = int(state.room[person]), number[person] - 1
    sits = f", sitting on {names[parent[own]]}" if held[own] == Held.SITS else ""
    lines = [f"you are in {names[room]}{sits}"]
    for each, (row, named) in enumerate(names.items()):
        if row == person or held[each] == _NOWHERE:
            continue
        where = _WHERE.get(held[each])
        there = "" if where is None else where + (names.get(parent[each]) or home.name_of(parent[each]))
        lines.append(f"{named}{_shown(conditions[each] & _ALL_SHOWN)}{there}{', near' if within[each] else ''}")
    others = [names[row] for row in home.rooms.tolist() if row != room]
    return "\n".join([*lines, f"other rooms: {', '.join(others)}"] if others else lines)


@cache
def _shown(conditions: int) -> str:
    """Return conditions in brackets, e.g. " (closed, off)"; "" for none."""
    words = [str(each.name).lower() for each in _SHOWN if conditions & each]
    return f" ({', '.join(words)})" if words else ""


def hands(home: Home, state: State, person: int) -> str:
    """Return what a person holds, in words, e.g. "right: plate; left: nothing"."""
    held = [state.in_hand(person, hand) for hand in (Held.RIGHT_HAND, Held.LEFT_HAND)]
    right, left = ("nothing" if row == NO_ROW else home.name_of(row) for row in held)
    return f"right: {right}; left: {left}"
