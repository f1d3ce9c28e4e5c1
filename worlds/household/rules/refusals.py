"""Preconditions of verbs: the first one that does not hold, and its sentence for the person who acted."""

from __future__ import annotations

from enum import IntEnum
from typing import Self

from worlds.household.observing.senses import is_enclosed, is_near, sees
from worlds.household.state.home import NO_ROW, Home
from worlds.household.state.tables import holder, in_hand, inner, is_below
from worlds.household.state.vocabulary import Condition, Held, Property, Verb


class Refusal(IntEnum):
    """Why an action is not possible, as a number for compiled code and a sentence for the person."""

    sentence: str

    def __new__(cls, sentence: str) -> Self:
        member = int.__new__(cls, len(cls.__members__))
        member._value_, member.sentence = int(member), sentence
        return member

    NONE = ""  # it is possible, as far as the two rows say
    NO_THING = "point at a thing"
    UNSEEN = "you do not see that"
    ENCLOSED = "the {thing} is in something closed"
    FAR = "the {thing} is out of reach: go nearer"
    HELD_BY_OTHER = "the other person holds the {thing}"
    NOT_SITTING = "you are not sitting"
    SITTING = "stand up first"
    ONESELF = "that is you"
    CARRIED = "you carry the {thing}"
    BLOCKED = "something is in the way"
    ARRIVED = "you are already at the {thing}, or no way leads there"
    NOT_GRABBABLE = "the {thing} cannot be picked up"
    HAND_FULL = "the {hand} hand is full"
    HANDS_FULL = "both hands are full"
    OCCUPIED = "a person sits on the {thing}"
    HAND_EMPTY = "the {hand} hand is empty"
    NO_SURFACE = "nothing can be put on the {thing}"
    NO_CONTAINER = "nothing can be put in the {thing}"
    CLOSED = "the {thing} is closed"
    IN_ITSELF = "the {thing} is, or is carried on or in, what you want to put there"
    NO_SPACE = "there is no free place for that on or in the {thing}"
    CANNOT_OPEN = "the {thing} cannot be opened"
    IS_OPEN = "the {thing} is already open"
    NO_FREE_HAND = "both hands are full, and opening takes one"
    RUNNING = "the {thing} is on: switch it off first"
    CANNOT_CLOSE = "the {thing} cannot be closed"
    IS_CLOSED = "the {thing} is already closed"
    NO_SWITCH = "the {thing} has no switch"
    IS_ON = "the {thing} is already on"
    IS_OFF = "the {thing} is already off"
    UNPLUGGED = "the {thing} is not plugged in"
    NO_SEAT = "nobody can sit on the {thing}"
    SEAT_FULL = "every place on the {thing} is taken"
    OTHER_FIRST = "the other person was first at the {thing}"


def sentence(home: Home, refusal: int, row: int = NO_ROW, hand: int = Held.RIGHT_HAND) -> str:
    """Return why an action was not possible, for the person who tried."""
    named = "thing" if row == NO_ROW else home.name_of(row)
    return Refusal(refusal).sentence.format(thing=named, hand="left" if hand == Held.LEFT_HAND else "right")


# Members as numbers, as compiled code has no flags.
_GRABBABLE, _SURFACES, _CONTAINERS = int(Property.GRABBABLE), int(Property.SURFACES), int(Property.CONTAINERS)
_CAN_OPEN, _HAS_SWITCH, _SITTABLE = int(Property.CAN_OPEN), int(Property.HAS_SWITCH), int(Property.SITTABLE)
_OPEN, _CLOSED, _ON, _OFF = int(Condition.OPEN), int(Condition.CLOSED), int(Condition.ON), int(Condition.OFF)
_SITS_ON, _RIGHT, _LEFT = int(Held.SITS), int(Held.RIGHT_HAND), int(Held.LEFT_HAND)
_PLUGGED_OUT = int(Condition.PLUGGED_OUT)


@inner
def refusal(t, person, verb, row, hand, full):
    """Return the first precondition of an action that does not hold, a value of Refusal.

    Only the floor plan and the free places on and in things remain to be asked.
    """
    return _refusal(t, person, verb, row, hand, full).value  # members of enumerations are slow to return


@inner
def _refusal(t, person, verb, row, hand, full):
    why = refusal_of_body(t, person, verb)
    if why != Refusal.NONE or not points(verb):
        return why
    if row == NO_ROW:
        return Refusal.NO_THING
    why = refusal_of_sight(t, person, row, full)
    if why != Refusal.NONE:
        return why
    if verb == Verb.WALK_TOWARDS:
        return Refusal.CARRIED if holder(t, row) == person else Refusal.NONE
    why = refusal_of_reach(t, person, row)
    if why != Refusal.NONE:
        return why
    return refusal_of_thing(t, in_hand(t, person, _RIGHT), in_hand(t, person, _LEFT), person, verb, row, hand)


@inner
def points(verb):
    """Return True if a verb needs a thing that is pointed at."""
    return verb >= Verb.WALK_TOWARDS and verb <= Verb.SIT


@inner
def refusal_of_body(t, person, verb):
    """Return which precondition of a verb the person's own body does not meet."""
    sits = t.held[person] == _SITS_ON
    if verb == Verb.STAND:
        return Refusal.NONE if sits else Refusal.NOT_SITTING
    walks = verb == Verb.WALK_FORWARD or verb == Verb.WALK_TOWARDS
    return Refusal.SITTING if sits and (walks or verb == Verb.SIT) else Refusal.NONE


@inner
def refusal_of_sight(t, person, row, full):
    """Return why a person cannot point at a thing."""
    if row == person:
        return Refusal.ONESELF
    return Refusal.NONE if full or sees(t, person, row) else Refusal.UNSEEN


@inner
def refusal_of_reach(t, person, row):
    """Return why a person cannot touch a thing that it sees."""
    if is_enclosed(t, row):
        return Refusal.ENCLOSED
    by = holder(t, row)
    if by != NO_ROW and by != person:
        return Refusal.HELD_BY_OTHER
    return Refusal.NONE if is_near(t, person, row) else Refusal.FAR


@inner
def refusal_of_thing(t, right, left, person, verb, row, hand):
    """Return which precondition of a verb a thing within reach, or the hands, do not meet."""
    if verb == Verb.GRAB:
        return _grab(t, person, right, left, row, hand)
    if verb == Verb.PUT_ON or verb == Verb.PUT_IN:
        return _put(t, right if hand == _RIGHT else left, verb, row)
    if verb == Verb.OPEN or verb == Verb.CLOSE:
        return _open_or_close(t, right != NO_ROW and left != NO_ROW, verb, row)
    if verb == Verb.SIT:
        return _sit(t, row)
    return _switch(t, verb, row)


@inner
def _grab(t, person, right, left, row, hand):
    if not t.properties[row] & _GRABBABLE:
        return Refusal.NOT_GRABBABLE
    if t.parent[row] == person:
        return Refusal.CARRIED
    if right != NO_ROW and left != NO_ROW:
        return Refusal.HANDS_FULL
    if (right if hand == _RIGHT else left) != NO_ROW:
        return Refusal.HAND_FULL
    for other in t.persons:
        if is_below(t.parent, other, row):
            return Refusal.OCCUPIED
    return Refusal.NONE


@inner
def _put(t, item, verb, row):
    if item == NO_ROW:
        return Refusal.HAND_EMPTY
    if is_below(t.parent, row, item):
        return Refusal.IN_ITSELF
    if verb == Verb.PUT_ON:
        return Refusal.NONE if t.properties[row] & _SURFACES else Refusal.NO_SURFACE
    if not t.properties[row] & _CONTAINERS:
        return Refusal.NO_CONTAINER
    if t.properties[row] & _CAN_OPEN and not t.conditions[row] & _OPEN:
        return Refusal.CLOSED
    return Refusal.NONE


@inner
def _open_or_close(t, hands_full, verb, row):
    can_open = t.properties[row] & _CAN_OPEN
    if verb == Verb.CLOSE:
        if not can_open:
            return Refusal.CANNOT_CLOSE
        return Refusal.NONE if t.conditions[row] & _OPEN else Refusal.IS_CLOSED
    if not can_open:
        return Refusal.CANNOT_OPEN
    if not t.conditions[row] & _CLOSED:
        return Refusal.IS_OPEN
    if t.conditions[row] & _ON:
        return Refusal.RUNNING
    if hands_full:
        return Refusal.NO_FREE_HAND
    return Refusal.NONE


@inner
def _switch(t, verb, row):
    if not t.properties[row] & _HAS_SWITCH:
        return Refusal.NO_SWITCH
    if verb == Verb.SWITCH_OFF:
        return Refusal.NONE if t.conditions[row] & _ON else Refusal.IS_OFF
    if not t.conditions[row] & _OFF:
        return Refusal.IS_ON
    return Refusal.UNPLUGGED if t.conditions[row] & _PLUGGED_OUT else Refusal.NONE


@inner
def _sit(t, row):
    if not t.properties[row] & _SITTABLE:
        return Refusal.NO_SEAT
    taken = 0
    for other in t.persons:
        if t.parent[other] == row:
            taken += 1
    return Refusal.SEAT_FULL if taken >= t.places[row] else Refusal.NONE
