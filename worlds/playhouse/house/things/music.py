"""Instruments that toys are made of."""

from __future__ import annotations

from worlds.playhouse.house.kinds import ObjectKind, words
from worlds.playhouse.house.parts import box, core, cylinder, ellipsoid

_ROOMS = ("playroom", "living room")
_ALONG_X = (0.0, 90.0, 0.0)

KINDS = (
    ObjectKind(
        "drum",
        (0.32, 0.32, 0.26),
        0.6,
        (
            core(0.26, 0.26, 0.26),
            cylinder(0.15, 0.24, (0.0, 0.0, 0.12), solid=False),
            cylinder(0.162, 0.03, (0.0, 0.0, 0.02), paint="brass", solid=False),
            cylinder(0.162, 0.03, (0.0, 0.0, 0.235), paint="brass", solid=False),
            cylinder(0.15, 0.012, (0.0, 0.0, 0.252), paint="linen", solid=False),
            box(0.30, 0.02, 0.02, (0.0, 0.05, 0.268), euler=(0.0, 0.0, 25.0), paint="wood", solid=False),
            box(0.30, 0.02, 0.02, (0.0, -0.05, 0.268), euler=(0.0, 0.0, -25.0), paint="wood", solid=False),
        ),
        round=True,
        synonyms=("toy drum",),
        shapes=words("round", "circular"),
        categories=words("toy", "musical"),
        rooms=_ROOMS,
    ),
    ObjectKind(
        "guitar",
        (0.62, 0.24, 0.09),
        0.7,
        (
            box(0.30, 0.22, 0.08, (-0.15, 0.0, 0.04), hidden=True),
            box(0.34, 0.06, 0.05, (0.15, 0.0, 0.055), paint="bark"),
            cylinder(0.12, 0.08, (-0.19, 0.0, 0.04), solid=False),
            cylinder(0.09, 0.08, (-0.05, 0.0, 0.04), solid=False),
            cylinder(0.045, 0.006, (-0.08, 0.0, 0.081), paint="tyre", solid=False),
            box(0.05, 0.10, 0.015, (-0.20, 0.0, 0.085), paint="bark", solid=False),
            box(0.08, 0.09, 0.05, (0.27, 0.0, 0.055), shade=0.7, solid=False),
            box(0.44, 0.03, 0.005, (0.02, 0.0, 0.086), paint="linen", solid=False),
        ),
        synonyms=("toy guitar",),
        shapes=words("long"),
        categories=words("toy", "musical"),
        rooms=_ROOMS,
    ),
    ObjectKind(
        "piano",
        (0.30, 0.42, 0.32),
        1.0,
        (
            box(0.14, 0.42, 0.32, (-0.08, 0.0, 0.16)),
            box(0.26, 0.40, 0.16, (0.02, 0.0, 0.08), hidden=True),
            box(0.16, 0.42, 0.05, (0.07, 0.0, 0.155), shade=0.85, solid=False),
            box(0.12, 0.38, 0.02, (0.085, 0.0, 0.185), paint="china", solid=False),
            *(box(0.07, 0.03, 0.018, (0.06, -0.14 + 0.07 * i, 0.198), paint="tyre", solid=False) for i in range(5)),
            *(box(0.03, 0.04, 0.14, (0.12, side * 0.18, 0.07), shade=0.7, solid=False) for side in (-1, 1)),
        ),
        synonyms=("toy piano", "piano toy", "keyboard"),
        shapes=words("rectangular"),
        categories=words("toy", "musical"),
        rooms=_ROOMS,
    ),
    ObjectKind(
        "trumpet",
        (0.48, 0.20, 0.20),
        0.5,
        (
            core(0.44, 0.14, 0.16),
            cylinder(0.022, 0.34, (-0.06, 0.0, 0.10), euler=_ALONG_X, solid=False),
            cylinder(0.04, 0.05, (0.12, 0.0, 0.10), euler=_ALONG_X, solid=False),
            cylinder(0.065, 0.04, (0.165, 0.0, 0.10), euler=_ALONG_X, solid=False),
            cylinder(0.095, 0.03, (0.20, 0.0, 0.10), euler=_ALONG_X, solid=False),
            box(0.20, 0.022, 0.022, (-0.06, 0.0, 0.015), solid=False),
            *(cylinder(0.02, 0.14, (-0.12 + 0.06 * i, 0.0, 0.085), shade=0.8, solid=False) for i in range(3)),
            ellipsoid(0.04, 0.05, 0.05, (-0.235, 0.0, 0.10), paint="metal", solid=False),
        ),
        synonyms=("toy trumpet", "horn"),
        shapes=words("long"),
        categories=words("toy", "musical"),
        rooms=_ROOMS,
    ),
)
