"""Leaves in the doorways of furnished houses, drawn by lot after everything else: the rest is as without them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from worlds.playhouse.house.chance import Chance
from worlds.playhouse.house.door_leaf import LEAF_PAINTS, leaf_length, met_by
from worlds.playhouse.house.record import AVATAR_RADIUS, WALL_THICKNESS, DoorLeaf, Doorway, House

CLOSED, HALF_OPEN = 0.4, 0.3  # shares of the leaves; the others are open
HALF, OPEN = (20.0, 70.0), (75.0, 95.0)  # degrees
TRIES = 4  # angles that are tried before a leaf is closed
TWO = 0.3  # chance of two leaves in a doorway with room for one
ROOM_TO_PASS = 2 * AVATAR_RADIUS + 0.06  # metres beyond a leaf that stands open


def with_door_leaves(house: House, share: float, chance: Chance) -> House:
    """Return a house with leaves in a share of its doorways; they have one paint."""
    paint = chance.choose(tuple(LEAF_PAINTS))
    leaves = [leaf for door in house.doorways if chance.happens(share) for leaf in _leaves(house, door, chance)]
    named = (replace(leaf, id=f"leaf_{i}", paint=paint) for i, leaf in enumerate(leaves))
    return replace(house, door_leaves=tuple(named))


def _leaves(house: House, doorway: Doorway, chance: Chance) -> Iterator[DoorLeaf]:
    """One leaf if players can walk around it where it stands open, or two half as long."""
    hinges, one, two = chance.shuffled((-1, 1)), leaf_length(doorway, 1), leaf_length(doorway, 2)
    roomy = [hinge for hinge in hinges if _is_roomy(house, doorway, hinge, one)]
    if roomy and not chance.happens(TWO):
        yield _leaf(house, DoorLeaf("", doorway.id, roomy[0], one, 0.0, ""), chance)
    else:
        for hinge in (-1, 1):
            yield _leaf(house, DoorLeaf("", doorway.id, hinge, two, 0.0, ""), chance)


def _leaf(house: House, closed: DoorLeaf, chance: Chance) -> DoorLeaf:
    """The leaf at an angle at which it meets nothing."""
    tried = (replace(closed, angle=_angle(chance)) for _ in range(TRIES))
    return next((leaf for leaf in tried if met_by(leaf, house) is None), closed)


def _angle(chance: Chance) -> float:
    kind = chance.between(0.0, 1.0)
    if kind < CLOSED:
        return 0.0
    degrees = chance.between(*(HALF if kind < CLOSED + HALF_OPEN else OPEN))
    return round(math.radians(degrees) * chance.choose((-1, 1)), 3)


def _is_roomy(house: House, doorway: Doorway, hinge: int, length: float) -> bool:
    """Whether players can walk around a leaf that stands open to either side: the floor before its end is free."""
    depth, wide, along = ROOM_TO_PASS / 2, (doorway.width + ROOM_TO_PASS) / 2, doorway.along == "x"
    half = (wide, depth) if along else (depth, wide)
    for side in (-1, 1):
        x, y = _before(doorway, side * (length + depth), hinge * depth)
        wall = _before(doorway, side * (length + 2 * depth + WALL_THICKNESS / 2))
        if not any(house.rooms_by_id[room].contains(*wall) for room in doorway.rooms):
            return False
        if any(abs(f.x - x) < f.half[0] + half[0] and abs(f.y - y) < f.half[1] + half[1] for f in house.obstacles):
            return False
    return True


def _before(doorway: Doorway, across: float, along: float = 0.0) -> tuple[float, float]:
    """A place so many metres before or behind a doorway, and to its side."""
    if doorway.along == "x":
        return doorway.x + along, doorway.y + across
    return doorway.x + across, doorway.y + along
