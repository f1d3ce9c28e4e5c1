"""Which verbs and things can be chosen now, so that masks of actions agree with the rules."""

from __future__ import annotations

import numpy as np

from worlds.household.observing.senses import visible_rows
from worlds.household.rules.refusals import (
    points,
    refusal,
    refusal_of_body,
    refusal_of_reach,
    refusal_of_thing,
)
from worlds.household.state.home import MOST_THINGS, Home, State
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
    return _possible(tables(home, state), number, full)


def legal_mask(t: Tables, number: int, rows: np.ndarray) -> np.ndarray:
    """Return the mask of actions: one value after the other of verb, thing and hand.

    Pointing at nothing and both hands are always legal, also where no verb that is legal needs them.

    Args:
      t: arrays of the home and its state.
      number: of the person, 0 for the setter, 1 for the solver.
      rows: of the things that it observes, in the order in which it points at them: int64 [n].

    Returns:
      bool [verbs + 1 + MOST_THINGS + 2].
    """
    return _mask(t, number, rows)


def possible_acts(t: Tables, number: int, rows: np.ndarray, full: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Return every action of a person of which no precondition fails.

    Free places and the floor plan are not asked.

    Args:
      t: arrays of the home and its state.
      number: of the person, 0 for the setter, 1 for the solver.
      rows: of things: int64 [n].
      full: the person may act on things that it does not see.

    Returns:
      Of verbs that point at nothing, bool [verbs]; of the others on each thing, with the right and the left hand, bool
      [n, verbs, 2].
    """
    return _possible_acts(t, number, rows, full)


@kernel
def _possible_acts(t, number, rows, full):
    person = t.persons[number]
    alone, found = np.zeros(_VERBS, np.bool_), np.zeros((len(rows), _VERBS, 2), np.bool_)
    for verb in range(_VERBS):
        if not points(verb):
            alone[verb] = refusal_of_body(t, person, verb) == 0
            continue
        for each in range(len(rows)):
            found[each, verb, 0] = refusal(t, person, verb, rows[each], _RIGHT, full) == 0
            found[each, verb, 1] = refusal(t, person, verb, rows[each], _LEFT, full) == 0
    return alone, found


@kernel
def _mask(t, number, rows):
    mask = np.zeros(_VERBS + 1 + MOST_THINGS + 2, np.bool_)
    mask[_VERBS] = mask[-2] = mask[-1] = True
    _set_legal(t, t.persons[number], rows, mask[:_VERBS], mask[_VERBS + 1 :])
    return mask


@kernel
def _possible(t, number, full):
    verbs, things = np.zeros(_VERBS, np.bool_), np.zeros(len(t.parent), np.bool_)
    rows = visible_rows(t, number, full)
    found = np.zeros(len(rows), np.bool_)
    _set_legal(t, t.persons[number], rows, verbs, found)
    things[rows] = found
    return verbs, things


@inner
def _set_legal(t, person, rows, verbs, things):
    """Set which verbs, and which of the things that a person sees, have an action of which no precondition fails."""
    right, left = in_hand(t, person, _RIGHT), in_hand(t, person, _LEFT)
    for verb in range(_VERBS):
        verbs[verb] = not points(verb) and refusal_of_body(t, person, verb) == 0
    for each in range(len(rows)):
        if rows[each] != person:
            things[each] = _add_verbs(t, right, left, person, rows[each], verbs)


@inner
def _add_verbs(t, right, left, person, row, verbs):
    """Set the verbs that are possible with a thing that is seen; return True if there is one."""
    sits = refusal_of_body(t, person, Verb.WALK_TOWARDS) != 0
    found = not sits and holder(t, row) != person
    verbs[Verb.WALK_TOWARDS] |= found
    if refusal_of_reach(t, person, row) != 0:
        return found
    for verb in range(Verb.GRAB, Verb.SIT + 1):
        if sits and verb == Verb.SIT:
            continue
        possible = refusal_of_thing(t, right, left, person, verb, row, _RIGHT) == 0
        if not possible and verb <= Verb.PUT_IN:  # verbs to which the hand matters
            possible = refusal_of_thing(t, right, left, person, verb, row, _LEFT) == 0
        if possible:
            verbs[verb] = found = True
    return found
