"""Furniture to sit on, beside that of the first houses."""

from __future__ import annotations

from worlds.playhouse.house.furnishings.first import legs
from worlds.playhouse.house.kinds import FurnitureKind, Surface, words
from worlds.playhouse.house.parts import box

KINDS = (
    FurnitureKind(
        "bench",
        (0.65, 0.22),
        0.44,
        True,
        (
            box(1.30, 0.44, 0.06, (0.0, 0.0, 0.41), finish="planks"),
            *legs(0.58, 0.16, 0.38),
            box(1.16, 0.05, 0.05, (0.0, 0.0, 0.14), shade=0.7, solid=False),
        ),
        (Surface((0.0, 0.0, 0.44), (0.60, 0.19)),),
        plural="benches",
        synonyms=("seat",),
        shapes=words("long", "rectangular"),
        categories=words("furniture", "seat", "to sit on"),
        rooms=("hallway", "conservatory", "dining room", "kitchen"),
        under=Surface((0.0, 0.0, 0.0), (0.50, 0.16), 0.38),
    ),
)
