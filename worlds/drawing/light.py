"""How light it is on the floor and along the walls of rooms whose walls and furniture do not move.

Light comes from above and through windows. What stands on the floor takes some of it from the floor around it and
under it, walls from the corners; windows give some to the floor before them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from worlds.drawing.finishes import FINISHES
from worlds.drawing.kernels.geometry import BOX, HIDDEN, PLANE
from worlds.drawing.kernels.shadows import FLOOR, OFF_WALL, OTHER, WALL
from worlds.drawing.shapes import Shapes

BITS = 7  # the map has 1 << BITS cells along a side
FLAT, THIN, TALL = 0.05, 0.07, 2.2  # metres: what is lower is floor; what is thinner and reaches higher is wall
HIGHEST = 1.2  # metres; what hangs higher leaves the floor light
MARGIN = 0.7  # metres of the map around the house: the light at its edge goes on beyond
CORNER, CORNER_DIM = 0.55, 0.24  # metres from a wall to where it dims the floor, and by how much at the wall
PIECE_DIM = 0.48  # by how much the floor is dimmed under what stands on it
OPEN = 0.92  # of the floor's light is there without windows
POOL, POOL_LIGHT = 1.9, 0.09  # metres to which a window lightens the floor, and by how much before it
_SKY = FINISHES.index("sky")


class Light(NamedTuple):
    """How light a scene's floors and walls are.

    Args:
      role: int32 [G], FLOOR, WALL or OTHER: how each geom is dimmed.
      things: int32 [things, 3], of what can move: the body, its first geom, and the geom after its last one.
      cells: int64 [4 ** BITS], of a square grid, row by row: floor | wall << 16, and of the neighbour the same << 32; 0
        to 255 each.
      corner: x and y of the grid's lower corner, metres.
      rate: cells a metre.
      top: height of the walls, metres.
    """

    role: NDArray[np.int32]
    things: NDArray[np.int32]
    cells: NDArray[np.int64]
    corner: tuple[float, float]
    rate: float
    top: float

    @property
    def shine_map(self) -> tuple[NDArray[np.int64], int, float, float, float, float]:
        """As :func:`worlds.drawing.kernels.shadows.shine` reads it."""
        return self.cells, BITS, *self.corner, self.rate, self.top


def light_of(shapes: Shapes, positions: NDArray[np.float64], rotations: NDArray[np.float64]) -> Light:
    """Compute the light from what does not move (body 0), and the role of each geom.

    Args:
      positions: float64 [G, 3], metres.
      rotations: float64 [G, 9].
    """
    still = (shapes.body == 0) & (shapes.kind != HIDDEN)
    half = np.where(np.isfinite(shapes.half), shapes.half, 0.0)
    reach = np.abs(rotations.reshape(-1, 3, 3)) @ half[:, :, None]
    low, high = positions - reach[:, :, 0], positions + reach[:, :, 0]
    window = np.zeros(len(still), bool) if shapes.finish is None else shapes.finish == _SKY
    thin = (np.minimum(*(high - low)[:, :2].T) < 2 * THIN) & ((high - low)[:, 2] > 0.2)
    wall = (
        still & ~window & (shapes.kind == BOX) & thin & ((high[:, 2] > TALL) | (low[:, 2] < FLAT) & (high[:, 2] > 0.8))
    )
    wall &= np.maximum(*(high - low)[:, :2].T) > 0.5
    floor = still & (high[:, 2] < FLAT) & ((shapes.kind != PLANE) | (rotations[:, 8] > 0))
    role = np.where(floor, FLOOR, np.where(wall, WALL, OTHER)).astype(np.int32)
    ground = still & (wall | (floor & (shapes.kind == PLANE) & (half[:, 0] > 0)))
    if not ground.any():
        ground = still
    if not ground.any():
        return Light(role, _things(shapes), _packed(np.ones((2, 1 << BITS, 1 << BITS))), (0.0, 0.0), 1.0, TALL)
    corner, far = low[ground].min(axis=0) - MARGIN, high[ground].max(axis=0) + MARGIN
    rate = (1 << BITS) / max(far[0] - corner[0], far[1] - corner[1])
    grid = _Grid(corner[:2], rate)
    for geom in np.flatnonzero(wall & (low[:, 2] < HIGHEST)):
        grid.dim(1, low[geom], high[geom], CORNER, CORNER_DIM)
    against = 1 - CORNER_DIM * (1 - OFF_WALL / CORNER) ** 2  # where the map is read for a wall
    grid.light[0] = OPEN * grid.light[1]
    grid.light[1] = np.minimum(1.0, grid.light[1] / against)
    open_floor = grid.light[0].copy()
    grid.light[0] = 1.0
    for geom in np.flatnonzero(still & ~wall & ~floor & ~window & (low[:, 2] < HIGHEST)):
        bottom = low[geom, 2]
        grid.dim(0, low[geom], high[geom], 0.16 + 0.35 * bottom, PIECE_DIM / (1 + 0.9 * bottom))
    grid.light[0] *= open_floor
    for geom in np.flatnonzero(window & still):
        grid.add(0, low[geom], high[geom], POOL, POOL_LIGHT)
    return Light(
        role,
        _things(shapes),
        _packed(grid.light),
        (float(corner[0]), float(corner[1])),
        float(rate),
        float(high[ground, 2].max()),
    )


def _things(shapes: Shapes) -> NDArray[np.int32]:
    """The geoms of each body but the world, those of a body one after the other: int32 [things, 3]."""
    shown = np.flatnonzero((shapes.body > 0) & (shapes.kind != HIDDEN))
    begins = np.diff(shapes.body[shown], prepend=-1) != 0
    ends = np.diff(shapes.body[shown], append=-1) != 0
    first, last = shown[begins], shown[ends]
    return np.stack([shapes.body[first], first, last + 1], axis=1).astype(np.int32).reshape(-1, 3)


class _Grid:
    """The map while it is made: light float64 [2, cells, cells]."""

    def __init__(self, corner: NDArray[np.float64], rate: float) -> None:
        self.light = np.ones((2, 1 << BITS, 1 << BITS))
        self._middles = [corner[axis] + (np.arange(1 << BITS) + 0.5) / rate for axis in (0, 1)]

    def dim(self, part: int, low: NDArray[np.float64], high: NDArray[np.float64], soft: float, most: float) -> None:
        """Dim what is nearer than ``soft`` metres to a rectangle, in it by ``most``; of several the most counts."""
        place, near = self._near(low, high, soft)
        cells = self.light[part]
        cells[place] = np.minimum(cells[place], 1 - most * near * near)

    def add(self, part: int, low: NDArray[np.float64], high: NDArray[np.float64], soft: float, most: float) -> None:
        """Lighten what is nearer than ``soft`` metres to a rectangle."""
        place, near = self._near(low, high, soft)
        cells = self.light[part]
        cells[place] = np.minimum(1.0, cells[place] * (1 + most * near * (2 - near)))

    def _near(
        self, low: NDArray[np.float64], high: NDArray[np.float64], soft: float
    ) -> tuple[tuple[slice, slice], NDArray[np.float64]]:
        """The cells around a rectangle, and how near they are to it: 1 in it, 0 from ``soft`` metres on."""
        away, spans = [], []
        for axis, middles in enumerate(self._middles):
            begin, end = np.searchsorted(middles, (low[axis] - soft, high[axis] + soft))
            spans.append(slice(int(begin), int(end)))
            part = middles[begin:end]
            away.append(np.maximum(np.maximum(low[axis] - part, part - high[axis]), 0.0))
        distance = np.sqrt(away[1][:, None] ** 2 + away[0][None, :] ** 2)
        return (spans[1], spans[0]), np.maximum(0.0, 1 - distance / soft)


def _packed(light: NDArray[np.float64]) -> NDArray[np.int64]:
    levels = np.floor(np.clip(light, 0.0, 1.0) * 255 + 0.5).astype(np.int64)
    one = levels[0] | levels[1] << 16
    return (one | np.roll(one, -1, axis=1) << 32).ravel()
