"""Words of households: properties, conditions, relations and verbs.

Names of properties, conditions and relations are those of VirtualHome's graphs (Puig et al., 2018), so that graphs are
read and written without a translation.
"""

from __future__ import annotations

from enum import IntEnum, IntFlag, auto


class Property(IntFlag):
    """What can be done with things of a class."""

    SURFACES = auto()  # things can be put on it
    CONTAINERS = auto()  # things can be put in it
    GRABBABLE = auto()
    CAN_OPEN = auto()
    HAS_SWITCH = auto()
    SITTABLE = auto()
    LIEABLE = auto()
    HANGABLE = auto()
    DRINKABLE = auto()
    EATABLE = auto()
    RECIPIENT = auto()
    CUTTABLE = auto()
    POURABLE = auto()
    READABLE = auto()
    LOOKABLE = auto()
    CLOTHES = auto()
    PERSON = auto()
    BODY_PART = auto()
    COVER_OBJECT = auto()
    HAS_PLUG = auto()
    HAS_PAPER = auto()
    MOVABLE = auto()
    CREAM = auto()


class Condition(IntFlag):
    """States that a thing or a person can be in."""

    CLOSED = auto()
    OPEN = auto()
    ON = auto()
    OFF = auto()
    SITTING = auto()
    LYING = auto()
    DIRTY = auto()
    CLEAN = auto()
    PLUGGED_IN = auto()
    PLUGGED_OUT = auto()


# A thing is in at most one state of each pair.
OPPOSITES = (
    (Condition.CLOSED, Condition.OPEN),
    (Condition.OFF, Condition.ON),
    (Condition.CLEAN, Condition.DIRTY),
    (Condition.PLUGGED_IN, Condition.PLUGGED_OUT),
)


class Held(IntEnum):
    """Where a thing is, relative to its parent."""

    NOWHERE = 0  # rooms, which have no parent
    ROOM = 1  # stands in a room, which is its parent; persons, too, unless they sit
    ON = 2
    INSIDE = 3
    RIGHT_HAND = 4  # the parent is a person
    LEFT_HAND = 5
    SITS = 6  # a person on a seat


class Verb(IntEnum):
    """What a person does at a step."""

    WAIT = 0
    TURN_LEFT = 1  # by TURN_DEG
    TURN_RIGHT = 2
    WALK_FORWARD = 3  # by STEP_M
    WALK_TOWARDS = 4  # by STEP_M along the shortest way to the thing
    GRAB = 5
    PUT_ON = 6  # what is in the hand, on the thing
    PUT_IN = 7
    OPEN = 8
    CLOSE = 9
    SWITCH_ON = 10
    SWITCH_OFF = 11
    SIT = 12
    STAND = 13


NEAR_M = 1.5  # a person is near a thing whose box is less than this away
STEP_M = 1.0
TURN_DEG = 30.0
