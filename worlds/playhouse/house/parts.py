"""The primitives that everything in a house is made of, and the paints that are no thing's own colour."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from worlds.data_files import read_entries

Shape = Literal["box", "sphere", "cylinder", "capsule", "ellipsoid"]
Vector = tuple[float, float, float]

MAIN = "main"  # a part painted in the thing's own colour
PAINTS: dict[str, Vector] = read_entries(Path(__file__).parent / "data" / "paints.json", Vector)


@dataclass(frozen=True)
class Part:
    """One primitive of a thing.

    Args:
      shape: the primitive.
      size: MuJoCo half-sizes: box (x, y, z), sphere (r, 0, 0), cylinder and capsule (r, half length, 0),
        ellipsoid (radii).
      at: centre of the primitive.
      euler: rotation in degrees about x, then y, then z.
      paint: ``MAIN``, or a name in :data:`PAINTS`.
      shade: factor on the paint's brightness.
      solid: whether it collides.
      hidden: whether it is left out of pictures (a simple solid under a finer decoration).
      finish: what its surface looks like, of ``worlds.drawing.finishes.FINISHES``; houses of the first format are
        drawn without.
    """

    shape: Shape
    size: Vector
    at: Vector
    euler: Vector = (0.0, 0.0, 0.0)
    paint: str = MAIN
    shade: float = 1.0
    solid: bool = True
    hidden: bool = False
    finish: str = "plain"


WALL_OF_A_CONTAINER = 0.035  # metres; thinner ones are fallen through at the speed of a dropped thing


def box(x: float, y: float, z: float, at: Vector, **more: Any) -> Part:
    """A box of full extents x, y, z."""
    return Part("box", (x / 2, y / 2, z / 2), at, **more)


def cylinder(radius: float, height: float, at: Vector, **more: Any) -> Part:
    """An upright cylinder of full height."""
    return Part("cylinder", (radius, height / 2, 0.0), at, **more)


def sphere(radius: float, at: Vector, **more: Any) -> Part:
    return Part("sphere", (radius, 0.0, 0.0), at, **more)


def ellipsoid(x: float, y: float, z: float, at: Vector, **more: Any) -> Part:
    """An ellipsoid of full extents x, y, z."""
    return Part("ellipsoid", (x / 2, y / 2, z / 2), at, **more)


def capsule(radius: float, length: float, at: Vector, **more: Any) -> Part:
    return Part("capsule", (radius, length / 2 - radius, 0.0), at, **more)


def core(x: float, y: float, z: float, lift: float = 0.0) -> Part:
    """A hidden box from the floor up (or from ``lift``) that does the colliding under a finer decoration."""
    return box(x, y, z, (0.0, 0.0, lift + z / 2), hidden=True)


def hollow(x: float, y: float, z: float, thickness: float = WALL_OF_A_CONTAINER, **more: Any) -> tuple[Part, ...]:
    """An open container of full extents x, y, z that stands on the floor: a bottom and four sides."""
    side, end = thickness / 2 - x / 2, thickness / 2 - y / 2
    return (
        box(x - 2 * thickness, y - 2 * thickness, thickness, (0.0, 0.0, thickness / 2), **({"shade": 0.7} | more)),
        *(box(thickness, y, z, (sign * side, 0.0, z / 2), **more) for sign in (-1, 1)),
        *(box(x - 2 * thickness, thickness, z, (0.0, sign * end, z / 2), **more) for sign in (-1, 1)),
    )
