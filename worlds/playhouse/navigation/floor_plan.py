"""Ways through a house: a grid of floor cells, A* over it, and straightened routes.

Cells are ``CELL`` metres wide. A cell that an avatar's centre cannot be in costs infinity; elsewhere a metre of
walking costs at least one metre, and more where loose things or the other player would be bumped into.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numba import njit

from worlds.playhouse.house.record import AVATAR_RADIUS, WALL_THICKNESS, House
from worlds.playhouse.navigation.doors import Doors, doors_of
from worlds.playhouse.world import Playhouse

CELL = 0.1
CLEARANCE = AVATAR_RADIUS + 0.02  # metres always kept from walls and furniture
COMFORT, NARROW_COST = 2 * AVATAR_RADIUS, 2.0  # nearer than this to them, a metre costs this many
BUMP_COST = 8.0  # a metre through a loose thing is worth a detour of this many
LEAF_COST = 40.0  # likewise through a wide open door leaf, which may not give way; others are pushed open
Point = Sequence[float] | np.ndarray  # x, y and perhaps more, metres
ARM_LENGTH = 0.9  # metres from a tower at which its builder stands
HALF_WAY = 0.45  # metres from a tower to which the way to it must be free: from there it is within arm's length
LOW = 0.5  # metres; things whose underside is higher are not in a walker's way
_SQRT2 = math.sqrt(2.0)
NO_DISCS = np.empty((0, 3))  # float64 [N, 3]: x, y, radius (m) of things that are better not walked through


class FloorPlan:
    """Walkable floor of one house. Loose things are given with each question, as they move.

    Args:
      comfort: metres from walls and furniture below which a metre of walking costs more; those who carry something keep
        farther away, so as to turn before doorways and not in them.
      doors: its leaves, wherever they are at each question; None: nothing hangs in its doorways. Leaves are pushed
        open, those that stand open to a side rather walked around.
    """

    def __init__(self, house: House, comfort: float = COMFORT, doors: Doors | None = None) -> None:
        self._house, self._doors = house, doors
        edges = np.array([(r.x0, r.y0, r.x1, r.y1) for r in house.rooms])
        self._origin = edges[:, :2].min(axis=0)
        columns, rows = np.ceil((edges[:, 2:].max(axis=0) - self._origin) / CELL).astype(int)
        x = self._origin[0] + (np.arange(columns) + 0.5) * CELL
        y = self._origin[1] + (np.arange(rows) + 0.5) * CELL
        self._x, self._y = x, y
        grid = x[None, :], y[:, None]
        price = np.where(_standable(house, *grid, comfort), 1.0, NARROW_COST)
        self._cost = np.where(_standable(house, *grid, CLEARANCE), price, np.inf)  # float64 [rows, columns]

    def route(self, start: Point, goal: Point, within: float, discs: np.ndarray = NO_DISCS) -> np.ndarray | None:
        """Return the way from ``start`` to the first place no farther than ``within`` from ``goal``.

        Args:
          start: x, y.
          goal: x, y; it need not be a place to stand.
          within: metres; at least one place to stand must be that near, and in the goal's own room.
          discs: float64 [N, 3], see NO_DISCS.

        Returns:
          float64 [K, 2], corners of the way after ``start``; the last is the place to stand, which is ``start``'s own
          cell when that is near enough. None if there is no such way.
        """
        cost = self.costs(discs)
        first = self.nearest_free(float(start[0]), float(start[1]))
        room = self._house.room_at(float(goal[0]), float(goal[1]))
        if room is None:
            return None
        target, low, high = (self._to_cells(p) for p in (goal[:2], (room.x0, room.y0), (room.x1, room.y1)))
        cells = _a_star(cost, first, target, within / CELL, low, high)
        if len(cells) == 0:
            return None
        corners = _straighten(cost, cells)
        return np.stack([self._x[corners[:, 1]], self._y[corners[:, 0]]], axis=1)

    def roomy(self, x: float, y: float) -> bool:
        """Return True if an avatar can turn at (x, y) with something in its hands, were there no loose things."""
        cell = self.cell_at(x, y)
        return cell is not None and bool(self._cost[cell] == 1.0)

    def straight(self, start: Point, end: Point, discs: np.ndarray = NO_DISCS) -> bool:
        """Return True if an avatar can walk in a straight line from ``start`` to ``end`` without touching anything."""
        (r0, c0), (r1, c1) = self._to_cells(start), self._to_cells(end)
        rows, columns = self._cost.shape
        if not (-0.5 <= min(r0, r1) <= max(r0, r1) < rows - 0.5 and -0.5 <= min(c0, c1) <= max(c0, c1) < columns - 0.5):
            return False
        line = float(start[0]), float(start[1]), float(end[0]), float(end[1])
        if self._doors is not None and self._doors.touched_on(*line):
            return False
        return bool(np.isfinite(_line_cost(self._cost, r0, c0, r1, c1))) and not _hits(discs, *line)

    @staticmethod
    def is_free_of(discs: np.ndarray, start: Point, end: Point) -> bool:
        """Return True if an avatar on the straight line from ``start`` to ``end`` touches none of some discs [N, 3]."""
        return not _hits(discs, float(start[0]), float(start[1]), float(end[0]), float(end[1]))

    def free_spots(self) -> np.ndarray:
        """Centres of all cells an avatar can stand in: float64 [cells, 2]."""
        rows, columns = np.nonzero(np.isfinite(self._cost))
        return np.stack([self._x[columns], self._y[rows]], axis=1)

    def costs(self, discs: np.ndarray = NO_DISCS) -> np.ndarray:
        """Return the cost of each cell, float64 [rows, columns]: infinite where nobody can stand; see :meth:`route`."""
        cost = self._cost.copy()
        _add_discs(cost, discs, self._origin[0], self._origin[1])
        if self._doors is not None:
            self._doors.add_costs(cost, self._x, self._y, LEAF_COST)
        return cost

    @classmethod
    def of(cls, world: Playhouse) -> FloorPlan:
        """The floor of the house that is being played in."""
        return cls(world.house, doors=doors_of(world))

    def _to_cells(self, point: Point) -> tuple[float, float]:
        """(row, column) of a point, whole numbers at the middles of cells."""
        return float(point[1] - self._origin[1]) / CELL - 0.5, float(point[0] - self._origin[0]) / CELL - 0.5

    def middle_of(self, cell: tuple[int, int]) -> tuple[float, float]:
        """Return x, y of the middle of a cell (row, column)."""
        return float(self._x[cell[1]]), float(self._y[cell[0]])

    def nearest_free(self, x: float, y: float) -> tuple[int, int]:
        """Return (row, column) of the free cell nearest to a point; its own cell if that is free."""
        cell = self.cell_at(x, y)
        if cell is not None and np.isfinite(self._cost[cell]):
            return cell
        distance = (self._x[None, :] - x) ** 2 + (self._y[:, None] - y) ** 2
        row, column = np.unravel_index(np.argmin(np.where(np.isfinite(self._cost), distance, np.inf)), distance.shape)
        return int(row), int(column)

    def cell_at(self, x: float, y: float) -> tuple[int, int] | None:
        """Return (row, column) of the cell that holds a point; None outside the grid."""
        row, column = math.floor((y - self._origin[1]) / CELL), math.floor((x - self._origin[0]) / CELL)
        rows, columns = self._cost.shape
        return (row, column) if 0 <= row < rows and 0 <= column < columns else None


def discs_in_the_way(
    house: House, other: np.ndarray, positions: Mapping[str, np.ndarray], ignored: Collection[str | None]
) -> np.ndarray:
    """Return what is in a walker's way, the other player and low loose things: float64 [N, 3], see NO_DISCS."""
    things = house.objects_by_id
    low = (i for i, at in positions.items() if i not in ignored and at[2] - things[i].height / 2 < LOW)
    found = [(positions[i][0], positions[i][1], things[i].radius) for i in low]
    return np.array([(other[0], other[1], AVATAR_RADIUS + 0.05), *found])


def place_to_stand(plan: FloorPlan, here: Point, base: Point, others: np.ndarray = NO_DISCS) -> np.ndarray | None:
    """Return a place an arm's length from ``base`` with nothing in between: float64 [2]; None if there is none.

    Of the places around, the one nearest in direction to ``here``, first among those with room to turn.
    """
    middle, fallback = np.array([base[0], base[1]]), None
    first = math.atan2(here[1] - base[1], here[0] - base[0])
    for i in range(24):
        angle = first + math.radians(15.0) * ((i + 1) // 2) * (-1) ** i
        way = np.array([math.cos(angle), math.sin(angle)])
        stand = middle + ARM_LENGTH * way
        if plan.straight(stand, middle + HALF_WAY * way, others):
            if plan.roomy(*stand):
                return stand
            fallback = stand if fallback is None else fallback
    return fallback


def _standable(house: House, x: np.ndarray, y: np.ndarray, clearance: float) -> np.ndarray:
    """Return True where a point is ``clearance`` metres from walls and furniture: bool, broadcast of x and y."""
    margin = WALL_THICKNESS / 2 + clearance
    free = np.zeros(np.broadcast_shapes(x.shape, y.shape), dtype=bool)
    for room in house.rooms:
        free |= (x >= room.x0 + margin) & (x <= room.x1 - margin) & (y >= room.y0 + margin) & (y <= room.y1 - margin)
    for door in house.doorways:
        along, across = (x - door.x, y - door.y) if door.along == "x" else (y - door.y, x - door.x)
        # At least a cell must stay free: a doorway is wide enough for an avatar or there would be none.
        half = max(door.width / 2 - clearance, CELL)
        free |= (np.abs(along) <= half) & (np.abs(across) <= margin + CELL)
    for thing in house.obstacles:
        hx, hy = thing.half
        gap = np.hypot(np.maximum(np.abs(x - thing.x) - hx, 0.0), np.maximum(np.abs(y - thing.y) - hy, 0.0))
        free &= gap >= clearance
    return free


@njit(cache=True)
def _add_discs(cost, discs, x0, y0):
    """Make the cells in which an avatar would touch a disc [N, 3] dearer, in place."""
    rows, columns = cost.shape
    for i in range(len(discs)):
        x, y = (discs[i, 0] - x0) / CELL - 0.5, (discs[i, 1] - y0) / CELL - 0.5
        radius = (discs[i, 2] + AVATAR_RADIUS) / CELL
        for r in range(max(0, int(math.ceil(y - radius))), min(rows - 1, int(y + radius)) + 1):
            for c in range(max(0, int(math.ceil(x - radius))), min(columns - 1, int(x + radius)) + 1):
                if (r - y) ** 2 + (c - x) ** 2 < radius * radius:
                    cost[r, c] *= BUMP_COST


@njit(cache=True)
def _hits(discs, x0, y0, x1, y1):
    """Return True if an avatar on the line from (x0, y0) to (x1, y1) would touch one of the discs [N, 3]."""
    dx, dy = x1 - x0, y1 - y0
    square = dx * dx + dy * dy
    for i in range(len(discs)):
        along = ((discs[i, 0] - x0) * dx + (discs[i, 1] - y0) * dy) / square if square > 0.0 else 0.0
        along = min(max(along, 0.0), 1.0)
        if math.hypot(x0 + along * dx - discs[i, 0], y0 + along * dy - discs[i, 1]) < discs[i, 2] + AVATAR_RADIUS:
            return True
    return False


@njit(cache=True)
def _estimate(row, column, goal, within):
    """A lower bound of the cost, in cells, from a cell to within ``within`` cells of the goal."""
    return max(0.0, math.hypot(goal[0] - row, goal[1] - column) - within)


@njit(cache=True)
def _a_star(cost, start, goal, within, low, high):
    """Cells from ``start`` to the first between ``low`` and ``high`` that is within ``within`` cells of the goal.

    All points are (row, column). Returns int64 [K, 2], empty if there is no way.
    """
    row, column = start
    rows, columns = cost.shape
    spent = np.full(rows * columns, np.inf)
    parent = np.full(rows * columns, -1, dtype=np.int64)
    closed = np.zeros(rows * columns, dtype=np.bool_)
    heap = [(_estimate(row, column, goal, within), row * columns + column)]
    spent[row * columns + column] = 0.0
    while len(heap) > 0:
        _, cell = heapq.heappop(heap)
        if closed[cell]:
            continue
        closed[cell] = True
        r, c = cell // columns, cell % columns
        inside = low[0] <= r <= high[0] and low[1] <= c <= high[1]
        if inside and math.hypot(goal[0] - r, goal[1] - c) <= within:
            return _trace(parent, cell, columns)
        for dr in range(-1, 2):
            for dc in range(-1, 2):
                nr, nc = r + dr, c + dc
                if (dr == 0 and dc == 0) or nr < 0 or nc < 0 or nr >= rows or nc >= columns:
                    continue
                if dr != 0 and dc != 0 and not (np.isfinite(cost[r, nc]) and np.isfinite(cost[nr, c])):
                    continue  # no cutting of corners
                length = _SQRT2 if dr != 0 and dc != 0 else 1.0
                total = spent[cell] + length * 0.5 * (cost[r, c] + cost[nr, nc])
                other = nr * columns + nc
                if total < spent[other]:
                    spent[other] = total
                    parent[other] = cell
                    heapq.heappush(heap, (total + _estimate(nr, nc, goal, within), other))
    return np.empty((0, 2), dtype=np.int64)


@njit(cache=True)
def _trace(parent, cell, columns):
    """The cells from the root of ``parent`` to ``cell``: int64 [K, 2]."""
    length, at = 0, cell
    while at >= 0:
        length += 1
        at = parent[at]
    cells = np.empty((length, 2), dtype=np.int64)
    at = cell
    for i in range(length - 1, -1, -1):
        cells[i, 0], cells[i, 1] = at // columns, at % columns
        at = parent[at]
    return cells


@njit(cache=True)
def _line_cost(cost, r0, c0, r1, c1):
    """Cost in cells of walking straight between two cells."""
    length = math.hypot(r1 - r0, c1 - c0)
    steps = max(1, int(math.ceil(2.0 * length)))
    total = 0.0
    for i in range(steps + 1):
        r = r0 + (r1 - r0) * i / steps
        c = c0 + (c1 - c0) * i / steps
        total += cost[int(r + 0.5), int(c + 0.5)]
    return total / (steps + 1) * length


@njit(cache=True)
def _straighten(cost, cells):
    """The corners left when every stretch that costs no more in a straight line is walked so: int64 [K, 2]."""
    count = len(cells)
    spent = np.zeros(count)
    for i in range(1, count):
        spent[i] = spent[i - 1] + _line_cost(cost, cells[i - 1, 0], cells[i - 1, 1], cells[i, 0], cells[i, 1])
    kept = np.empty(count, dtype=np.int64)
    number, at = 0, 0
    while at < count - 1:
        further = count - 1
        while further > at + 1:
            straight = _line_cost(cost, cells[at, 0], cells[at, 1], cells[further, 0], cells[further, 1])
            if straight <= spent[further] - spent[at] + 1e-9:
                break
            further -= 1
        kept[number] = further
        number += 1
        at = further
    if count == 1:
        return cells
    return cells[kept[:number]]
