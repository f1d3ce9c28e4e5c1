"""The colours of things and walls, the floors of rooms, and what surfaces look like."""

from __future__ import annotations

from worlds.playhouse.house.parts import Vector

COLOURS: dict[str, Vector] = {
    "red": (0.86, 0.07, 0.07),
    "orange": (1.0, 0.50, 0.0),
    "yellow": (1.0, 0.92, 0.10),
    "green": (0.05, 0.58, 0.10),
    "cyan": (0.10, 0.85, 0.90),
    "blue": (0.08, 0.16, 0.88),
    "purple": (0.50, 0.08, 0.66),
    "pink": (1.0, 0.50, 0.76),
    "white": (0.97, 0.97, 0.97),
    "black": (0.07, 0.07, 0.08),
    # Of houses of the second format only.
    "peach": (1.0, 0.72, 0.52),
    "brown": (0.40, 0.20, 0.06),
    "grey": (0.52, 0.52, 0.52),
    "olive": (0.50, 0.56, 0.08),
    "violet": (0.62, 0.42, 0.98),
    "magenta": (0.90, 0.05, 0.62),
    "aquamarine": (0.42, 0.98, 0.74),
}
PLAIN_COLOURS = tuple(COLOURS)[:10]  # of houses of the first format

FLOORS: dict[str, Vector] = {
    "oak": (0.66, 0.52, 0.38),
    "slate": (0.42, 0.46, 0.52),
    "moss": (0.50, 0.57, 0.42),
    "sand": (0.76, 0.70, 0.56),
    "clay": (0.62, 0.46, 0.42),
    # Of houses of the second format only.
    "walnut": (0.46, 0.32, 0.22),
    "pine": (0.80, 0.66, 0.46),
    "marble": (0.84, 0.84, 0.82),
    "mosaic": (0.60, 0.72, 0.76),
    "felt": (0.45, 0.50, 0.62),
    "wool": (0.72, 0.62, 0.58),
}
PLAIN_FLOORS = tuple(FLOORS)[:5]  # of houses of the first format
FLOOR_FINISHES: dict[str, str] = {
    "oak": "planks",
    "slate": "tiles",
    "moss": "carpet",
    "sand": "carpet",
    "clay": "tiles",
    "walnut": "planks",
    "pine": "planks",
    "marble": "tiles",
    "mosaic": "tiles",
    "felt": "carpet",
    "wool": "carpet",
}

# Walls are painted in a pale tint of their colour, before which things of that colour still show.
_TINT = 0.42


def wall_paint(colour: str) -> Vector:
    """RGB of walls that are called by a colour's name."""
    red, green, blue = (1.0 + _TINT * (c - 1.0) for c in COLOURS[colour])
    return 0.97 * red, 0.97 * green, 0.95 * blue
