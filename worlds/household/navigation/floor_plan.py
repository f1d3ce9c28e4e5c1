"""The floor of a home in cells of a quarter of a metre, and distances to all that never moves.

The centre of a person keeps away from walls and furniture; open doorways are free. A person who has reached a thing
stands within ``ARRIVED_M`` of its box in the same room, or within ``BESIDE_M`` of the centre of what lies on furniture;
who has reached a room stands in it.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np

from worlds.household.navigation import kernels
from worlds.household.state.home import NO_ROW, Home, State
from worlds.household.state.vocabulary import Held, Property

CELL_M = 0.25
BODY_M = 0.2  # radius of a person
ARRIVED_M = 0.6  # from a thing's box at which a person has arrived; farther where furniture is in between
BESIDE_M = 1.0  # from the centre of a thing on furniture at which a person has arrived; farther likewise
BLOCKS_M = (0.05, 1.0)  # a box blocks the way if its upper edge is above the first and its lower below the second
FLOOR_M = 0.1  # what is lower stands on the floor, or on a rug
DOORWAY_M = 0.55  # to both sides of a door's plane the floor is free


class FloorPlan:
    """Floor of one home; things that move are not in it.

    It does not keep the home, which nobody else may need while homes with the same floor are played in.
    """

    def __init__(self, home: Home, state: State, fixed: np.ndarray) -> None:
        self.fixed, self._between, self._room_rows = fixed, home.between, home.rooms
        self._low = state.centre - home.size / 2
        self._high = state.centre + home.size / 2
        self._centre, self._held, self._room_of = state.centre.copy(), state.held.copy(), state.room.copy()
        rooms = self._room_rows
        self.origin = self._low[rooms, :2].min(axis=0).astype(np.float64)
        width, depth = self._high[rooms, :2].max(axis=0) - self.origin
        self.columns, self.rows = (
            max(1, int(np.ceil(width / CELL_M - 1e-4))),
            max(1, int(np.ceil(depth / CELL_M - 1e-4))),
        )
        self.grid = (float(self.origin[0]), float(self.origin[1]), self.rows, self.columns, CELL_M)
        self.x = self.origin[0] + (np.arange(self.columns) + 0.5) * CELL_M
        self.y = self.origin[1] + (np.arange(self.rows) + 0.5) * CELL_M
        self.room = self._rooms()  # int16 [rows, columns], row of the room; NO_ROW outside
        self.hollow = self._hollow(home)  # rows of furniture in whose box other furniture stands: an L of counters
        self.free = self._connected(self._standable(home))  # bool [rows, columns]
        self._join_pockets()
        self.nearest = kernels.nearest_free(self.free, self.room)  # int32 [cells], the cell itself if it is free

    @cached_property
    def distance(self) -> np.ndarray:
        """Distance of every cell from every fixed thing: float32 [fixed, cells], metres; infinite without a way."""
        goals = np.stack([self._arrived(row) for row in self.fixed])
        return kernels.distance_fields(self.free, goals) * np.float32(CELL_M)

    def distance_from(self, cell: int) -> np.ndarray:
        """Return the distance of every cell from one: float32 [cells], metres."""
        found = self._from_cell.get(cell)
        if found is None:
            goal = np.zeros((1, self.rows, self.columns), np.bool_)
            goal.flat[cell] = True
            found = self._from_cell[cell] = kernels.distance_fields(self.free, goal)[0] * np.float32(CELL_M)
        return found

    def distance_beside(self, x: float, y: float, room: int) -> np.ndarray:
        """Return the distance of every cell from the floor of a room beside a point: float32 [cells], metres."""
        west, south = self.grid[:2]
        column, line = int((x - west) / CELL_M), int((y - south) / CELL_M)
        found = self._beside.get((column, line, room))
        if found is None:
            gap = np.hypot((np.arange(self.rows) - line)[:, None], (np.arange(self.columns) - column)[None, :]) * CELL_M
            gap = np.where(self.free & (self.room == room), gap, np.inf)
            goal = (gap <= max(BESIDE_M, float(gap.min()) + CELL_M / 2)) & np.isfinite(gap)
            found = kernels.distance_fields(self.free, goal[None])[0] * np.float32(CELL_M)
            self._beside[column, line, room] = found
        return found

    @cached_property
    def _beside(self) -> dict[tuple[int, int, int], np.ndarray]:
        return {}

    @cached_property
    def _from_cell(self) -> dict[int, np.ndarray]:
        return {}

    def cell(self, x: float, y: float) -> int:
        """Return the free cell of a point, or the one nearest to it in the same room."""
        return kernels.cell_at(self.grid, self.nearest, float(x), float(y))

    def centre(self, cell: int) -> tuple[float, float]:
        """Return x and y of the centre of a cell."""
        return float(self.x[cell % self.columns]), float(self.y[cell // self.columns])

    def floor(self, x: float, y: float) -> tuple[float, float]:
        """Return the point itself if a person can stand there, else the centre of the nearest free cell."""
        column, row = kernels.on_floor(self.grid, self.nearest, float(x), float(y))
        there = float(self.origin[0] + column * CELL_M), float(self.origin[1] + row * CELL_M)
        return (float(x), float(y)) if math.dist(there, (x, y)) < 1e-6 else there

    def room_at(self, x: float, y: float) -> int:
        """Return the row of the room in which a person stands at a point."""
        return int(self.room.ravel()[self.cell(x, y)])

    def standing_places(self, room: int) -> np.ndarray:
        """Return the centres of the free cells of a room: float64 [cells, 2]."""
        rows, columns = np.nonzero(self.free & (self.room == room))
        return np.stack([self.x[columns], self.y[rows]], axis=1)

    def _rooms(self) -> np.ndarray:
        found = np.full((self.rows, self.columns), NO_ROW, np.int16)
        inside = np.stack([self._within(row, 1e-6) for row in self._room_rows])
        for row, here in zip(self._room_rows, inside, strict=True):
            found[here & (found == NO_ROW)] = row
        several = inside.sum(axis=0) > 1
        if several.any():  # the boxes of rooms overlap: what is beside a room's furniture is in that room
            gap = np.stack([self._from_furniture(row) for row in self._room_rows])
            nearest = self._room_rows[np.where(inside, gap, np.inf).argmin(axis=0)]
            found[several] = nearest[several]
        return found

    def _from_furniture(self, room: int) -> np.ndarray:
        """Return the distance of every cell from the nearest furniture of a room: float64 [rows, columns], metres."""
        there = [row for row in self.fixed if self._room_of[row] == room and self._held[row] == Held.ROOM]
        there = [row for row in there if (self._between[row] == NO_ROW).all()] or [room]
        return np.min([self._gap(row) for row in there], axis=0)

    def _gap(self, row: int) -> np.ndarray:
        """Return the distance of every cell from the box of a thing, seen from above: float64 [rows, columns]."""
        low, high = self._low[row], self._high[row]
        gap_x = np.maximum(np.maximum(low[0] - self.x, self.x - high[0]), 0.0)
        gap_y = np.maximum(np.maximum(low[1] - self.y, self.y - high[1]), 0.0)
        return np.hypot(gap_y[:, None], gap_x[None, :])

    def _join_pockets(self) -> None:
        """Count floor of a room that is reached through another room alone as that room's."""
        for room in self._room_rows:
            label, sizes = kernels.components(self.free & (self.room == room))
            for part in np.flatnonzero(np.arange(len(sizes)) != np.argmax(sizes)) if len(sizes) else ():
                pocket = label == part
                beside = np.zeros_like(pocket)
                beside[1:] |= pocket[:-1]
                beside[:-1] |= pocket[1:]
                beside[:, 1:] |= pocket[:, :-1]
                beside[:, :-1] |= pocket[:, 1:]
                others = self.room[beside & self.free & ~pocket]
                if len(others):
                    self.room[pocket] = np.bincount(others).argmax()

    def _within(self, row: int, margin: float) -> np.ndarray:
        """Return True for cells whose centre is in the box of a thing, seen from above, or ``margin`` around it."""
        low, high = self._low[row], self._high[row]
        along_x = (self.x > low[0] - margin) & (self.x < high[0] + margin)
        along_y = (self.y > low[1] - margin) & (self.y < high[1] + margin)
        return along_y[:, None] & along_x[None, :]

    def _standable(self, home: Home) -> np.ndarray:
        free = np.zeros((self.rows, self.columns), np.bool_)
        for row in home.rooms:
            free |= self._within(row, -BODY_M)
        for row in self._standing(home):
            if row not in self.hollow:
                free &= ~self._within(row, BODY_M)
        for row in home.doors:
            free |= self._doorway(home, row)
        return free

    def _standing(self, home: Home) -> list[int]:
        """Return the rows of what stands in the way: on the floor of its room, or on a rug."""
        found = []
        for row in self.fixed:
            top, bottom = self._high[row, 2], self._low[row, 2]
            stands = self._held[row] == Held.ROOM or bottom < FLOOR_M
            stands &= home.classes[int(home.kind[row])].category not in ("Rooms", "Doors")
            if stands and top > BLOCKS_M[0] and bottom < BLOCKS_M[1]:
                found.append(int(row))
        return found

    def _hollow(self, home: Home) -> frozenset[int]:
        """Return the rows of what stands in the way by its box alone, as other furniture stands in that box."""
        standing = self._standing(home)
        on_floor = [row for row in standing if self._low[row, 2] < FLOOR_M and self._held[row] != Held.INSIDE]
        area = home.size[:, 0] * home.size[:, 1]
        found = set()
        for row in standing:
            for other in on_floor:
                within = (np.abs(self._centre[other] - self._centre[row]) < home.size[row] / 2)[:2].all()
                if within and area[other] < area[row]:
                    found.add(row)
        return frozenset(found)

    def _doorway(self, home: Home, row: int) -> np.ndarray:
        """Return True for the cells of a doorway; those between two rooms become part of the nearer one."""
        size, centre = home.size[row], self._centre[row]
        across = 0 if size[0] <= size[1] else 1
        offset = (self.x - centre[0], self.y - centre[1])
        half = max(float(size[1 - across]) / 2 - BODY_M, CELL_M / 2 + 1e-6)
        near = [np.abs(offset[axis]) < (DOORWAY_M if axis == across else half) for axis in (0, 1)]
        cells = near[1][:, None] & near[0][None, :]
        joined = [room for room in self._between[row] if room != NO_ROW]
        for at_row, at_column in np.argwhere(cells & (self.room == NO_ROW)):
            point = np.array([self.x[at_column], self.y[at_row]])
            if len(joined) == 2:
                self.room[at_row, at_column] = min(joined, key=lambda room: self._from_box(room, point))
        return cells & np.isin(self.room, joined)

    def _from_box(self, row: int, point: np.ndarray) -> float:
        gap = np.maximum(np.maximum(self._low[row, :2] - point, point - self._high[row, :2]), 0.0)
        return float(np.hypot(gap[0], gap[1]))

    def _connected(self, free: np.ndarray) -> np.ndarray:
        """Return the largest connected part of the floor, and of rooms that are not in it their largest part."""
        label, sizes = kernels.components(free)
        if len(sizes) == 0:
            return free
        keep = label == np.argmax(sizes)
        for room in self._room_rows:
            here = self.room == room
            if not (keep & here).any() and (free & here).any():
                counts = np.bincount(label[free & here])
                keep |= here & (label == np.argmax(counts))
        return keep & free

    def _arrived(self, row: int) -> np.ndarray:
        """Return True for the cells in which a person has arrived at a thing or in a room: bool [rows, columns]."""
        if row in self._room_rows:
            return self.free & (self.room == row)
        rooms = [room for room in self._between[row] if room != NO_ROW] or [int(self._room_of[row])]
        here = self.free & np.isin(self.room, rooms)
        gap = np.where(here, self._gap(row), np.inf)
        return here & (gap <= max(ARRIVED_M, float(gap.min()) + CELL_M / 2))


def never_moves(home: Home, state: State) -> np.ndarray:
    """Return the rows of rooms, doors and furniture, and of what stands on furniture for good: int64 [fixed]."""
    moves = home.properties & (Property.GRABBABLE | Property.PERSON) != 0
    moves[list(home.persons)] = True
    before = -1
    while before != (before := int(moves.sum())):
        moves |= moves[state.parent] & (state.parent != NO_ROW)
    return np.flatnonzero(~moves)


_OF_HOME: WeakKeyDictionary[Home, tuple[FloorPlan, np.ndarray]] = WeakKeyDictionary()
_OF_LAYOUT: OrderedDict[bytes, FloorPlan] = OrderedDict()
MOST_PLANS = 32  # that are kept


def plan_and_targets(home: Home, state: State) -> tuple[FloorPlan, np.ndarray]:
    """Return the floor plan of a home, and the number of each row in its ``fixed``: int32 [N], -1 for other rows.

    Both are computed once a home; homes of the same rooms and furniture have one floor plan.
    """
    found = _OF_HOME.get(home)
    if found is None:
        fixed = never_moves(home, state)
        target = np.full(len(home), -1, np.int32)
        target[fixed] = np.arange(len(fixed))
        found = _OF_HOME[home] = _plan(home, state, fixed), target
    return found


def floor_plan(home: Home, state: State) -> FloorPlan:
    """Return the floor plan of a home."""
    return plan_and_targets(home, state)[0]


def _plan(home: Home, state: State, fixed: np.ndarray) -> FloorPlan:
    parts = (home.ids[fixed], home.kind[fixed], home.size[fixed], state.centre[fixed], state.held[fixed], home.rooms)
    key = b"".join(part.tobytes() for part in (*parts, home.between[fixed], state.room[fixed]))
    found = _OF_LAYOUT.pop(key, None) or FloorPlan(home, state, fixed)
    _OF_LAYOUT[key] = found
    if len(_OF_LAYOUT) > MOST_PLANS:
        _OF_LAYOUT.popitem(last=False)
    return found
