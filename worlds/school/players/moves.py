"""Moves of a scripted agent: ways, turns, and standing where a peer can be met."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from worlds.school.grid.codes import NORTH
from worlds.school.grid.paths import FAR, distances, first_direction
from worlds.school.grid.room import Cell, Room
from worlds.school.peers.script import direction_to
from worlds.school.problems.problem import FORWARD, LEFT, RIGHT, TOGGLE


def turn(room: Room, wanted: int) -> int | None:
    """Return the primitive that turns the agent towards a direction; None if it looks there."""
    return (None, RIGHT, RIGHT, LEFT)[(wanted - room.direction) % 4]


def look_at(room: Room, cell: Cell) -> int | None:
    """Return the primitive that turns the agent towards a cell; None if it looks there."""
    return turn(room, direction_to(room.agent, cell))


def walk_to(room: Room, cell: Cell, without: Iterable[Cell] = ()) -> int | None:
    """Return the primitive that leads the agent to a cell; None where there is no way or it is there.

    Cells ``without`` are kept out of, unless the agent is in one.
    """
    solid = room.solid
    kept = [each for each in without if each not in (room.agent, cell)]
    if kept:
        solid = solid.copy()
        solid[tuple(zip(*kept, strict=True))] = True
    way = first_direction(solid, *room.agent, room.direction, *cell)
    return None if way < 0 else step(room, way)


def step(room: Room, direction: int) -> int:
    """Return the primitive of a step in a direction: forward, or the turn before it."""
    primitive = turn(room, direction)
    return FORWARD if primitive is None else primitive


def use(room: Room, cell: Cell) -> int | None:
    """Return the primitive that leads the agent to a thing, and toggles it once it is before it."""
    return TOGGLE if Room.beside(room.agent, room.direction) == cell else walk_to(room, cell)


def push(room: Room, thing: Cell, direction: int) -> int | None:
    """Return the primitive that leads the agent behind a thing and then into it, in a direction."""
    start = room.beside(thing, (direction + 2) % 4)
    return step(room, direction) if room.agent == start else walk_to(room, start)


def nearest(room: Room, cells: list[Cell]) -> Cell | None:
    """Return the cell with the shortest way from the agent; None where there is none."""
    away = distances(room.solid, *room.agent)
    reachable = [cell for cell in cells if away[cell] < FAR]
    return min(reachable, key=lambda cell: (away[cell], cell), default=None)


def cells_beside(room: Room, cell: Cell) -> list[Cell]:
    """Return the cells beside one that can be walked on."""
    found = [room.beside(cell, direction) for direction in range(NORTH + 1)]
    return [(x, y) for x, y in found if 0 <= x < room.size and 0 <= y < room.size and not room.solid[x, y]]


def meet(room: Room, peer: Any, waits: bool) -> int | None:
    """Return the primitive that leads to eye contact with a peer; None once the agent looks at it."""
    x, y = peer.place
    ahead = [cell for k in range(1, room.size) if _inside(room, cell := _far(peer.place, peer.direction, k))]
    if waits:
        places = [cell for cell in ahead if not room.solid[cell]]
    else:
        free = np.argwhere(~room.solid).tolist()
        places = [(a, b) for a, b in free if (a == x) != (b == y) and _inside(room, (a, b))]
    if room.agent in places:
        return look_at(room, peer.place)
    goal = nearest(room, places)
    return None if goal is None else walk_to(room, goal)


def _far(cell: Cell, direction: int, steps: int) -> Cell:
    for _ in range(steps):
        cell = Room.beside(cell, direction)
    return cell


def _inside(room: Room, cell: Cell) -> bool:
    x, y = cell
    return 0 < x < room.width - 1 and 0 < y < room.height - 1
