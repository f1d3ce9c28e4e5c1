"""What a house can hold: kinds of object and furniture, colours and sizes.

Every kind is a few MuJoCo primitives (:class:`Part`). Lengths are in metres at size ``medium``; an
object's parts are given from the point on the floor under its middle, z up. Parts that do not collide are
decoration that makes kinds tell apart at low resolution; one or two simple parts do the colliding, because
contacts between boxes, spheres and capsules are both fast and stable.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot
from typing import Literal

Shape = Literal["box", "sphere", "cylinder", "capsule", "ellipsoid"]
Vector = tuple[float, float, float]

MAIN = "main"  # a part painted in the thing's own colour


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


@dataclass(frozen=True)
class ObjectKind:
    """A kind of loose thing.

    Args:
      extent: full width (x), depth (y) and height (z) at size medium; every part lies inside, bar small trims.
      mass_kg: at size medium.
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


@dataclass(frozen=True)
class Surface:
    """A level rectangle of a piece of furniture on which things can stand.

    Args:
      at: centre (x, y) in the furniture's frame and height above the floor.
      half: half-extents (x, y).
      clearance: free height above it.
    """

    at: Vector
    half: tuple[float, float]
    clearance: float = 10.0


@dataclass(frozen=True)
class FurnitureKind:
    """A kind of fixed thing. Its back is at -y, its front at +y.

    Args:
      half: half-extents (x, y) of its footprint.
      height: its highest point.
      against_wall: whether it stands with its back to a wall.
      parts: primitives. surfaces: where things can stand on it.
    """

    name: str
    half: tuple[float, float]
    height: float
    against_wall: bool
    parts: tuple[Part, ...]
    surfaces: tuple[Surface, ...]


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
FLOORS: dict[str, Vector] = {
    "oak": (0.66, 0.52, 0.38),
    "slate": (0.42, 0.46, 0.52),
    "moss": (0.50, 0.57, 0.42),
    "sand": (0.76, 0.70, 0.56),
    "clay": (0.62, 0.46, 0.42),
}
SIZES: dict[str, float] = {"small": 0.7, "medium": 1.0, "large": 1.4}


def _box(x: float, y: float, z: float, at: Vector, **more) -> Part:
    """A box of full extents x, y, z."""
    return Part("box", (x / 2, y / 2, z / 2), at, **more)


def _cylinder(radius: float, height: float, at: Vector, **more) -> Part:
    return Part("cylinder", (radius, height / 2, 0.0), at, **more)


def _wheels(x: float, y: float, radius: float) -> tuple[Part, ...]:
    return tuple(
        _cylinder(radius, 0.05, (sx * x, sy * y, radius), euler=(90.0, 0.0, 0.0), paint="tyre", solid=False)
        for sx in (-1, 1)
        for sy in (-1, 1)
    )


_OBJECT_KINDS = (
    ObjectKind("ball", (0.30, 0.30, 0.30), 0.5, (Part("sphere", (0.15, 0.0, 0.0), (0.0, 0.0, 0.15)),), round=True),
    ObjectKind("block", (0.26, 0.26, 0.26), 0.8, (_box(0.26, 0.26, 0.26, (0.0, 0.0, 0.13)),)),
    ObjectKind(
        "book",
        (0.34, 0.25, 0.09),
        0.7,
        (
            _box(0.34, 0.25, 0.09, (0.0, 0.0, 0.045), hidden=True),
            _box(0.34, 0.25, 0.025, (0.0, 0.0, 0.0125), solid=False),
            _box(0.31, 0.23, 0.04, (0.01, 0.0, 0.045), paint="paper", solid=False),
            _box(0.34, 0.25, 0.025, (0.0, 0.0, 0.0775), solid=False),
        ),
    ),
    ObjectKind(
        "mug",
        (0.22, 0.22, 0.24),
        0.4,
        (
            _box(0.20, 0.20, 0.24, (0.0, 0.0, 0.12), hidden=True),
            _cylinder(0.11, 0.24, (0.0, 0.0, 0.12), solid=False),
            _cylinder(0.09, 0.012, (0.0, 0.0, 0.240), paint="tyre", solid=False),
            _box(0.07, 0.04, 0.15, (0.14, 0.0, 0.12), shade=0.8, solid=False),
        ),
    ),
    ObjectKind(
        "duck",
        (0.32, 0.22, 0.30),
        0.4,
        (
            _box(0.28, 0.20, 0.18, (0.0, 0.0, 0.09), hidden=True),
            Part("ellipsoid", (0.16, 0.11, 0.10), (0.0, 0.0, 0.10), solid=False),
            Part("sphere", (0.08, 0.0, 0.0), (0.08, 0.0, 0.22)),
            _box(0.08, 0.07, 0.03, (0.17, 0.0, 0.21), paint="beak", solid=False),
        ),
    ),
    ObjectKind(
        "robot",
        (0.22, 0.18, 0.42),
        0.9,
        (
            _box(0.22, 0.18, 0.24, (0.0, 0.0, 0.12)),
            _box(0.16, 0.15, 0.14, (0.0, 0.0, 0.33), paint="metal"),
            _box(0.02, 0.12, 0.04, (0.08, 0.0, 0.34), paint="tyre", solid=False),
        ),
    ),
    ObjectKind(
        "car",
        (0.40, 0.22, 0.20),
        0.8,
        (
            _box(0.40, 0.20, 0.10, (0.0, 0.0, 0.10)),
            _box(0.18, 0.18, 0.08, (-0.02, 0.0, 0.17), paint="glass", solid=False),
            _box(0.36, 0.20, 0.20, (0.0, 0.0, 0.10), hidden=True),
            *_wheels(0.12, 0.10, 0.06),
        ),
    ),
    ObjectKind(
        "pillow",
        (0.40, 0.30, 0.14),
        0.3,
        (
            _box(0.36, 0.26, 0.12, (0.0, 0.0, 0.06), hidden=True),
            Part("ellipsoid", (0.20, 0.15, 0.07), (0.0, 0.0, 0.07), solid=False),
        ),
    ),
    ObjectKind(
        "candle",
        (0.14, 0.14, 0.36),
        0.4,
        (
            _box(0.13, 0.13, 0.28, (0.0, 0.0, 0.14), hidden=True),
            _cylinder(0.07, 0.28, (0.0, 0.0, 0.14), solid=False),
            Part("ellipsoid", (0.03, 0.03, 0.045), (0.0, 0.0, 0.325), paint="flame", solid=False),
        ),
    ),
    ObjectKind(
        "lamp",
        (0.26, 0.26, 0.44),
        0.7,
        (
            _box(0.20, 0.20, 0.06, (0.0, 0.0, 0.03), paint="metal"),
            _cylinder(0.02, 0.22, (0.0, 0.0, 0.15), paint="metal", solid=False),
            _box(0.24, 0.24, 0.18, (0.0, 0.0, 0.35)),
            _box(0.20, 0.20, 0.01, (0.0, 0.0, 0.44), paint="glow", solid=False),
        ),
    ),
    ObjectKind(
        "plate",
        (0.34, 0.34, 0.05),
        0.4,
        (
            _box(0.28, 0.28, 0.05, (0.0, 0.0, 0.025), hidden=True),
            _cylinder(0.17, 0.04, (0.0, 0.0, 0.02), solid=False),
            _cylinder(0.10, 0.012, (0.0, 0.0, 0.044), paint="paper", solid=False),
        ),
    ),
    ObjectKind(
        "bottle",
        (0.16, 0.16, 0.44),
        0.6,
        (
            _box(0.14, 0.14, 0.26, (0.0, 0.0, 0.13), hidden=True),
            _cylinder(0.08, 0.26, (0.0, 0.0, 0.13), solid=False),
            _cylinder(0.035, 0.14, (0.0, 0.0, 0.33)),
            _cylinder(0.045, 0.04, (0.0, 0.0, 0.42), paint="paper", solid=False),
        ),
    ),
    ObjectKind(
        "banana",
        (0.40, 0.16, 0.10),
        0.3,
        (
            _box(0.38, 0.14, 0.09, (0.0, 0.0, 0.045), hidden=True),
            Part("capsule", (0.045, 0.09, 0.0), (-0.09, 0.0, 0.045), (90.0, 0.0, 65.0), solid=False),
            Part("capsule", (0.045, 0.09, 0.0), (0.09, 0.0, 0.045), (90.0, 0.0, 115.0), solid=False),
        ),
    ),
    ObjectKind(
        "rocket",
        (0.22, 0.22, 0.46),
        0.6,
        (
            _box(0.18, 0.18, 0.10, (0.0, 0.0, 0.05), hidden=True),
            Part("capsule", (0.08, 0.13, 0.0), (0.0, 0.0, 0.25)),
            _box(0.22, 0.03, 0.14, (0.0, 0.0, 0.07), paint="metal", solid=False),
            _box(0.03, 0.22, 0.14, (0.0, 0.0, 0.07), paint="metal", solid=False),
        ),
    ),
)


def _legs(x: float, y: float, height: float) -> tuple[Part, ...]:
    """Four square legs at (+-x, +-y)."""
    return tuple(_box(0.07, 0.07, height, (sx * x, sy * y, height / 2), shade=0.7) for sx in (-1, 1) for sy in (-1, 1))


def _seat(width: float, depth: float, height: float, arm: float, back: float) -> tuple[Part, ...]:
    """An upholstered seat with a back and two arms; ``width`` is between the arms."""
    outer = width + 2 * arm
    return (
        _box(width, depth, height, (0.0, 0.0, height / 2)),
        _box(outer, 0.18, back, (0.0, -depth / 2 - 0.09, back / 2), shade=0.85),
        _box(arm, depth, height + 0.2, (-width / 2 - arm / 2, 0.0, height / 2 + 0.1), shade=0.75),
        _box(arm, depth, height + 0.2, (width / 2 + arm / 2, 0.0, height / 2 + 0.1), shade=0.75),
    )


_FURNITURE_KINDS = (
    FurnitureKind(
        "table",
        (0.65, 0.45),
        0.6,
        False,
        (_box(1.30, 0.90, 0.08, (0.0, 0.0, 0.56)), *_legs(0.58, 0.38, 0.52)),
        (Surface((0.0, 0.0, 0.6), (0.62, 0.42)),),
    ),
    FurnitureKind(
        "chair",
        (0.27, 0.27),
        0.95,
        False,
        (
            _box(0.52, 0.52, 0.08, (0.0, 0.0, 0.38)),
            _box(0.52, 0.07, 0.53, (0.0, -0.225, 0.685), shade=0.85),
            *_legs(0.22, 0.22, 0.34),
        ),
        (Surface((0.0, 0.05, 0.42), (0.24, 0.20)),),
    ),
    FurnitureKind(
        "stool",
        (0.24, 0.24),
        0.42,
        False,
        (_cylinder(0.24, 0.08, (0.0, 0.0, 0.38)), _cylinder(0.05, 0.34, (0.0, 0.0, 0.17), shade=0.7)),
        (Surface((0.0, 0.0, 0.42), (0.16, 0.16)),),
    ),
    FurnitureKind(
        "sofa",
        (0.95, 0.49),
        0.85,
        True,
        tuple(_seat(1.60, 0.80, 0.40, 0.15, 0.85)),
        (Surface((0.0, 0.0, 0.40), (0.76, 0.36)),),
    ),
    FurnitureKind(
        "armchair",
        (0.50, 0.46),
        0.80,
        True,
        tuple(_seat(0.74, 0.74, 0.40, 0.13, 0.80)),
        (Surface((0.0, 0.0, 0.40), (0.33, 0.33)),),
    ),
    FurnitureKind(
        "bed",
        (0.75, 1.05),
        0.80,
        True,
        (
            _box(1.50, 2.00, 0.22, (0.0, 0.03, 0.11), paint="wood"),
            _box(1.44, 1.90, 0.16, (0.0, 0.05, 0.30)),
            _box(1.10, 0.34, 0.04, (0.0, -0.70, 0.39), paint="linen", solid=False),
            _box(1.50, 0.08, 0.80, (0.0, -1.01, 0.40), paint="wood"),
        ),
        (Surface((0.0, 0.26, 0.38), (0.66, 0.66)),),
    ),
    FurnitureKind(
        "shelf",
        (0.60, 0.22),
        1.50,
        True,
        (
            _box(0.05, 0.44, 1.50, (-0.575, 0.0, 0.75), shade=0.8),
            _box(0.05, 0.44, 1.50, (0.575, 0.0, 0.75), shade=0.8),
            _box(1.10, 0.04, 1.50, (0.0, -0.20, 0.75), shade=0.6),
            *(_box(1.10, 0.40, 0.05, (0.0, 0.02, z)) for z in (0.10, 0.70, 1.475)),
        ),
        (
            Surface((0.0, 0.02, 0.125), (0.50, 0.18), 0.54),
            Surface((0.0, 0.02, 0.725), (0.50, 0.18), 0.70),
        ),
    ),
    FurnitureKind(
        "wardrobe",
        (0.60, 0.30),
        1.90,
        True,
        (
            _box(1.20, 0.56, 1.90, (0.0, -0.02, 0.95)),
            _box(0.02, 0.03, 1.80, (0.0, 0.275, 0.95), paint="tyre", solid=False),
            _box(0.04, 0.04, 0.20, (-0.08, 0.28, 0.95), paint="metal", solid=False),
            _box(0.04, 0.04, 0.20, (0.08, 0.28, 0.95), paint="metal", solid=False),
        ),
        (),
    ),
    FurnitureKind(
        "chest",
        (0.50, 0.30),
        0.50,
        True,
        (
            _box(1.00, 0.58, 0.50, (0.0, 0.0, 0.25)),
            _box(1.02, 0.60, 0.04, (0.0, 0.0, 0.36), paint="metal", solid=False),
            _box(0.12, 0.03, 0.12, (0.0, 0.295, 0.34), paint="flame", solid=False),
        ),
        (Surface((0.0, 0.0, 0.50), (0.46, 0.26)),),
    ),
    FurnitureKind(
        "bathtub",
        (0.85, 0.42),
        0.50,
        True,
        (
            _box(1.70, 0.84, 0.14, (0.0, 0.0, 0.07)),
            _box(1.58, 0.72, 0.01, (0.0, 0.0, 0.145), paint="water", solid=False),
            _box(1.70, 0.08, 0.50, (0.0, -0.38, 0.25)),
            _box(1.70, 0.08, 0.50, (0.0, 0.38, 0.25)),
            _box(0.08, 0.84, 0.50, (-0.81, 0.0, 0.25), shade=0.85),
            _box(0.08, 0.84, 0.50, (0.81, 0.0, 0.25), shade=0.85),
        ),
        (Surface((0.0, 0.0, 0.14), (0.72, 0.29)),),
    ),
)

OBJECT_KINDS: dict[str, ObjectKind] = {kind.name: kind for kind in _OBJECT_KINDS}
FURNITURE_KINDS: dict[str, FurnitureKind] = {kind.name: kind for kind in _FURNITURE_KINDS}
