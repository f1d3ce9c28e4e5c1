"""Ways of the persons of a home."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from worlds.household.navigation import kernels
from worlds.household.navigation.floor_plan import ARRIVED_M, plan_and_targets
from worlds.household.state.home import Home, State

Point = Sequence[float] | np.ndarray  # x, y and perhaps more, metres


class Ways:
    """Shortest ways in a home to things wherever they are in a state. Making one costs next to nothing.

    A thing that is carried, or that lies on or in another, is where its carrier or outermost support is. Steps towards
    a thing that lies on furniture lead to the side on which it lies.
    """

    def __init__(self, home: Home, state: State) -> None:
        self._home, self._state = home, state
        self.plan, self._target = plan_and_targets(home, state)

    def distance(self, xy: Point, row: int) -> float:
        """Return the length of the shortest way from a point to a thing: 0 after arrival, infinite without a way."""
        field, arrived = self._field(row)
        return max(0.0, float(field[self.plan.cell(xy[0], xy[1])]) - arrived)

    def distances(self, xy: Point) -> np.ndarray:
        """Return the lengths of the shortest ways to all things: float32 [N], metres, infinity without a way."""
        plan, state = self.plan, self._state
        cell = plan.cell(xy[0], xy[1])
        found = np.empty(len(self._target), np.float32)
        kernels.all_distances(
            state.parent, state.held, self._target, state.centre, plan.distance, plan.distance_from(cell), plan.grid,
            plan.nearest, cell, ARRIVED_M, found,
        )  # fmt: skip
        return found

    def advance(self, xy: Point, row: int, metres: float) -> tuple[tuple[float, float], float]:
        """Walk along the shortest way towards a thing, until it is reached.

        Returns where the walk ends, and where the person then looks: along the last stretch, or at the thing after
        arrival.
        """
        plan, state = self.plan, self._state
        anchor, is_open = kernels.anchor_of_open(state.parent, state.held, self._target, row)
        if is_open:
            x, y, _ = state.centre[row].tolist()
            field, arrived = plan.distance_beside(x, y, int(state.room[row])), 0.0
        else:
            field, arrived = self._field(anchor)
        x, y, facing, there = kernels.walk(
            plan.free, field, plan.grid, plan.nearest, float(xy[0]), float(xy[1]), float(metres), arrived
        )
        if there or math.isnan(facing):
            to_x, to_y, _ = state.centre[row].tolist()
            facing = math.atan2(to_y - y, to_x - x)
        return (x, y), facing

    def forward(self, xy: Point, facing: float, metres: float) -> tuple[float, float]:
        """Return where a straight walk ends: at the latest before furniture or a wall."""
        plan = self.plan
        return kernels.forward(
            plan.free, plan.grid, plan.nearest, float(xy[0]), float(xy[1]), float(facing), float(metres)
        )

    def floor(self, xy: Point) -> tuple[float, float]:
        """Return the point itself if a person can stand there, else the nearest one in the same room."""
        return self.plan.floor(xy[0], xy[1])

    def room_at(self, xy: Point) -> int:
        """Return the row of the room in which a person stands at a point."""
        return self.plan.room_at(xy[0], xy[1])

    def anchor(self, row: int) -> int:
        """Return the row to which a person walks to reach a thing: the furniture or person that holds it."""
        return kernels.anchor(self._state.parent, self._state.held, self._target, row)

    def _field(self, row: int) -> tuple[np.ndarray, float]:
        """Return the distances of all cells from a thing's anchor, and at which of them a person has arrived."""
        row = self.anchor(row)
        target = self._target[row]
        if target >= 0:
            return self.plan.distance[target], 0.0
        x, y, _ = self._state.centre[row].tolist()
        return self.plan.distance_from(self.plan.cell(x, y)), ARRIVED_M
