"""Which verbs and things can be chosen now, so that masks of actions agree with the rules."""

from __future__ import annotations

import numpy as np

from worlds.household.rules.refusals import (
    points,
    refusal,
    refusal_of_body,
    refusal_of_reach,
    refusal_of_thing,
)
from worlds.household.state.home import MOST_THINGS
from worlds.household.state.tables import holder, in_hand, inner, kernel
from worlds.household.state.vocabulary import Held, Verb

_VERBS = len(Verb)
_RIGHT, _LEFT = int(Held.RIGHT_HAND), int(Held.LEFT_HAND)


@kernel
def possible_acts(t, number, rows, full=False):
    """Return a person's actions of which no precondition fails; free places and the floor plan are not asked.

    The first array has the verbs that point at nothing, bool [verbs]; the second the others, on each of the rows with
    the right and the left hand, bool [rows, verbs, 2].
    """
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
def legal_mask(t, number, rows):
    """Return the mask of actions, the values of verb, thing and hand in a row: bool [verbs + 1 + MOST_THINGS + 2].

    Pointing at nothing and both hands are always legal, even if no legal verb needs them.
    """
    mask = np.zeros(_VERBS + 1 + MOST_THINGS + 2, np.bool_)
    mask[_VERBS] = mask[-2] = mask[-1] = True
    _set_legal(t, t.persons[number], rows, mask[:_VERBS], mask[_VERBS + 1 :])
    return mask


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
