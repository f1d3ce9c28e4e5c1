"""The record of one house: what stands where before play begins.

Coordinates are metres, x east, y north, z up from the floor; angles are radians, counter-clockwise from +x.
Houses of the second format, which the setting ``style`` asks for, have rooms with names and containers with things in
them. The record is frozen and turns into JSON and back without loss; :meth:`House.from_json` refuses a house that
cannot be (see :mod:`worlds.playhouse.house.rules`) with one clear line.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache, cached_property
from typing import Any, TypeVar

from worlds.contract import TICKS_PER_SECOND, WorldError
from worlds.playhouse.house.catalogue import FURNITURE_KINDS, OBJECT_KINDS, SIZES, FurnitureKind, ObjectKind
from worlds.playhouse.house.door_leaf import DoorLeaf

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
        """Its entry in the catalogue."""
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
        """Its entry in the catalogue."""
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
        """The loose objects by id."""
        return {o.id: o for o in self.objects}

    @cached_property
    def furniture_by_id(self) -> dict[str, Furniture]:
        """The furniture by id."""
        return {f.id: f for f in self.furniture}

    @cached_property
    def rooms_by_id(self) -> dict[str, Room]:
        """The rooms by id."""
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
        """Return the first pose of ``agent``."""
        return next(s for s in self.starts if s.agent == agent)

    def to_json(self) -> dict[str, Any]:
        """JSON-serialisable form; ``from_json`` gives an equal house back."""
        written: dict[str, Any] = {"format": self.format}
        for name, (_, names) in _layout(self.format).items():
            if getattr(self, name) or name not in _WHERE_THERE_ARE_ANY:
                written[name] = [{n: _plain(getattr(row, n)) for n in names} for row in getattr(self, name)]
        if self.format != FORMAT:
            written["substeps"] = self.substeps
        return written

    @classmethod
    def from_json(cls, config: Mapping[str, Any]) -> House:
        """Read a house and check that it can be.

        Raises:
          WorldError: one line that names what is wrong with the configuration.
        """
        from worlds.playhouse.house.rules import check

        if not isinstance(config, Mapping):
            raise WorldError(f"a house configuration is a JSON object, not {type(config).__name__}")
        read = config.get("format")
        if read not in (FORMAT, FORMAT_2):
            raise WorldError(
                f"house configuration: format is {read!r}, this version reads {FORMAT!r} and {FORMAT_2!r}; "
                "give the configuration a Playhouse wrote"
            )
        rows = {name: _read_list(config, name, *layout) for name, layout in _layout(str(read)).items()}
        # The first houses of the second format did not say it.
        substeps = config.get("substeps", PLAIN_SUBSTEPS) if read == FORMAT_2 else PLAIN_SUBSTEPS
        house = cls(**rows, format=str(read), substeps=substeps)
        check(house)
        return house


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
_WHERE_THERE_ARE_ANY = ("door_leaves",)  # lists that are left out while they are empty, as in earlier recordings


@cache
def _layout(format_: str) -> dict[str, tuple[type, tuple[str, ...]]]:
    """The lists of a format in their order, with the record of their rows and its fields."""
    layout = {}
    for name, record in _RECORDS.items():
        new = _SECOND_ONLY.get(name, ()) if format_ == FORMAT else ()
        if new is not None:
            layout[name] = (record, tuple(f.name for f in fields(record) if f.name not in new))
    return layout


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


_Record = TypeVar("_Record")


def _read_list(
    config: Mapping[str, Any], name: str, record: type[_Record], names: tuple[str, ...]
) -> tuple[_Record, ...]:
    rows = config.get(name, () if name in _WHERE_THERE_ARE_ANY else None)
    if not isinstance(rows, list | tuple):
        raise WorldError(f"house configuration: {name!r} is missing or not a list")
    return tuple(_read(row, f"{name}[{i}]", record, names) for i, row in enumerate(rows))


def _read(row: Any, where: str, record: type[_Record], names: tuple[str, ...]) -> _Record:
    """One record from its JSON object. Raises WorldError naming the field that is missing or of a wrong type."""
    expected = {name: kind for name, kind in _types(record).items() if name in names}
    if not isinstance(row, Mapping):
        raise WorldError(f"house configuration: {where} is not an object with {', '.join(expected)}")
    unknown, missing = set(row) - set(expected), set(expected) - set(row)
    if unknown or missing:
        problem = f"lacks {min(missing)!r}" if missing else f"has the unknown field {min(map(str, unknown))!r}"
        raise WorldError(f"house configuration: {where} {problem}")
    return record(**{field: _value(row[field], kind, f"{where}.{field}") for field, kind in expected.items()})


@cache
def _types(record: type) -> dict[str, str]:
    return {f.name: str(f.type) for f in fields(record)}


def _value(value: Any, kind: str, where: str) -> Any:
    """``value`` as the dataclass field's type; integers are accepted where numbers are asked for."""
    if kind == "str" and isinstance(value, str):
        return value
    if kind == "int" and isinstance(value, int) and not isinstance(value, bool):
        return value
    if kind == "float" and isinstance(value, int | float) and not isinstance(value, bool):
        if math.isfinite(value):
            return float(value)
    elif kind.startswith("tuple") and isinstance(value, list | tuple) and all(isinstance(v, str) for v in value):
        if len(value) == 2:
            return tuple(value)
    raise WorldError(f"house configuration: {where} is {value!r}, not a valid {_PLAIN.get(kind, kind)}")


_PLAIN = {"str": "text", "int": "whole number", "float": "finite number", "tuple[str, str]": "pair of ids"}
