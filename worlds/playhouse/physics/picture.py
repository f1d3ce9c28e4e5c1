"""What is seen of a furnished house, as arrays: MuJoCo compiles only what can be touched.

A kind's geoms for show are computed once for each size and turn, and put together house by house, which takes a tenth
of the time that MuJoCo needs to compile them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Generic, TypeVar

import mujoco
import numpy as np

from worlds.drawing.finishes import FINISHES
from worlds.playhouse.house.colours import COLOURS
from worlds.playhouse.house.kinds import FurnitureKind, ObjectKind
from worlds.playhouse.house.parts import MAIN, PAINTS, Part, Vector

SHAPES = {
    "box": mujoco.mjtGeom.mjGEOM_BOX,
    "sphere": mujoco.mjtGeom.mjGEOM_SPHERE,
    "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER,
    "capsule": mujoco.mjtGeom.mjGEOM_CAPSULE,
    "ellipsoid": mujoco.mjtGeom.mjGEOM_ELLIPSOID,
}
_K = TypeVar("_K")
_V = TypeVar("_V")
_R = TypeVar("_R")
NUMBERS = {name: number for number, name in enumerate(FINISHES)}
Rows = tuple[np.ndarray, ...]  # type, size, position, matrix, finish, each [geoms of one thing, ...]


@dataclass(frozen=True, eq=False)
class Picture:
    """Geoms with the names that they have in a MuJoCo model, so that a camera draws either.

    Args:
      geom_type: int32 [geoms].
      geom_size: float64 [geoms, 3].
      geom_pos: float64 [geoms, 3], in the frame of the body.
      geom_mat: float64 [geoms, 9], likewise.
      geom_rgba: float32 [geoms, 4].
      geom_bodyid: int32 [geoms], bodies of the model of the physics, ascending.
      finish: int32 [geoms], places in :data:`worlds.drawing.finishes.FINISHES`.
      nbody: number of bodies.
    """

    geom_type: np.ndarray
    geom_size: np.ndarray
    geom_pos: np.ndarray
    geom_mat: np.ndarray
    geom_rgba: np.ndarray
    geom_bodyid: np.ndarray
    finish: np.ndarray
    nbody: int
    mat_rgba: np.ndarray = field(default_factory=lambda: np.zeros((0, 4), dtype=np.float32))

    @property
    def ngeom(self) -> int:
        return len(self.geom_type)

    @property
    def geom_group(self) -> np.ndarray:
        """Group of each geom, all drawn: int32 [geoms]."""
        return np.zeros(self.ngeom, dtype=np.int32)

    @property
    def geom_matid(self) -> np.ndarray:
        """Material of each geom, none: int32 [geoms]."""
        return np.full(self.ngeom, -1, dtype=np.int32)

    def geoms_of_bodies(self) -> tuple[np.ndarray, np.ndarray]:
        """First geom and number of geoms of each body: int32 [bodies] each."""
        number = np.bincount(self.geom_bodyid, minlength=self.nbody).astype(np.int32)
        return np.concatenate([[0], np.cumsum(number)[:-1]]).astype(np.int32), number


class PictureRows:
    """Collects the geoms of a picture, body by body, the world first."""

    def __init__(self) -> None:
        self.body = 0
        self._rows: list[Rows] = []
        self._rgba: list[np.ndarray] = []
        self._bodies: list[int] = []

    def add(
        self,
        shape: int,
        size: Vector,
        pos: Vector,
        quat: tuple[float, ...] | None,
        rgba: tuple[float, ...],
        finish: str,
    ) -> None:
        """One geom of the present body."""
        matrix = _IDENTITY if quat is None else matrix_of(quat)
        row = (_one(shape), np.array([size], dtype=np.float64), np.array([pos], dtype=np.float64), matrix[None])
        self._append((*row, _one(NUMBERS[finish])), np.array([rgba], dtype=np.float32))

    def add_thing(self, kind: ObjectKind, scale: float, colour: str) -> None:
        """A loose thing whose middle is that of the present body."""
        self._append(_things.rows(kind, scale), _paints.rows(kind, colour))

    def add_furniture(self, kind: FurnitureKind, quarter_turns: int, colour: str, x: float, y: float) -> None:
        """A piece of furniture at (x, y)."""
        types, sizes, at, matrices, finishes = _furniture.rows(kind, quarter_turns % 4)
        self._append((types, sizes, at + (x, y, 0.0), matrices, finishes), _paints.rows(kind, colour))

    def _append(self, rows: Rows, rgba: np.ndarray) -> None:
        self._rows.append(rows)
        self._rgba.append(rgba)
        self._bodies.append(self.body)

    def picture(self) -> Picture:
        columns = [np.concatenate(column) for column in zip(*self._rows, strict=True)]
        bodies = np.repeat(np.array(self._bodies, dtype=np.int32), [len(rgba) for rgba in self._rgba])
        types, sizes, at, matrices, finishes = columns
        return Picture(types, sizes, at, matrices, np.concatenate(self._rgba), bodies, finishes, self.body + 1)


class _Kept(Generic[_K, _V, _R]):
    """Rows of kinds, computed once for each kind and variant."""

    def __init__(self, compute: Callable[[_K, _V], _R]) -> None:
        self._compute = compute
        self._known: dict[tuple[int, _V], tuple[_K, _R]] = {}

    def rows(self, kind: _K, variant: _V) -> _R:
        key = id(kind), variant
        found = self._known.get(key)
        if found is None or found[0] is not kind:
            found = self._known[key] = (kind, self._compute(kind, variant))
        return found[1]


def _seen(kind: ObjectKind | FurnitureKind) -> list[Part]:
    return [part for part in kind.parts if not part.hidden]


def _rows_of(parts: list[Part], at: list[Vector], scale: float, turn: np.ndarray) -> Rows:
    """Rows of parts at places, turned by a matrix [3, 3] about their own middles."""
    matrices = [(turn @ matrix_of(quaternion_of(part.euler)).reshape(3, 3)).reshape(9) for part in parts]
    return (
        np.array([int(SHAPES[part.shape]) for part in parts], dtype=np.int32),
        scale * np.array([part.size for part in parts], dtype=np.float64).reshape(-1, 3),
        np.array(at, dtype=np.float64).reshape(-1, 3),
        np.array(matrices).reshape(-1, 9),
        np.array([NUMBERS[part.finish] for part in parts], dtype=np.int32),
    )


def _thing_rows(kind: ObjectKind, scale: float) -> Rows:
    parts, middle = _seen(kind), kind.height(scale) / 2
    at = [(scale * p.at[0], scale * p.at[1], scale * p.at[2] - middle) for p in parts]
    return _rows_of(parts, at, scale, np.eye(3))


def _furniture_rows(kind: FurnitureKind, quarter_turns: int) -> Rows:
    parts = _seen(kind)
    c, s = ((1, 0), (0, 1), (-1, 0), (0, -1))[quarter_turns]
    turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]], dtype=np.float64)
    at = [(c * p.at[0] - s * p.at[1], s * p.at[0] + c * p.at[1], p.at[2]) for p in parts]
    return _rows_of(parts, at, 1.0, turn)


def _paint_rows(kind: ObjectKind | FurnitureKind, colour: str) -> np.ndarray:
    """RGBA float32 [geoms, 4]."""
    return np.array([rgba_of(part, colour) for part in _seen(kind)], dtype=np.float32).reshape(-1, 4)


def rgba_of(part: Part, colour: str) -> tuple[float, float, float, float]:
    """Colour of a part of a thing of a colour; hidden parts have no alpha."""
    rgb = COLOURS[colour] if part.paint == MAIN else PAINTS[part.paint]
    red, green, blue = (min(1.0, part.shade * c) for c in rgb)
    return red, green, blue, 0.0 if part.hidden else 1.0


def _one(number: int) -> np.ndarray:
    return np.array([int(number)], dtype=np.int32)


@cache
def quaternion_of(euler_deg: Vector) -> tuple[float, ...]:
    """Return the rotation about the fixed x, then y, then z axis."""
    quaternion = np.zeros(4)
    mujoco.mju_euler2Quat(quaternion, np.radians(euler_deg), "XYZ")
    return tuple(quaternion.tolist())


@cache
def matrix_of(quaternion: tuple[float, ...]) -> np.ndarray:
    """Rotation matrix of a quaternion: float64 [9], which must not be changed."""
    matrix = np.zeros(9)
    mujoco.mju_quat2Mat(matrix, np.array(quaternion, dtype=np.float64))
    return matrix


_IDENTITY = np.eye(3).reshape(9)
_things, _furniture, _paints = _Kept(_thing_rows), _Kept(_furniture_rows), _Kept(_paint_rows)
