"""The kinds of thing of the first houses. Their parts and their order are in recordings and do not change."""

from __future__ import annotations

from worlds.playhouse.house.kinds import ObjectKind, words
from worlds.playhouse.house.parts import Part, box, cylinder


def wheels(x: float, y: float, radius: float) -> tuple[Part, ...]:
    """Four wheels at (+-x, +-y)."""
    return tuple(
        cylinder(radius, 0.05, (sx * x, sy * y, radius), euler=(90.0, 0.0, 0.0), paint="tyre", solid=False)
        for sx in (-1, 1)
        for sy in (-1, 1)
    )


KINDS = (
    ObjectKind(
        "ball",
        (0.30, 0.30, 0.30),
        0.5,
        (Part("sphere", (0.15, 0.0, 0.0), (0.0, 0.0, 0.15)),),
        round=True,
        synonyms=("toy ball",),
        shapes=words("round", "circular"),
        categories=words("toy", "ball"),
        rooms=("playroom", "living room", "bedroom"),
    ),
    ObjectKind(
        "block",
        (0.26, 0.26, 0.26),
        0.8,
        (box(0.26, 0.26, 0.26, (0.0, 0.0, 0.13)),),
        synonyms=("cube", "brick"),
        shapes=words("square", "rectangular"),
        categories=words("toy"),
        rooms=("playroom", "living room", "bedroom"),
    ),
    ObjectKind(
        "book",
        (0.34, 0.25, 0.09),
        0.7,
        (
            box(0.34, 0.25, 0.09, (0.0, 0.0, 0.045), hidden=True),
            box(0.34, 0.25, 0.025, (0.0, 0.0, 0.0125), solid=False),
            box(0.31, 0.23, 0.04, (0.01, 0.0, 0.045), paint="paper", solid=False),
            box(0.34, 0.25, 0.025, (0.0, 0.0, 0.0775), solid=False),
        ),
        shapes=words("rectangular"),
        categories=words("book", "to read"),
        rooms=("living room", "study", "bedroom", "playroom"),
    ),
    ObjectKind(
        "mug",
        (0.22, 0.22, 0.24),
        0.4,
        (
            box(0.20, 0.20, 0.24, (0.0, 0.0, 0.12), hidden=True),
            cylinder(0.11, 0.24, (0.0, 0.0, 0.12), solid=False),
            cylinder(0.09, 0.012, (0.0, 0.0, 0.240), paint="tyre", solid=False),
            box(0.07, 0.04, 0.15, (0.14, 0.0, 0.12), shade=0.8, solid=False),
        ),
        synonyms=("cup",),
        shapes=words("round", "circular"),
        categories=words("tableware", "to drink from"),
        rooms=("kitchen", "dining room", "living room", "study"),
    ),
    ObjectKind(
        "duck",
        (0.32, 0.22, 0.30),
        0.4,
        (
            box(0.28, 0.20, 0.18, (0.0, 0.0, 0.09), hidden=True),
            Part("ellipsoid", (0.16, 0.11, 0.10), (0.0, 0.0, 0.10), solid=False),
            Part("sphere", (0.08, 0.0, 0.0), (0.08, 0.0, 0.22)),
            box(0.08, 0.07, 0.03, (0.17, 0.0, 0.21), paint="beak", solid=False),
        ),
        synonyms=("toy duck", "rubber duck"),
        categories=words("toy", "animal", "floats"),
        rooms=("bathroom", "playroom"),
    ),
    ObjectKind(
        "robot",
        (0.22, 0.18, 0.42),
        0.9,
        (
            box(0.22, 0.18, 0.24, (0.0, 0.0, 0.12)),
            box(0.16, 0.15, 0.14, (0.0, 0.0, 0.33), paint="metal"),
            box(0.02, 0.12, 0.04, (0.08, 0.0, 0.34), paint="tyre", solid=False),
        ),
        synonyms=("toy robot",),
        shapes=words("rectangular"),
        categories=words("toy"),
        rooms=("playroom", "bedroom", "living room"),
    ),
    ObjectKind(
        "car",
        (0.40, 0.22, 0.20),
        0.8,
        (
            box(0.40, 0.20, 0.10, (0.0, 0.0, 0.10)),
            box(0.18, 0.18, 0.08, (-0.02, 0.0, 0.17), paint="glass", solid=False),
            box(0.36, 0.20, 0.20, (0.0, 0.0, 0.10), hidden=True),
            *wheels(0.12, 0.10, 0.06),
        ),
        synonyms=("toy car", "car toy"),
        categories=words("toy", "vehicle"),
        rooms=("playroom", "bedroom", "living room"),
    ),
    ObjectKind(
        "pillow",
        (0.40, 0.30, 0.14),
        0.3,
        (
            box(0.36, 0.26, 0.12, (0.0, 0.0, 0.06), hidden=True),
            Part("ellipsoid", (0.20, 0.15, 0.07), (0.0, 0.0, 0.07), solid=False, finish="cloth"),
        ),
        synonyms=("cushion",),
        categories=words("soft"),
        rooms=("bedroom", "living room"),
    ),
    ObjectKind(
        "candle",
        (0.14, 0.14, 0.36),
        0.4,
        (
            box(0.13, 0.13, 0.28, (0.0, 0.0, 0.14), hidden=True),
            cylinder(0.07, 0.28, (0.0, 0.0, 0.14), solid=False),
            Part("ellipsoid", (0.03, 0.03, 0.045), (0.0, 0.0, 0.325), paint="flame", solid=False),
        ),
        shapes=words("round", "long"),
        categories=words("light"),
        rooms=("living room", "dining room", "bathroom", "bedroom"),
    ),
    ObjectKind(
        "lamp",
        (0.26, 0.26, 0.44),
        0.7,
        (
            box(0.20, 0.20, 0.06, (0.0, 0.0, 0.03), paint="metal"),
            cylinder(0.02, 0.22, (0.0, 0.0, 0.15), paint="metal", solid=False),
            box(0.24, 0.24, 0.18, (0.0, 0.0, 0.35)),
            box(0.20, 0.20, 0.01, (0.0, 0.0, 0.44), paint="glow", solid=False),
        ),
        synonyms=("light",),
        categories=words("light"),
        rooms=("living room", "bedroom", "study"),
    ),
    ObjectKind(
        "plate",
        (0.34, 0.34, 0.05),
        0.4,
        (
            box(0.28, 0.28, 0.05, (0.0, 0.0, 0.025), hidden=True),
            cylinder(0.17, 0.04, (0.0, 0.0, 0.02), solid=False),
            cylinder(0.10, 0.012, (0.0, 0.0, 0.044), paint="paper", solid=False),
        ),
        synonyms=("dish",),
        shapes=words("round", "circular"),
        categories=words("tableware", "to eat from"),
        rooms=("kitchen", "dining room", "pantry"),
    ),
    ObjectKind(
        "bottle",
        (0.16, 0.16, 0.44),
        0.6,
        (
            box(0.14, 0.14, 0.26, (0.0, 0.0, 0.13), hidden=True),
            cylinder(0.08, 0.26, (0.0, 0.0, 0.13), solid=False),
            cylinder(0.035, 0.14, (0.0, 0.0, 0.33)),
            cylinder(0.045, 0.04, (0.0, 0.0, 0.42), paint="paper", solid=False),
        ),
        shapes=words("round", "long"),
        categories=words("tableware", "to drink from"),
        rooms=("kitchen", "pantry", "dining room", "bathroom"),
    ),
    ObjectKind(
        "banana",
        (0.40, 0.16, 0.10),
        0.3,
        (
            box(0.38, 0.14, 0.09, (0.0, 0.0, 0.045), hidden=True),
            Part("capsule", (0.045, 0.09, 0.0), (-0.09, 0.0, 0.045), (90.0, 0.0, 65.0), solid=False),
            Part("capsule", (0.045, 0.09, 0.0), (0.09, 0.0, 0.045), (90.0, 0.0, 115.0), solid=False),
        ),
        shapes=words("long"),
        categories=words("fruit", "eatable"),
        colours=("yellow", "green"),
        rooms=("kitchen", "pantry", "dining room"),
    ),
    ObjectKind(
        "rocket",
        (0.22, 0.22, 0.46),
        0.6,
        (
            box(0.18, 0.18, 0.10, (0.0, 0.0, 0.05), hidden=True),
            Part("capsule", (0.08, 0.13, 0.0), (0.0, 0.0, 0.25)),
            Part("sphere", (0.055, 0.0, 0.0), (0.0, 0.0, 0.42), paint="metal", solid=False),
            box(0.28, 0.04, 0.16, (0.0, 0.0, 0.08), paint="metal", solid=False),
            box(0.04, 0.28, 0.16, (0.0, 0.0, 0.08), paint="metal", solid=False),
        ),
        synonyms=("toy rocket",),
        shapes=words("pointy", "long"),
        categories=words("toy", "vehicle", "flies"),
        rooms=("playroom", "bedroom", "living room"),
    ),
)
