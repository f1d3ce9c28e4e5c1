"""Fitted furniture of kitchens."""

from __future__ import annotations

from worlds.playhouse.house.kinds import FurnitureKind, Surface, words
from worlds.playhouse.house.parts import Part, box, cylinder

_ALONG_Y = (90.0, 0.0, 0.0)

KINDS = (
    FurnitureKind(
        "counter",
        (0.75, 0.30),
        0.84,
        True,
        (
            box(1.50, 0.56, 0.78, (0.0, -0.02, 0.39)),
            box(1.50, 0.60, 0.06, (0.0, 0.0, 0.81), paint="china", finish="tiles"),
            *(box(0.44, 0.012, 0.62, (0.49 * i, 0.262, 0.40), shade=0.85, solid=False) for i in (-1, 0, 1)),
            *(box(0.12, 0.02, 0.02, (0.49 * i, 0.275, 0.64), paint="metal", solid=False) for i in (-1, 0, 1)),
        ),
        (Surface((0.0, 0.0, 0.84), (0.70, 0.26)),),
        synonyms=("kitchen counter", "worktop"),
        shapes=words("rectangular", "long"),
        categories=words("furniture", "storage"),
        rooms=("kitchen", "laundry room"),
    ),
    FurnitureKind(
        "oven",
        (0.32, 0.31),
        0.86,
        True,
        (
            box(0.64, 0.60, 0.84, (0.0, -0.01, 0.42)),
            box(0.64, 0.60, 0.02, (0.0, -0.01, 0.85), paint="tyre"),
            *(
                cylinder(0.085, 0.012, (0.15 * x, 0.13 * y, 0.864), paint="ember", shade=0.7, solid=False)
                for x in (-1, 1)
                for y in (-1, 1)
            ),
            box(0.50, 0.02, 0.36, (0.0, 0.29, 0.36), paint="screen", solid=False),
            box(0.44, 0.03, 0.03, (0.0, 0.305, 0.60), paint="metal", solid=False),
            *(
                cylinder(0.03, 0.03, (0.14 * i, 0.295, 0.73), euler=_ALONG_Y, paint="metal", solid=False)
                for i in (-1, 0, 1)
            ),
        ),
        (Surface((0.0, -0.01, 0.86), (0.28, 0.26)),),
        synonyms=("stove", "cooker"),
        shapes=words("rectangular"),
        categories=words("furniture", "to cook with"),
        colours=("white", "grey", "black", "red", "cyan", "peach"),
        rooms=("kitchen",),
    ),
    FurnitureKind(
        "fridge",
        (0.36, 0.34),
        1.70,
        True,
        (
            box(0.72, 0.66, 1.70, (0.0, -0.01, 0.85)),
            box(0.72, 0.015, 0.02, (0.0, 0.325, 1.12), paint="tyre", solid=False),
            *(box(0.035, 0.05, 0.28, (-0.27, 0.34, z), paint="metal", solid=False) for z in (0.90, 1.36)),
        ),
        (),
        synonyms=("refrigerator",),
        shapes=words("rectangular", "long"),
        categories=words("furniture", "storage"),
        colours=("white", "grey", "red", "cyan", "yellow", "pink", "aquamarine"),
        rooms=("kitchen", "pantry"),
    ),
    FurnitureKind(
        "washing machine",
        (0.32, 0.31),
        0.86,
        True,
        (
            box(0.64, 0.60, 0.86, (0.0, -0.01, 0.43)),
            cylinder(0.21, 0.02, (0.0, 0.295, 0.40), euler=_ALONG_Y, paint="metal", solid=False),
            Part("ellipsoid", (0.16, 0.03, 0.16), (0.0, 0.30, 0.40), paint="screen", solid=False),
            box(0.60, 0.012, 0.12, (0.0, 0.294, 0.76), shade=0.8, solid=False),
            cylinder(0.035, 0.03, (0.20, 0.30, 0.76), euler=_ALONG_Y, paint="metal", solid=False),
        ),
        (Surface((0.0, -0.01, 0.86), (0.28, 0.26)),),
        synonyms=("washer",),
        shapes=words("square"),
        categories=words("furniture", "to wash with"),
        colours=("white", "grey", "cyan", "pink", "peach"),
        rooms=("laundry room", "bathroom"),
    ),
)
