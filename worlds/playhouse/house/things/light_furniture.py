"""Furniture that can be carried, and boxes to put things into."""

from __future__ import annotations

from math import cos, pi, sin, tan

from worlds.playhouse.house.kinds import ObjectKind, Surface, words
from worlds.playhouse.house.parts import Part, box, core, cylinder, hollow


def _legs(x: float, y: float, height: float, width: float) -> tuple[Part, ...]:
    """Four square legs at (+-x, +-y), for show."""
    return tuple(
        box(width, width, height, (sx * x, sy * y, height / 2), shade=0.7, solid=False)
        for sx in (-1, 1)
        for sy in (-1, 1)
    )


def _tub(width: float, height: float) -> tuple[Part, ...]:
    """Eight staves around a hidden square container of the same width."""
    middle = width / 2 - 0.015
    staves = (
        box(
            0.03,
            width * tan(pi / 8),
            height,
            (middle * cos(pi * i / 4), middle * sin(pi * i / 4), height / 2),
            euler=(0.0, 0.0, 45.0 * i),
            solid=False,
        )
        for i in range(8)
    )
    bottom = cylinder(middle, 0.02, (0.0, 0.0, 0.026), shade=0.6, solid=False)
    return (*hollow(width, width, height, hidden=True), *staves, bottom)


KINDS = (
    ObjectKind(
        "stool",
        (0.36, 0.36, 0.36),
        1.5,
        (
            core(0.30, 0.30, 0.36),
            cylinder(0.18, 0.06, (0.0, 0.0, 0.33), solid=False, finish="wood"),
            *_legs(0.11, 0.11, 0.30, 0.045),
            box(0.22, 0.03, 0.03, (0.0, 0.0, 0.12), shade=0.7, solid=False),
        ),
        round=True,
        synonyms=("seat",),
        shapes=words("round", "circular"),
        categories=words("furniture", "seat", "to sit on"),
        rooms=("living room", "kitchen", "bathroom", "playroom"),
        sizes=("small", "medium"),
    ),
    ObjectKind(
        "mini chair",
        (0.34, 0.34, 0.56),
        1.5,
        (
            core(0.32, 0.32, 0.30),
            box(0.05, 0.32, 0.28, (-0.14, 0.0, 0.42)),
            box(0.34, 0.34, 0.05, (0.0, 0.0, 0.275), solid=False, finish="wood"),
            *_legs(0.135, 0.135, 0.25, 0.045),
        ),
        synonyms=("small chair", "chair", "seat"),
        shapes=words("square"),
        categories=words("furniture", "seat", "to sit on"),
        rooms=("playroom", "bedroom", "living room"),
        sizes=("small", "medium"),
    ),
    ObjectKind(
        "footrest",
        (0.40, 0.32, 0.28),
        1.2,
        (
            core(0.38, 0.30, 0.27),
            box(0.40, 0.32, 0.14, (0.0, 0.0, 0.18), solid=False, finish="cloth"),
            Part("ellipsoid", (0.18, 0.14, 0.04), (0.0, 0.0, 0.245), shade=0.9, solid=False, finish="cloth"),
            *_legs(0.16, 0.12, 0.11, 0.04),
        ),
        synonyms=("foot rest", "ottoman", "footstool", "pouffe"),
        shapes=words("rectangular"),
        categories=words("furniture", "soft", "to sit on"),
        rooms=("living room", "bedroom", "study"),
    ),
    ObjectKind(
        "box",
        (0.46, 0.38, 0.26),
        0.8,
        (
            *hollow(0.46, 0.38, 0.26),
            *(box(0.02, 0.12, 0.04, (side * 0.226, 0.0, 0.17), paint="bark", solid=False) for side in (-1, 1)),
        ),
        synonyms=("carton", "crate", "toy box"),
        shapes=words("rectangular"),
        categories=words("container", "furniture"),
        rooms=("playroom", "bedroom", "pantry", "laundry room"),
        inside=Surface((0.0, 0.0, 0.035), (0.19, 0.15)),
        sizes=("medium", "large"),
    ),
    ObjectKind(
        "bin",
        (0.42, 0.42, 0.40),
        0.9,
        _tub(0.42, 0.40),
        synonyms=("waste bin", "dustbin", "bin box", "trash can", "waste basket"),
        shapes=words("round", "circular"),
        categories=words("container", "furniture"),
        rooms=("playroom", "bedroom", "bathroom", "kitchen", "study"),
        inside=Surface((0.0, 0.0, 0.035), (0.17, 0.17)),
        sizes=("medium", "large"),
    ),
    ObjectKind(
        "basket",
        (0.50, 0.36, 0.40),
        0.7,
        (
            *hollow(0.50, 0.36, 0.22, finish="cloth"),
            *(box(0.02, 0.04, 0.18, (0.0, side * 0.165, 0.30), shade=0.75, solid=False) for side in (-1, 1)),
            box(0.03, 0.36, 0.03, (0.0, 0.0, 0.385), shade=0.75, solid=False),
        ),
        synonyms=("hamper",),
        shapes=words("rectangular"),
        categories=words("container", "furniture"),
        rooms=("kitchen", "pantry", "laundry room", "bathroom", "living room"),
        inside=Surface((0.0, 0.0, 0.035), (0.21, 0.14)),
        sizes=("medium",),
    ),
)
