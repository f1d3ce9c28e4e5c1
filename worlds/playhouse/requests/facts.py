"""Facts of a house at one moment: everything that words can be about, with what it is, where and on or in what.

A snapshot for those who speak and those who check what was said. Coordinates are metres in the house's frame.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from worlds.contract import SETTER, SOLVER
from worlds.playhouse.house.kinds import Surface
from worlds.playhouse.house.record import (
    AVATAR_HEIGHT,
    AVATAR_RADIUS,
    FLOOR,
    WALL_HEIGHT,
    WALL_THICKNESS,
    WINDOW_HEAD,
    WINDOW_SILL,
    Doorway,
    Furniture,
    House,
    Thing,
    Window,
)
from worlds.playhouse.house.room_types import ROOM_TYPES
from worlds.playhouse.world import Playhouse

What = Literal["object", "furniture", "room", "player", "opening", "floor"]
PLAYERS = (SETTER, SOLVER)
TOUCHING = 0.06  # metres by which an underside and what it rests on may miss each other
DOOR_HEIGHT = 2.0  # metres
EDGE = 0.03  # metres by which the middle of what stands on a surface may lie outside it


@dataclass(frozen=True)
class Entity:
    """One thing that words can be about.

    Args:
      id: as in the house; of a player its name; "floor" is the floor of every room.
      kind: name in the catalogue; of a room its type; "window" or "door" of an opening.
      names: nouns that people use for it, the kind first.
      colour: None where it has none.
      size: "small", "medium" or "large"; None where sizes are not told apart.
      shapes: words for its shape.
      categories: what it is among others, such as "toy".
      room: id of the room it is in; None outside and for rooms.
      holder: id of what it rests on or lies in; FLOOR on a floor; the player who holds it; None if nothing does.
      inside: whether it lies in its holder rather than on it.
      low: lowest corner of its upright box.
      high: highest corner of its upright box.
      disc: radius of its footprint where that is a disc, as of everything loose; 0 where it is the box's rectangle.
      front: direction (rad) in which its front looks; None if it has none.
      box: width and depth (m) of the upright box that it fits in, turned with it; None where nobody has measured it.
    """

    id: str
    what: What
    kind: str
    names: tuple[str, ...]
    low: tuple[float, float, float]
    high: tuple[float, float, float]
    colour: str | None = None
    size: str | None = None
    shapes: frozenset[str] = frozenset()
    categories: frozenset[str] = frozenset()
    room: str | None = None
    holder: str | None = None
    inside: bool = False
    disc: float = 0.0
    front: float | None = None
    box: tuple[float, float] | None = None

    @property
    def middle(self) -> tuple[float, float]:
        """Middle of its footprint."""
        return (self.low[0] + self.high[0]) / 2, (self.low[1] + self.high[1]) / 2

    @property
    def half(self) -> tuple[float, float]:
        """Half-extents of the rectangle of its footprint; 0 of a disc, which its radius describes."""
        if self.disc:
            return 0.0, 0.0
        return (self.high[0] - self.low[0]) / 2, (self.high[1] - self.low[1]) / 2

    @property
    def height(self) -> float:
        """From its lowest to its highest point."""
        return self.high[2] - self.low[2]


@dataclass(frozen=True)
class Facts:
    """All there is in a house now, and who speaks.

    Args:
      entities: rooms, openings, furniture, loose objects, players and the floor.
      speaker: the player to whom "me" refers; the other one is "you".
      gaze: direction (rad) in which each player looks, setter first.
    """

    entities: tuple[Entity, ...]
    speaker: str = SETTER
    gaze: tuple[float, float] = (0.0, 0.0)

    @cached_property
    def by_id(self) -> dict[str, Entity]:
        return {entity.id: entity for entity in self.entities}

    @cached_property
    def known(self) -> dict[object, object]:
        """What has been found out about these facts, by what was asked; those who ask fill it."""
        return {}

    @property
    def hearer(self) -> str:
        """The player to whom "you" refers."""
        return SOLVER if self.speaker == SETTER else SETTER

    def of(self, *what: What) -> tuple[Entity, ...]:
        """Return the entities that are one of ``what``."""
        return tuple(entity for entity in self.entities if entity.what in what)

    def with_players_of(self, other: Facts) -> Facts:
        """Return the same facts with the players where they are in others, looking where they look there."""
        kept = (entity for entity in self.entities if entity.what != "player")
        return Facts((*kept, *other.of("player")), self.speaker, other.gaze)


def facts_of(world: Playhouse, speaker: str = SETTER) -> Facts:
    """Return the facts of ``world`` at present, as ``speaker`` speaks of them."""
    house = world.house
    floor = Entity(FLOOR, "floor", FLOOR, (FLOOR,), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    entities = [floor, *_rooms(house), *(_furniture(house, piece) for piece in house.furniture), *_openings(house)]
    entities += _objects(world)
    entities += [_player(world, name) for name in PLAYERS]
    gaze = world.avatar(SETTER).yaw, world.avatar(SOLVER).yaw
    return Facts(tuple(entities), speaker, gaze)


def _rooms(house: House) -> Iterator[Entity]:
    for room in house.rooms:
        names = (room.type, *ROOM_TYPES[room.type].synonyms) if room.type else ()
        low, high = (room.x0, room.y0, 0.0), (room.x1, room.y1, WALL_HEIGHT)
        yield Entity(room.id, "room", room.type or "room", names, low, high, colour=room.walls or None)


def _furniture(house: House, piece: Furniture) -> Entity:
    spec, (hx, hy) = piece.spec, piece.half
    low, high = (piece.x - hx, piece.y - hy, spec.bottom), (piece.x + hx, piece.y + hy, spec.height)
    return Entity(
        piece.id, "furniture", piece.kind, (piece.kind, *spec.synonyms), low, high,
        colour=piece.colour, shapes=spec.shapes, categories=spec.categories | {"furniture"}, room=piece.room,
        holder=FLOOR if spec.bottom == 0.0 else None, front=piece.yaw + math.pi / 2 if spec.against_wall else None,
    )  # fmt: skip


def _openings(house: House) -> Iterator[Entity]:
    """Windows, and every doorway once for each of its rooms, where it is a door."""
    for window in house.windows:
        yield _opening(window.id, "window", window, window.room, (WINDOW_SILL, WINDOW_HEAD))
    for door in house.doorways:
        for room in door.rooms:
            yield _opening(f"{door.id} of {room}", "door", door, room, (0.0, DOOR_HEIGHT))


def _opening(name: str, kind: str, gap: Window | Doorway, room: str, heights: tuple[float, float]) -> Entity:
    hx, hy = (gap.width / 2, WALL_THICKNESS / 2) if gap.along == "x" else (WALL_THICKNESS / 2, gap.width / 2)
    low, high = (gap.x - hx, gap.y - hy, heights[0]), (gap.x + hx, gap.y + hy, heights[1])
    return Entity(name, "opening", kind, (kind,), low, high, room=room)


def _objects(world: Playhouse) -> Iterator[Entity]:
    house, positions = world.house, world.object_positions()
    in_hand = {world.avatar(name).held: name for name in PLAYERS}
    for thing in house.objects:
        at = positions[thing.id]
        holder, inside = (in_hand[thing.id], False) if thing.id in in_hand else holder_of(house, thing.id, positions)
        room = house.room_at(float(at[0]), float(at[1]))
        yield _object(thing, at, room.id if room else None, holder, inside)


def _object(thing: Thing, at: np.ndarray, room: str | None, holder: str | None, inside: bool) -> Entity:
    x, y, z = (float(c) for c in at)
    r, h, spec = thing.radius, thing.height / 2, thing.spec
    return Entity(
        thing.id, "object", thing.kind, (thing.kind, *spec.synonyms), (x - r, y - r, z - h), (x + r, y + r, z + h),
        colour=thing.colour, size=thing.size, shapes=spec.shapes, categories=spec.categories, room=room, holder=holder,
        inside=inside, disc=r, box=(spec.extent[0] * thing.scale, spec.extent[1] * thing.scale),
    )  # fmt: skip


def _player(world: Playhouse, name: str) -> Entity:
    avatar = world.avatar(name)
    x, y, r = float(avatar.position[0]), float(avatar.position[1]), AVATAR_RADIUS
    low, high, room = (x - r, y - r, 0.0), (x + r, y + r, AVATAR_HEIGHT), world.room_at((x, y))
    return Entity(name, "player", "player", (), low, high, room=room, holder=FLOOR, disc=r, front=avatar.yaw)


def holder_of(house: House, object_id: str, positions: dict[str, np.ndarray]) -> tuple[str | None, bool]:
    """What a loose object that nobody holds rests on or lies in, and whether in it: the highest thing below its middle.

    Works for things that have fallen over as well: a thing rests on what is not farther below its middle than it is
    high or wide.
    """
    thing = house.objects_by_id[object_id]
    x, y, z = (float(c) for c in positions[object_id])
    reach = max(thing.height / 2, thing.radius) + TOUCHING
    found = [p for p in _places(house, object_id, x, y, positions) if z - reach <= p[0] <= z]
    _, holder, inside = max(found, default=(0.0, None, False), key=lambda place: place[0])
    if holder is None and z <= reach:
        return FLOOR, False
    return holder, inside


def _places(
    house: House, object_id: str, x: float, y: float, positions: dict[str, np.ndarray]
) -> Iterator[tuple[float, str, bool]]:
    """(height, id, whether inside) of all surfaces that have (x, y) above them."""
    thing = house.objects_by_id[object_id]
    for piece in house.furniture:
        if piece.gap_to(x, y) > EDGE:
            continue
        inner = piece.spec.inside
        for surface in piece.spec.surfaces:
            if _is_over(piece, surface, x, y):
                yield surface.at[2], piece.id, surface == inner
        if inner is not None and inner not in piece.spec.surfaces and _is_over(piece, inner, x, y):
            yield inner.at[2], piece.id, True
    for other in house.objects:
        if other.id == object_id:
            continue
        ox, oy, oz = (float(c) for c in positions[other.id])
        away = math.hypot(ox - x, oy - y)
        if away > other.radius or _is_content(thing, away, oz, positions):
            continue
        inner = other.spec.inside
        bottom = oz - other.height / 2
        if inner is not None and away <= min(inner.half) * other.scale + EDGE:
            yield bottom + inner.at[2] * other.scale, other.id, True
        elif away <= 0.5 * other.scale * min(other.spec.extent[:2]) + EDGE:
            yield oz + other.height / 2, other.id, False


def _is_content(thing: Thing, away: float, height: float, positions: dict[str, np.ndarray]) -> bool:
    """Return True if what is ``away`` from a thing, at a height, lies in it rather than bears it."""
    inner, z = thing.spec.inside, float(positions[thing.id][2])
    if inner is None or away > min(inner.half) * thing.scale + EDGE:
        return False
    return height > z - thing.height / 2 + inner.at[2] * thing.scale


def _is_over(piece: Furniture, surface: Surface, x: float, y: float) -> bool:
    sx, sy = piece.to_house(surface.at[0], surface.at[1])
    hx, hy = surface.half if piece.quarter_turns % 2 == 0 else surface.half[::-1]
    return abs(x - sx) <= hx + EDGE and abs(y - sy) <= hy + EDGE
