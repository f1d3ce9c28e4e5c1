"""The primitives that everything in a house is made of, and the paints that are no thing's own colour."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Shape = Literal["box", "sphere", "cylinder", "capsule", "ellipsoid"]
Vector = tuple[float, float, float]

MAIN = "main"  # a part painted in the thing's own colour
PAINTS: dict[str, Vector] = {
    "tyre": (0.15, 0.15, 0.15),
    "flame": (1.0, 0.75, 0.2),
    "paper": (0.93, 0.91, 0.84),
    "beak": (0.95, 0.45, 0.05),
    "metal": (0.62, 0.64, 0.68),
    "wood": (0.50, 0.33, 0.18),
    "glow": (1.0, 0.97, 0.78),
    "glass": (0.55, 0.68, 0.76),
    "water": (0.45, 0.70, 0.85),
    "linen": (0.88, 0.88, 0.90),
}


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
    """

    shape: Shape
    size: Vector
    at: Vector
    euler: Vector = (0.0, 0.0, 0.0)
    paint: str = MAIN
    shade: float = 1.0
    solid: bool = True
    hidden: bool = False


def box(x: float, y: float, z: float, at: Vector, **more: Any) -> Part:
    """A box of full extents x, y, z."""
    return Part("box", (x / 2, y / 2, z / 2), at, **more)


def cylinder(radius: float, height: float, at: Vector, **more: Any) -> Part:
    """An upright cylinder of full height."""
    return Part("cylinder", (radius, height / 2, 0.0), at, **more)
