"""Which verbs and things can be chosen now, so that masks of actions agree with the rules."""

from __future__ import annotations

import numpy as np

from worlds.household.rules.refusals import (
    points,
    refusal_of_body,
    refusal_of_reach,
    refusal_of_sight,
    refusal_of_thing,
)
from worlds.household.state.home import Home, State
from worlds.household.state.tables import Tables, holder, in_hand, inner, kernel, tables
from worlds.household.state.vocabulary import Held, Verb

_VERBS = len(Verb)
_RIGHT, _LEFT = int(Held.RIGHT_HAND), int(Held.LEFT_HAND)


def possible(home: Home, state: State, number: int, full: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Return which verbs and which things have at least one action of which no precondition fails.

    Args:
      home: of the person.
      state: of the home.
      number: of the person, 0 for the setter, 1 for the solver.
      full: the person may act on things that it does not see.

    Returns:
      Verbs, bool [verbs], and things, bool [N].
    """
    rows = np.arange(len(home))
    return legal(tables(home, state), number, rows, full)


def legal(t: Tables, number: int, rows: np.ndarray, full: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return which verbs and which of some things have at least one action of which no precondition fails.

    Args:
      t: arrays of the home and its state.
      number: of the person, 0 for the setter, 1 for the solver.
      rows: of the things: int64 [n].
      full: the person may act on things that it does not see.

    Returns:
      Verbs, bool [verbs], and things, bool [n].
    """
    return _legal(t, t.persons[number], rows, full)


@kernel
def _legal(t, person, rows, full):
    verbs, things = np.zeros(_VERBS, np.bool_), np.zeros(len(rows), np.bool_)
    able = np.zeros(_VERBS, np.bool_)
    right, left = in_hand(t, person, _RIGHT), in_hand(t, person, _LEFT)
    for verb in range(_VERBS):
        able[verb] = refusal_of_body(t, person, verb) == 0
        verbs[verb] = able[verb] and not points(verb)
    for each in range(len(rows)):
        row = rows[each]
        if refusal_of_sight(t, person, row, full) == 0:
            things[each] = _add_verbs(t, right, left, person, row, able, verbs)
    return verbs, things


@inner
def _add_verbs(t, right, left, person, row, able, verbs):
    """Set the verbs that are possible with a thing that is seen; return True if there is one."""
    found = able[Verb.WALK_TOWARDS] and holder(t, row) != person
    verbs[Verb.WALK_TOWARDS] |= found
    if refusal_of_reach(t, person, row) == 0:
        for verb in range(Verb.GRAB, Verb.SIT + 1):
            if able[verb]:
                for hand in (_RIGHT, _LEFT):
                    if refusal_of_thing(t, right, left, person, verb, row, hand) == 0:
                        verbs[verb] = found = True
    return found
