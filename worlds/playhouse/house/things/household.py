"""Things to wash, dress, see and hear with."""

from __future__ import annotations

from worlds.playhouse.house.kinds import ObjectKind, words
from worlds.playhouse.house.parts import Part, box, core, cylinder, ellipsoid

_ALONG_X = (0.0, 90.0, 0.0)

KINDS = (
    ObjectKind(
        "soap",
        (0.24, 0.16, 0.10),
        0.2,
        (
            core(0.22, 0.14, 0.09),
            box(0.10, 0.15, 0.085, (0.0, 0.0, 0.0425), solid=False),
            *(cylinder(0.075, 0.085, (side * 0.05, 0.0, 0.0425), solid=False) for side in (-1, 1)),
            Part("ellipsoid", (0.10, 0.06, 0.02), (0.0, 0.0, 0.085), shade=1.3, solid=False),
        ),
        synonyms=("soap bar", "bar of soap"),
        shapes=words("rectangular"),
        categories=words("to wash with"),
        rooms=("bathroom", "laundry room"),
    ),
    ObjectKind(
        "tissue roll",
        (0.22, 0.22, 0.20),
        0.2,
        (
            core(0.19, 0.19, 0.20),
            cylinder(0.105, 0.20, (0.0, 0.0, 0.10), solid=False),
            cylinder(0.042, 0.006, (0.0, 0.0, 0.200), paint="bark", solid=False),
            box(0.012, 0.09, 0.16, (0.107, 0.03, 0.10), shade=0.85, solid=False),
        ),
        round=True,
        synonyms=("tissue", "paper roll", "toilet roll", "toilet paper", "roll of tissue"),
        shapes=words("round", "circular"),
        categories=words("soft", "to dry with"),
        rooms=("bathroom", "pantry"),
    ),
    ObjectKind(
        "hair dryer",
        (0.34, 0.16, 0.34),
        0.4,
        (
            core(0.22, 0.14, 0.32),
            box(0.10, 0.12, 0.03, (-0.05, 0.0, 0.015), shade=0.7, solid=False),
            box(0.055, 0.05, 0.20, (-0.05, 0.0, 0.12), euler=(0.0, -8.0, 0.0), shade=0.8, solid=False),
            cylinder(0.08, 0.20, (-0.03, 0.0, 0.26), euler=_ALONG_X, solid=False),
            cylinder(0.05, 0.10, (0.11, 0.0, 0.26), euler=_ALONG_X, paint="tyre", solid=False),
            cylinder(0.065, 0.012, (-0.135, 0.0, 0.26), euler=_ALONG_X, paint="metal", solid=False),
        ),
        synonyms=("hair drier", "hairdryer", "hairdrier", "dryer", "blow dryer"),
        categories=words("to dry with"),
        rooms=("bathroom", "bedroom"),
    ),
    ObjectKind(
        "towel",
        (0.34, 0.24, 0.14),
        0.3,
        (
            core(0.32, 0.22, 0.13),
            *(
                box(
                    0.32 - 0.01 * i,
                    0.23,
                    0.042,
                    (0.0, 0.0, 0.022 + 0.045 * i),
                    shade=1.0 - 0.1 * (i % 2),
                    solid=False,
                    finish="stripes" if i == 2 else "cloth",
                )
                for i in range(3)
            ),
        ),
        shapes=words("rectangular"),
        categories=words("soft", "to dry with"),
        rooms=("bathroom", "laundry room", "bedroom"),
    ),
    ObjectKind(
        "shoe",
        (0.34, 0.15, 0.18),
        0.4,
        (
            core(0.32, 0.13, 0.12),
            box(0.33, 0.13, 0.03, (0.0, 0.0, 0.015), paint="paper", solid=False),
            ellipsoid(0.24, 0.13, 0.13, (0.045, 0.0, 0.055), solid=False),
            box(0.14, 0.12, 0.12, (-0.085, 0.0, 0.09), solid=False),
            box(0.10, 0.09, 0.008, (-0.085, 0.0, 0.152), paint="tyre", solid=False),
            *(
                box(0.02, 0.09, 0.014, (x, 0.0, z), euler=(0.0, 20.0, 0.0), paint="linen", solid=False)
                for x, z in ((0.01, 0.122), (0.05, 0.116))
            ),
        ),
        synonyms=("sneaker",),
        shapes=words("long"),
        categories=words("clothing"),
        rooms=("bedroom", "hallway"),
    ),
    ObjectKind(
        "hat",
        (0.36, 0.36, 0.20),
        0.2,
        (
            core(0.22, 0.22, 0.19),
            cylinder(0.18, 0.018, (0.0, 0.0, 0.012), solid=False, finish="cloth"),
            cylinder(0.115, 0.15, (0.0, 0.0, 0.085), solid=False, finish="cloth"),
            ellipsoid(0.23, 0.23, 0.08, (0.0, 0.0, 0.155), solid=False, finish="cloth"),
            cylinder(0.118, 0.035, (0.0, 0.0, 0.045), paint="tyre", solid=False),
        ),
        round=True,
        shapes=words("round"),
        categories=words("clothing", "soft"),
        rooms=("bedroom", "hallway"),
    ),
    ObjectKind(
        "bag",
        (0.34, 0.18, 0.36),
        0.5,
        (
            core(0.32, 0.16, 0.24),
            box(0.32, 0.15, 0.24, (0.0, 0.0, 0.12), solid=False, finish="cloth"),
            box(0.33, 0.16, 0.03, (0.0, 0.0, 0.17), shade=0.6, solid=False),
            box(0.05, 0.165, 0.06, (0.0, 0.0, 0.165), paint="brass", solid=False),
            *(box(0.022, 0.022, 0.11, (side * 0.09, 0.0, 0.295), shade=0.6, solid=False) for side in (-1, 1)),
            box(0.20, 0.022, 0.022, (0.0, 0.0, 0.345), shade=0.6, solid=False),
        ),
        synonyms=("handbag", "purse"),
        shapes=words("rectangular"),
        categories=words("clothing"),
        rooms=("bedroom", "hallway", "living room"),
    ),
    ObjectKind(
        "key",
        (0.36, 0.17, 0.05),
        0.2,
        (
            core(0.34, 0.12, 0.04),
            cylinder(0.08, 0.04, (-0.10, 0.0, 0.02), solid=False),
            cylinder(0.038, 0.006, (-0.10, 0.0, 0.041), paint="tyre", solid=False),
            box(0.22, 0.034, 0.034, (0.08, 0.0, 0.02), solid=False),
            box(0.028, 0.075, 0.034, (0.17, 0.05, 0.02), solid=False),
            box(0.028, 0.06, 0.034, (0.115, 0.042, 0.02), solid=False),
        ),
        shapes=words("long"),
        rooms=("hallway", "study", "living room"),
    ),
    ObjectKind(
        "clock",
        (0.14, 0.30, 0.32),
        0.5,
        (
            core(0.13, 0.26, 0.28),
            cylinder(0.145, 0.09, (0.0, 0.0, 0.165), euler=_ALONG_X, solid=False),
            cylinder(0.118, 0.01, (0.044, 0.0, 0.165), euler=_ALONG_X, paint="china", solid=False),
            box(0.012, 0.016, 0.09, (0.052, 0.0, 0.205), paint="tyre", solid=False),
            box(0.012, 0.07, 0.016, (0.052, 0.03, 0.165), paint="tyre", solid=False),
            *(box(0.10, 0.05, 0.05, (0.0, side * 0.085, 0.025), shade=0.7, solid=False) for side in (-1, 1)),
        ),
        synonyms=("alarm clock",),
        shapes=words("round", "circular"),
        categories=words("to look at"),
        rooms=("bedroom", "living room", "study", "kitchen"),
    ),
    ObjectKind(
        "radio",
        (0.14, 0.36, 0.32),
        0.7,
        (
            core(0.13, 0.36, 0.22),
            box(0.12, 0.36, 0.22, (0.0, 0.0, 0.11), solid=False),
            cylinder(0.075, 0.012, (0.062, -0.085, 0.10), euler=_ALONG_X, paint="tyre", solid=False),
            box(0.012, 0.13, 0.06, (0.062, 0.09, 0.15), paint="glow", solid=False),
            cylinder(0.028, 0.02, (0.065, 0.09, 0.06), euler=_ALONG_X, paint="metal", solid=False),
            cylinder(0.008, 0.18, (0.0, 0.14, 0.29), euler=(-25.0, 0.0, 0.0), paint="metal", solid=False),
        ),
        shapes=words("rectangular"),
        categories=words("musical"),
        rooms=("living room", "kitchen", "study"),
    ),
    ObjectKind(
        "laptop",
        (0.32, 0.36, 0.26),
        0.7,
        (
            box(0.26, 0.36, 0.025, (0.02, 0.0, 0.0125)),
            box(0.21, 0.30, 0.006, (0.03, 0.0, 0.027), paint="tyre", solid=False),
            box(0.018, 0.36, 0.24, (-0.13, 0.0, 0.135), euler=(0.0, -14.0, 0.0)),
            box(0.008, 0.32, 0.19, (-0.118, 0.0, 0.14), euler=(0.0, -14.0, 0.0), paint="glass", solid=False),
        ),
        synonyms=("computer",),
        shapes=words("rectangular"),
        categories=words("to look at"),
        rooms=("study", "living room"),
    ),
    ObjectKind(
        "lantern",
        (0.20, 0.20, 0.40),
        0.5,
        (
            core(0.18, 0.18, 0.30),
            box(0.20, 0.20, 0.05, (0.0, 0.0, 0.025), solid=False),
            box(0.14, 0.14, 0.18, (0.0, 0.0, 0.14), paint="glow", solid=False),
            *(
                box(0.02, 0.02, 0.18, (0.08 * x, 0.08 * y, 0.14), paint="tyre", solid=False)
                for x in (-1, 1)
                for y in (-1, 1)
            ),
            box(0.20, 0.20, 0.04, (0.0, 0.0, 0.25), solid=False),
            box(0.11, 0.11, 0.04, (0.0, 0.0, 0.29), solid=False),
            box(0.02, 0.10, 0.02, (0.0, 0.0, 0.39), paint="tyre", solid=False),
            *(box(0.02, 0.02, 0.09, (0.0, 0.045 * side, 0.345), paint="tyre", solid=False) for side in (-1, 1)),
        ),
        synonyms=("light",),
        shapes=words("square", "long"),
        categories=words("light"),
        rooms=("hallway", "conservatory", "living room"),
    ),
)
