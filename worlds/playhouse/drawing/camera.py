"""The players' eyes: a first-person camera that draws a MuJoCo scene on the CPU, without OpenGL."""

from __future__ import annotations

import math

import mujoco
import numpy as np
from numpy.typing import NDArray

from worlds.contract import WorldError
from worlds.drawing import rasteriser
from worlds.drawing.kernels.geometry import CAPSULE, CYLINDER, DRAWN, HIDDEN, PLANE, SPHERE
from worlds.drawing.kernels.pixels import DEPTH_UNIT, INK_BITS, SKY_LEVELS

MAX_GEOMS = (1 << 16) - SKY_LEVELS
LAST_VISIBLE_GROUP = 2  # as in MuJoCo's own viewers
# Background: RGB from straight down (0) over the horizon (0.5) to straight up (1).
SKY = {0.0: (96, 92, 88), 0.499: (124, 118, 110), 0.501: (232, 240, 255), 0.7: (170, 205, 255), 1.0: (130, 180, 250)}


class Camera:
    """Draws one model's scenes, as seen from any eye. Threads must not share one: each takes its own.

    Args:
      model: the compiled scene. Types, sizes, colours, bodies and groups are read now; positions at each drawing.
        Geoms that are fully transparent or in a group above 2 are not drawn; others are opaque.
      height: of the frames, pixels.
      width: of the frames, pixels.
      fov_y_deg: vertical field of view in degrees; pixels are square.

    Raises:
      WorldError: a size or angle that gives no picture, too many geoms, or a visible geom that is not a plane, sphere,
        capsule, ellipsoid, cylinder or box.
    """

    def __init__(self, model: mujoco.MjModel, height: int, width: int, fov_y_deg: float = 75.0) -> None:
        if min(height, width) < 1:
            raise WorldError(f"camera: height and width are {height} x {width} pixels; give at least 1 x 1")
        if not 0.0 < fov_y_deg < 180.0:
            raise WorldError(f"camera: fov_y_deg is {fov_y_deg}; give an angle between 0 and 180 degrees")
        if model.ngeom > MAX_GEOMS:
            raise WorldError(f"camera: the scene has {model.ngeom} geoms; at most {MAX_GEOMS} can be drawn")
        self.height, self.width = height, width
        self._pixel = 2.0 * math.tan(math.radians(fov_y_deg) / 2.0) / height
        self._geoms = model.ngeom
        self._kind = _kinds(model)
        self._body = np.array(model.geom_bodyid, dtype=np.int32)
        self._size = _sizes(model)
        self._palette = _palette(model)
        self._order = np.empty(model.ngeom, dtype=np.int32)
        self._nearest = np.empty(model.ngeom, dtype=np.float64)
        self._pixels = np.zeros((height, width), dtype=np.int64)

    def draw(
        self,
        data: mujoco.MjData,
        eye: NDArray[np.float64],
        yaw: float,
        pitch: float,
        hide_body: int = -1,
        out: NDArray[np.uint8] | None = None,
    ) -> NDArray[np.uint8]:
        """Draw what is seen from ``eye``.

        Args:
          data: a state of the camera's model; its ``geom_xpos`` and ``geom_xmat`` must be up to date.
          eye: [3], metres.
          yaw: radians, 0 looks along +x, counter-clockwise from above.
          pitch: radians, positive looks up.
          hide_body: body whose geoms are left out, e.g. the one that the eye belongs to.
          out: C-contiguous uint8 [height, width, 3] to draw into.

        Returns:
          uint8 [height, width, 3]: ``out``, or else a new array that is the caller's own.

        Raises:
          WorldError: ``data`` is of another model, or ``out`` has another shape, type or layout.
        """
        shape = (self.height, self.width, 3)
        if out is None:
            out = np.empty(shape, dtype=np.uint8)
        elif out.shape != shape or out.dtype != np.uint8 or not out.flags.c_contiguous:
            raise WorldError(f"camera: out must be a C-contiguous uint8 array of shape {shape}")
        positions, rotations = data.geom_xpos, data.geom_xmat
        if len(positions) != self._geoms:
            raise WorldError(f"camera: made for {self._geoms} geoms, data has {len(positions)}; make one for its model")
        view = float(eye[0]), float(eye[1]), float(eye[2]), float(yaw), float(pitch), self._pixel
        scene = self._kind, self._body, self._size
        rasteriser.draw(scene, positions, rotations, int(hide_body), view, self._order, self._nearest, self._pixels)
        rasteriser.develop(self._pixels, self._palette, out)
        return out

    def geoms(self) -> NDArray[np.int32]:
        """The geom seen at each pixel of the last drawing: int32 [height, width], -1 where there is none."""
        geom = ((self._pixels >> 8) & 0xFFFF).astype(np.int32)
        geom[geom >= self._geoms] = -1
        return geom

    def depths(self) -> NDArray[np.float64]:
        """Depth along the line of sight of the last drawing: float64 [height, width], metres, inf where no geom is."""
        inverse = (self._pixels >> INK_BITS) / DEPTH_UNIT
        return np.divide(1.0, inverse, out=np.full(inverse.shape, np.inf), where=inverse > 0.0)


def _kinds(model: mujoco.MjModel) -> NDArray[np.int32]:
    """Type of each geom, HIDDEN for those that are never drawn: int32 [geoms]."""
    shown = (_colours(model)[:, 3] > 0.0) & (model.geom_group <= LAST_VISIBLE_GROUP)
    for geom in np.flatnonzero(shown & ~np.isin(model.geom_type, DRAWN)):
        name, kind = model.geom(geom).name or geom, mujoco.mjtGeom(model.geom_type[geom]).name
        raise WorldError(f"camera: geom {name} is a {kind}, which it cannot draw; build it from boxes and round shapes")
    return np.where(shown, model.geom_type, HIDDEN).astype(np.int32)


def _sizes(model: mujoco.MjModel) -> NDArray[np.float64]:
    """Half sizes along each geom's own axes, a capsule's without its round ends: float64 [geoms, 3], metres."""
    size, kind = np.array(model.geom_size, dtype=np.float64), model.geom_type
    spheres = kind == SPHERE
    size[spheres] = size[spheres, :1]
    rods = (kind == CAPSULE) | (kind == CYLINDER)
    size[rods] = size[rods][:, [0, 0, 1]]
    planes = kind == PLANE
    size[planes] = np.where(size[planes] > 0, size[planes], np.inf)  # MuJoCo's 0 is infinite
    size[planes, 2] = 0.0
    return size


def _colours(model: mujoco.MjModel) -> NDArray[np.float32]:
    """RGBA [geoms, 4] by MuJoCo's rule: a material's colour shows where the geom's own was left at its default."""
    rgba = np.array(model.geom_rgba, dtype=np.float32)
    painted = (model.geom_matid >= 0) & np.all(rgba == np.array([0.5, 0.5, 0.5, 1.0], np.float32), axis=1)
    rgba[painted] = model.mat_rgba[model.geom_matid[painted]]
    return rgba


def _palette(model: mujoco.MjModel) -> NDArray[np.int32]:
    """Colours, packed as red | green << 8 | blue << 16: one for each geom, then one for each level of the sky."""
    level = np.linspace(0.0, 1.0, SKY_LEVELS)
    sky = np.stack([np.interp(level, list(SKY), channel) for channel in zip(*SKY.values(), strict=True)], axis=1)
    colours = np.rint(np.concatenate([_colours(model)[:, :3] * 255.0, sky])).clip(0, 255).astype(np.int32)
    return (colours << np.array([0, 8, 16])).sum(axis=1).astype(np.int32)
