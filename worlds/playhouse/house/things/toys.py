"""Toys without wheels, wings or faces, and one with a face."""

from __future__ import annotations

from math import cos, pi, sin

from worlds.playhouse.house.kinds import ObjectKind, words
from worlds.playhouse.house.parts import Part, box, core, cylinder, ellipsoid, sphere

_PLAY = ("playroom", "bedroom", "living room")


def ring(radius: float, thickness: float, pieces: int, height: float) -> tuple[Part, ...]:
    """A ring that lies level at a height, of straight rods with round ends."""
    rods = []
    for i in range(pieces):
        angle = 2 * pi * i / pieces
        at = (radius * cos(angle), radius * sin(angle), height)
        half = radius * sin(pi / pieces)
        rods.append(Part("capsule", (thickness, half, 0.0), at, (90.0, 0.0, 360.0 * i / pieces), solid=False))
    return tuple(rods)


KINDS = (
    ObjectKind(
        "basketball",
        (0.34, 0.34, 0.34),
        0.6,
        (
            sphere(0.17, (0.0, 0.0, 0.17)),
            cylinder(0.1715, 0.012, (0.0, 0.0, 0.17), paint="tyre", solid=False),
            cylinder(0.1715, 0.012, (0.0, 0.0, 0.17), euler=(90.0, 0.0, 0.0), paint="tyre", solid=False),
            cylinder(0.1715, 0.012, (0.0, 0.0, 0.17), euler=(0.0, 90.0, 0.0), paint="tyre", solid=False),
        ),
        round=True,
        plural="basketballs",
        synonyms=("basket ball",),
        shapes=words("round", "circular"),
        categories=words("toy", "ball"),
        colours=("orange", "brown", "red", "blue", "purple"),
        rooms=_PLAY,
        sizes=("small", "medium"),
    ),
    ObjectKind(
        "tennis ball",
        (0.20, 0.20, 0.20),
        0.2,
        (
            sphere(0.10, (0.0, 0.0, 0.10)),
            cylinder(0.1015, 0.014, (0.0, 0.0, 0.10), euler=(55.0, 20.0, 0.0), paint="paper", solid=False),
        ),
        round=True,
        shapes=words("round", "circular"),
        categories=words("toy", "ball", "to play tennis with"),
        colours=("yellow", "green"),
        rooms=_PLAY,
    ),
    ObjectKind(
        "hoop",
        (0.46, 0.46, 0.05),
        0.3,
        (core(0.36, 0.36, 0.05), *ring(0.20, 0.026, 10, 0.026)),
        round=True,
        synonyms=("ring",),
        shapes=words("round", "circular"),
        categories=words("toy"),
        rooms=_PLAY,
    ),
    ObjectKind(
        "teddy",
        (0.28, 0.30, 0.42),
        0.5,
        (
            core(0.24, 0.24, 0.40),
            ellipsoid(0.22, 0.24, 0.25, (-0.01, 0.0, 0.13), solid=False, finish="cloth"),
            sphere(0.105, (0.0, 0.0, 0.31), solid=False, finish="cloth"),
            ellipsoid(0.09, 0.10, 0.08, (0.09, 0.0, 0.29), paint="linen", solid=False),
            sphere(0.018, (0.135, 0.0, 0.305), paint="tyre", solid=False),
            *(sphere(0.042, (-0.02, side * 0.085, 0.39), shade=0.8, solid=False) for side in (-1, 1)),
            *(
                ellipsoid(0.20, 0.09, 0.09, (0.09, side * 0.095, 0.05), shade=0.85, solid=False, finish="cloth")
                for side in (-1, 1)
            ),
            *(
                ellipsoid(0.09, 0.08, 0.17, (0.03, side * 0.13, 0.18), shade=0.85, solid=False, finish="cloth")
                for side in (-1, 1)
            ),
        ),
        plural="teddies",
        synonyms=("teddy bear", "bear"),
        categories=words("toy", "animal", "soft"),
        rooms=_PLAY,
    ),
    ObjectKind(
        "cone",
        (0.30, 0.30, 0.38),
        0.5,
        (
            core(0.20, 0.20, 0.24),
            box(0.30, 0.30, 0.03, (0.0, 0.0, 0.015), shade=0.8),
            cylinder(0.115, 0.09, (0.0, 0.0, 0.075), solid=False),
            cylinder(0.09, 0.09, (0.0, 0.0, 0.165), paint="paper", solid=False),
            cylinder(0.065, 0.08, (0.0, 0.0, 0.25), solid=False),
            cylinder(0.04, 0.09, (0.0, 0.0, 0.335), solid=False),
        ),
        synonyms=("traffic cone",),
        shapes=words("pointy", "round"),
        categories=words("toy"),
        rooms=("playroom",),
    ),
    ObjectKind(
        "pyramid",
        (0.32, 0.32, 0.30),
        0.6,
        (
            box(0.32, 0.32, 0.08, (0.0, 0.0, 0.04)),
            box(0.24, 0.24, 0.08, (0.0, 0.0, 0.12)),
            box(0.16, 0.16, 0.08, (0.0, 0.0, 0.20), solid=False),
            box(0.08, 0.08, 0.06, (0.0, 0.0, 0.27), solid=False),
        ),
        shapes=words("pointy", "square"),
        categories=words("toy"),
        rooms=_PLAY,
    ),
    ObjectKind(
        "spinning top",
        (0.28, 0.28, 0.28),
        0.3,
        (
            core(0.20, 0.20, 0.18),
            cylinder(0.03, 0.06, (0.0, 0.0, 0.03), paint="metal", solid=False),
            ellipsoid(0.28, 0.28, 0.15, (0.0, 0.0, 0.11), solid=False, finish="stripes"),
            cylinder(0.018, 0.12, (0.0, 0.0, 0.21), paint="metal", solid=False),
            sphere(0.028, (0.0, 0.0, 0.26), shade=0.7, solid=False),
        ),
        round=True,
        synonyms=("top",),
        shapes=words("round", "pointy"),
        categories=words("toy"),
        rooms=_PLAY,
    ),
    ObjectKind(
        "skittle",
        (0.16, 0.16, 0.40),
        0.4,
        (
            core(0.13, 0.13, 0.22),
            ellipsoid(0.16, 0.16, 0.28, (0.0, 0.0, 0.13), solid=False),
            cylinder(0.037, 0.12, (0.0, 0.0, 0.28), paint="paper", solid=False),
            sphere(0.052, (0.0, 0.0, 0.348), solid=False),
        ),
        round=True,
        synonyms=("bowling pin", "pin"),
        shapes=words("long", "round"),
        categories=words("toy"),
        rooms=("playroom", "living room"),
    ),
)
