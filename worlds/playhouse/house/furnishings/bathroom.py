"""Fitted furniture of bathrooms, beside the bathtub of the first houses."""

from __future__ import annotations

from worlds.playhouse.house.kinds import FurnitureKind, Surface, words
from worlds.playhouse.house.parts import Part, box, cylinder

_BASIN = Surface((0.0, 0.03, 0.68), (0.24, 0.15))

KINDS = (
    FurnitureKind(
        "sink",
        (0.34, 0.26),
        1.00,
        True,
        (
            box(0.68, 0.52, 0.05, (0.0, 0.0, 0.655)),
            *(box(0.08, 0.52, 0.20, (0.30 * side, 0.0, 0.73)) for side in (-1, 1)),
            box(0.52, 0.12, 0.20, (0.0, -0.20, 0.73)),
            box(0.52, 0.06, 0.20, (0.0, 0.23, 0.73)),
            box(0.52, 0.34, 0.006, (0.0, 0.03, 0.683), paint="water", solid=False),
            cylinder(0.10, 0.63, (0.0, -0.04, 0.315), shade=0.85, solid=False),
            box(0.24, 0.24, 0.63, (0.0, -0.04, 0.315), hidden=True),
            box(0.04, 0.04, 0.16, (0.0, -0.20, 0.91), paint="metal", solid=False),
            box(0.04, 0.18, 0.035, (0.0, -0.12, 0.98), paint="metal", solid=False),
        ),
        (_BASIN,),
        synonyms=("wash basin", "washbasin", "basin"),
        shapes=words("rectangular"),
        categories=words("furniture", "container", "to wash with"),
        colours=("white", "pink", "cyan", "peach", "grey", "aquamarine"),
        rooms=("bathroom", "laundry room"),
        inside=_BASIN,
    ),
    FurnitureKind(
        "toilet",
        (0.24, 0.36),
        0.86,
        True,
        (
            box(0.36, 0.46, 0.42, (0.0, 0.10, 0.21), hidden=True),
            box(0.46, 0.18, 0.48, (0.0, -0.26, 0.62)),
            box(0.48, 0.20, 0.03, (0.0, -0.26, 0.855), shade=0.8, solid=False),
            cylinder(0.13, 0.30, (0.0, 0.0, 0.15), shade=0.9, solid=False),
            Part("ellipsoid", (0.20, 0.25, 0.16), (0.0, 0.09, 0.28), solid=False),
            cylinder(0.20, 0.04, (0.0, 0.11, 0.40), shade=0.8, solid=False),
            box(0.40, 0.26, 0.04, (0.0, -0.02, 0.40), shade=0.8, solid=False),
            box(0.08, 0.02, 0.03, (0.12, -0.165, 0.76), paint="metal", solid=False),
        ),
        (Surface((0.0, 0.08, 0.42), (0.17, 0.20)),),
        synonyms=("loo", "toilet seat"),
        categories=words("furniture", "to sit on"),
        colours=("white", "pink", "cyan", "peach", "grey", "aquamarine"),
        rooms=("bathroom",),
    ),
    FurnitureKind(
        "bathtub plank",
        (0.18, 0.42),
        0.55,
        True,
        (
            box(0.36, 0.84, 0.05, (0.0, 0.0, 0.525), finish="planks"),
            *(box(0.36, 0.03, 0.02, (0.0, 0.40 * side, 0.56), shade=0.7, solid=False) for side in (-1, 1)),
        ),
        (Surface((0.0, 0.0, 0.55), (0.16, 0.38)),),
        bottom=0.50,
        over="bathtub",
        synonyms=("bath tub plank", "plank", "bathtub tray", "bath tray"),
        shapes=words("long", "rectangular"),
        categories=words("furniture"),
        colours=("brown", "white", "grey", "peach", "olive"),
        rooms=("bathroom",),
    ),
)
