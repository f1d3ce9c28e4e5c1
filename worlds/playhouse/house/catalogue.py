"""Catalogue of houses: kinds of object and furniture, colours, sizes and floors, by name.

A thing is a few MuJoCo primitives (:class:`~worlds.playhouse.house.parts.Part`). Its lengths are in metres before
:data:`SIZES` scales them, and its parts are given from the point on the floor under its middle, z up. Parts that do not
collide are decoration, by which kinds tell apart at low resolution; one or two simple parts do the colliding, because
contacts between boxes, spheres and capsules are both fast and stable.

Kinds are declared in ``things/`` and ``furnishings/``, a file for each family. The first kinds, colours and floors are
those of houses of the first format, and stay the first: seeds and held-out combinations of words count on their order.
"""

from __future__ import annotations

from worlds.playhouse.house.colours import COLOURS, FLOORS, PLAIN_COLOURS, PLAIN_FLOORS
from worlds.playhouse.house.furnishings import bathroom, first, kitchen, seats, storage, tables, walls
from worlds.playhouse.house.kinds import SIZES, FurnitureKind, ObjectKind, Surface
from worlds.playhouse.house.things import (
    animals,
    decoration,
    food,
    household,
    kitchenware,
    light_furniture,
    music,
    toys,
    vehicles,
)
from worlds.playhouse.house.things import first as first_things

__all__ = [
    "COLOURS", "FLOORS", "FURNITURE_KINDS", "OBJECT_KINDS", "PLAIN_COLOURS", "PLAIN_FLOORS", "PLAIN_FURNITURE_KINDS",
    "PLAIN_KINDS", "SIZES", "FurnitureKind", "ObjectKind", "Surface",
]  # fmt: skip

_THINGS = (first_things, toys, vehicles, animals, music, food, kitchenware, household, decoration, light_furniture)
_FURNITURE = (first, seats, tables, storage, kitchen, bathroom, walls)

OBJECT_KINDS: dict[str, ObjectKind] = {kind.name: kind for family in _THINGS for kind in family.KINDS}
FURNITURE_KINDS: dict[str, FurnitureKind] = {kind.name: kind for family in _FURNITURE for kind in family.KINDS}

PLAIN_KINDS = tuple(kind.name for kind in first_things.KINDS)  # of houses of the first format
PLAIN_FURNITURE_KINDS = tuple(kind.name for kind in first.KINDS)
