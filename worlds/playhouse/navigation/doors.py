"""Where the door leaves of a house are now, for those who look and walk."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from worlds.playhouse.house.door_leaf import LEAF_BOTTOM, LEAF_HALF, LEAF_TOP, closed_yaw, hinge_place
from worlds.playhouse.house.record import AVATAR_RADIUS
from worlds.playhouse.world import Playhouse

WIDE = math.radians(60.0)  # to which a leaf is open that stands in the way of those who walk along the wall
POSTS = 8  # points of a leaf that what is carried keeps away from
TOUCHED = AVATAR_RADIUS + LEAF_HALF  # metres from an avatar's middle to the line of a leaf that it touches


class Doors:
    """The leaves of one house, which is being played in."""

    def __init__(self, world: Playhouse) -> None:
        self._world, house = world, world.house
        doorways = {doorway.id: doorway for doorway in house.doorways}
        hung = [(leaf, doorways[leaf.doorway]) for leaf in house.door_leaves]
        self._hinges = np.array([hinge_place(*one) for one in hung]).reshape(-1, 2)
        self._closed = np.array([closed_yaw(*one) for one in hung])
        self._length = np.array([leaf.length for leaf in house.door_leaves])

    def lines(self) -> np.ndarray:
        """Return the leaves seen from above: float64 [leaves, 4], x and y of the hinge and of the other end, metres."""
        return self._lines(self._world.door_angles())

    def wide_open(self) -> np.ndarray:
        """Return the lines of the leaves that are better walked around: float64 [N, 4], see :meth:`lines`."""
        angles = self._world.door_angles()
        return self._lines(angles)[np.abs(angles) > WIDE]

    def touched_on(self, x0: float, y0: float, x1: float, y1: float) -> bool:
        """Return True if an avatar on the straight line from (x0, y0) to (x1, y1) would touch a wide open leaf."""
        return _touches(self.wide_open(), x0, y0, x1, y1)

    def add_costs(self, cost: np.ndarray, x: np.ndarray, y: np.ndarray, factor: float) -> None:
        """Make the cells dearer in which an avatar would touch a wide open leaf; others are pushed on.

        Args:
          cost: float64 [rows, columns], changed.
          x: of the columns, metres.
          y: of the rows, metres.
        """
        _add_costs(cost, x, y, self.wide_open(), factor)

    def nearest(self, here: np.ndarray) -> float:
        """Return the distance (m) from a place, float64 [2+], to the nearest leaf."""
        return min(_far(x0, y0, x1, y1, here[0], here[1]) for x0, y0, x1, y1 in self.lines())

    def posts(self) -> np.ndarray:
        """Points along the wide open leaves: float64 [N, 3], x, y and a radius in metres."""
        share = np.linspace(0.0, 1.0, POSTS)[:, None, None]
        lines = self.wide_open()
        points = (lines[:, :2] + share * (lines[:, 2:] - lines[:, :2])).reshape(-1, 2)
        return np.concatenate([points, np.full((len(points), 1), LEAF_HALF)], axis=1)

    def hide(self, eye: np.ndarray, point: np.ndarray) -> bool:
        """Return True if a leaf is between ``eye`` and ``point``, both float64 [3]."""
        return _hides(self.lines(), eye, point)

    def _lines(self, angles: np.ndarray) -> np.ndarray:
        yaw = self._closed + angles
        ends = self._hinges + self._length[:, None] * np.stack([np.cos(yaw), np.sin(yaw)], axis=1)
        return np.concatenate([self._hinges, ends], axis=1)


def doors_of(world: Playhouse) -> Doors | None:
    """The leaves of the house that is being played in; None if there are none."""
    return Doors(world) if world.house.door_leaves else None


@njit(cache=True)
def _hides(lines, eye, point):
    """Return True if the segment from ``eye`` to ``point`` passes through a leaf over one of the lines [N, 4]."""
    dx, dy = point[0] - eye[0], point[1] - eye[1]
    for i in range(len(lines)):
        wide, deep = lines[i, 2] - lines[i, 0], lines[i, 3] - lines[i, 1]
        across = dx * deep - dy * wide
        if abs(across) < 1e-12:  # alongside
            continue
        ox, oy = lines[i, 0] - eye[0], lines[i, 1] - eye[1]
        share, along = (ox * deep - oy * wide) / across, (ox * dy - oy * dx) / across
        height = eye[2] + share * (point[2] - eye[2])
        if 0.0 <= share <= 1.0 and 0.0 <= along <= 1.0 and LEAF_BOTTOM <= height <= LEAF_TOP:
            return True
    return False


@njit(cache=True)
def _touches(lines, x0, y0, x1, y1):
    for i in range(len(lines)):
        a, b, c, d = lines[i, 0], lines[i, 1], lines[i, 2], lines[i, 3]
        side, other = _side(a, b, c, d, x0, y0), _side(a, b, c, d, x1, y1)
        if side * other < 0.0 and _side(x0, y0, x1, y1, a, b) * _side(x0, y0, x1, y1, c, d) < 0.0:
            return True
        nearest = min(_far(a, b, c, d, x0, y0), _far(a, b, c, d, x1, y1))
        if min(nearest, _far(x0, y0, x1, y1, a, b), _far(x0, y0, x1, y1, c, d)) < TOUCHED:
            return True
    return False


@njit(cache=True)
def _add_costs(cost, x, y, lines, factor):
    for i in range(len(lines)):
        x0, y0, x1, y1 = lines[i, 0], lines[i, 1], lines[i, 2], lines[i, 3]
        for row in range(len(y)):
            if not min(y0, y1) - TOUCHED <= y[row] <= max(y0, y1) + TOUCHED:
                continue
            for column in range(len(x)):
                if _far(x0, y0, x1, y1, x[column], y[row]) < TOUCHED:
                    cost[row, column] *= factor


@njit(cache=True)
def _side(x0, y0, x1, y1, x, y):
    """Positive if (x, y) is to the left of the line from (x0, y0) to (x1, y1)."""
    return (x1 - x0) * (y - y0) - (y1 - y0) * (x - x0)


@njit(cache=True)
def _far(x0, y0, x1, y1, x, y):
    """Distance (m) from (x, y) to the segment from (x0, y0) to (x1, y1)."""
    dx, dy = x1 - x0, y1 - y0
    square = dx * dx + dy * dy
    along = min(max(((x - x0) * dx + (y - y0) * dy) / square, 0.0), 1.0) if square > 0.0 else 0.0
    return math.hypot(x0 + along * dx - x, y0 + along * dy - y)
