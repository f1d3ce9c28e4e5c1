"""Tables, beside the one of the first houses."""

from __future__ import annotations

from worlds.playhouse.house.furnishings.first import legs
from worlds.playhouse.house.kinds import FurnitureKind, Surface, words
from worlds.playhouse.house.parts import Part, box, cylinder


def _knob(x: float, y: float, z: float) -> Part:
    return Part("sphere", (0.022, 0.0, 0.0), (x, y, z), paint="brass", solid=False)


KINDS = (
    FurnitureKind(
        "dining table",
        (0.85, 0.50),
        0.68,
        False,
        (
            box(1.70, 1.00, 0.08, (0.0, 0.0, 0.64), finish="wood"),
            box(1.50, 0.80, 0.08, (0.0, 0.0, 0.57), shade=0.8, solid=False),
            *legs(0.74, 0.40, 0.60),
        ),
        (Surface((0.0, 0.0, 0.68), (0.80, 0.45)),),
        synonyms=("dinner table",),
        shapes=words("rectangular", "long"),
        categories=words("furniture", "dining furniture"),
        rooms=("dining room", "living room", "kitchen"),
        under=Surface((0.0, 0.0, 0.0), (0.66, 0.32), 0.52),
    ),
    FurnitureKind(
        "coffee table",
        (0.55, 0.35),
        0.42,
        False,
        (
            box(1.10, 0.70, 0.06, (0.0, 0.0, 0.39), finish="wood"),
            *legs(0.48, 0.28, 0.36),
            box(0.96, 0.56, 0.02, (0.0, 0.0, 0.12), shade=0.75, solid=False),
        ),
        (Surface((0.0, 0.0, 0.42), (0.50, 0.30)),),
        synonyms=("low table",),
        shapes=words("rectangular"),
        categories=words("furniture"),
        rooms=("living room", "conservatory"),
    ),
    FurnitureKind(
        "side table",
        (0.26, 0.24),
        0.52,
        True,
        (
            box(0.52, 0.48, 0.05, (0.0, 0.0, 0.495), finish="wood"),
            box(0.46, 0.42, 0.16, (0.0, 0.0, 0.39), shade=0.85),
            _knob(0.0, 0.222, 0.39),
            *legs(0.19, 0.17, 0.31),
        ),
        (Surface((0.0, 0.0, 0.52), (0.24, 0.22)),),
        synonyms=("bedside table", "night stand", "nightstand"),
        shapes=words("square"),
        categories=words("furniture"),
        rooms=("bedroom", "living room", "hallway"),
    ),
    FurnitureKind(
        "desk",
        (0.70, 0.36),
        0.70,
        True,
        (
            box(1.40, 0.72, 0.06, (0.0, 0.0, 0.67), finish="wood"),
            box(0.42, 0.64, 0.64, (0.46, 0.0, 0.32), shade=0.85),
            *(box(0.36, 0.012, 0.17, (0.46, 0.325, 0.11 + 0.2 * i), solid=False) for i in range(3)),
            *(_knob(0.46, 0.335, 0.11 + 0.2 * i) for i in range(3)),
            box(0.06, 0.64, 0.64, (-0.65, 0.0, 0.32), shade=0.85),
        ),
        (Surface((0.0, 0.0, 0.70), (0.64, 0.30)),),
        synonyms=("writing table",),
        shapes=words("rectangular"),
        categories=words("furniture"),
        rooms=("study", "bedroom"),
    ),
    FurnitureKind(
        "tv stand",
        (0.85, 0.24),
        1.15,
        True,
        (
            box(1.70, 0.48, 0.44, (0.0, 0.0, 0.22), finish="wood"),
            *(box(0.78, 0.012, 0.34, (0.41 * side, 0.24, 0.22), shade=0.8, solid=False) for side in (-1, 1)),
            box(0.30, 0.16, 0.06, (0.0, -0.06, 0.47), paint="tyre", solid=False),
            box(1.00, 0.06, 0.62, (0.0, -0.06, 0.82), paint="tyre"),
            box(0.94, 0.012, 0.55, (0.0, -0.028, 0.82), paint="screen", solid=False),
        ),
        tuple(Surface((0.67 * side, 0.0, 0.44), (0.15, 0.20)) for side in (-1, 1)),
        synonyms=("tv", "television", "tv table"),
        shapes=words("rectangular"),
        categories=words("furniture", "to look at"),
        rooms=("living room",),
    ),
    FurnitureKind(
        "round table",
        (0.50, 0.50),
        0.62,
        False,
        (
            box(0.80, 0.80, 0.06, (0.0, 0.0, 0.59), hidden=True),
            cylinder(0.50, 0.06, (0.0, 0.0, 0.59), solid=False, finish="wood"),
            box(0.12, 0.12, 0.56, (0.0, 0.0, 0.28), hidden=True),
            cylinder(0.06, 0.56, (0.0, 0.0, 0.28), shade=0.7, solid=False),
            cylinder(0.26, 0.03, (0.0, 0.0, 0.015), shade=0.7, solid=False),
        ),
        (Surface((0.0, 0.0, 0.62), (0.36, 0.36)),),
        synonyms=("circular table", "table"),
        shapes=words("round", "circular"),
        categories=words("furniture", "dining furniture"),
        rooms=("kitchen", "conservatory", "playroom"),
    ),
)
