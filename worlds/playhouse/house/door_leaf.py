"""Leaves of doors: where one hangs in its doorway, and what would be in its way.

A leaf swings to both sides, as between a kitchen and a dining room: there is no latch, a player who walks against it
opens it. Coordinates are metres, x east, y north; angles are radians, counter-clockwise.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from worlds.playhouse.house.parts import Vector
from worlds.playhouse.house.record import AVATAR_RADIUS, DoorLeaf, Doorway, Furniture, House

WIDEST = math.radians(100.0)  # to which a leaf opens to either side
LEAF_BOTTOM, LEAF_TOP = 0.05, 2.01  # metres above the floor
LEAF_HALF = 0.02  # metres, half its thickness
FROM_EDGE = 0.05  # metres from the edges of a doorway to hinges, and to the other end of a closed leaf
SEAM = 0.01  # metres between two leaves of a doorway
LEAF_PAINTS: dict[str, Vector] = {
    "white": (0.93, 0.92, 0.89),
    "oak": (0.72, 0.54, 0.34),
    "walnut": (0.45, 0.29, 0.18),
    "sage": (0.60, 0.66, 0.58),
    "slate": (0.44, 0.50, 0.57),
}
_BETWEEN = 0.05  # metres between the points of a leaf that are compared with what stands around
Line = tuple[float, float, float, float]  # x and y of the hinge, x and y of the other end


def leaf_length(doorway: Doorway, of: int) -> float:
    """The length of each of one or two leaves that fill a doorway, metres."""
    return round((doorway.width - 2 * FROM_EDGE - (of - 1) * SEAM) / of, 3)


def hinge_place(leaf: DoorLeaf, doorway: Doorway) -> tuple[float, float]:
    shift = leaf.hinge * (doorway.width / 2 - FROM_EDGE)
    return (doorway.x + shift, doorway.y) if doorway.along == "x" else (doorway.x, doorway.y + shift)


def closed_yaw(leaf: DoorLeaf, doorway: Doorway) -> float:
    """The direction from the hinge to the other end of the closed leaf."""
    if doorway.along == "x":
        return math.pi if leaf.hinge > 0 else 0.0
    return -math.pi / 2 * leaf.hinge


def leaf_line(leaf: DoorLeaf, doorway: Doorway, angle: float) -> Line:
    """Where a leaf is that is open to an angle, seen from above."""
    (x, y), yaw = hinge_place(leaf, doorway), closed_yaw(leaf, doorway) + angle
    return x, y, x + leaf.length * math.cos(yaw), y + leaf.length * math.sin(yaw)


def met_by(leaf: DoorLeaf, house: House) -> str | None:
    """What a leaf overlaps in a house as it is recorded: the id of furniture or of a thing, or the name of a player."""
    line = leaf_line(leaf, next(door for door in house.doorways if door.id == leaf.doorway), leaf.angle)
    return next(_met(line, house), None)


def _met(line: Line, house: House) -> Iterator[str]:
    pieces = (piece for piece in house.furniture if not piece.spec.flat and piece.spec.bottom < LEAF_TOP)
    yield from (piece.id for piece in pieces if _meets_piece(line, piece))
    for thing in house.objects:
        if thing.z < LEAF_TOP and thing.z + thing.height > LEAF_BOTTOM:
            if _far(line, thing.x, thing.y) < thing.radius + LEAF_HALF:
                yield thing.id
    for start in house.starts:
        if _far(line, start.x, start.y) < AVATAR_RADIUS + LEAF_HALF:
            yield start.agent


def _meets_piece(line: Line, piece: Furniture) -> bool:
    x0, y0, x1, y1 = line
    length = math.hypot(x1 - x0, y1 - y0)
    if piece.gap_to(x0, y0) > length + LEAF_HALF:
        return False
    steps = math.ceil(length / _BETWEEN)
    points = ((x0 + (x1 - x0) * i / steps, y0 + (y1 - y0) * i / steps) for i in range(steps + 1))
    return any(piece.gap_to(x, y) < LEAF_HALF for x, y in points)


def _far(line: Line, x: float, y: float) -> float:
    """Distance (m) from a point to a line."""
    x0, y0, x1, y1 = line
    dx, dy = x1 - x0, y1 - y0
    along = min(max(((x - x0) * dx + (y - y0) * dy) / (dx * dx + dy * dy), 0.0), 1.0)
    return math.hypot(x0 + along * dx - x, y0 + along * dy - y)
