"""Shortest ways through a room, in steps to one of the four neighbours."""

from __future__ import annotations

import numpy as np
from numba import njit

Cell = tuple[int, int]
FAR = 1 << 14  # distance of cells from which there is no way


@njit(cache=True, nogil=True)
def distances(solid: np.ndarray, goal_x: int, goal_y: int) -> np.ndarray:
    """Return the steps from every cell to the goal, int32 [X, Y]; FAR if there is no way.

    Nobody walks on ``solid`` cells, bool [X, Y], which include the border. If the goal is one, the cells beside it
    still have a distance.
    """
    found = np.full(solid.shape, FAR, np.int32)
    queue = np.empty((solid.size, 2), np.int32)
    queue[0, 0], queue[0, 1] = goal_x, goal_y
    found[goal_x, goal_y] = 0
    first, last = 0, 1
    while first < last:
        x, y = queue[first]
        first += 1
        for dx, dy in ((1, 0), (0, 1), (-1, 0), (0, -1)):
            a, b = x + dx, y + dy
            inside = 0 <= a < solid.shape[0] and 0 <= b < solid.shape[1]
            if inside and found[a, b] == FAR and not solid[a, b]:
                found[a, b] = found[x, y] + 1
                queue[last, 0], queue[last, 1] = a, b
                last += 1
    return found


@njit(cache=True, nogil=True)
def first_direction(solid: np.ndarray, x: int, y: int, facing: int, goal_x: int, goal_y: int) -> int:
    """Return the direction of the first step of a shortest way; -1 where there is none, or none is needed.

    Of several the one that is faced is taken, else the first of east, south, west, north.
    """
    if x == goal_x and y == goal_y:
        return -1
    away = distances(solid, goal_x, goal_y)
    best, chosen = FAR, -1
    for turn in range(5):
        direction = facing if turn == 0 else turn - 1
        a = x + (1 if direction == 0 else -1 if direction == 2 else 0)
        b = y + (1 if direction == 1 else -1 if direction == 3 else 0)
        if 0 <= a < solid.shape[0] and 0 <= b < solid.shape[1] and away[a, b] < best:
            best, chosen = away[a, b], direction
    return chosen


def behind(thing: Cell, target: Cell) -> Cell:
    """Return the cell from which a thing is pushed along its row or column towards a target."""
    return thing[0] - _sign(target[0] - thing[0]), thing[1] - _sign(target[1] - thing[1])


def between(start: Cell, end: Cell) -> list[Cell]:
    """Return the cells between two of one row or column, both left out."""
    dx, dy = _sign(end[0] - start[0]), _sign(end[1] - start[1])
    length = abs(end[0] - start[0]) + abs(end[1] - start[1])
    return [(start[0] + dx * step, start[1] + dy * step) for step in range(1, length)]


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
