"""Dishes and pots."""

from __future__ import annotations

from worlds.playhouse.house.kinds import ObjectKind, Surface, words
from worlds.playhouse.house.parts import box, capsule, core, cylinder, ellipsoid, hollow, sphere

_ROOMS = ("kitchen", "dining room", "pantry")

KINDS = (
    ObjectKind(
        "bowl",
        (0.32, 0.32, 0.14),
        0.4,
        (
            core(0.26, 0.26, 0.14),
            cylinder(0.08, 0.04, (0.0, 0.0, 0.02), solid=False),
            cylinder(0.125, 0.06, (0.0, 0.0, 0.065), solid=False),
            cylinder(0.16, 0.05, (0.0, 0.0, 0.115), solid=False),
            cylinder(0.13, 0.006, (0.0, 0.0, 0.140), shade=0.55, solid=False),
        ),
        round=True,
        synonyms=("dish",),
        shapes=words("round", "circular"),
        categories=words("tableware", "to eat from"),
        rooms=_ROOMS,
    ),
    ObjectKind(
        "jug",
        (0.28, 0.22, 0.34),
        0.5,
        (
            core(0.18, 0.18, 0.32),
            cylinder(0.10, 0.20, (0.0, 0.0, 0.10), solid=False),
            cylinder(0.075, 0.14, (0.0, 0.0, 0.26), solid=False),
            box(0.07, 0.06, 0.04, (0.09, 0.0, 0.31), euler=(0.0, -25.0, 0.0), solid=False),
            cylinder(0.06, 0.008, (0.0, 0.0, 0.330), paint="tyre", solid=False),
            box(0.03, 0.035, 0.18, (-0.155, 0.0, 0.19), shade=0.8, solid=False),
            box(0.09, 0.035, 0.03, (-0.11, 0.0, 0.275), shade=0.8, solid=False),
            box(0.08, 0.035, 0.03, (-0.115, 0.0, 0.105), shade=0.8, solid=False),
        ),
        synonyms=("pitcher",),
        shapes=words("round", "long"),
        categories=words("tableware", "to drink from"),
        rooms=_ROOMS,
    ),
    ObjectKind(
        "teapot",
        (0.40, 0.24, 0.26),
        0.6,
        (
            core(0.24, 0.20, 0.22),
            ellipsoid(0.25, 0.24, 0.20, (0.0, 0.0, 0.105), solid=False),
            cylinder(0.06, 0.02, (0.0, 0.0, 0.205), shade=0.8, solid=False),
            sphere(0.024, (0.0, 0.0, 0.235), shade=0.7, solid=False),
            capsule(0.024, 0.20, (0.145, 0.0, 0.14), euler=(0.0, 42.0, 0.0), solid=False),
            box(0.025, 0.03, 0.13, (-0.175, 0.0, 0.12), shade=0.75, solid=False),
            box(0.08, 0.03, 0.025, (-0.14, 0.0, 0.175), shade=0.75, solid=False),
            box(0.07, 0.03, 0.025, (-0.14, 0.0, 0.06), shade=0.75, solid=False),
        ),
        synonyms=("tea pot", "kettle"),
        shapes=words("round"),
        categories=words("tableware"),
        rooms=_ROOMS,
    ),
    ObjectKind(
        "saucepan",
        (0.50, 0.26, 0.17),
        0.8,
        (
            box(0.23, 0.23, 0.15, (-0.11, 0.0, 0.075), hidden=True),
            cylinder(0.13, 0.15, (-0.11, 0.0, 0.075), solid=False),
            cylinder(0.137, 0.018, (-0.11, 0.0, 0.145), paint="metal", solid=False),
            cylinder(0.11, 0.006, (-0.11, 0.0, 0.156), paint="tyre", solid=False),
            box(0.25, 0.04, 0.03, (0.125, 0.0, 0.125), paint="tyre"),
        ),
        synonyms=("pot", "pan", "cooking pot"),
        shapes=words("round", "long"),
        categories=words("to cook with"),
        rooms=("kitchen", "pantry"),
    ),
    ObjectKind(
        "tin",
        (0.20, 0.20, 0.24),
        0.5,
        (
            core(0.17, 0.17, 0.24),
            cylinder(0.10, 0.24, (0.0, 0.0, 0.12), paint="metal", solid=False),
            cylinder(0.102, 0.17, (0.0, 0.0, 0.12), solid=False),
        ),
        round=True,
        synonyms=("can", "tin can"),
        shapes=words("round"),
        categories=words("eatable"),
        rooms=("pantry", "kitchen"),
    ),
    ObjectKind(
        "tray",
        (0.52, 0.40, 0.09),
        0.5,
        (
            *hollow(0.52, 0.40, 0.07),
            *(box(0.02, 0.16, 0.05, (side * 0.25, 0.0, 0.075), shade=0.7, solid=False) for side in (-1, 1)),
        ),
        shapes=words("rectangular"),
        categories=words("container", "tableware"),
        rooms=_ROOMS,
        inside=Surface((0.0, 0.0, 0.035), (0.22, 0.16)),
        sizes=("medium", "large"),
    ),
)
