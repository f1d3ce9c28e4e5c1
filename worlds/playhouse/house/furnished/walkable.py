"""The floor of a room that players can walk to, so that nothing is put where nobody can take it."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

import numpy as np

from worlds.playhouse.house.record import AVATAR_RADIUS, WALL_THICKNESS, Doorway, Furniture, Room

CELL = 0.125  # metres
CLEARANCE = AVATAR_RADIUS + 0.03  # metres that a player keeps from walls and furniture
ARM = 0.88  # metres along the floor over which a thing can always be taken
_BEFORE_DOOR = 0.5  # metres from a doorway to where a player stands before it


class WalkableFloor:
    """The cells of one room's floor that can be walked to from its doorways; without any, its largest free part.

    Attributes:
      cells: float64 [cells, 2], their middles, metres.
      divided: whether one cannot walk from each of the room's doorways to each other one.
    """

    def __init__(self, room: Room, pieces: Sequence[Furniture], doorways: Sequence[Doorway]) -> None:
        margin = WALL_THICKNESS / 2 + CLEARANCE
        self._x0, self._y0 = room.x0 + margin, room.y0 + margin
        self._columns = max(int((room.x1 - margin - self._x0) / CELL) + 1, 1)
        self._rows = max(int((room.y1 - margin - self._y0) / CELL) + 1, 1)
        free = np.zeros((self._rows + 2, self._columns + 2), dtype=bool)  # with a border, so that none is left
        free[1:-1, 1:-1] = True
        for piece in pieces:
            if piece.spec.in_the_way:
                free[self._covered(piece)] = False
        starts = [self._cell_before(door, room) for door in doorways if room.id in door.rooms]
        reached = _connected(free, starts[0]) if starts else max(_all_parts(free), key=len, default=set())
        self.divided = any(start not in reached for start in starts)
        places = np.array(sorted(reached), dtype=np.int64).reshape(-1, 1)
        width = self._columns + 2
        column, row = places % width - 1, places // width - 1
        self.cells = np.concatenate([self._x0 + column * CELL, self._y0 + row * CELL], axis=1)

    def within_reach(self, x: float, y: float) -> bool:
        """Return True if a player can stand so near to (x, y) that a thing there can be taken."""
        dx, dy = self.cells[:, 0] - x, self.cells[:, 1] - y
        return bool((dx * dx + dy * dy < ARM * ARM).any())

    def _covered(self, piece: Furniture) -> tuple[slice, slice]:
        """The cells (rows, columns) in which a player would touch a piece of furniture."""
        hx, hy = piece.half
        x0, x1 = (piece.x - hx - CLEARANCE - self._x0) / CELL, (piece.x + hx + CLEARANCE - self._x0) / CELL
        y0, y1 = (piece.y - hy - CLEARANCE - self._y0) / CELL, (piece.y + hy + CLEARANCE - self._y0) / CELL
        rows = slice(max(ceil(y0), 0) + 1, max(min(int(y1), self._rows - 1) + 2, 0))
        return rows, slice(max(ceil(x0), 0) + 1, max(min(int(x1), self._columns - 1) + 2, 0))

    def _cell_before(self, door: Doorway, room: Room) -> int:
        x, y = door.x, door.y
        if door.along == "y":
            x += _BEFORE_DOOR if abs(x - room.x0) < abs(x - room.x1) else -_BEFORE_DOOR
        else:
            y += _BEFORE_DOOR if abs(y - room.y0) < abs(y - room.y1) else -_BEFORE_DOOR
        column = min(max(round((x - self._x0) / CELL), 0), self._columns - 1)
        row = min(max(round((y - self._y0) / CELL), 0), self._rows - 1)
        return (row + 1) * (self._columns + 2) + column + 1


def _connected(free: np.ndarray, start: int) -> set[int]:
    """The free cells, numbered row by row, that are connected to one by their sides; none if that one is not free."""
    width, open_ = free.shape[1], set(np.flatnonzero(free).tolist())
    reached, edge = set(), [start] if start in open_ else []
    open_.discard(start)
    while edge:
        cell = edge.pop()
        reached.add(cell)
        for other in (cell - 1, cell + 1, cell - width, cell + width):
            if other in open_:
                open_.remove(other)
                edge.append(other)
    return reached


def _all_parts(free: np.ndarray) -> list[set[int]]:
    parts, left = [], np.flatnonzero(free).tolist()
    while left:
        parts.append(_connected(free, left[0]))
        left = [cell for cell in left if cell not in parts[-1]]
    return parts
