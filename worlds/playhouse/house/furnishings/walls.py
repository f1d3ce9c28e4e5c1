"""Furniture that hangs on walls, stands in them, or lies on the floor."""

from __future__ import annotations

from worlds.playhouse.house.kinds import FurnitureKind, Surface, words
from worlds.playhouse.house.parts import Part, box, cylinder

_ALONG_Y = (90.0, 0.0, 0.0)


def _border(x: float, z: float, width: float, thick: float, middle: float, y: float = 0.0) -> tuple[Part, ...]:
    """A frame of full extents x, z and of a width, around (0, y, middle)."""
    return (
        *(box(width, thick, z, (side * (x - width) / 2, y, middle), solid=False) for side in (-1, 1)),
        *(box(x, thick, width, (0.0, y, middle + side * (z - width) / 2), solid=False) for side in (-1, 1)),
    )


KINDS = (
    FurnitureKind(
        "picture",
        (0.42, 0.03),
        2.00,
        True,
        (
            *_border(0.84, 0.64, 0.06, 0.05, 1.68),
            box(0.74, 0.02, 0.54, (0.0, -0.01, 1.68), paint="sky", solid=False),
            box(0.74, 0.024, 0.18, (0.0, -0.008, 1.50), paint="leaf", solid=False, finish="grass"),
            cylinder(0.075, 0.026, (0.20, -0.007, 1.80), euler=_ALONG_Y, paint="flame", solid=False),
            box(0.17, 0.028, 0.14, (-0.14, -0.006, 1.61), paint="clay", solid=False),
            box(0.13, 0.028, 0.13, (-0.14, -0.0065, 1.68), euler=(0.0, 45.0, 0.0), paint="bark", solid=False),
        ),
        (),
        bottom=1.36,
        synonyms=("painting", "poster"),
        shapes=words("rectangular"),
        categories=words("furniture", "to look at"),
    ),
    FurnitureKind(
        "wall frame",
        (0.34, 0.18),
        1.42,
        True,
        (
            box(0.68, 0.36, 0.05, (0.0, 0.0, 0.925)),
            box(0.68, 0.36, 0.05, (0.0, 0.0, 1.395), solid=False),
            *(box(0.05, 0.36, 0.42, (0.315 * side, 0.0, 1.16)) for side in (-1, 1)),
            box(0.58, 0.03, 0.42, (0.0, -0.165, 1.16), paint="linen", finish="paper"),
        ),
        (Surface((0.0, 0.01, 0.95), (0.26, 0.16), 0.42),),
        bottom=0.90,
        inside=Surface((0.0, 0.01, 0.95), (0.26, 0.16), 0.42),
        synonyms=("frame", "niche"),
        shapes=words("square"),
        categories=words("furniture", "storage", "container"),
        rooms=("living room", "study", "hallway", "playroom", "bedroom"),
    ),
    FurnitureKind(
        "wall mirror",
        (0.32, 0.03),
        2.10,
        True,
        (
            *_border(0.64, 0.76, 0.06, 0.05, 1.72),
            box(0.54, 0.02, 0.66, (0.0, -0.01, 1.72), paint="glass", solid=False, finish="sky"),
        ),
        (),
        bottom=1.34,
        synonyms=("mirror",),
        shapes=words("rectangular"),
        categories=words("furniture", "to look at"),
        rooms=("bathroom", "bedroom", "hallway"),
    ),
    FurnitureKind(
        "rug",
        (0.95, 0.65),
        0.012,
        False,
        (
            box(1.90, 1.30, 0.008, (0.0, 0.0, 0.004), shade=0.75, solid=False, finish="carpet"),
            box(1.66, 1.06, 0.012, (0.0, 0.0, 0.006), solid=False, finish="carpet"),
        ),
        (),
        synonyms=("carpet",),
        shapes=words("rectangular"),
        categories=words("furniture", "soft"),
        rooms=("living room", "bedroom", "playroom", "study", "hallway"),
    ),
    FurnitureKind(
        "mat",
        (0.42, 0.30),
        0.012,
        False,
        (box(0.84, 0.60, 0.012, (0.0, 0.0, 0.006), solid=False, finish="stripes"),),
        (),
        synonyms=("bath mat", "door mat", "doormat"),
        shapes=words("rectangular"),
        categories=words("furniture", "soft"),
        rooms=("bathroom", "kitchen", "hallway", "laundry room"),
    ),
    FurnitureKind(
        "fireplace",
        (0.70, 0.24),
        1.10,
        True,
        (
            *(box(0.28, 0.44, 1.02, (0.54 * side, -0.02, 0.51), finish="brick") for side in (-1, 1)),
            box(0.80, 0.40, 0.38, (0.0, -0.04, 0.83), finish="brick"),
            box(1.40, 0.48, 0.08, (0.0, 0.0, 1.06), shade=0.8, finish="wood"),
            box(0.80, 0.10, 0.64, (0.0, -0.17, 0.32), paint="tyre"),
            *(
                cylinder(0.05, 0.46, (0.0, y, z), euler=(0.0, 90.0, 0.0), paint="bark", solid=False)
                for y, z in ((0.00, 0.05), (0.12, 0.05), (0.06, 0.13))
            ),
            *(
                Part("ellipsoid", (0.07, 0.05, height / 2), (x, 0.05, 0.14 + height / 2), paint=paint, solid=False)
                for x, height, paint in ((-0.10, 0.22, "ember"), (0.0, 0.32, "flame"), (0.10, 0.20, "ember"))
            ),
        ),
        (Surface((0.0, 0.0, 1.10), (0.64, 0.20)),),
        synonyms=("hearth", "chimney"),
        shapes=words("rectangular"),
        categories=words("furniture", "light"),
        colours=("red", "brown", "grey", "white", "peach", "black"),
        rooms=("living room",),
    ),
)
