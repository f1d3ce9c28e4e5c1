"""A home and its state as a graph in VirtualHome's JSON form."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from worlds.household.observing.senses import near, visible
from worlds.household.state.home import NO_ROW, Home, State
from worlds.household.state.vocabulary import NEAR_M, Condition, Held, Property

FACING_M = 5.0  # within which a person faces what can be looked at
FACING_RAD = math.radians(60.0)  # to each side of the direction in which the person looks

_RELATION = {Held.ROOM: "INSIDE", Held.ON: "ON", Held.INSIDE: "INSIDE", Held.SITS: "SITTING"}
_HOLDS = {Held.RIGHT_HAND: "HOLDS_RH", Held.LEFT_HAND: "HOLDS_LH"}


def graph_of(home: Home, state: State, person: int | None = None, all_close: bool = False) -> dict[str, Any]:
    """Return the nodes and edges of a home in VirtualHome's JSON form, in which y points up.

    ON, INSIDE, SITTING and HOLDS_RH or HOLDS_LH (from the person to the thing) form the tree of things. What is on
    something, in a hand or seated is also INSIDE its room; what is in a container is INSIDE that alone. BETWEEN joins
    doors and their rooms. CLOSE and FACING follow from geometry: CLOSE, both ways, joins a person and what is near;
    FACING leads to things that a person sees, that can be looked at, and that are ahead within FACING_M.

    With a ``person`` the graph has only what that person sees. ``all_close`` adds CLOSE between things of a room whose
    centre and box are less than NEAR_M apart.
    """
    seen = np.ones(len(home), np.bool_) if person is None else visible(home, state, person)
    edges = [*_tree(home, state), *_between(home), *_close(home, state, all_close), *_facing(home, state)]
    return {
        "nodes": [_node(home, state, int(row)) for row in np.flatnonzero(seen)],
        "edges": [
            {"from_id": int(home.ids[one]), "relation_type": relation, "to_id": int(home.ids[other])}
            for one, relation, other in edges
            if seen[one] and seen[other]
        ],
    }


def _node(home: Home, state: State, row: int) -> dict[str, Any]:
    kind = home.classes[int(home.kind[row])]
    yaw = state.facing[home.persons.index(row)] if row in home.persons else home.yaw[row]
    (x, y, z), (width, depth, height) = state.centre[row].tolist(), home.size[row].tolist()
    return {
        "id": int(home.ids[row]),
        "class_name": kind.name,
        "category": kind.category,
        "properties": [each.name for each in Property if each in kind.properties],
        "states": [each.name for each in Condition if each & int(state.conditions[row])],
        "obj_transform": {"position": [x, z, y], "rotation": _rotation(yaw), "scale": [1.0, 1.0, 1.0]},
        "bounding_box": {"center": [x, z, y], "size": [width, height, depth]},
    }


def _rotation(yaw: float) -> list[float]:
    """Return a quaternion of Unity: its y is up, its front +z, and it turns clockwise seen from above."""
    half = (math.pi / 2 - float(yaw)) / 2
    return [0.0, math.sin(half), 0.0, math.cos(half)]


Edge = tuple[int, str, int]


def _tree(home: Home, state: State) -> Iterator[Edge]:
    for row in range(len(home)):
        held, parent, room = Held(int(state.held[row])), int(state.parent[row]), int(state.room[row])
        if held in _HOLDS:
            yield parent, _HOLDS[held], row
        elif held in _RELATION:
            yield row, _RELATION[held], parent
        if held in (Held.ON, Held.SITS) or held in _HOLDS:
            yield row, "INSIDE", room


def _between(home: Home) -> Iterator[Edge]:
    for door in home.doors.tolist():
        for room in home.between[door].tolist():
            if room != NO_ROW:
                yield door, "BETWEEN", room


def _close(home: Home, state: State, everything: bool) -> Iterator[Edge]:
    for person in home.persons:
        for row in np.flatnonzero(near(home, state, person)).tolist():
            if row != person and state.held[row] != Held.NOWHERE:
                yield person, "CLOSE", row
                yield row, "CLOSE", person
    if everything:
        rows = np.flatnonzero((state.held != Held.NOWHERE) & ~np.isin(np.arange(len(home)), home.persons))
        offset = np.abs(state.centre[rows, None, :2] - state.centre[None, rows, :2])  # of rows from columns
        gap = np.maximum(offset - home.size[None, rows, :2] / 2, 0.0)
        is_close = (np.hypot(gap[..., 0], gap[..., 1]) < NEAR_M) & (state.room[rows, None] == state.room[None, rows])
        for one, other in np.argwhere((is_close | is_close.T) & ~np.eye(len(rows), dtype=np.bool_)).tolist():
            yield int(rows[one]), "CLOSE", int(rows[other])


def _facing(home: Home, state: State) -> Iterator[Edge]:
    lookable = (home.properties & Property.LOOKABLE) != 0
    for number, person in enumerate(home.persons):
        offset = state.centre[:, :2] - state.centre[person, :2]
        angle = np.arctan2(offset[:, 1], offset[:, 0]) - state.facing[number]
        ahead = np.abs(np.arctan2(np.sin(angle), np.cos(angle))) <= FACING_RAD
        there = lookable & ahead & visible(home, state, person) & (np.hypot(*offset.T) < FACING_M)
        for row in np.flatnonzero(there).tolist():
            yield person, "FACING", row
