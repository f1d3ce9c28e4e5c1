"""The kinds of furniture: fixed things, some with surfaces on which loose things can stand. Lengths are in metres."""

from __future__ import annotations

from dataclasses import dataclass

from worlds.playhouse.house.parts import Part, Vector, box, cylinder


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
      parts: primitives.
      surfaces: planes on which things can stand.
    """

    name: str
    half: tuple[float, float]
    height: float
    against_wall: bool
    parts: tuple[Part, ...]
    surfaces: tuple[Surface, ...]


def _legs(x: float, y: float, height: float) -> tuple[Part, ...]:
    """Four square legs at (+-x, +-y)."""
    return tuple(box(0.07, 0.07, height, (sx * x, sy * y, height / 2), shade=0.7) for sx in (-1, 1) for sy in (-1, 1))


def _seat(width: float, depth: float, height: float, arm: float, back: float) -> tuple[Part, ...]:
    """An upholstered seat with a back and two arms; ``width`` is between the arms."""
    outer = width + 2 * arm
    return (
        box(width, depth, height, (0.0, 0.0, height / 2)),
        box(outer, 0.18, back, (0.0, -depth / 2 - 0.09, back / 2), shade=0.85),
        box(arm, depth, height + 0.2, (-width / 2 - arm / 2, 0.0, height / 2 + 0.1), shade=0.75),
        box(arm, depth, height + 0.2, (width / 2 + arm / 2, 0.0, height / 2 + 0.1), shade=0.75),
    )


_FURNITURE_KINDS = (
    FurnitureKind(
        "table",
        (0.65, 0.45),
        0.6,
        False,
        (box(1.30, 0.90, 0.08, (0.0, 0.0, 0.56)), *_legs(0.58, 0.38, 0.52)),
        (Surface((0.0, 0.0, 0.6), (0.62, 0.42)),),
    ),
    FurnitureKind(
        "chair",
        (0.27, 0.27),
        0.95,
        False,
        (
            box(0.52, 0.52, 0.08, (0.0, 0.0, 0.38)),
            box(0.52, 0.07, 0.53, (0.0, -0.225, 0.685), shade=0.85),
            *_legs(0.22, 0.22, 0.34),
        ),
        (Surface((0.0, 0.05, 0.42), (0.24, 0.20)),),
    ),
    FurnitureKind(
        "stool",
        (0.24, 0.24),
        0.42,
        False,
        (cylinder(0.24, 0.08, (0.0, 0.0, 0.38)), cylinder(0.05, 0.34, (0.0, 0.0, 0.17), shade=0.7)),
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
            box(1.50, 2.00, 0.22, (0.0, 0.03, 0.11), paint="wood"),
            box(1.44, 1.90, 0.16, (0.0, 0.05, 0.30)),
            box(1.10, 0.34, 0.04, (0.0, -0.70, 0.39), paint="linen", solid=False),
            box(1.50, 0.08, 0.80, (0.0, -1.01, 0.40), paint="wood"),
        ),
        (Surface((0.0, 0.26, 0.38), (0.66, 0.66)),),
    ),
    FurnitureKind(
        "shelf",
        (0.60, 0.22),
        1.50,
        True,
        (
            box(0.05, 0.44, 1.50, (-0.575, 0.0, 0.75), shade=0.8),
            box(0.05, 0.44, 1.50, (0.575, 0.0, 0.75), shade=0.8),
            box(1.10, 0.04, 1.50, (0.0, -0.20, 0.75), shade=0.6),
            *(box(1.10, 0.40, 0.05, (0.0, 0.02, z)) for z in (0.10, 0.70, 1.475)),
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
            box(1.20, 0.56, 1.90, (0.0, -0.02, 0.95)),
            box(0.02, 0.03, 1.80, (0.0, 0.275, 0.95), paint="tyre", solid=False),
            box(0.04, 0.04, 0.20, (-0.08, 0.28, 0.95), paint="metal", solid=False),
            box(0.04, 0.04, 0.20, (0.08, 0.28, 0.95), paint="metal", solid=False),
        ),
        (),
    ),
    FurnitureKind(
        "chest",
        (0.50, 0.30),
        0.50,
        True,
        (
            box(1.00, 0.58, 0.50, (0.0, 0.0, 0.25)),
            box(1.02, 0.60, 0.04, (0.0, 0.0, 0.36), paint="metal", solid=False),
            box(0.12, 0.03, 0.12, (0.0, 0.295, 0.34), paint="flame", solid=False),
        ),
        (Surface((0.0, 0.0, 0.50), (0.46, 0.26)),),
    ),
    FurnitureKind(
        "bathtub",
        (0.85, 0.42),
        0.50,
        True,
        (
            box(1.70, 0.84, 0.14, (0.0, 0.0, 0.07)),
            box(1.58, 0.72, 0.01, (0.0, 0.0, 0.145), paint="water", solid=False),
            box(1.70, 0.08, 0.50, (0.0, -0.38, 0.25)),
            box(1.70, 0.08, 0.50, (0.0, 0.38, 0.25)),
            box(0.08, 0.84, 0.50, (-0.81, 0.0, 0.25), shade=0.85),
            box(0.08, 0.84, 0.50, (0.81, 0.0, 0.25), shade=0.85),
        ),
        (Surface((0.0, 0.0, 0.14), (0.72, 0.29)),),
    ),
)

FURNITURE_KINDS: dict[str, FurnitureKind] = {kind.name: kind for kind in _FURNITURE_KINDS}
