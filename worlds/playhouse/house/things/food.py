"""Fruit, and other things to eat."""

from __future__ import annotations

from worlds.playhouse.house.kinds import ObjectKind, words
from worlds.playhouse.house.parts import Part, box, capsule, core, cylinder, ellipsoid, sphere

_ROOMS = ("kitchen", "pantry", "dining room")
_ALONG_X = (0.0, 90.0, 0.0)
_FRUIT = words("fruit", "eatable")


def _stem(height: float, x: float = 0.0) -> tuple[Part, ...]:
    """A stalk with a leaf that begins at a height."""
    return (
        cylinder(0.012, 0.06, (x, 0.0, height), paint="bark", solid=False),
        ellipsoid(0.10, 0.05, 0.02, (x + 0.05, 0.0, height + 0.015), euler=(0, -20, 0), paint="leaf", solid=False),
    )


def _grape(x: float, y: float, z: float) -> Part:
    return sphere(0.052, (x, y, z), shade=0.9 + 0.8 * (z - 0.1), solid=False)


KINDS = (
    ObjectKind(
        "apple",
        (0.22, 0.22, 0.24),
        0.3,
        (
            core(0.17, 0.17, 0.19),
            ellipsoid(0.22, 0.22, 0.20, (0.0, 0.0, 0.10), solid=False),
            *_stem(0.215),
        ),
        round=True,
        shapes=words("round"),
        categories=_FRUIT,
        colours=("red", "green", "yellow"),
        rooms=_ROOMS,
    ),
    ObjectKind(
        "orange fruit",
        (0.22, 0.22, 0.22),
        0.3,
        (
            core(0.16, 0.16, 0.20),
            sphere(0.11, (0.0, 0.0, 0.11), solid=False),
            cylinder(0.022, 0.01, (0.0, 0.0, 0.218), paint="leaf", solid=False),
        ),
        round=True,
        synonyms=("orange",),
        shapes=words("round"),
        categories=_FRUIT,
        colours=("orange",),
        rooms=_ROOMS,
    ),
    ObjectKind(
        "pear",
        (0.20, 0.20, 0.32),
        0.3,
        (
            core(0.15, 0.15, 0.22),
            ellipsoid(0.20, 0.20, 0.19, (0.0, 0.0, 0.095), solid=False),
            ellipsoid(0.11, 0.11, 0.19, (0.0, 0.0, 0.19), solid=False),
            *_stem(0.295),
        ),
        round=True,
        synonyms=("pear fruit",),
        shapes=words("round"),
        categories=_FRUIT,
        colours=("green", "yellow", "olive"),
        rooms=_ROOMS,
    ),
    ObjectKind(
        "lemon",
        (0.26, 0.17, 0.17),
        0.2,
        (
            core(0.20, 0.13, 0.15),
            ellipsoid(0.22, 0.16, 0.16, (0.0, 0.0, 0.08), solid=False),
            *(ellipsoid(0.07, 0.05, 0.05, (side * 0.105, 0.0, 0.08), solid=False) for side in (-1, 1)),
        ),
        synonyms=("lime",),
        shapes=words("round"),
        categories=_FRUIT,
        colours=("yellow", "green"),
        rooms=_ROOMS,
    ),
    ObjectKind(
        "grapes",
        (0.28, 0.22, 0.20),
        0.3,
        (
            core(0.22, 0.18, 0.14),
            *(_grape(x, y, 0.052) for x, y in ((-0.08, -0.04), (-0.08, 0.05), (0.0, -0.06), (0.0, 0.06), (0.08, 0.0))),
            *(_grape(x, y, 0.12) for x, y in ((-0.06, 0.0), (0.01, 0.0))),
            cylinder(0.012, 0.10, (-0.08, 0.0, 0.18), euler=(0.0, -35.0, 0.0), paint="bark", solid=False),
            ellipsoid(0.11, 0.09, 0.015, (-0.03, 0.0, 0.18), euler=(0.0, 15.0, 0.0), paint="leaf", solid=False),
        ),
        plural="grapes",
        synonyms=("grape", "bunch of grapes"),
        shapes=words("round"),
        categories=_FRUIT,
        colours=("purple", "green", "violet", "red"),
        rooms=_ROOMS,
    ),
    ObjectKind(
        "watermelon",
        (0.40, 0.30, 0.28),
        1.2,
        (
            core(0.30, 0.24, 0.26),
            ellipsoid(0.40, 0.28, 0.28, (0.0, 0.0, 0.14), solid=False, finish="stripes"),
            cylinder(0.014, 0.05, (-0.20, 0.0, 0.15), euler=_ALONG_X, paint="bark", solid=False),
        ),
        synonyms=("melon",),
        shapes=words("round"),
        categories=_FRUIT,
        colours=("green",),
        rooms=_ROOMS,
        sizes=("small", "medium"),
    ),
    ObjectKind(
        "pineapple",
        (0.22, 0.22, 0.42),
        0.6,
        (
            core(0.17, 0.17, 0.26),
            ellipsoid(0.21, 0.21, 0.28, (0.0, 0.0, 0.14), solid=False),
            capsule(0.03, 0.16, (0.0, 0.0, 0.34), paint="leaf", solid=False),
            *(
                capsule(
                    0.022,
                    0.16,
                    (0.05 * x, 0.05 * y, 0.325),
                    euler=(-26.0 * y, 26.0 * x, 0.0),
                    paint="leaf",
                    solid=False,
                )
                for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1))
            ),
        ),
        round=True,
        shapes=words("round", "pointy", "long"),
        categories=_FRUIT,
        colours=("yellow", "orange", "brown"),
        rooms=_ROOMS,
    ),
    ObjectKind(
        "carrot",
        (0.44, 0.16, 0.11),
        0.2,
        (
            core(0.36, 0.10, 0.09),
            cylinder(0.05, 0.11, (-0.06, 0.0, 0.05), euler=_ALONG_X, solid=False),
            cylinder(0.038, 0.10, (0.045, 0.0, 0.042), euler=_ALONG_X, solid=False),
            capsule(0.024, 0.15, (0.12, 0.0, 0.032), euler=_ALONG_X, solid=False),
            *(
                capsule(
                    0.016, 0.15, (-0.17, 0.03 * side, 0.07), euler=(0.0, 75.0, -20.0 * side), paint="leaf", solid=False
                )
                for side in (-1, 0, 1)
            ),
        ),
        shapes=words("pointy", "long"),
        categories=words("eatable"),
        colours=("orange", "purple"),
        rooms=_ROOMS,
    ),
    ObjectKind(
        "bread",
        (0.38, 0.20, 0.20),
        0.4,
        (
            core(0.36, 0.18, 0.17),
            box(0.36, 0.17, 0.11, (0.0, 0.0, 0.055), paint="crust", solid=False),
            Part("ellipsoid", (0.19, 0.10, 0.075), (0.0, 0.0, 0.12), solid=False),
            *(
                box(0.02, 0.11, 0.012, (x, 0.0, 0.19), euler=(0.0, 0.0, 30.0), paint="linen", solid=False)
                for x in (-0.08, 0.0, 0.08)
            ),
        ),
        plural="breads",
        synonyms=("loaf", "loaf of bread"),
        shapes=words("long"),
        categories=words("eatable"),
        colours=("brown", "peach"),
        rooms=_ROOMS,
    ),
    ObjectKind(
        "cake",
        (0.34, 0.34, 0.32),
        0.6,
        (
            core(0.28, 0.28, 0.18),
            cylinder(0.17, 0.02, (0.0, 0.0, 0.01), paint="china", solid=False),
            cylinder(0.145, 0.12, (0.0, 0.0, 0.08), paint="crust", solid=False),
            cylinder(0.15, 0.05, (0.0, 0.0, 0.155), solid=False),
            *(
                cylinder(0.014, 0.10, (0.07 * x, 0.07 * y, 0.23), paint="linen", solid=False)
                for x, y in ((1, 0), (-0.5, 0.87), (-0.5, -0.87))
            ),
            *(
                sphere(0.018, (0.07 * x, 0.07 * y, 0.295), paint="flame", solid=False)
                for x, y in ((1, 0), (-0.5, 0.87), (-0.5, -0.87))
            ),
        ),
        round=True,
        synonyms=("birthday cake",),
        shapes=words("round", "circular"),
        categories=words("eatable"),
        rooms=_ROOMS,
    ),
    ObjectKind(
        "mushroom",
        (0.22, 0.22, 0.22),
        0.2,
        (
            core(0.16, 0.16, 0.20),
            cylinder(0.05, 0.13, (0.0, 0.0, 0.065), paint="linen", solid=False),
            Part("ellipsoid", (0.11, 0.11, 0.075), (0.0, 0.0, 0.145), solid=False, finish="dots"),
        ),
        round=True,
        shapes=words("round"),
        categories=words("eatable"),
        colours=("brown", "red", "white", "peach"),
        rooms=_ROOMS,
    ),
)
