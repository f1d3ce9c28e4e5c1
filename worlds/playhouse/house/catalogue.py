"""Catalogue of houses: kinds of object and furniture, colours, sizes and floors, by name.

An object is a few MuJoCo primitives (:class:`Part`). Its lengths are in metres before :data:`SIZES` scales them, and
its parts are given from the point on the floor under its middle, z up. Parts that do not collide are decoration, by
which kinds tell apart at low resolution; one or two simple parts do the colliding, because contacts between boxes,
spheres and capsules are both fast and stable.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot

from worlds.playhouse.house.furniture import FURNITURE_KINDS, FurnitureKind, Surface
from worlds.playhouse.house.parts import Part, Vector, box, cylinder

__all__ = [
    "COLOURS", "FLOORS", "FURNITURE_KINDS", "OBJECT_KINDS", "SIZES", "FurnitureKind", "ObjectKind", "Surface"
]  # fmt: skip

COLOURS: dict[str, Vector] = {
    "red": (0.86, 0.07, 0.07),
    "orange": (1.0, 0.50, 0.0),
    "yellow": (1.0, 0.92, 0.10),
    "green": (0.05, 0.58, 0.10),
    "cyan": (0.10, 0.85, 0.90),
    "blue": (0.08, 0.16, 0.88),
    "purple": (0.50, 0.08, 0.66),
    "pink": (1.0, 0.50, 0.76),
    "white": (0.97, 0.97, 0.97),
    "black": (0.07, 0.07, 0.08),
}
FLOORS: dict[str, Vector] = {
    "oak": (0.66, 0.52, 0.38),
    "slate": (0.42, 0.46, 0.52),
    "moss": (0.50, 0.57, 0.42),
    "sand": (0.76, 0.70, 0.56),
    "clay": (0.62, 0.46, 0.42),
}
SIZES: dict[str, float] = {"small": 0.8, "medium": 1.15, "large": 1.6}


@dataclass(frozen=True)
class ObjectKind:
    """A kind of loose thing.

    Args:
      extent: full width (x), depth (y) and height (z); every part lies inside, bar small trims.
      mass_kg: before scaling.
      parts: primitives, z from the floor up.
      round: whether it fills a disc on the floor rather than a rectangle.
    """

    name: str
    extent: Vector
    mass_kg: float
    parts: tuple[Part, ...]
    round: bool = False

    def radius(self, scale: float) -> float:
        """Radius (m) of the upright cylinder that the standing thing fits in."""
        return 0.5 * scale * (self.extent[0] if self.round else hypot(self.extent[0], self.extent[1]))

    def height(self, scale: float) -> float:
        """Height (m) of the standing thing."""
        return self.extent[2] * scale


def _wheels(x: float, y: float, radius: float) -> tuple[Part, ...]:
    return tuple(
        cylinder(radius, 0.05, (sx * x, sy * y, radius), euler=(90.0, 0.0, 0.0), paint="tyre", solid=False)
        for sx in (-1, 1)
        for sy in (-1, 1)
    )


_OBJECT_KINDS = (
    ObjectKind("ball", (0.30, 0.30, 0.30), 0.5, (Part("sphere", (0.15, 0.0, 0.0), (0.0, 0.0, 0.15)),), round=True),
    ObjectKind("block", (0.26, 0.26, 0.26), 0.8, (box(0.26, 0.26, 0.26, (0.0, 0.0, 0.13)),)),
    ObjectKind(
        "book",
        (0.34, 0.25, 0.09),
        0.7,
        (
            box(0.34, 0.25, 0.09, (0.0, 0.0, 0.045), hidden=True),
            box(0.34, 0.25, 0.025, (0.0, 0.0, 0.0125), solid=False),
            box(0.31, 0.23, 0.04, (0.01, 0.0, 0.045), paint="paper", solid=False),
            box(0.34, 0.25, 0.025, (0.0, 0.0, 0.0775), solid=False),
        ),
    ),
    ObjectKind(
        "mug",
        (0.22, 0.22, 0.24),
        0.4,
        (
            box(0.20, 0.20, 0.24, (0.0, 0.0, 0.12), hidden=True),
            cylinder(0.11, 0.24, (0.0, 0.0, 0.12), solid=False),
            cylinder(0.09, 0.012, (0.0, 0.0, 0.240), paint="tyre", solid=False),
            box(0.07, 0.04, 0.15, (0.14, 0.0, 0.12), shade=0.8, solid=False),
        ),
    ),
    ObjectKind(
        "duck",
        (0.32, 0.22, 0.30),
        0.4,
        (
            box(0.28, 0.20, 0.18, (0.0, 0.0, 0.09), hidden=True),
            Part("ellipsoid", (0.16, 0.11, 0.10), (0.0, 0.0, 0.10), solid=False),
            Part("sphere", (0.08, 0.0, 0.0), (0.08, 0.0, 0.22)),
            box(0.08, 0.07, 0.03, (0.17, 0.0, 0.21), paint="beak", solid=False),
        ),
    ),
    ObjectKind(
        "robot",
        (0.22, 0.18, 0.42),
        0.9,
        (
            box(0.22, 0.18, 0.24, (0.0, 0.0, 0.12)),
            box(0.16, 0.15, 0.14, (0.0, 0.0, 0.33), paint="metal"),
            box(0.02, 0.12, 0.04, (0.08, 0.0, 0.34), paint="tyre", solid=False),
        ),
    ),
    ObjectKind(
        "car",
        (0.40, 0.22, 0.20),
        0.8,
        (
            box(0.40, 0.20, 0.10, (0.0, 0.0, 0.10)),
            box(0.18, 0.18, 0.08, (-0.02, 0.0, 0.17), paint="glass", solid=False),
            box(0.36, 0.20, 0.20, (0.0, 0.0, 0.10), hidden=True),
            *_wheels(0.12, 0.10, 0.06),
        ),
    ),
    ObjectKind(
        "pillow",
        (0.40, 0.30, 0.14),
        0.3,
        (
            box(0.36, 0.26, 0.12, (0.0, 0.0, 0.06), hidden=True),
            Part("ellipsoid", (0.20, 0.15, 0.07), (0.0, 0.0, 0.07), solid=False),
        ),
    ),
    ObjectKind(
        "candle",
        (0.14, 0.14, 0.36),
        0.4,
        (
            box(0.13, 0.13, 0.28, (0.0, 0.0, 0.14), hidden=True),
            cylinder(0.07, 0.28, (0.0, 0.0, 0.14), solid=False),
            Part("ellipsoid", (0.03, 0.03, 0.045), (0.0, 0.0, 0.325), paint="flame", solid=False),
        ),
    ),
    ObjectKind(
        "lamp",
        (0.26, 0.26, 0.44),
        0.7,
        (
            box(0.20, 0.20, 0.06, (0.0, 0.0, 0.03), paint="metal"),
            cylinder(0.02, 0.22, (0.0, 0.0, 0.15), paint="metal", solid=False),
            box(0.24, 0.24, 0.18, (0.0, 0.0, 0.35)),
            box(0.20, 0.20, 0.01, (0.0, 0.0, 0.44), paint="glow", solid=False),
        ),
    ),
    ObjectKind(
        "plate",
        (0.34, 0.34, 0.05),
        0.4,
        (
            box(0.28, 0.28, 0.05, (0.0, 0.0, 0.025), hidden=True),
            cylinder(0.17, 0.04, (0.0, 0.0, 0.02), solid=False),
            cylinder(0.10, 0.012, (0.0, 0.0, 0.044), paint="paper", solid=False),
        ),
    ),
    ObjectKind(
        "bottle",
        (0.16, 0.16, 0.44),
        0.6,
        (
            box(0.14, 0.14, 0.26, (0.0, 0.0, 0.13), hidden=True),
            cylinder(0.08, 0.26, (0.0, 0.0, 0.13), solid=False),
            cylinder(0.035, 0.14, (0.0, 0.0, 0.33)),
            cylinder(0.045, 0.04, (0.0, 0.0, 0.42), paint="paper", solid=False),
        ),
    ),
    ObjectKind(
        "banana",
        (0.40, 0.16, 0.10),
        0.3,
        (
            box(0.38, 0.14, 0.09, (0.0, 0.0, 0.045), hidden=True),
            Part("capsule", (0.045, 0.09, 0.0), (-0.09, 0.0, 0.045), (90.0, 0.0, 65.0), solid=False),
            Part("capsule", (0.045, 0.09, 0.0), (0.09, 0.0, 0.045), (90.0, 0.0, 115.0), solid=False),
        ),
    ),
    ObjectKind(
        "rocket",
        (0.22, 0.22, 0.46),
        0.6,
        (
            box(0.18, 0.18, 0.10, (0.0, 0.0, 0.05), hidden=True),
            Part("capsule", (0.08, 0.13, 0.0), (0.0, 0.0, 0.25)),
            Part("sphere", (0.055, 0.0, 0.0), (0.0, 0.0, 0.42), paint="metal", solid=False),
            box(0.28, 0.04, 0.16, (0.0, 0.0, 0.08), paint="metal", solid=False),
            box(0.04, 0.28, 0.16, (0.0, 0.0, 0.08), paint="metal", solid=False),
        ),
    ),
)

OBJECT_KINDS: dict[str, ObjectKind] = {kind.name: kind for kind in _OBJECT_KINDS}
