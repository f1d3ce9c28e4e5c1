"""The colours of things and walls, the floors of rooms, and what surfaces look like."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from worlds.data_files import read_entries
from worlds.playhouse.house.parts import Vector

_DATA = Path(__file__).parent / "data"


@dataclass(frozen=True)
class _Floor:
    colour: Vector
    finish: str


_FLOORS = read_entries(_DATA / "floors.json", _Floor)

COLOURS: dict[str, Vector] = read_entries(_DATA / "colours.json", Vector)
PLAIN_COLOURS = tuple(COLOURS)[:10]  # of houses of the first format; the others are of those of the second only

FLOORS: dict[str, Vector] = {name: floor.colour for name, floor in _FLOORS.items()}
PLAIN_FLOORS = tuple(FLOORS)[:5]  # of houses of the first format; the others are of those of the second only
FLOOR_FINISHES: dict[str, str] = {name: floor.finish for name, floor in _FLOORS.items()}

# Walls are painted in a pale tint of their colour, before which things of that colour still show.
_TINT = 0.42


def wall_paint(colour: str) -> Vector:
    """RGB of walls that are called by a colour's name."""
    red, green, blue = (1.0 + _TINT * (c - 1.0) for c in COLOURS[colour])
    return 0.97 * red, 0.97 * green, 0.95 * blue
