"""Toys that drive, swim or fly."""

from __future__ import annotations

from worlds.playhouse.house.kinds import ObjectKind, words
from worlds.playhouse.house.parts import box, capsule, core, cylinder, ellipsoid, sphere
from worlds.playhouse.house.things.first import wheels

_PLAY = ("playroom", "bedroom", "living room")
ALONG_X = (0.0, 90.0, 0.0)
ALONG_Y = (90.0, 0.0, 0.0)


KINDS = (
    ObjectKind(
        "train engine",
        (0.46, 0.22, 0.32),
        0.9,
        (
            core(0.44, 0.20, 0.20),
            box(0.44, 0.16, 0.06, (0.0, 0.0, 0.09), paint="tyre", solid=False),
            cylinder(0.085, 0.28, (0.07, 0.0, 0.195), euler=ALONG_X, solid=False),
            cylinder(0.07, 0.02, (0.215, 0.0, 0.195), euler=ALONG_X, paint="metal", solid=False),
            box(0.14, 0.20, 0.20, (-0.14, 0.0, 0.20), solid=False),
            box(0.18, 0.22, 0.025, (-0.14, 0.0, 0.31), paint="tyre", solid=False),
            cylinder(0.03, 0.10, (0.15, 0.0, 0.27), paint="tyre", solid=False),
            *wheels(0.13, 0.09, 0.06),
        ),
        synonyms=("train", "train toy", "toy train", "locomotive", "engine"),
        shapes=words("long", "rectangular"),
        categories=words("toy", "vehicle"),
        rooms=_PLAY,
    ),
    ObjectKind(
        "boat",
        (0.46, 0.20, 0.42),
        0.6,
        (
            core(0.36, 0.18, 0.13),
            core(0.20, 0.06, 0.28, lift=0.13),
            box(0.30, 0.20, 0.12, (-0.06, 0.0, 0.06), solid=False),
            box(0.142, 0.142, 0.12, (0.09, 0.0, 0.06), euler=(0.0, 0.0, 45.0), solid=False),
            box(0.26, 0.15, 0.012, (-0.05, 0.0, 0.122), paint="crust", solid=False, finish="planks"),
            cylinder(0.012, 0.32, (0.02, 0.0, 0.26), paint="wood", solid=False),
            *(
                box(length, 0.015, 0.075, (0.005 - length / 2, 0.0, 0.19 + 0.075 * i), paint="linen", solid=False)
                for i, length in enumerate((0.19, 0.13, 0.07))
            ),
        ),
        synonyms=("toy boat", "ship", "sailing boat"),
        shapes=words("long", "pointy"),
        categories=words("toy", "vehicle", "floats"),
        rooms=("bathroom", "playroom", "bedroom"),
    ),
    ObjectKind(
        "bus",
        (0.50, 0.20, 0.26),
        0.9,
        (
            box(0.50, 0.18, 0.20, (0.0, 0.0, 0.15)),
            box(0.44, 0.186, 0.065, (0.0, 0.0, 0.18), paint="screen", solid=False),
            box(0.012, 0.15, 0.08, (0.247, 0.0, 0.18), paint="glass", solid=False),
            box(0.46, 0.18, 0.20, (0.0, 0.0, 0.10), hidden=True),
            *wheels(0.15, 0.08, 0.055),
        ),
        plural="buses",
        synonyms=("toy bus", "bus toy"),
        shapes=words("long", "rectangular"),
        categories=words("toy", "vehicle"),
        rooms=_PLAY,
    ),
    ObjectKind(
        "truck",
        (0.48, 0.22, 0.26),
        0.9,
        (
            core(0.46, 0.20, 0.15),
            box(0.46, 0.16, 0.05, (0.0, 0.0, 0.09), paint="tyre", solid=False),
            box(0.14, 0.20, 0.19, (0.15, 0.0, 0.165)),
            box(0.012, 0.17, 0.07, (0.22, 0.0, 0.205), paint="glass", solid=False),
            box(0.29, 0.20, 0.10, (-0.09, 0.0, 0.14), shade=0.65, solid=False),
            *wheels(0.14, 0.09, 0.06),
        ),
        synonyms=("toy truck", "lorry"),
        shapes=words("long", "rectangular"),
        categories=words("toy", "vehicle"),
        rooms=_PLAY,
    ),
    ObjectKind(
        "aeroplane",
        (0.46, 0.46, 0.24),
        0.5,
        (
            core(0.36, 0.12, 0.14),
            capsule(0.06, 0.42, (0.0, 0.0, 0.10), euler=ALONG_X, solid=False),
            box(0.12, 0.46, 0.02, (0.03, 0.0, 0.11), shade=0.85),
            box(0.07, 0.20, 0.015, (-0.18, 0.0, 0.13), shade=0.85, solid=False),
            box(0.08, 0.015, 0.12, (-0.18, 0.0, 0.18), shade=0.85, solid=False),
            box(0.06, 0.08, 0.03, (0.12, 0.0, 0.145), paint="screen", solid=False),
            sphere(0.03, (0.215, 0.0, 0.10), paint="metal", solid=False),
        ),
        synonyms=("airplane", "plane", "toy aeroplane"),
        shapes=words("long", "pointy"),
        categories=words("toy", "vehicle", "flies"),
        rooms=_PLAY,
    ),
    ObjectKind(
        "helicopter",
        (0.46, 0.40, 0.28),
        0.5,
        (
            core(0.24, 0.18, 0.20),
            ellipsoid(0.26, 0.17, 0.16, (0.06, 0.0, 0.13), solid=False),
            ellipsoid(0.10, 0.14, 0.11, (0.14, 0.0, 0.14), paint="glass", solid=False),
            box(0.24, 0.03, 0.03, (-0.12, 0.0, 0.15), shade=0.8, solid=False),
            box(0.05, 0.015, 0.12, (-0.22, 0.0, 0.18), shade=0.8, solid=False),
            cylinder(0.015, 0.06, (0.05, 0.0, 0.235), paint="metal", solid=False),
            box(0.40, 0.035, 0.012, (0.05, 0.0, 0.27), euler=(0.0, 0.0, 25.0), paint="tyre", solid=False),
            box(0.40, 0.035, 0.012, (0.05, 0.0, 0.27), euler=(0.0, 0.0, 115.0), paint="tyre", solid=False),
            *(box(0.24, 0.02, 0.02, (0.05, side * 0.08, 0.01), paint="metal", solid=False) for side in (-1, 1)),
        ),
        synonyms=("toy helicopter",),
        categories=words("toy", "vehicle", "flies"),
        rooms=_PLAY,
    ),
    ObjectKind(
        "tractor",
        (0.36, 0.26, 0.30),
        0.9,
        (
            core(0.32, 0.24, 0.18),
            box(0.20, 0.11, 0.11, (0.08, 0.0, 0.155), solid=False),
            box(0.13, 0.13, 0.12, (-0.08, 0.0, 0.22), paint="glass", solid=False),
            box(0.15, 0.15, 0.02, (-0.08, 0.0, 0.29), solid=False),
            cylinder(0.013, 0.10, (0.13, 0.0, 0.25), paint="tyre", solid=False),
            *(
                cylinder(radius, 0.06, (x, side * 0.10, radius), euler=ALONG_Y, paint="tyre", solid=False)
                for x, radius in ((-0.08, 0.10), (0.12, 0.055))
                for side in (-1, 1)
            ),
            *(
                cylinder(0.05, 0.065, (-0.08, side * 0.10, 0.10), euler=ALONG_Y, paint="flame", solid=False)
                for side in (-1, 1)
            ),
        ),
        synonyms=("toy tractor",),
        categories=words("toy", "vehicle"),
        rooms=("playroom", "bedroom"),
    ),
)
