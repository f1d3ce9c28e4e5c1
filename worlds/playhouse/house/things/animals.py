"""Toy animals."""

from __future__ import annotations

from worlds.playhouse.house.kinds import ObjectKind, words
from worlds.playhouse.house.parts import Part, box, capsule, core, cylinder, ellipsoid, sphere

_PLAY = ("playroom", "bedroom", "living room")


def _eyes(x: float, y: float, z: float) -> tuple[Part, ...]:
    return tuple(sphere(0.013, (x, side * y, z), paint="tyre", solid=False) for side in (-1, 1))


def _four_legs(x: float, y: float, radius: float, height: float) -> tuple[Part, ...]:
    return tuple(
        cylinder(radius, height, (sx * x, sy * y, height / 2), shade=0.8, solid=False)
        for sx in (-1, 1)
        for sy in (-1, 1)
    )


KINDS = (
    ObjectKind(
        "water bird",
        (0.38, 0.22, 0.38),
        0.4,
        (
            core(0.30, 0.20, 0.18),
            core(0.12, 0.08, 0.19, lift=0.18),
            ellipsoid(0.32, 0.21, 0.18, (-0.03, 0.0, 0.09), solid=False),
            ellipsoid(0.16, 0.06, 0.10, (-0.16, 0.0, 0.15), euler=(0.0, 25.0, 0.0), shade=0.85, solid=False),
            capsule(0.028, 0.25, (0.10, 0.0, 0.23), euler=(0.0, 8.0, 0.0), solid=False),
            ellipsoid(0.12, 0.085, 0.085, (0.13, 0.0, 0.335), solid=False),
            box(0.08, 0.04, 0.025, (0.20, 0.0, 0.325), paint="beak", solid=False),
            *_eyes(0.15, 0.036, 0.355),
        ),
        synonyms=("bird", "swan", "bird toy", "toy bird"),
        categories=words("toy", "animal", "floats"),
        rooms=("bathroom", "playroom"),
    ),
    ObjectKind(
        "fish",
        (0.40, 0.18, 0.26),
        0.4,
        (
            core(0.30, 0.14, 0.20),
            ellipsoid(0.30, 0.13, 0.20, (0.04, 0.0, 0.12), solid=False),
            box(0.10, 0.02, 0.10, (-0.14, 0.0, 0.15), euler=(0.0, 45.0, 0.0), shade=0.8, solid=False),
            box(0.10, 0.02, 0.10, (-0.14, 0.0, 0.10), euler=(0.0, 45.0, 0.0), shade=0.8, solid=False),
            box(0.12, 0.015, 0.06, (0.02, 0.0, 0.225), shade=0.7, solid=False),
            box(0.09, 0.16, 0.015, (0.04, 0.0, 0.03), shade=0.7, solid=False),
            *_eyes(0.145, 0.043, 0.145),
        ),
        plural="fish",
        synonyms=("toy fish",),
        shapes=words("long"),
        categories=words("toy", "animal", "floats"),
        rooms=("bathroom", "playroom"),
    ),
    ObjectKind(
        "horse",
        (0.42, 0.16, 0.45),
        0.7,
        (
            core(0.32, 0.15, 0.28),
            box(0.28, 0.13, 0.12, (-0.03, 0.0, 0.22), solid=False),
            *_four_legs(0.11, 0.045, 0.026, 0.18),
            box(0.075, 0.075, 0.20, (0.11, 0.0, 0.30), euler=(0.0, 20.0, 0.0), solid=False),
            box(0.15, 0.07, 0.075, (0.17, 0.0, 0.375), euler=(0.0, 22.0, 0.0), solid=False),
            *(box(0.025, 0.02, 0.05, (0.12, 0.025 * side, 0.43), solid=False) for side in (-1, 1)),
            box(0.03, 0.03, 0.19, (0.075, 0.0, 0.335), euler=(0.0, 20.0, 0.0), paint="bark", solid=False),
            box(0.035, 0.035, 0.18, (-0.19, 0.0, 0.19), euler=(0.0, 18.0, 0.0), paint="bark", solid=False),
            *_eyes(0.18, 0.035, 0.385),
        ),
        synonyms=("toy horse", "pony"),
        categories=words("toy", "animal"),
        rooms=_PLAY,
    ),
    ObjectKind(
        "elephant",
        (0.42, 0.26, 0.34),
        0.8,
        (
            core(0.32, 0.20, 0.28),
            ellipsoid(0.30, 0.22, 0.22, (-0.05, 0.0, 0.21), solid=False),
            *_four_legs(0.08, 0.06, 0.042, 0.16),
            sphere(0.085, (0.12, 0.0, 0.25), solid=False),
            *(ellipsoid(0.035, 0.14, 0.16, (0.08, side * 0.105, 0.26), shade=0.8, solid=False) for side in (-1, 1)),
            capsule(0.025, 0.22, (0.20, 0.0, 0.15), euler=(0.0, -12.0, 0.0), shade=0.9, solid=False),
            *_eyes(0.19, 0.045, 0.285),
        ),
        synonyms=("toy elephant",),
        categories=words("toy", "animal"),
        rooms=_PLAY,
    ),
    ObjectKind(
        "rabbit",
        (0.24, 0.20, 0.40),
        0.4,
        (
            core(0.20, 0.18, 0.30),
            ellipsoid(0.22, 0.19, 0.20, (-0.01, 0.0, 0.10), solid=False),
            sphere(0.075, (0.05, 0.0, 0.23), solid=False),
            *(ellipsoid(0.035, 0.05, 0.18, (0.03, side * 0.04, 0.345), shade=0.85, solid=False) for side in (-1, 1)),
            sphere(0.04, (-0.115, 0.0, 0.08), paint="linen", solid=False),
            sphere(0.016, (0.125, 0.0, 0.225), paint="skin", solid=False),
            *_eyes(0.11, 0.035, 0.255),
        ),
        synonyms=("toy rabbit", "bunny", "hare"),
        categories=words("toy", "animal"),
        rooms=_PLAY,
    ),
    ObjectKind(
        "dinosaur",
        (0.50, 0.20, 0.40),
        0.7,
        (
            core(0.32, 0.18, 0.24),
            ellipsoid(0.28, 0.18, 0.18, (-0.03, 0.0, 0.17), solid=False, finish="dots"),
            *_four_legs(0.08, 0.055, 0.034, 0.14),
            capsule(0.035, 0.26, (0.12, 0.0, 0.27), euler=(0.0, 25.0, 0.0), solid=False),
            ellipsoid(0.13, 0.08, 0.075, (0.19, 0.0, 0.365), solid=False),
            capsule(0.028, 0.20, (-0.18, 0.0, 0.14), euler=(0.0, 65.0, 0.0), solid=False),
            *_eyes(0.20, 0.035, 0.39),
        ),
        synonyms=("toy dinosaur", "dino"),
        shapes=words("long"),
        categories=words("toy", "animal"),
        rooms=_PLAY,
    ),
)
