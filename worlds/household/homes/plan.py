"""Apartments, as ``data/apartments.json`` has them: rooms, doors, and the furniture along each wall."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Room:
    """A room and its furniture.

    What stands along a wall is written in the order from west to east, or from south to north. A number is a gap in
    metres; ``stove`` stands with its back to the wall; ``chair*2`` are two; ``desk+computer`` has a computer on it.
    After a slash follows what hangs on the wall. A window hangs between two curtains.

    Args:
      name: its class.
      corner: x and y of its south-western corner, metres.
      size: along x and y, metres.
      north: what stands, and hangs, along the northern wall.
      east: the same of the eastern wall.
      south: the same of the southern wall.
      west: the same of the western wall.
      middle: what stands free: class, x and y of its centre from the room's corner, and the side to which it looks,
        e.g. "sofa 2.0 1.5 north".
    """

    name: str
    corner: tuple[float, float]
    size: tuple[float, float]
    north: str = ""
    east: str = ""
    south: str = ""
    west: str = ""
    middle: tuple[str, ...] = ()


@dataclass(frozen=True)
class Plan:
    """An apartment.

    Args:
      about: what is special in it.
      seed: from which small things are distributed.
      rooms: that cover its floor without gaps.
      doors: x and y of the middle of each, metres; it lies in the wall between two rooms, or in an outer wall and leads
        outside.
    """

    about: str
    seed: int
    rooms: tuple[Room, ...]
    doors: tuple[tuple[float, float], ...]
