"""Frames of one size, in which scenes of simple shapes are drawn: on the CPU, without OpenGL."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from worlds.contract import WorldError
from worlds.drawing import rasteriser
from worlds.drawing.kernels.pixels import DEPTH_UNIT, INK_BITS, SKY_LEVELS
from worlds.drawing.kernels.surfaces import FRAME
from worlds.drawing.light import Light
from worlds.drawing.pattern_table import pattern_table
from worlds.drawing.shapes import Shapes

MOST_GEOMS = (1 << 16) - SKY_LEVELS
_NO_LIGHT = False, np.zeros(1, np.int32), np.zeros((0, 3), np.int32), (np.zeros(1, np.int64), 0, 0.0, 0.0, 1.0, 0.0)
# Background: RGB from straight down (0) over the horizon (0.5) to straight up (1).
SKY = {0.0: (96, 92, 88), 0.499: (124, 118, 110), 0.501: (232, 240, 255), 0.7: (170, 205, 255), 1.0: (130, 180, 250)}


class Canvas:
    """Draws scenes of at most so many geoms, as seen from any eye. Threads must not share one.

    Args:
      fov_y_deg: vertical field of view in degrees; pixels are square.

    Raises:
      WorldError: a size or angle that gives no picture, or too many geoms.
    """

    def __init__(self, height: int, width: int, fov_y_deg: float, geoms: int) -> None:
        if min(height, width) < 1:
            raise WorldError(f"camera: height and width are {height} x {width} pixels; give at least 1 x 1")
        if not 0.0 < fov_y_deg < 180.0:
            raise WorldError(f"camera: fov_y_deg is {fov_y_deg}; give an angle between 0 and 180 degrees")
        self.height, self.width = height, width
        self._pixel = 2.0 * math.tan(math.radians(fov_y_deg) / 2.0) / height
        self._pixels, self._before = np.zeros((2, height, width), dtype=np.int64)
        self._geoms = 0  # of the last drawing
        self._scratch: tuple[np.ndarray, ...] | None = None  # of finishes and light
        self.allow(geoms)

    def allow(self, geoms: int) -> None:
        """Make place for scenes of so many geoms. Raises WorldError if they are too many."""
        if geoms > MOST_GEOMS:
            raise WorldError(f"camera: the scene has {geoms} geoms; at most {MOST_GEOMS} can be drawn")
        self._order = np.empty(geoms, dtype=np.int32)
        self._nearest = np.empty(geoms, dtype=np.float64)

    def draw(
        self,
        shapes: Shapes,
        positions: NDArray[np.float64],
        rotations: NDArray[np.float64],
        palette: NDArray[np.int32],
        eye: NDArray[np.float64],
        yaw: float,
        pitch: float,
        hide_body: int = -1,
        out: NDArray[np.uint8] | None = None,
        light: Light | None = None,
        see_through: int = -1,
    ) -> NDArray[np.uint8]:
        """Draw what is seen from ``eye``.

        Args:
          positions: float64 [G, 3], of each geom's centre, metres.
          rotations: float64 [G, 9], matrices of each geom's orientation, row by row.
          palette: of :func:`palette_of`, for the scene's geoms.
          eye: [3], metres.
          yaw: radians, 0 looks along +x, counter-clockwise from above.
          pitch: radians, positive looks up.
          hide_body: body whose geoms are left out, e.g. the one that the eye belongs to.
          out: C-contiguous uint8 [height, width, 3] to draw into.
          light: of :func:`worlds.drawing.light.light_of`, for soft light and shadows; None draws without.
          see_through: body of which every other pixel is left out, as on a chessboard, so that what is behind it shows.

        Returns:
          uint8 [height, width, 3]: ``out``, or else a new array that is the caller's own.

        Raises:
          WorldError: ``out`` has another shape, type or layout.
        """
        shape = (self.height, self.width, 3)
        if out is None:
            out = np.empty(shape, dtype=np.uint8)
        elif out.shape != shape or out.dtype != np.uint8 or not out.flags.c_contiguous:
            raise WorldError(f"camera: out must be a C-contiguous uint8 array of shape {shape}")
        view = float(eye[0]), float(eye[1]), float(eye[2]), float(yaw), float(pitch), self._pixel
        scene = shapes.kind, shapes.body, shapes.half
        rasteriser.draw(
            scene, positions, rotations, hide_body, see_through, view, self._order, self._nearest, self._pixels,
            self._before,
        )  # fmt: skip
        self._geoms = len(shapes.kind)
        if shapes.finish is None and light is None:
            rasteriser.develop(self._pixels, palette, out)
        else:
            self._dress(shapes, positions, rotations, int(hide_body), view, palette, light, out)
        return out

    def _dress(
        self,
        shapes: Shapes,
        positions: NDArray[np.float64],
        rotations: NDArray[np.float64],
        hide_body: int,
        view: tuple[float, ...],
        palette: NDArray[np.int32],
        light: Light | None,
        out: NDArray[np.uint8],
    ) -> None:
        """Turn the pixels into colours, with finishes and light."""
        geoms = len(shapes.kind)
        if self._scratch is None or len(self._scratch[0]) < geoms:
            dark = np.zeros((self.height, self.width), np.uint8)
            rows = np.zeros(self.width), *(np.zeros(self.width, np.int32) for _ in range(3))
            self._scratch = np.zeros((geoms, FRAME)), np.zeros(geoms, np.bool_), dark, *rows
        finish = np.zeros(geoms, np.int32) if shapes.finish is None else shapes.finish
        shine = _NO_LIGHT if light is None else (True, light.role, light.things, light.shine_map)
        scene = shapes.kind, shapes.body, shapes.half, finish
        rasteriser.dress(
            self._pixels, scene, positions, rotations, hide_body, view, palette, tuple(pattern_table()), shine,
            self._scratch, out,
        )  # fmt: skip

    def geoms(self) -> NDArray[np.int32]:
        """The geom seen at each pixel of the last drawing: int32 [height, width], -1 where there is none."""
        geom = ((self._pixels >> 8) & 0xFFFF).astype(np.int32)
        geom[geom >= self._geoms] = -1
        return geom

    def depths(self) -> NDArray[np.float64]:
        """Depth along the line of sight of the last drawing: float64 [height, width], metres, inf where no geom is."""
        inverse = (self._pixels >> INK_BITS) / DEPTH_UNIT
        return np.divide(1.0, inverse, out=np.full(inverse.shape, np.inf), where=inverse > 0.0)


def palette_of(colours: NDArray[np.floating]) -> NDArray[np.int32]:
    """Return colours packed as red | green << 8 | blue << 16: one for each geom, then one for each level of the sky.

    Args:
      colours: [G, 3], RGB of each geom, 0 to 255.
    """
    level = np.linspace(0.0, 1.0, SKY_LEVELS)
    sky = np.stack([np.interp(level, list(SKY), channel) for channel in zip(*SKY.values(), strict=True)], axis=1)
    both = np.rint(np.concatenate([colours, sky])).clip(0, 255).astype(np.int32)
    return (both << np.array([0, 8, 16])).sum(axis=1).astype(np.int32)
