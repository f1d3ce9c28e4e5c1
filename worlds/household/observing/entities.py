"""What a person sees as entities: a row of categories and a row of numbers for every thing."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from worlds.household.catalogue.classes import CLASSES, NUMBER_OF
from worlds.household.observing.senses import is_near, visible_rows
from worlds.household.state.home import MOST_THINGS, NO_ROW, Home
from worlds.household.state.tables import Tables, holder, inner, kernel
from worlds.household.state.vocabulary import Condition, Held
from worlds.spaces.observation import Category, Entities

UNKNOWN = len(CLASSES)  # class of what is not in the catalogue
NOBODY, MINE, OTHERS = 0, 1, 2  # whose hand a thing is in, also on or in another thing

ENTITIES = Entities(
    most=MOST_THINGS,
    categorical=(
        Category("class", UNKNOWN + 1),
        Category("held", len(Held)),
        Category("parent_class", UNKNOWN + 2),  # the last one: no parent
        Category("room_class", UNKNOWN + 1),
        Category("open", 3),  # neither, closed, open
        Category("on", 3),  # neither, off, on
        Category("hand", 3),  # nobody's, mine, the other's
        Category("near", 2),
        Category("me", 2),
    ),
    real=("forward", "left", "up", "depth", "width", "height", "front_sin", "front_cos"),
    position=("forward", "left", "up"),
)

_CLOSED, _OPEN, _ON, _OFF = int(Condition.CLOSED), int(Condition.OPEN), int(Condition.ON), int(Condition.OFF)


class Looks(NamedTuple):
    """What observations say of the things of a home and what play never changes.

    Args:
      kind: int16 [N], class in the catalogue, or UNKNOWN.
      extent: float32 [N, 3], of each thing's box along its front, across it, and up, metres.
      yaw: float32 [N], direction of its front, radians.
      no_parent: class of the parent of what has none. It changes with the catalogue, so it is no constant of compiled
        code, which is kept until its own file changes.
    """

    kind: np.ndarray
    extent: np.ndarray
    yaw: np.ndarray
    no_parent: int


@lru_cache(maxsize=64)
def looks(home: Home) -> Looks:
    """Return what observations say of the things of a home and what play never changes."""
    kind = np.array([NUMBER_OF.get(each.name, UNKNOWN) for each in home.classes], np.int16)[home.kind]
    quarter = np.round(home.yaw / (math.pi / 2)).astype(np.int64) % 2 == 1
    extent = np.where(quarter[:, None], home.size[:, [1, 0, 2]], home.size)
    return Looks(kind, np.ascontiguousarray(extent, np.float32), home.yaw, UNKNOWN + 1)


def entities(home: Home, t: Tables, number: int, full: bool = False) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return what person ``number`` observes of the things that it sees: rows, int64 [n], categories, int16 [n, 9], and
    values, float32 [n, 8].

    Positions are the centres of boxes relative to the person's own: forward, to the left and up. The direction of a
    thing's front is relative to the person's gaze.
    """
    return _entities(t, looks(home), number, full)


@kernel
def _entities(t, looks, number, full):
    rows = visible_rows(t, number, full)
    categories = np.empty((len(rows), 9), np.int16)
    values = np.empty((len(rows), 8), np.float32)
    person, facing = t.persons[number], t.facing[number]
    cos, sin = math.cos(facing), math.sin(facing)
    for each in range(len(rows)):
        row = rows[each]
        _categories(t, looks, person, row, categories[each])
        x, y = t.centre[row, 0] - t.centre[person, 0], t.centre[row, 1] - t.centre[person, 1]
        values[each, 0] = cos * x + sin * y
        values[each, 1] = cos * y - sin * x
        values[each, 2] = t.centre[row, 2] - t.centre[person, 2]
        for axis in range(3):
            values[each, 3 + axis] = looks.extent[row, axis]
        front = looks.yaw[row]
        for other in range(len(t.persons)):
            if t.persons[other] == row:
                front = t.facing[other]
        values[each, 6] = math.sin(front - facing)
        values[each, 7] = math.cos(front - facing)
    return rows, categories, values


@inner
def _categories(t, looks, person, row, found):
    """Set the categories of one thing."""
    parent, conditions, by = t.parent[row], t.conditions[row], holder(t, row)
    found[0] = looks.kind[row]
    found[1] = t.held[row]
    found[2] = looks.no_parent if parent == NO_ROW else looks.kind[parent]
    found[3] = looks.kind[t.room[row]]
    found[4] = 2 if conditions & _OPEN else 1 if conditions & _CLOSED else 0
    found[5] = 2 if conditions & _ON else 1 if conditions & _OFF else 0
    found[6] = NOBODY if by == NO_ROW else MINE if by == person else OTHERS
    found[7] = is_near(t, person, row)
    found[8] = row == person
