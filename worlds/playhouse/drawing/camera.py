"""The players' eyes: a first-person camera that draws a MuJoCo scene on the CPU, without OpenGL."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np
from numpy.typing import NDArray

from worlds.contract import WorldError
from worlds.drawing.canvas import Canvas, palette_of
from worlds.drawing.kernels.geometry import BOX, CAPSULE, CYLINDER, DRAWN, HIDDEN, PLANE, SPHERE
from worlds.drawing.light import Light, light_of
from worlds.drawing.shapes import Shapes
from worlds.playhouse.physics.picture import Picture
from worlds.playhouse.physics.poses import Drawn

LAST_VISIBLE_GROUP = 2  # as in MuJoCo's own viewers


class Camera:
    """Draws one model's scenes, as seen from any eye. Threads must not share one: each takes its own.

    Args:
      model: the compiled scene. Types, sizes, colours, bodies and groups are read now; positions at each drawing.
        Geoms that are fully transparent or in a group above 2 are not drawn; others are opaque.
      fov_y_deg: vertical field of view in degrees; pixels are square.
      finish: int32 [geoms], places in :data:`worlds.drawing.finishes.FINISHES`; None: all are plain.
      shadows: draw soft light and shadows; None: of furnished houses only.
      cut: height in metres at which what does not move is cut off, and above which it is left out; None: nowhere.
      cut_too: bodies that move and are cut off as well.

    Raises:
      WorldError: a size or angle that gives no picture, too many geoms, or a visible geom that is not a plane, sphere,
        capsule, ellipsoid, cylinder or box.
    """

    def __init__(
        self,
        model: mujoco.MjModel | Picture,
        height: int,
        width: int,
        fov_y_deg: float = 75.0,
        finish: NDArray[np.int32] | None = None,
        shadows: bool | None = None,
        cut: float | None = None,
        cut_too: Sequence[int] = (),
    ) -> None:
        self._canvas = Canvas(height, width, fov_y_deg, model.ngeom)
        self.height, self.width = height, width
        body = np.array(model.geom_bodyid, dtype=np.int32)
        finished = finish is not None and finish.any()
        self._shapes = Shapes(_kinds(model), body, _sizes(model), finish if finished else None)
        self._palette = palette_of(_colours(model)[:, :3] * 255.0)
        self._shadows = isinstance(model, Picture) if shadows is None else shadows
        self._light: Light | None = None
        self._cut, self._cuttable = cut, np.isin(body, (0, *cut_too))

    def draw(
        self,
        data: mujoco.MjData | Drawn,
        eye: NDArray[np.float64],
        yaw: float,
        pitch: float,
        hide_body: int = -1,
        out: NDArray[np.uint8] | None = None,
        see_through: int = -1,
    ) -> NDArray[np.uint8]:
        """Draw what is seen from ``eye``.

        Args:
          data: a state of the camera's model; its ``geom_xpos`` and ``geom_xmat`` must be up to date.
          eye: [3], metres.
          yaw: radians, 0 looks along +x, counter-clockwise from above.
          pitch: radians, positive looks up.
          hide_body: body whose geoms are left out, e.g. the one that the eye belongs to.
          out: C-contiguous uint8 [height, width, 3] to draw into.
          see_through: body of which every other pixel is left out, so that what is behind it is seen.

        Returns:
          uint8 [height, width, 3]: ``out``, or else a new array that is the caller's own.

        Raises:
          WorldError: ``data`` is of another model, or ``out`` has another shape, type or layout.
        """
        positions, rotations, geoms = data.geom_xpos, data.geom_xmat, len(self._shapes.kind)
        if len(positions) != geoms:
            raise WorldError(f"camera: made for {geoms} geoms, data has {len(positions)}; make one for its model")
        if isinstance(data, Drawn):
            self._shapes.half[data.arms, 2] = data.arm_half
        if self._shadows and self._light is None:
            self._light = light_of(self._shapes, positions, rotations)
        shapes = self._shapes
        if self._cut is not None:
            positions, shapes = _cut_off(shapes, positions, rotations, self._cut, self._cuttable)
        return self._canvas.draw(
            shapes, positions, rotations, self._palette, eye, yaw, pitch, int(hide_body), out, self._light,
            int(see_through),
        )  # fmt: skip

    def geoms(self) -> NDArray[np.int32]:
        """The geom seen at each pixel of the last drawing: int32 [height, width], -1 where there is none."""
        return self._canvas.geoms()

    def depths(self) -> NDArray[np.float64]:
        """Depth along the line of sight of the last drawing: float64 [height, width], metres, inf where no geom is."""
        return self._canvas.depths()


def _cut_off(
    shapes: Shapes,
    positions: NDArray[np.float64],
    rotations: NDArray[np.float64],
    height: float,
    cuttable: NDArray[np.bool_],
) -> tuple[NDArray[np.float64], Shapes]:
    """Return positions and shapes of a scene whose cuttable parts are cut off at a height; round ones are left out."""
    positions, half, kind = positions.copy(), shapes.half.copy(), shapes.kind.copy()
    upright = cuttable & (kind == BOX) & (np.abs(rotations[:, 8]) > 0.999)
    bottom, top = positions[:, 2] - half[:, 2], positions[:, 2] + half[:, 2]
    cut = upright & (top > height) & (bottom < height)
    half[cut, 2] = (height - bottom[cut]) / 2
    positions[cut, 2] = (height + bottom[cut]) / 2
    kind[cuttable & np.where(upright, bottom >= height, positions[:, 2] >= height)] = HIDDEN
    return positions, shapes._replace(half=half, kind=kind)


def _kinds(model: mujoco.MjModel | Picture) -> NDArray[np.int32]:
    """Type of each geom, HIDDEN for those that are never drawn: int32 [geoms]."""
    shown = (_colours(model)[:, 3] > 0.0) & (model.geom_group <= LAST_VISIBLE_GROUP)
    for geom in np.flatnonzero(shown & ~np.isin(model.geom_type, DRAWN)):
        name = ("" if isinstance(model, Picture) else model.geom(geom).name) or geom
        kind = mujoco.mjtGeom(model.geom_type[geom]).name
        raise WorldError(f"camera: geom {name} is a {kind}, which it cannot draw; build it from boxes and round shapes")
    return np.where(shown, model.geom_type, HIDDEN).astype(np.int32)


def _sizes(model: mujoco.MjModel | Picture) -> NDArray[np.float64]:
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


def _colours(model: mujoco.MjModel | Picture) -> NDArray[np.float32]:
    """RGBA [geoms, 4] by MuJoCo's rule: a material's colour shows where the geom's own was left at its default."""
    rgba = np.array(model.geom_rgba, dtype=np.float32)
    painted = (model.geom_matid >= 0) & np.all(rgba == np.array([0.5, 0.5, 0.5, 1.0], np.float32), axis=1)
    rgba[painted] = model.mat_rgba[model.geom_matid[painted]]
    return rgba
