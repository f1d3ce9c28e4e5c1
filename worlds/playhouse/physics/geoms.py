"""Parts of things as MuJoCo geoms, and the finish of each."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import mujoco
import numpy as np

from worlds.drawing.finishes import FINISHES
from worlds.playhouse.house.colours import COLOURS
from worlds.playhouse.house.parts import MAIN, PAINTS, Part, Vector

# Collision layers: a pair of geoms meets if one's contype shares a bit with the other's conaffinity. Avatars slide
# above the ground plane without touching it.
LOOSE, PLAYER = 1, 2
# Groups of geoms, for rays that should meet fixed things only.
FIXED_GROUP, MOVING_GROUP = 0, 1
FIXED_GROUPS = np.array([1, 0, 0, 0, 0, 0], dtype=np.uint8)
_BOX = mujoco.mjtGeom.mjGEOM_BOX
_SHAPES = {
    "box": _BOX,
    "sphere": mujoco.mjtGeom.mjGEOM_SPHERE,
    "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER,
    "capsule": mujoco.mjtGeom.mjGEOM_CAPSULE,
    "ellipsoid": mujoco.mjtGeom.mjGEOM_ELLIPSOID,
}


class Geoms:
    """Adds geoms to one body after the other, and notes what each one's surface looks like.

    The compiled model numbers geoms body by body: so all of the world's come first, and bodies in their order. A geom's
    attributes are set one by one, and only where they differ from the spec's defaults, since thousands of houses are
    built: MuJoCo takes twice as long to read them as keywords.

    Args:
      spec: without geoms; its defaults become those of geoms for show.
    """

    def __init__(self, spec: mujoco.MjSpec) -> None:
        self.body = spec.worldbody
        self._finishes: list[int] = []
        default = spec.default.geom
        default.contype, default.conaffinity, default.type = 0, 0, _BOX

    def add(
        self,
        size: Sequence[float],
        pos: Sequence[float],
        rgba: Sequence[float],
        finish: str = "plain",
        shape: mujoco.mjtGeom = _BOX,
        quat: Sequence[float] | None = None,
        layers: int = 0,
        fixed: bool = True,
    ) -> mujoco.MjsGeom:
        """A geom of the present body.

        Args:
          size: of MuJoCo.
          pos: place in the body, metres.
          rgba: colour, 0 to 1; without alpha it is not drawn.
          finish: of FINISHES.
          shape: its type.
          quat: its orientation, None for the body's own.
          layers: with which it collides, 0 for none.
          fixed: whether it never moves.
        """
        geom = self.body.add_geom()
        geom.size, geom.pos, geom.rgba = size, pos, rgba
        if shape != _BOX:
            geom.type = shape
        if quat is not None:
            geom.quat = quat
        if layers:
            geom.conaffinity = layers
        if not fixed:
            geom.group = MOVING_GROUP
            if layers:
                geom.contype = layers
        self._finishes.append(_NUMBERS[finish])
        return geom

    def add_part(
        self, part: Part, colour: str, at: Vector, scale: float = 1.0, quarter_turns: int | None = None
    ) -> None:
        """A part of a thing of a colour.

        Args:
          part: the part.
          colour: of the thing.
          at: its place in the present body, metres.
          scale: factor on its lengths.
          quarter_turns: by which a piece of furniture is turned; None for loose things.
        """
        x, y, z = part.size
        self.add(
            (scale * x, scale * y, scale * z),
            at,
            _rgba(part.paint, colour, part.shade, part.hidden),
            part.finish,
            _SHAPES[part.shape],
            _quaternion(part.euler, quarter_turns),
            LOOSE | PLAYER if part.solid else 0,
            fixed=quarter_turns is not None,
        )

    def finishes(self) -> np.ndarray:
        """Number of each geom's finish in FINISHES, in the order of the compiled model: int32 [geoms]."""
        return np.array(self._finishes, dtype=np.int32)


_NUMBERS = {name: number for number, name in enumerate(FINISHES)}


@cache
def _quaternion(euler_deg: Vector, quarter_turns: int | None) -> list[float]:
    """Rotation about the fixed x, then y, then z axis, and then by quarter turns about z."""
    quaternion = _rotation(euler_deg)
    if quarter_turns is not None:
        turn = _rotation((0.0, 0.0, 90.0 * quarter_turns))
        mujoco.mju_mulQuat(quaternion, turn, quaternion.copy())
    return quaternion.tolist()


def _rotation(euler_deg: Vector) -> np.ndarray:
    quaternion = np.zeros(4)
    mujoco.mju_euler2Quat(quaternion, np.radians(euler_deg), "XYZ")
    return quaternion


@cache
def _rgba(paint: str, colour: str, shade: float, hidden: bool) -> list[float]:
    rgb = COLOURS[colour] if paint == MAIN else PAINTS[paint]
    return [*(min(1.0, shade * c) for c in rgb), 0.0 if hidden else 1.0]
