"""Furniture that holds things."""

from __future__ import annotations

from worlds.playhouse.house.kinds import FurnitureKind, Surface, words
from worlds.playhouse.house.parts import Part, box, cylinder

_RACK_ROWS = (0.06, 0.48, 0.90)  # heights of the boards that things stand on, m
_BOOKS = (("screen", 0.30), ("ember", 0.26), ("leaf", 0.32), ("clay", 0.28), ("linen", 0.30), ("brass", 0.25))


def _handle(x: float, y: float, z: float, length: float = 0.14) -> Part:
    return box(0.03, 0.03, length, (x, y, z), paint="metal", solid=False)


def _row_of_books(z: float, width: float) -> tuple[Part, ...]:
    """Books for show that stand on a board of a width at a height."""
    count = len(_BOOKS)
    return tuple(
        box(0.8 * width / count, 0.24, height, (width * ((i + 0.5) / count - 0.5), 0.0, z + height / 2), paint=paint,
            solid=False)
        for i, (paint, height) in enumerate(_BOOKS)
    )  # fmt: skip


KINDS = (
    FurnitureKind(
        "rack",
        (0.70, 0.24),
        1.36,
        True,
        (
            *(box(0.05, 0.48, 1.36, (x, 0.0, 0.68), shade=0.85) for x in (-0.675, 0.0, 0.675)),
            box(1.30, 0.04, 1.36, (0.0, -0.22, 0.68), shade=0.6),
            *(box(1.30, 0.44, 0.05, (0.0, 0.02, z - 0.025)) for z in (*_RACK_ROWS, 1.36)),
        ),
        tuple(Surface((0.34 * side, 0.02, z), (0.29, 0.20), 0.36) for z in _RACK_ROWS for side in (-1, 1)),
        synonyms=("shelf", "shelving unit", "compartments"),
        shapes=words("rectangular"),
        categories=words("furniture", "storage"),
        rooms=("living room", "bedroom", "playroom", "pantry", "study"),
    ),
    FurnitureKind(
        "ledge",
        (0.70, 0.20),
        0.62,
        True,
        (
            box(1.40, 0.40, 0.05, (0.0, 0.0, 0.595), finish="wood"),
            *(box(0.05, 0.30, 0.05, (0.5 * side, -0.05, 0.545), shade=0.7, solid=False) for side in (-1, 1)),
            *(box(0.05, 0.05, 0.17, (0.5 * side, -0.175, 0.485), shade=0.7, solid=False) for side in (-1, 1)),
        ),
        (Surface((0.0, 0.0, 0.62), (0.66, 0.18)),),
        bottom=0.40,
        synonyms=("wall shelf",),
        shapes=words("long", "rectangular"),
        categories=words("furniture", "storage"),
        rooms=("living room", "bathroom", "pantry", "hallway", "kitchen", "laundry room"),
        under=Surface((0.0, 0.0, 0.0), (0.66, 0.19), 0.40),
    ),
    FurnitureKind(
        "cupboard",
        (0.55, 0.24),
        1.10,
        True,
        (
            box(1.10, 0.46, 1.06, (0.0, -0.01, 0.55), finish="wood"),
            box(1.10, 0.48, 0.04, (0.0, 0.0, 1.08), shade=0.8),
            *(box(0.48, 0.012, 0.90, (0.26 * side, 0.222, 0.55), shade=0.85, solid=False) for side in (-1, 1)),
            *(_handle(0.06 * side, 0.235, 0.60) for side in (-1, 1)),
        ),
        (Surface((0.0, 0.0, 1.10), (0.50, 0.20)),),
        synonyms=("cabinet", "sideboard"),
        shapes=words("rectangular"),
        categories=words("furniture", "storage"),
        rooms=("kitchen", "dining room", "pantry", "laundry room", "hallway"),
    ),
    FurnitureKind(
        "small wardrobe",
        (0.45, 0.28),
        1.28,
        True,
        (
            box(0.90, 0.54, 1.28, (0.0, -0.01, 0.64), finish="wood"),
            box(0.02, 0.02, 1.18, (0.0, 0.265, 0.64), paint="tyre", solid=False),
            *(_handle(0.07 * side, 0.275, 0.70, 0.20) for side in (-1, 1)),
        ),
        (Surface((0.0, 0.0, 1.28), (0.40, 0.24)),),
        synonyms=("wardrobe", "closet"),
        shapes=words("rectangular"),
        categories=words("furniture", "storage"),
        rooms=("bedroom", "living room"),
    ),
    FurnitureKind(
        "bookcase",
        (0.55, 0.20),
        1.80,
        True,
        (
            *(box(0.05, 0.40, 1.80, (0.525 * side, 0.0, 0.90), shade=0.8) for side in (-1, 1)),
            box(1.00, 0.04, 1.80, (0.0, -0.18, 0.90), shade=0.6),
            *(box(1.00, 0.38, 0.05, (0.0, 0.0, z), finish="wood") for z in (0.06, 0.49, 0.92, 1.35, 1.775)),
            *_row_of_books(1.375, 0.90),
            *_row_of_books(0.085, 0.90),
        ),
        (
            Surface((0.0, 0.01, 0.515), (0.46, 0.17), 0.36),
            Surface((0.0, 0.01, 0.945), (0.46, 0.17), 0.36),
        ),
        synonyms=("bookshelf", "book shelf", "book rack"),
        shapes=words("rectangular", "long"),
        categories=words("furniture", "storage"),
        rooms=("study", "living room", "bedroom"),
    ),
    FurnitureKind(
        "drawer unit",
        (0.45, 0.25),
        0.80,
        True,
        (
            box(0.90, 0.48, 0.80, (0.0, -0.01, 0.40), finish="wood"),
            *(box(0.82, 0.015, 0.20, (0.0, 0.235, 0.16 + 0.24 * i), shade=0.85, solid=False) for i in range(3)),
            *(
                Part("sphere", (0.025, 0.0, 0.0), (0.2 * side, 0.25, 0.16 + 0.24 * i), paint="brass", solid=False)
                for i in range(3)
                for side in (-1, 1)
            ),
        ),
        (Surface((0.0, -0.01, 0.80), (0.41, 0.21)),),
        synonyms=("chest of drawers", "drawers", "dresser"),
        shapes=words("rectangular"),
        categories=words("furniture", "storage"),
        rooms=("bedroom", "hallway", "study"),
    ),
    FurnitureKind(
        "coat stand",
        (0.24, 0.24),
        1.70,
        False,
        (
            box(0.12, 0.12, 1.60, (0.0, 0.0, 0.80), hidden=True),
            cylinder(0.03, 1.64, (0.0, 0.0, 0.82), finish="wood", solid=False),
            cylinder(0.22, 0.03, (0.0, 0.0, 0.015), shade=0.8, solid=False),
            *(
                Part("capsule", (0.018, 0.09, 0.0), (0.09 * x, 0.09 * y, 1.58), (-50.0 * y, 50.0 * x, 0.0), solid=False)
                for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1))
            ),
            Part("sphere", (0.045, 0.0, 0.0), (0.0, 0.0, 1.66), solid=False),
            Part("ellipsoid", (0.05, 0.15, 0.38), (0.15, 0.0, 1.20), paint="screen", solid=False, finish="cloth"),
        ),
        (),
        synonyms=("coat rack", "hat stand"),
        shapes=words("long"),
        categories=words("furniture"),
        rooms=("hallway",),
    ),
)
