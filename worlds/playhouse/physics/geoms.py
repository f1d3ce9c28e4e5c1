"""Parts of things as MuJoCo geoms, and what they look like."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import mujoco
import numpy as np

from worlds.playhouse.house.parts import Part, Vector
from worlds.playhouse.house.record import Furniture, Thing
from worlds.playhouse.physics.picture import SHAPES, PictureRows, quaternion_of, rgba_of

# Collision layers: a pair of geoms meets if one's contype shares a bit with the other's conaffinity. Avatars slide
# above the ground plane without touching it. Door leaves meet furniture, but not walls.
LOOSE, PLAYER, LEAF = 1, 2, 4
# Groups of geoms, for rays that should meet fixed things only, or those and door leaves.
FIXED_GROUP, MOVING_GROUP, LEAF_GROUP = 0, 1, 2
FIXED_GROUPS = np.array([1, 0, 0, 0, 0, 0], dtype=np.uint8)
HIDING_GROUPS = np.array([1, 0, 1, 0, 0, 0], dtype=np.uint8)
_BOX = mujoco.mjtGeom.mjGEOM_BOX
_SOLID = (1.0, 1.0, 1.0, 1.0)


class Geoms:
    """Adds geoms to one body after the other: all that there is, seen or not, into one model.

    The compiled model numbers geoms body by body: so all of the world's come first, and bodies in their order. A geom's
    attributes are set one by one, and only where they differ from the spec's defaults, since thousands of houses are
    built: MuJoCo takes twice as long to read them as keywords.

    Attributes:
      number: geoms of the model so far.
      stops: what furniture meets, of the collision layers.
    """

    def __init__(self, spec: mujoco.MjSpec) -> None:
        self._body = spec.worldbody
        self.number, self.stops = 0, LOOSE | PLAYER
        default = spec.default.geom
        default.contype, default.conaffinity, default.type = 0, 0, _BOX

    def begin(self, body: mujoco.MjsBody) -> None:
        """Add geoms to the next body from now on."""
        self._body = body

    def add(
        self,
        size: Vector,
        pos: Vector,
        rgba: Sequence[float],
        finish: str = "plain",
        shape: mujoco.mjtGeom = _BOX,
        quat: tuple[float, ...] | None = None,
        layers: int = 0,
        fixed: bool = True,
    ) -> mujoco.MjsGeom | None:
        """A geom of the present body; None if it is not in the model.

        Args:
          pos: place in the body, metres.
          rgba: colour, 0 to 1; without alpha it is not drawn.
          quat: its orientation, None for the body's own.
          layers: with which it collides, 0 for none.
          fixed: whether it never moves.
        """
        self.number += 1
        geom = self._body.add_geom()
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
        return geom

    def add_furniture(self, piece: Furniture) -> None:
        for part in piece.spec.parts:
            self._add_fixed_part(part, piece)

    def add_thing(self, thing: Thing) -> None:
        """The parts of a loose thing whose middle is that of the present body."""
        for part in thing.spec.parts:
            self._add_loose_part(part, thing)

    def _add_fixed_part(self, part: Part, piece: Furniture) -> None:
        x, y = piece.to_house(part.at[0], part.at[1])
        quat = _quaternion(part.euler, piece.quarter_turns)
        rgba, shape = rgba_of(part, piece.colour), SHAPES[part.shape]
        self._add_to_model(part.size, (x, y, part.at[2]), rgba, shape, quat, part.solid, True)

    def _add_loose_part(self, part: Part, thing: Thing) -> None:
        scale, (x, y, z) = thing.scale, part.at
        size = (scale * part.size[0], scale * part.size[1], scale * part.size[2])
        at = (scale * x, scale * y, scale * z - thing.height / 2)
        rgba, quat = rgba_of(part, thing.colour), _quaternion(part.euler, None)
        self._add_to_model(size, at, rgba, SHAPES[part.shape], quat, part.solid, False)

    def _add_to_model(
        self,
        size: Vector,
        at: Vector,
        rgba: Sequence[float],
        shape: mujoco.mjtGeom,
        quat: tuple,
        solid: bool,
        fixed: bool,
    ) -> None:
        layers = (self.stops if fixed else LOOSE | PLAYER) if solid else 0
        Geoms.add(self, size, at, rgba, shape=shape, quat=quat, layers=layers, fixed=fixed)


class SolidsAndPicture(Geoms):
    """Geoms of houses that are rich in geoms for show: solids go into the model, and what is seen into a picture.

    MuJoCo's search for what may collide visits all geoms of a body that has one that collides. In the model nothing is
    invisible, since rays pass through what is.
    """

    def __init__(self, spec: mujoco.MjSpec) -> None:
        super().__init__(spec)
        self.seen = PictureRows()

    def begin(self, body: mujoco.MjsBody) -> None:
        super().begin(body)
        self.seen.body += 1

    def add(
        self,
        size: Vector,
        pos: Vector,
        rgba: Sequence[float],
        finish: str = "plain",
        shape: mujoco.mjtGeom = _BOX,
        quat: tuple[float, ...] | None = None,
        layers: int = 0,
        fixed: bool = True,
    ) -> mujoco.MjsGeom | None:
        if rgba[3] > 0.0:
            self.seen.add(int(shape), size, pos, quat, tuple(rgba), finish)
        return super().add(size, pos, _SOLID, finish, shape, quat, layers, fixed) if layers else None

    def add_furniture(self, piece: Furniture) -> None:
        for part in piece.spec.parts:
            if part.solid:
                self._add_fixed_part(part, piece)
        self.seen.add_furniture(piece.spec, piece.quarter_turns, piece.colour, piece.x, piece.y)

    def add_thing(self, thing: Thing) -> None:
        for part in thing.spec.parts:
            if part.solid:
                self._add_loose_part(part, thing)
        self.seen.add_thing(thing.spec, thing.scale, thing.colour)

    def _add_to_model(
        self,
        size: Vector,
        at: Vector,
        rgba: Sequence[float],
        shape: mujoco.mjtGeom,
        quat: tuple,
        solid: bool,
        fixed: bool,
    ) -> None:
        super()._add_to_model(size, at, _SOLID, shape, quat, solid, fixed)


@cache
def _quaternion(euler_deg: Vector, quarter_turns: int | None) -> tuple[float, ...]:
    """Rotation about the fixed x, then y, then z axis, and then by quarter turns about z."""
    quaternion = quaternion_of(euler_deg)
    if quarter_turns is None:
        return quaternion
    turned, turn = np.zeros(4), quaternion_of((0.0, 0.0, 90.0 * quarter_turns))
    mujoco.mju_mulQuat(turned, np.array(turn), np.array(quaternion))
    return tuple(turned.tolist())
