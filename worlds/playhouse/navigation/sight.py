"""Lines of sight through walls, furniture and door leaves.

Scripted players know where everything is; this is what keeps them from acting on what they could not see.
Loose things are small and do not count as hiding anything.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numba import njit

from worlds.playhouse.house.record import WALL_HEIGHT, Furniture, House
from worlds.playhouse.navigation.doors import Doors, doors_of
from worlds.playhouse.physics.scene import walls
from worlds.playhouse.world import Playhouse

Box = tuple[float, float, float, float, float, float]  # x0, y0, z0, x1, y1, z1


class Sight:
    """Lines of sight in one house.

    Args:
      doors: its leaves, wherever they are at each question; None: nothing hangs in its doorways.
    """

    def __init__(self, house: House, doors: Doors | None = None) -> None:
        self._doors = doors
        boxes = [(x0, y0, 0.0, x1, y1, WALL_HEIGHT) for x0, y0, x1, y1 in walls(house)]
        boxes += [b for piece in house.furniture for b in _parts(piece)]
        self._boxes = np.array(boxes, dtype=np.float64).reshape(-1, 6)

    def clear(self, eye: np.ndarray, point: np.ndarray) -> bool:
        """Return True if nothing fixed and no leaf stands between ``eye`` and ``point``, both float64 [3]."""
        if self._doors is not None and self._doors.hide(eye, point):
            return False
        return not _crosses(self._boxes, eye, point)

    @classmethod
    def of(cls, world: Playhouse) -> Sight:
        """Lines of sight in the house that is being played in."""
        return cls(world.house, doors_of(world))


def _parts(piece: Furniture) -> Iterator[Box]:
    """Upright boxes around the parts of a piece of furniture."""
    for part in piece.spec.parts:
        hx, hy, hz = part.size if part.shape == "box" else (part.size[0], part.size[0], part.size[1])
        if piece.quarter_turns % 2:
            hx, hy = hy, hx
        x, y = piece.to_house(part.at[0], part.at[1])
        yield x - hx, y - hy, part.at[2] - hz, x + hx, y + hy, part.at[2] + hz


@njit(cache=True)
def _crosses(boxes, start, end):
    """Return True if the segment from ``start`` to ``end`` passes through one of the boxes [N, 6]."""
    for i in range(len(boxes)):
        enter, leave = 0.0, 1.0
        for axis in range(3):
            low, high = boxes[i, axis], boxes[i, axis + 3]
            step = end[axis] - start[axis]
            if abs(step) < 1e-12:
                if start[axis] < low or start[axis] > high:
                    enter = 2.0
                continue
            a, b = (low - start[axis]) / step, (high - start[axis]) / step
            if a > b:
                a, b = b, a
            enter, leave = max(enter, a), min(leave, b)
        if enter <= leave:
            return True
    return False
