"""The kinds of furniture of the first houses. Their parts and their order are in recordings and do not change."""

from __future__ import annotations

from worlds.playhouse.house.kinds import FurnitureKind, Surface, words
from worlds.playhouse.house.parts import Part, box, cylinder


def legs(x: float, y: float, height: float) -> tuple[Part, ...]:
    """Four square legs at (+-x, +-y)."""
    return tuple(box(0.07, 0.07, height, (sx * x, sy * y, height / 2), shade=0.7) for sx in (-1, 1) for sy in (-1, 1))


def seat(width: float, depth: float, height: float, arm: float, back: float) -> tuple[Part, ...]:
    """An upholstered seat with a back and two arms; ``width`` is between the arms."""
    outer = width + 2 * arm
    return (
        box(width, depth, height, (0.0, 0.0, height / 2), finish="cloth"),
        box(outer, 0.18, back, (0.0, -depth / 2 - 0.09, back / 2), shade=0.85, finish="cloth"),
        box(arm, depth, height + 0.2, (-width / 2 - arm / 2, 0.0, height / 2 + 0.1), shade=0.75, finish="cloth"),
        box(arm, depth, height + 0.2, (width / 2 + arm / 2, 0.0, height / 2 + 0.1), shade=0.75, finish="cloth"),
    )


KINDS = (
    FurnitureKind(
        "table",
        (0.65, 0.45),
        0.6,
        False,
        (box(1.30, 0.90, 0.08, (0.0, 0.0, 0.56), finish="wood"), *legs(0.58, 0.38, 0.52)),
        (Surface((0.0, 0.0, 0.6), (0.62, 0.42)),),
        categories=words("furniture"),
        shapes=words("rectangular"),
        rooms=("living room", "study", "conservatory", "playroom"),
        under=Surface((0.0, 0.0, 0.0), (0.52, 0.32), 0.52),
    ),
    FurnitureKind(
        "chair",
        (0.27, 0.27),
        0.95,
        False,
        (
            box(0.52, 0.52, 0.08, (0.0, 0.0, 0.38), finish="wood"),
            box(0.52, 0.07, 0.53, (0.0, -0.225, 0.685), shade=0.85),
            *legs(0.22, 0.22, 0.34),
        ),
        (Surface((0.0, 0.05, 0.42), (0.24, 0.20)),),
        synonyms=("seat",),
        categories=words("furniture", "seat", "to sit on", "dining furniture"),
        rooms=("dining room", "kitchen", "study"),
    ),
    FurnitureKind(
        "stool",
        (0.24, 0.24),
        0.42,
        False,
        (cylinder(0.24, 0.08, (0.0, 0.0, 0.38)), cylinder(0.05, 0.34, (0.0, 0.0, 0.17), shade=0.7)),
        (Surface((0.0, 0.0, 0.42), (0.16, 0.16)),),
        synonyms=("seat",),
        categories=words("furniture", "seat", "to sit on"),
        shapes=words("round", "circular"),
        rooms=("kitchen",),
    ),
    FurnitureKind(
        "sofa",
        (0.95, 0.49),
        0.85,
        True,
        tuple(seat(1.60, 0.80, 0.40, 0.15, 0.85)),
        (Surface((0.0, 0.0, 0.40), (0.76, 0.36)),),
        synonyms=("couch", "settee"),
        categories=words("furniture", "seat", "to sit on", "soft"),
        rooms=("living room", "conservatory", "playroom"),
    ),
    FurnitureKind(
        "armchair",
        (0.50, 0.46),
        0.80,
        True,
        tuple(seat(0.74, 0.74, 0.40, 0.13, 0.80)),
        (Surface((0.0, 0.0, 0.40), (0.33, 0.33)),),
        synonyms=("arm chair", "easy chair"),
        categories=words("furniture", "seat", "to sit on", "soft"),
        rooms=("living room", "bedroom", "study", "conservatory"),
    ),
    FurnitureKind(
        "bed",
        (0.75, 1.05),
        0.80,
        True,
        (
            box(1.50, 2.00, 0.22, (0.0, 0.03, 0.11), paint="wood", finish="wood"),
            box(1.44, 1.90, 0.16, (0.0, 0.05, 0.30), finish="cloth"),
            box(1.10, 0.34, 0.04, (0.0, -0.70, 0.39), paint="linen", solid=False),
            box(1.50, 0.08, 0.80, (0.0, -1.01, 0.40), paint="wood", finish="wood"),
        ),
        (Surface((0.0, 0.26, 0.38), (0.66, 0.66)),),
        categories=words("furniture", "to sleep on", "soft"),
        shapes=words("rectangular"),
        rooms=("bedroom",),
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
        plural="shelves",
        synonyms=("shelving",),
        categories=words("furniture", "storage"),
        shapes=words("rectangular"),
        rooms=("living room", "pantry", "study", "playroom"),
    ),
    FurnitureKind(
        "wardrobe",
        (0.60, 0.30),
        1.90,
        True,
        (
            box(1.20, 0.56, 1.90, (0.0, -0.02, 0.95), finish="wood"),
            box(0.02, 0.03, 1.80, (0.0, 0.275, 0.95), paint="tyre", solid=False),
            box(0.04, 0.04, 0.20, (-0.08, 0.28, 0.95), paint="metal", solid=False),
            box(0.04, 0.04, 0.20, (0.08, 0.28, 0.95), paint="metal", solid=False),
        ),
        (),
        synonyms=("closet",),
        categories=words("furniture", "storage"),
        shapes=words("rectangular"),
        rooms=("bedroom", "hallway"),
    ),
    FurnitureKind(
        "chest",
        (0.50, 0.30),
        0.50,
        True,
        (
            box(1.00, 0.58, 0.50, (0.0, 0.0, 0.25), finish="planks"),
            box(1.02, 0.60, 0.04, (0.0, 0.0, 0.36), paint="metal", solid=False),
            box(0.12, 0.03, 0.12, (0.0, 0.295, 0.34), paint="flame", solid=False),
        ),
        (Surface((0.0, 0.0, 0.50), (0.46, 0.26)),),
        synonyms=("trunk",),
        categories=words("furniture", "storage"),
        shapes=words("rectangular"),
        rooms=("bedroom", "living room", "playroom", "hallway"),
    ),
    FurnitureKind(
        "bathtub",
        (0.85, 0.42),
        0.50,
        True,
        (
            box(1.70, 0.84, 0.14, (0.0, 0.0, 0.07)),
            box(1.58, 0.72, 0.01, (0.0, 0.0, 0.145), paint="water", solid=False, finish="water"),
            box(1.70, 0.08, 0.50, (0.0, -0.38, 0.25)),
            box(1.70, 0.08, 0.50, (0.0, 0.38, 0.25)),
            box(0.08, 0.84, 0.50, (-0.81, 0.0, 0.25), shade=0.85),
            box(0.08, 0.84, 0.50, (0.81, 0.0, 0.25), shade=0.85),
        ),
        (Surface((0.0, 0.0, 0.14), (0.72, 0.29)),),
        synonyms=("bath", "bath tub", "tub"),
        categories=words("furniture", "container", "to wash with"),
        rooms=("bathroom",),
        inside=Surface((0.0, 0.0, 0.14), (0.72, 0.29)),
    ),
)
