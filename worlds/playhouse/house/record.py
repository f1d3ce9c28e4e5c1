"""The record of one house: what stands where before play begins.

Coordinates are metres, x east, y north, z up from the floor; angles are radians, counter-clockwise from +x.
Houses of the second format, which the setting ``style`` asks for, have rooms with names and containers with things in
them. The record is frozen and turns into JSON and back without loss (:mod:`worlds.playhouse.house.reading`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from functools import cache, cached_property
from typing import Any

from worlds.contract import TICKS_PER_SECOND
from worlds.playhouse.house.catalogue import FURNITURE_KINDS, OBJECT_KINDS, SIZES, FurnitureKind, ObjectKind

FORMAT = "playhouse-1"
FORMAT_2 = "playhouse-2"  # rooms have names, walls have colours, things can lie in others
PLAIN_SUBSTEPS = 4  # physics steps of a tick in houses that do not say it
FLOOR = "floor"
WALL_THICKNESS = 0.10
WALL_HEIGHT = 2.6
WINDOW_SILL, WINDOW_HEAD = 0.95, 2.10  # metres above the floor

AVATAR_RADIUS = 0.22
AVATAR_HEIGHT = 1.25


@dataclass(frozen=True)
class Room:
    """An axis-aligned rectangle of floor; its edges are the middles of its walls.

    Args:
      floor: name of the floor's finish, see ``colours.FLOORS``.
      type: what it is used as, see ``room_types.ROOM_TYPES``; empty in the first format.
      walls: name of the colour of its walls; empty in the first format.
    """

    id: str
    x0: float
    y0: float
    x1: float
    y1: float
    floor: str
    type: str = ""
    walls: str = ""

    def contains(self, x: float, y: float, margin: float = 0.0) -> bool:
        """Return True if (x, y) lies in the room, at least ``margin`` from its edges."""
        return self.x0 + margin <= x <= self.x1 - margin and self.y0 + margin <= y <= self.y1 - margin


@dataclass(frozen=True)
class Doorway:
    """A gap in the wall between two rooms.

    Args:
      rooms: ids of the two rooms.
      x: middle of the gap, metres.
      y: middle of the gap, metres.
      along: the axis along which the wall runs, "x" or "y".
      width: of the gap, metres.
    """

    id: str
    rooms: tuple[str, str]
    x: float
    y: float
    along: str
    width: float


@dataclass(frozen=True)
class DoorLeaf:
    """A leaf that hangs in a doorway.

    Args:
      doorway: id of the doorway.
      hinge: the end of the doorway at which it hangs: -1 for the one to the west or south, 1 for the other.
      length: metres from the hinge to the other end.
      angle: angle at which it stands when play begins, 0 for closed.
      paint: what it is painted with, of ``door_leaf.LEAF_PAINTS``.
    """

    id: str
    doorway: str
    hinge: int
    length: float
    angle: float
    paint: str


@dataclass(frozen=True)
class Window:
    """A window in an outer wall, seen from inside.

    Args:
      room: id of the room.
      x: its middle, on the room's edge, metres.
      y: its middle, on the room's edge, metres.
      along: the axis along which the wall runs, "x" or "y".
      width: metres.
    """

    id: str
    room: str
    x: float
    y: float
    along: str
    width: float


@dataclass(frozen=True)
class Furniture:
    """A fixed thing; ``quarter_turns`` counter-clockwise quarter turns from facing +y."""

    id: str
    kind: str
    colour: str
    room: str
    x: float
    y: float
    quarter_turns: int

    @property
    def spec(self) -> FurnitureKind:
        return FURNITURE_KINDS[self.kind]

    @cached_property
    def half(self) -> tuple[float, float]:
        """Half-extents (x, y) of its footprint in the house's frame."""
        hx, hy = self.spec.half
        return (hx, hy) if self.quarter_turns % 2 == 0 else (hy, hx)

    @property
    def yaw(self) -> float:
        """Rotation in radians."""
        return self.quarter_turns * math.pi / 2

    def to_house(self, x: float, y: float) -> tuple[float, float]:
        """A point of the furniture's frame in the house's frame."""
        turned = ((x, y), (-y, x), (-x, -y), (y, -x))[self.quarter_turns % 4]
        return self.x + turned[0], self.y + turned[1]

    def gap_to(self, x: float, y: float) -> float:
        """Distance (m) from (x, y) to the footprint; 0 inside."""
        hx, hy = self.half
        return math.hypot(max(abs(x - self.x) - hx, 0.0), max(abs(y - self.y) - hy, 0.0))


@dataclass(frozen=True)
class Thing:
    """A loose object, standing upright.

    Args:
      support: ``"floor"``, or the id of the furniture it stands on, or (second format) of the thing it lies in.
      x: its middle, metres.
      y: its middle, metres.
      z: height of what it stands on, metres.
      yaw: rotation about z, radians.
    """

    id: str
    kind: str
    colour: str
    size: str
    room: str
    support: str
    x: float
    y: float
    z: float
    yaw: float

    @property
    def spec(self) -> ObjectKind:
        return OBJECT_KINDS[self.kind]

    @cached_property
    def scale(self) -> float:
        """Factor of its size on the catalogue's lengths."""
        return SIZES[self.size]

    def from_house(self, x: float, y: float) -> tuple[float, float]:
        """A point of the house's frame in the thing's own, turned with it."""
        c, s, dx, dy = math.cos(self.yaw), math.sin(self.yaw), x - self.x, y - self.y
        return c * dx + s * dy, c * dy - s * dx

    @cached_property
    def radius(self) -> float:
        """Radius (m) of the upright cylinder it fits in."""
        return self.spec.radius(self.scale)

    @cached_property
    def height(self) -> float:
        """Height (m) of the standing thing."""
        return self.spec.height(self.scale)


@dataclass(frozen=True)
class Start:
    """First pose of an avatar: its place, and the direction in which it looks."""

    agent: str
    x: float
    y: float
    yaw: float


@dataclass(frozen=True)
class House:
    """A whole house. Its rooms are connected by doorways.

    Args:
      windows: in outer walls; none in the first format.
      format: "playhouse-1" or "playhouse-2".
      substeps: physics steps of a tick; in the first format always 4.
      door_leaves: one or two in a doorway; none in the first format.
    """

    rooms: tuple[Room, ...]
    doorways: tuple[Doorway, ...]
    furniture: tuple[Furniture, ...]
    objects: tuple[Thing, ...]
    starts: tuple[Start, ...]
    windows: tuple[Window, ...] = ()
    format: str = FORMAT
    substeps: int = PLAIN_SUBSTEPS
    door_leaves: tuple[DoorLeaf, ...] = ()

    @property
    def timestep(self) -> float:
        """Seconds of a physics step."""
        return 1.0 / (TICKS_PER_SECOND * self.substeps)

    @cached_property
    def objects_by_id(self) -> dict[str, Thing]:
        return {o.id: o for o in self.objects}

    @cached_property
    def furniture_by_id(self) -> dict[str, Furniture]:
        return {f.id: f for f in self.furniture}

    @cached_property
    def rooms_by_id(self) -> dict[str, Room]:
        return {r.id: r for r in self.rooms}

    @cached_property
    def obstacles(self) -> tuple[Furniture, ...]:
        """Furniture that players must walk around: not rugs, nor what hangs above their heads."""
        return tuple(piece for piece in self.furniture if piece.spec.in_the_way)

    @cached_property
    def furniture_in(self) -> dict[str, tuple[Furniture, ...]]:
        """The furniture of each room, by the room's id."""
        return {r.id: tuple(f for f in self.furniture if f.room == r.id) for r in self.rooms}

    def room_name(self, room_id: str) -> str:
        """What people call a room, e.g. "living room"; of two such rooms, "pink living room"; "room" without a type."""
        room = self.rooms_by_id[room_id]
        alike = sum(other.type == room.type for other in self.rooms) > 1
        return (f"{room.walls} {room.type}" if alike else room.type) if room.type else "room"

    def room_at(self, x: float, y: float) -> Room | None:
        """The room whose floor holds (x, y); None outside."""
        return next((r for r in self.rooms if r.contains(x, y)), None)

    def start(self, agent: str) -> Start:
        return next(s for s in self.starts if s.agent == agent)

    def to_json(self) -> dict[str, Any]:
        """JSON-serialisable form; ``read_house`` gives an equal house back."""
        written: dict[str, Any] = {"format": self.format}
        for name, (_, names) in layout(self.format).items():
            if getattr(self, name) or name not in WHERE_THERE_ARE_ANY:
                written[name] = [{n: _plain(getattr(row, n)) for n in names} for row in getattr(self, name)]
        if self.format != FORMAT:
            written["substeps"] = self.substeps
        return written


_RECORDS: dict[str, type] = {
    "rooms": Room,
    "doorways": Doorway,
    "door_leaves": DoorLeaf,
    "windows": Window,
    "furniture": Furniture,
    "objects": Thing,
    "starts": Start,
}
_SECOND_ONLY = {"windows": None, "door_leaves": None, "rooms": ("type", "walls")}  # None: the whole list
WHERE_THERE_ARE_ANY = ("door_leaves",)  # lists that are left out while they are empty, as in earlier recordings


@cache
def layout(format_: str) -> dict[str, tuple[type, tuple[str, ...]]]:
    """The lists of a format in their order, with the record of their rows and its fields."""
    found = {}
    for name, record in _RECORDS.items():
        new = _SECOND_ONLY.get(name, ()) if format_ == FORMAT else ()
        if new is not None:
            found[name] = (record, tuple(f.name for f in fields(record) if f.name not in new))
    return found


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
