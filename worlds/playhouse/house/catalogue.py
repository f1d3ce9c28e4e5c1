"""Catalogue of houses: kinds of object and furniture, colours, sizes and floors, by name.

A thing is a few MuJoCo primitives (:class:`~worlds.playhouse.house.parts.Part`). Its lengths are in metres before
:data:`SIZES` scales them, and its parts are given from the point on the floor under its middle, z up. Parts that do not
collide are decoration, by which kinds tell apart at low resolution; one or two simple parts do the colliding, because
contacts between boxes, spheres and capsules are both fast and stable.

Kinds are entries of the files in ``data/``, one for each family. The first kinds, colours and floors are those of
houses of the first format. They stay the first, and their parts do not change: recordings, seeds and held-out
combinations of words count on them.
"""

from __future__ import annotations

from pathlib import Path

from worlds.data_files import read_entries
from worlds.playhouse.house.colours import COLOURS, FLOORS, PLAIN_COLOURS, PLAIN_FLOORS
from worlds.playhouse.house.kinds import SIZES, FurnitureKind, ObjectKind, Surface

__all__ = [
    "COLOURS", "FLOORS", "FURNITURE_KINDS", "OBJECT_KINDS", "PLAIN_COLOURS", "PLAIN_FLOORS", "PLAIN_FURNITURE_KINDS",
    "PLAIN_KINDS", "SIZES", "FurnitureKind", "ObjectKind", "Surface",
]  # fmt: skip

_DATA = Path(__file__).parent / "data"
_THINGS = [
    read_entries(_DATA / "things" / f"{family}.json", ObjectKind)
    for family in (
        "first", "toys", "vehicles", "animals", "music", "food", "kitchenware", "household", "decoration",
        "light_furniture",
    )
]  # fmt: skip
_FURNITURE = [
    read_entries(_DATA / "furniture" / f"{family}.json", FurnitureKind)
    for family in ("first", "seats", "tables", "storage", "kitchen", "bathroom", "walls")
]

OBJECT_KINDS: dict[str, ObjectKind] = {name: kind for family in _THINGS for name, kind in family.items()}
FURNITURE_KINDS: dict[str, FurnitureKind] = {name: kind for family in _FURNITURE for name, kind in family.items()}

PLAIN_KINDS = tuple(_THINGS[0])  # of houses of the first format
PLAIN_FURNITURE_KINDS = tuple(_FURNITURE[0])
