"""What a person sees in words, for language models."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from worlds.household.observing.senses import near
from worlds.household.state.home import NO_ROW, Home, State
from worlds.household.state.vocabulary import Condition, Held

_SHOWN = (Condition.OPEN, Condition.CLOSED, Condition.ON, Condition.OFF)
_WHERE = {Held.ON: "on", Held.INSIDE: "in", Held.SITS: "on"}


def surroundings(home: Home, state: State, person: int, rows: Sequence[int] | np.ndarray) -> str:
    """Return what a person sees, in words: a line for its room, one for every thing there that it can reach or not.

    Things are named by their class and their number among the rows, at which a pointer of an action points: ``plate
    (12) on kitchentable (4)``.

    Args:
      home: of the person.
      state: of the home.
      person: row of the person.
      rows: of the things that it sees, in the order in which an action points at them.
    """
    number = {int(row): place + 1 for place, row in enumerate(rows)}
    within = near(home, state, person)
    room = int(state.room[person])
    sits = f", sitting on {_named(home, number, int(state.parent[person]))}" if state.held[person] == Held.SITS else ""
    lines = [f"you are in {_named(home, number, room)}{sits}"]
    lines += [
        _line(home, state, number, row) + (", near" if within[row] else "")
        for row in number
        if row != person and state.held[row] != Held.NOWHERE
    ]
    others = [_named(home, number, int(row)) for row in home.rooms if row != room and int(row) in number]
    return "\n".join([*lines, f"other rooms: {', '.join(others)}"] if others else lines)


def hands(home: Home, state: State, person: int) -> str:
    """Return what a person holds, in words, e.g. "right: plate; left: nothing"."""
    held = [state.in_hand(person, hand) for hand in (Held.RIGHT_HAND, Held.LEFT_HAND)]
    right, left = ("nothing" if row == NO_ROW else home.name_of(row) for row in held)
    return f"right: {right}; left: {left}"


def _line(home: Home, state: State, number: dict[int, int], row: int) -> str:
    """Return a thing, its conditions, and what it is on or in."""
    conditions = [each.name.lower() for each in _SHOWN if state.conditions[row] & each and each.name]
    held, parent = Held(int(state.held[row])), int(state.parent[row])
    words = _named(home, number, row) + (f" ({', '.join(conditions)})" if conditions else "")
    if held in (Held.RIGHT_HAND, Held.LEFT_HAND):
        return f"{words} in the {'right' if held == Held.RIGHT_HAND else 'left'} hand of {_named(home, number, parent)}"
    return f"{words} {_WHERE[held]} {_named(home, number, parent)}" if held in _WHERE else words


def _named(home: Home, number: dict[int, int], row: int) -> str:
    return f"{home.name_of(row)} ({number[row]})" if row in number else home.name_of(row)
