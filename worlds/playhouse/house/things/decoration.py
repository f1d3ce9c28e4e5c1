"""Plants, and things to look at."""

from __future__ import annotations

from worlds.playhouse.house.kinds import ObjectKind, words
from worlds.playhouse.house.parts import Part, box, capsule, core, cylinder, ellipsoid, sphere

_ROOMS = ("living room", "hallway", "conservatory", "study", "dining room")
_PLANT = words("plant", "to pour water on")


def _pot(radius: float, height: float, paint: str = "main") -> tuple[Part, ...]:
    """A round pot full of soil."""
    return (
        cylinder(0.8 * radius, 0.8 * height, (0.0, 0.0, 0.4 * height), paint=paint, solid=False),
        cylinder(radius, 0.35 * height, (0.0, 0.0, 0.825 * height), paint=paint, solid=False),
        cylinder(0.85 * radius, 0.01, (0.0, 0.0, height), paint="soil", solid=False),
    )


KINDS = (
    ObjectKind(
        "potted plant",
        (0.32, 0.32, 0.52),
        0.8,
        (
            core(0.22, 0.22, 0.36),
            *_pot(0.13, 0.18),
            cylinder(0.018, 0.14, (0.0, 0.0, 0.25), paint="bark", solid=False),
            *(
                ellipsoid(
                    0.17,
                    0.17,
                    0.17,
                    (0.07 * x, 0.07 * y, z),
                    paint="leaf",
                    shade=0.8 + z / 2,
                    solid=False,
                    finish="leaves",
                )
                for x, y, z in ((1.0, 0.0, 0.33), (-0.5, 0.87, 0.35), (-0.5, -0.87, 0.37), (0.0, 0.0, 0.44))
            ),
        ),
        synonyms=("plant", "pot plant", "plotted plant", "house plant"),
        shapes=words("long"),
        categories=_PLANT | {"furniture"},
        rooms=_ROOMS,
    ),
    ObjectKind(
        "cactus",
        (0.26, 0.26, 0.46),
        0.7,
        (
            core(0.20, 0.20, 0.32),
            *_pot(0.12, 0.15),
            capsule(0.055, 0.32, (0.0, 0.0, 0.29), paint="leaf", solid=False),
            *(
                Part(
                    "capsule",
                    (0.028, 0.03, 0.0),
                    (0.0, side * 0.075, 0.25 + 0.03 * side),
                    (90.0, 0.0, 0.0),
                    "leaf",
                    solid=False,
                )
                for side in (-1, 1)
            ),
            *(
                capsule(0.028, 0.15, (0.0, side * 0.105, 0.295 + 0.03 * side), paint="leaf", solid=False)
                for side in (-1, 1)
            ),
        ),
        plural="cacti",
        synonyms=("cactus plant", "potted cactus"),
        shapes=words("pointy", "long"),
        categories=_PLANT,
        rooms=_ROOMS,
    ),
    ObjectKind(
        "flower",
        (0.24, 0.24, 0.46),
        0.5,
        (
            core(0.18, 0.18, 0.26),
            *_pot(0.11, 0.14, "clay"),
            cylinder(0.012, 0.24, (0.0, 0.0, 0.26), paint="leaf", solid=False),
            ellipsoid(0.14, 0.05, 0.03, (0.06, 0.0, 0.22), euler=(0.0, -30.0, 0.0), paint="leaf", solid=False),
            ellipsoid(0.22, 0.22, 0.05, (0.0, 0.0, 0.385), solid=False),
            ellipsoid(0.14, 0.14, 0.09, (0.0, 0.0, 0.40), shade=0.8, solid=False),
            sphere(0.045, (0.0, 0.0, 0.43), paint="flame", solid=False),
        ),
        round=True,
        synonyms=("potted flower", "flower pot"),
        shapes=words("round"),
        categories=_PLANT,
        colours=("red", "yellow", "pink", "purple", "violet", "white", "orange", "magenta", "peach", "blue"),
        rooms=_ROOMS,
    ),
    ObjectKind(
        "vase",
        (0.22, 0.22, 0.38),
        0.6,
        (
            core(0.16, 0.16, 0.30),
            ellipsoid(0.22, 0.22, 0.26, (0.0, 0.0, 0.13), solid=False),
            cylinder(0.048, 0.14, (0.0, 0.0, 0.29), solid=False),
            cylinder(0.078, 0.025, (0.0, 0.0, 0.367), solid=False),
            cylinder(0.058, 0.006, (0.0, 0.0, 0.380), paint="tyre", solid=False),
            cylinder(0.110, 0.03, (0.0, 0.0, 0.13), paint="china", solid=False),
        ),
        round=True,
        shapes=words("round", "long"),
        categories=words("to look at"),
        rooms=_ROOMS,
    ),
    ObjectKind(
        "mirror frame",
        (0.16, 0.30, 0.44),
        0.6,
        (
            core(0.14, 0.28, 0.40),
            box(0.03, 0.22, 0.32, (0.0, 0.0, 0.25), paint="glass", solid=False),
            *(box(0.045, 0.045, 0.40, (0.0, side * 0.125, 0.24), solid=False, finish="wood") for side in (-1, 1)),
            *(box(0.045, 0.29, 0.045, (0.0, 0.0, z), solid=False, finish="wood") for z in (0.065, 0.42)),
            box(0.16, 0.20, 0.03, (0.0, 0.0, 0.015), shade=0.7, solid=False),
        ),
        synonyms=("mirror", "frame", "standing mirror"),
        shapes=words("rectangular"),
        categories=words("to look at"),
        rooms=("bedroom", "bathroom", "playroom", "hallway"),
    ),
    ObjectKind(
        "globe",
        (0.26, 0.26, 0.38),
        0.6,
        (
            core(0.20, 0.20, 0.32),
            cylinder(0.09, 0.03, (0.0, 0.0, 0.015), paint="wood", solid=False),
            cylinder(0.02, 0.10, (0.0, 0.0, 0.07), paint="wood", solid=False),
            sphere(0.115, (0.0, 0.0, 0.225), solid=False),
            cylinder(0.124, 0.012, (0.0, 0.0, 0.225), euler=(70.0, 0.0, 0.0), paint="brass", solid=False),
            ellipsoid(0.12, 0.10, 0.10, (0.06, 0.0, 0.25), paint="leaf", solid=False),
            ellipsoid(0.10, 0.11, 0.09, (-0.05, -0.05, 0.20), paint="leaf", solid=False),
        ),
        round=True,
        shapes=words("round"),
        categories=words("to look at"),
        rooms=("study", "playroom", "living room"),
    ),
    ObjectKind(
        "trophy",
        (0.26, 0.18, 0.38),
        0.7,
        (
            core(0.16, 0.16, 0.32),
            box(0.16, 0.16, 0.08, (0.0, 0.0, 0.04), paint="bark", solid=False),
            cylinder(0.025, 0.10, (0.0, 0.0, 0.13), solid=False),
            ellipsoid(0.17, 0.17, 0.22, (0.0, 0.0, 0.26), solid=False),
            cylinder(0.092, 0.05, (0.0, 0.0, 0.35), solid=False),
            *(box(0.02, 0.03, 0.10, (side * 0.125, 0.0, 0.30), shade=0.8, solid=False) for side in (-1, 1)),
            *(
                box(0.06, 0.03, 0.02, (side * 0.105, 0.0, z), shade=0.8, solid=False)
                for side in (-1, 1)
                for z in (0.255, 0.345)
            ),
        ),
        plural="trophies",
        synonyms=("prize",),
        shapes=words("long"),
        categories=words("to look at"),
        colours=("yellow", "grey", "orange", "brown"),
        rooms=("study", "living room", "bedroom"),
    ),
)
