"""Leaves in the doorways of furnished houses, drawn by lot after everything else: the rest is as without them."""

from __future__ import annotations

import math
from dataclasses import replace

from worlds.playhouse.house.chance import Chance
from worlds.playhouse.house.door_leaf import LEAF_PAINTS, DoorLeaf, met_by
from worlds.playhouse.house.record import House

CLOSED, HALF_OPEN = 0.4, 0.3  # shares of the leaves; the others are open
HALF, OPEN = (20.0, 70.0), (75.0, 95.0)  # degrees
TRIES = 4  # angles that are tried before a leaf is closed


def with_door_leaves(house: House, share: float, chance: Chance) -> House:
    """Return a house with leaves in a share of its doorways; they have one paint."""
    paint, leaves = chance.choose(tuple(LEAF_PAINTS)), []
    for doorway in house.doorways:
        if chance.happens(share):
            hinge = chance.choose((-1, 1))
            tried = (DoorLeaf(f"leaf_{len(leaves)}", doorway.id, hinge, _angle(chance), paint) for _ in range(TRIES))
            free = next((leaf for leaf in tried if met_by(leaf, house) is None), None)
            leaves.append(free or DoorLeaf(f"leaf_{len(leaves)}", doorway.id, hinge, 0.0, paint))
    return replace(house, door_leaves=tuple(leaves))


def _angle(chance: Chance) -> float:
    kind = chance.between(0.0, 1.0)
    if kind < CLOSED:
        return 0.0
    degrees = chance.between(*(HALF if kind < CLOSED + HALF_OPEN else OPEN))
    return round(math.radians(degrees) * chance.choose((-1, 1)), 3)
