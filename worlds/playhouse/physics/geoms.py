"""Parts of things as MuJoCo geoms, and the finish of each."""

from __future__ import annotations

from functools import cache
from typing import Any

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
_SHAPES = {
    "box": mujoco.mjtGeom.mjGEOM_BOX,
    "sphere": mujoco.mjtGeom.mjGEOM_SPHERE,
    "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER,
    "capsule": mujoco.mjtGeom.mjGEOM_CAPSULE,
    "ellipsoid": mujoco.mjtGeom.mjGEOM_ELLIPSOID,
}


class Geoms:
    """Adds geoms to one body after the other, and notes what each one's surface looks like.

    The compiled model numbers geoms body by body: so all of the world's come first, and bodies in their order.

    Args:
      world: body of the world of a spec.
    """

    def __init__(self, world: mujoco.MjsBody) -> None:
        self.body = world
        self._finishes: list[int] = []

    def add(self, finish: str = "plain", **geom: Any) -> None:
        """A geom of the present body, with MuJoCo's own settings by name."""
        self.body.add_geom(**geom)
        self._finishes.append(_NUMBERS[finish])

    def add_part(self, part: Part, colour: str, scale: float, at: Vector, turn: np.ndarray | None, fixed: bool) -> None:
        """A part of a thing of a colour, at a place in the present body, turned by a quaternion first."""
        quaternion = quaternion_of(part.euler)
        if turn is not None:
            turned = np.zeros(4)
            mujoco.mju_mulQuat(turned, turn, quaternion)
            quaternion = turned
        layers = LOOSE | PLAYER if part.solid else 0
        self.add(
            part.finish,
            type=_SHAPES[part.shape],
            size=[scale * s for s in part.size],
            pos=list(at),
            quat=quaternion,
            rgba=_rgba(part.paint, colour, part.shade, part.hidden),
            group=FIXED_GROUP if fixed else MOVING_GROUP,
            contype=0 if fixed else layers,
            conaffinity=layers,
        )

    def finishes(self) -> np.ndarray:
        """Number of each geom's finish in FINISHES, in the order of the compiled model: int32 [geoms]."""
        return np.array(self._finishes, dtype=np.int32)


_NUMBERS = {name: number for number, name in enumerate(FINISHES)}


@cache
def quaternion_of(euler_deg: Vector) -> np.ndarray:
    """Rotation about the fixed x, then y, then z axis: float64 [4], which must not be changed."""
    quaternion = np.zeros(4)
    mujoco.mju_euler2Quat(quaternion, np.radians(euler_deg), "XYZ")
    quaternion.flags.writeable = False
    return quaternion


@cache
def _rgba(paint: str, colour: str, shade: float, hidden: bool) -> list[float]:
    rgb = COLOURS[colour] if paint == MAIN else PAINTS[paint]
    return [*(min(1.0, shade * c) for c in rgb), 0.0 if hidden else 1.0]
