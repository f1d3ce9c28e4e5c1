"""The planner's own model of a household: what leads to a sub-goal, and what it changes.

Items are numbered: fixtures from 0 on, then things. A sub-goal is regressed to legs by asking, from its end, what has
to be true before: a thing is put from a hand, it is in a hand after it was grabbed, it can be grabbed if its container
is open. A leg is a verb at an item; the person walks there first, unless it is within reach.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from worlds.household.state.vocabulary import Verb

kernel = njit(nogil=True, error_model="numpy")  # without a cache of its own: the search, which calls these, has it

PUT, HOLD, SWITCH, SIT = range(4)  # sorts of sub-goals, in the order in which they are pursued
IN_HAND, TAKEN = -1, -2  # places of things that are in the planner's hand, and in another person's
NONE = -1
PLACE, STATE, NEAR = range(3)  # columns of ``items``
ROOM, ANCHOR, HAND, FREE, SEAT = range(5)  # entries of ``body``
HOLDER, INSIDE = range(2)  # columns of ``places``
SORT, PREDICATE, THING, TARGET, SHOWN, BARRED = range(6)  # columns of ``subgoals``
MOST_LEGS = 12  # of a sub-goal
MOST_AROUND = 4  # fixtures around a fixture, one in the other
HANDLING, DOOR, ACROSS = 0.05, 0.5, 1.0  # costs: of handling a thing, of walking to another room and to a thing

_WALK, _GRAB, _OPEN = int(Verb.WALK_TOWARDS), int(Verb.GRAB), int(Verb.OPEN)
_STAND, _SIT, _SWITCH_ON = int(Verb.STAND), int(Verb.SIT), int(Verb.SWITCH_ON)
_PUT_ON, _PUT_IN = int(Verb.PUT_ON), int(Verb.PUT_IN)


class Model(NamedTuple):
    """What stays the same while sub-goals are pursued: R rooms, F fixtures, T things, P places, G predicates.

    Args:
      places: int64 [P, 2], HOLDER, the fixture of each place, -1 for the open in a room, where place r is in room r;
        and INSIDE, 1 for the inside of a fixture.
      satisfies: bool [G, T, P], True if a thing at a place satisfies a predicate.
      subgoals: int64 [S, 6], SORT; PREDICATE; THING that is put or held, -1 for others; TARGET, the place to put it at,
        or the fixture to sit on or to switch on; SHOWN, 1 where the thing is visible now, and where there is none;
        BARRED, 1 for those that are left alone.
      around: int64 [F], the closed or open fixture in which each one is; -1 for those that stand in the room.
      anchor: int64 [F], row of ``metres`` for each fixture: that of its room where it has not been seen.
      metres: float32 [F + R + 1, F + R], ways between fixtures and rooms, and from where the person stands.
    """

    places: np.ndarray
    satisfies: np.ndarray
    subgoals: np.ndarray
    around: np.ndarray
    anchor: np.ndarray
    metres: np.ndarray
    metre_cost: float


class Situation(NamedTuple):
    """What sub-goals change: several situations, a row each.

    Args:
      items: int64 [rows, F + T, 3], PLACE, the room of a fixture and the place of a thing, IN_HAND or TAKEN; STATE, 1
        for a fixture that is open and for a thing that has been seen where it is (others satisfy nothing there); NEAR,
        1 for what is within reach.
      body: int64 [rows, 5], the person's ROOM; ANCHOR, the row of ``metres`` at which it is; HAND, the thing in hand
        that is to be put somewhere, -1 for none; FREE, the number of free hands; SEAT, the fixture it sits on, -1 for
        none.
      remaining: int64 [rows, G], wanted less satisfied, of each predicate; below 0 where there are more than wanted.
    """

    items: np.ndarray
    body: np.ndarray
    remaining: np.ndarray


def counts(model, now, row, predicate, thing):
    """Return True if a thing is known to satisfy a predicate where it is."""
    item = len(model.anchor) + thing
    place = now.items[row, item, PLACE]
    return place >= 0 and now.items[row, item, STATE] == 1 and model.satisfies[predicate, thing, place]


_counts = kernel(counts)


def uncover(model, now, row, fixture, legs, first):
    """Write the opening of what is around a fixture before the other legs, the outermost first; return the first."""
    for _ in range(MOST_AROUND):
        fixture = model.around[fixture]
        if fixture < 0:
            break
        if now.items[row, fixture, STATE] == 0:
            first -= 1
            legs[first, 0], legs[first, 1] = _OPEN, fixture
    return first


_uncover = kernel(uncover)


def regress(model, now, row, subgoal, legs):
    """Find what has to be done for a sub-goal, from its end to its beginning; return the index of the first leg.

    ``legs``, int64 [MOST_LEGS, 2], is filled from its end with verbs and items. Returns -1 if nothing leads to the
    sub-goal.
    """
    sort, thing, target = model.subgoals[subgoal, SORT], model.subgoals[subgoal, THING], model.subgoals[subgoal, TARGET]
    first, free, place, source, at = MOST_LEGS, now.body[row, FREE], NONE, NONE, NONE
    if thing >= 0:
        place = now.items[row, len(model.anchor) + thing, PLACE]
        if place >= 0:
            at = model.places[place, HOLDER]
            source = at if model.places[place, INSIDE] == 1 else NONE
    if sort == PUT:
        holder, inside = model.places[target, HOLDER], model.places[target, INSIDE] == 1
        first -= 1
        legs[first, 0], legs[first, 1] = _PUT_IN if inside else _PUT_ON, holder
        last = first
        if inside and holder != source and now.items[row, holder, STATE] == 0:
            first -= 1
            legs[first, 0], legs[first, 1] = _OPEN, holder
        if model.around[holder] >= 0:
            first = _uncover(model, now, row, holder, legs, first)
        free -= first < last
    elif sort != HOLD:
        first -= 1
        legs[first, 0], legs[first, 1] = _SIT if sort == SIT else _SWITCH_ON, target
        if model.around[target] >= 0:
            first = _uncover(model, now, row, target, legs, first)
    if thing >= 0 and place != IN_HAND:
        first -= 1
        legs[first, 0], legs[first, 1] = _GRAB, len(model.anchor) + thing
        free -= 1
        if source >= 0 and now.items[row, source, STATE] == 0:
            first -= 1
            legs[first, 0], legs[first, 1] = _OPEN, source
        if at >= 0 and model.around[at] >= 0:
            first = _uncover(model, now, row, at, legs, first)
    return NONE if free < 0 or place == TAKEN else first


_regress = kernel(regress)


def room_of(model, now, row, item):
    """Return the room of a fixture or of a thing that is in no hand."""
    place = now.items[row, item, PLACE]
    if item < len(model.anchor):
        return place
    holder = model.places[place, HOLDER]
    return place if holder < 0 else now.items[row, holder, PLACE]


_room_of = kernel(room_of)


@kernel
def _stand_up(model, now, row):
    """Leave the seat."""
    for each in range(len(model.subgoals)):
        if model.subgoals[each, SORT] == SIT and model.subgoals[each, TARGET] == now.body[row, SEAT]:
            now.remaining[row, model.subgoals[each, PREDICATE]] += 1
    now.body[row, SEAT] = NONE


@kernel
def _walk(model, now, row, item):
    """Get a fixture, or a thing that is in no hand, within reach; return the cost."""
    fixtures, room, cost = len(model.anchor), _room_of(model, now, row, item), ACROSS
    holder = item if item < fixtures else model.places[now.items[row, item, PLACE], HOLDER]
    anchor = fixtures + room if holder < 0 else model.anchor[holder]
    if model.metre_cost > 0.0:
        cost = model.metre_cost * model.metres[now.body[row, ANCHOR], anchor]
    elif now.body[row, ROOM] != room:
        cost += DOOR
    now.body[row, ROOM], now.body[row, ANCHOR] = room, anchor
    for other in range(len(now.items[0])):
        where = now.items[row, other, PLACE]
        beside = other >= fixtures and where >= 0 and holder >= 0 and model.places[where, HOLDER] == holder
        now.items[row, other, NEAR] = 1 if beside or other == item or other == holder else 0
    return cost


@kernel
def _take_effect(model, now, row, verb, item, thing, target):
    """Change the situation by a verb at an item within reach."""
    if verb == _OPEN:
        now.items[row, item, STATE] = 1
    elif verb == _SIT:
        now.body[row, SEAT] = item
    elif verb != _SWITCH_ON:
        moved, change = len(model.anchor) + thing, 1 if verb == _GRAB else -1
        if change < 0:
            now.items[row, moved, PLACE], now.items[row, moved, STATE], now.items[row, moved, NEAR] = target, 1, 1
            now.body[row, HAND] = NONE
        for each in range(len(now.remaining[0])):
            if _counts(model, now, row, each, thing):
                now.remaining[row, each] += change
        if change > 0:
            now.items[row, moved, PLACE] = IN_HAND
        now.body[row, FREE] -= change


@kernel
def pursue(model, now, row, subgoal, legs):
    """Change the situation as pursuing a sub-goal does; return the cost, below 0 if nothing leads to the sub-goal."""
    first = _regress(model, now, row, subgoal, legs)
    if first < 0:
        return -1.0
    cost = 0.0
    for leg in range(first, MOST_LEGS):
        verb, item = legs[leg, 0], legs[leg, 1]
        if now.items[row, item, NEAR] == 0:
            if now.body[row, SEAT] >= 0:
                _stand_up(model, now, row)
                cost += HANDLING
            cost += _walk(model, now, row, item)
        _take_effect(model, now, row, verb, item, model.subgoals[subgoal, THING], model.subgoals[subgoal, TARGET])
        cost += HANDLING
    if model.subgoals[subgoal, SORT] != PUT:
        now.remaining[row, model.subgoals[subgoal, PREDICATE]] -= 1
    return cost


@kernel
def is_open_to(model, now, row, subgoal):
    """Return True for a sub-goal that would bring the goal nearer, whether or not others come first."""
    predicate, thing = model.subgoals[subgoal, PREDICATE], model.subgoals[subgoal, THING]
    if model.subgoals[subgoal, BARRED] == 1 or now.remaining[row, predicate] <= 0:
        return False
    if thing < 0:
        return True
    place = now.items[row, len(model.anchor) + thing, PLACE]
    if place < 0:
        return place == IN_HAND and model.subgoals[subgoal, SORT] == PUT
    for each in range(len(now.remaining[0])):  # things that are counted where they are, and not spare there
        if (each == predicate or now.remaining[row, each] >= 0) and _counts(model, now, row, each, thing):
            return False
    return True


@kernel
def available(model, now, row, found):
    """Write the available sub-goals of a situation into ``found`` [row], by their index; return how many there are.

    What is in hand is put first. Things are put before one is held or switched on, and the person sits down last. For a
    predicate, visible things go before others.
    """
    best, count, kept = SIT + 1, 0, 0
    for subgoal in range(len(model.subgoals)):
        rank = model.subgoals[subgoal, SORT]
        if rank == PUT and model.subgoals[subgoal, THING] == now.body[row, HAND]:
            rank = -1
        if rank <= best and is_open_to(model, now, row, subgoal):
            count = count if rank == best else 0
            best = rank
            found[row, count] = subgoal
            count += 1
    for k in range(count):
        subgoal, is_kept = found[row, k], True
        for other in range(count):
            same = model.subgoals[found[row, other], PREDICATE] == model.subgoals[subgoal, PREDICATE]
            if same and model.subgoals[found[row, other], SHOWN] > model.subgoals[subgoal, SHOWN]:
                is_kept = False
        if is_kept:
            found[row, kept] = subgoal
            kept += 1
    return kept
