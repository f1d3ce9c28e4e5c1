"""Free places on and in things."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from worlds.household.state.tables import kernel
from worlds.household.state.vocabulary import Held, Property

STEP_M = 0.05  # between two places that are tried
GAP_M = 0.005  # between two things side by side
EDGE_M = 0.01  # between a thing and the edge of its support, or the wall of its container
SHELF_M = 0.34  # height of a shelf
SEAT_M = 0.45  # height of a seat that has a back
BACK_SHARE = 0.3  # of the depth of a seat is its back


@dataclass(frozen=True)
class Box:
    """A box along the axes."""

    centre: tuple[float, float, float]
    size: tuple[float, float, float]

    def low(self, axis: int) -> float:
        """Return the lower end along an axis."""
        return self.centre[axis] - self.size[axis] / 2

    def high(self, axis: int) -> float:
        """Return the upper end along an axis."""
        return self.centre[axis] + self.size[axis] / 2

    def overlaps(self, other: Box, slack: float = 1e-4) -> bool:
        """Return True if two boxes share more than ``slack`` metres along every axis."""
        return all(
            min(self.high(axis), other.high(axis)) - max(self.low(axis), other.low(axis)) > slack for axis in range(3)
        )


@dataclass(frozen=True)
class Level:
    """A level surface on which things can stand."""

    west: float
    south: float
    east: float
    north: float
    z: float
    clearance: float


def levels(box: Box, yaw: float, properties: Property, held: Held) -> list[Level]:
    """Return the levels on a support (ON) or in a container (INSIDE), in the order in which they are filled."""
    west, south, east, north = (
        box.low(0) + EDGE_M, box.low(1) + EDGE_M, box.high(0) - EDGE_M, box.high(1) - EDGE_M,
    )  # fmt: skip
    if held == Held.INSIDE:
        count = max(1, math.floor(box.size[2] / SHELF_M))
        height = (box.size[2] - EDGE_M) / count
        heights = [box.low(2) + EDGE_M + height * number for number in range(count)]
        clearance = height - EDGE_M if count > 1 or Property.CAN_OPEN in properties else math.inf  # a bowl is open
        return [Level(west, south, east, north, z, clearance) for z in reversed(heights)]
    if properties & Property.SITTABLE and box.size[2] > SEAT_M + 0.1:
        x, y = math.cos(yaw), math.sin(yaw)
        west += BACK_SHARE * box.size[0] * max(0.0, round(x))
        east -= BACK_SHARE * box.size[0] * max(0.0, round(-x))
        south += BACK_SHARE * box.size[1] * max(0.0, round(y))
        north -= BACK_SHARE * box.size[1] * max(0.0, round(-y))
        return [Level(west, south, east, north, box.low(2) + SEAT_M, math.inf)]
    return [Level(west, south, east, north, box.high(2), math.inf)]


def place_on(
    box: Box,
    yaw: float,
    properties: Property,
    held: Held,
    size: tuple[float, ...],
    others: Sequence[Box],
    near: tuple[float, float] | None = None,
) -> Box | None:
    """Return a free box for a thing on or in another one, near a point or the middle; None if it does not fit."""
    width, depth, height = size
    for level in levels(box, yaw, properties, held):
        if height > level.clearance or width > level.east - level.west or depth > level.north - level.south:
            continue
        top = level.z + min(level.clearance, 10.0)
        taken = np.array(
            [
                (each.centre[0], each.centre[1], each.size[0], each.size[1])
                for each in others
                if each.low(2) < top - 1e-4 and each.high(2) > level.z + 1e-4
            ],
            dtype=np.float64,
        ).reshape(-1, 4)
        x, y = near or ((level.west + level.east) / 2, (level.south + level.north) / 2)
        room = np.array([level.west, level.south, level.east, level.north])
        found, x, y = _nearest_free(room, width, depth, taken, x, y)
        if found:
            return Box((x, y, level.z + height / 2), (width, depth, height))
    return None


@kernel
def _nearest_free(room, width, depth, taken, x, y):
    """Find the free place of a rectangle that is nearest to a point, on a lattice: True, x and y, or False and zeros.

    Args:
      room: float64 [4], west, south, east and north end of the level, metres.
      taken: float64 [others, 4], x, y, width and depth of other rectangles.
    """
    west, south = room[0] + width / 2, room[1] + depth / 2
    columns = int((room[2] - room[0] - width) / STEP_M + 1e-6) + 1
    rows = int((room[3] - room[1] - depth) / STEP_M + 1e-6) + 1
    # The lattice lies in the middle of the level.
    west += (room[2] - room[0] - width - (columns - 1) * STEP_M) / 2
    south += (room[3] - room[1] - depth - (rows - 1) * STEP_M) / 2
    best, best_x, best_y = np.inf, 0.0, 0.0
    for row in range(rows):
        there_y = south + row * STEP_M
        for column in range(columns):
            there_x = west + column * STEP_M
            far = (there_x - x) ** 2 + (there_y - y) ** 2
            if far >= best - 1e-9:
                continue
            free = True
            for other in range(len(taken)):
                if (
                    abs(there_x - taken[other, 0]) < (width + taken[other, 2]) / 2 + GAP_M
                    and abs(there_y - taken[other, 1]) < (depth + taken[other, 3]) / 2 + GAP_M
                ):
                    free = False
                    break
            if free:
                best, best_x, best_y = far, there_x, there_y
    return best < np.inf, best_x, best_y
