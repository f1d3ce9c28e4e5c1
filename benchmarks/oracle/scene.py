"""The house as the oracle sees it: where things are, on what, in what, and how they are to each other. Metres."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from worlds.playhouse import Playhouse
from worlds.playhouse.house.catalogue import Surface
from worlds.playhouse.house.record import WINDOW_HEAD, WINDOW_SILL, Furniture, Thing

PLAYER = 0.22
CONTACT = 0.06  # between an underside and what bears it
FLOOR = "floor"


@dataclass(frozen=True)
class Body:
    """Something in the house.

    Args:
      colour: "" for none; likewise ``size``.
      shapes: of its kind; likewise ``categories``.
      room: id of the room; None outside.
      x: its middle, likewise ``y``.
      round: whether its footprint is a disc.
      front: direction in which its front looks; None without one.
    """

    id: str
    sort: str
    kind: str
    colour: str
    size: str
    shapes: frozenset[str]
    categories: frozenset[str]
    room: str | None
    x: float
    y: float
    low: float
    high: float
    half: tuple[float, float]
    turn: float = 0.0
    round: bool = False
    front: float | None = None

    @property
    def volume(self) -> float:
        """Of the box it fits in (m3)."""
        return 4.0 * self.half[0] * self.half[1] * (self.high - self.low)

    def local(self, x: float, y: float) -> tuple[float, float]:
        """A point of the house along its own axes."""
        c, s, dx, dy = math.cos(self.turn), math.sin(self.turn), x - self.x, y - self.y
        return c * dx + s * dy, c * dy - s * dx

    def covers(self, x: float, y: float, slack: float = 0.0) -> bool:
        """Return True if a point lies within its footprint."""
        a, b = self.local(x, y)
        if self.round:
            return math.hypot(a, b) <= self.half[0] + slack
        return abs(a) <= self.half[0] + slack and abs(b) <= self.half[1] + slack

    def to_point(self, x: float, y: float) -> float:
        """Distance from a point to its footprint."""
        a, b = self.local(x, y)
        if self.round:
            return max(math.hypot(a, b) - self.half[0], 0.0)
        return math.hypot(max(abs(a) - self.half[0], 0.0), max(abs(b) - self.half[1], 0.0))

    def corners(self) -> Iterator[tuple[float, float]]:
        """Of its footprint; of a disc its middle."""
        c, s = math.cos(self.turn), math.sin(self.turn)
        for a in (-self.half[0], self.half[0]):
            for b in (-self.half[1], self.half[1]):
                if not self.round:
                    yield self.x + c * a - s * b, self.y + s * a + c * b
        if self.round:
            yield self.x, self.y

    def gap(self, other: Body) -> float:
        """Distance between two footprints; 0 where they overlap."""
        a = min(other.to_point(x, y) for x, y in self.corners()) - (self.half[0] if self.round else 0.0)
        b = min(self.to_point(x, y) for x, y in other.corners()) - (other.half[0] if other.round else 0.0)
        return max(min(a, b), 0.0)


class Scene:
    """A house at one moment, all things upright as they stood at first.

    Args:
      world: between two steps.
    """

    def __init__(self, world: Playhouse) -> None:
        self.house = world.house
        self.things = {t.id: t for t in world.house.objects}
        self.pieces = {f.id: f for f in world.house.furniture}
        self.rooms = {r.id: r for r in world.house.rooms}
        self.bodies: dict[str, Body] = {}
        positions = world.object_positions()
        for thing in world.house.objects:
            self.bodies[thing.id] = self._object(thing, tuple(float(c) for c in positions[thing.id]))
        for piece in world.house.furniture:
            self.bodies[piece.id] = self._piece(piece)
        for name in ("setter", "solver"):
            self.bodies[name] = self._player(world, name)
        for body in self._openings():
            self.bodies[body.id] = body
        self.held = {world.avatar(name).held for name in ("setter", "solver")} - {None}

    @property
    def setter(self) -> Body:
        """The one who asks."""
        return self.bodies["setter"]

    @property
    def solver(self) -> Body:
        """The one who does."""
        return self.bodies["solver"]

    @property
    def loose(self) -> list[Body]:
        """Everything that can be carried."""
        return [self.bodies[i] for i in self.things]

    def room_of(self, x: float, y: float) -> str | None:
        """Id of the room that a point is in."""
        return next((r.id for r in self.house.rooms if r.x0 <= x <= r.x1 and r.y0 <= y <= r.y1), None)

    def _object(self, thing: Thing, at: tuple[float, ...]) -> Body:
        w, d, h = (extent * thing.scale for extent in thing.spec.extent)
        x, y, z = at
        spec = thing.spec
        return Body(
            thing.id, "object", thing.kind, thing.colour, thing.size, spec.shapes, spec.categories, self.room_of(x, y),
            x, y, z - h / 2, z + h / 2, (w / 2, d / 2), thing.yaw, spec.round,
        )  # fmt: skip

    def _piece(self, piece: Furniture) -> Body:
        spec, turn = piece.spec, piece.quarter_turns * math.pi / 2
        front = turn + math.pi / 2 if spec.against_wall else None
        return Body(
            piece.id, "furniture", piece.kind, piece.colour, "", spec.shapes, spec.categories | {"furniture"},
            piece.room, piece.x, piece.y, spec.bottom, spec.height, spec.half, turn, front=front,
        )  # fmt: skip

    def _player(self, world: Playhouse, name: str) -> Body:
        avatar = world.avatar(name)
        x, y = (float(c) for c in avatar.position[:2])
        none = frozenset[str]()
        return Body(
            name, "player", "player", "", "", none, none, self.room_of(x, y), x, y, 0.0, 1.25, (PLAYER, PLAYER),
            float(avatar.yaw), True, float(avatar.yaw),
        )  # fmt: skip

    def _openings(self) -> Iterator[Body]:
        none = frozenset[str]()
        for window in self.house.windows:
            half = (window.width / 2, 0.05) if window.along == "x" else (0.05, window.width / 2)
            yield Body(
                window.id, "opening", "window", "", "", none, none, window.room, window.x, window.y, WINDOW_SILL,
                WINDOW_HEAD, half,
            )  # fmt: skip
        for door in self.house.doorways:
            half = (door.width / 2, 0.05) if door.along == "x" else (0.05, door.width / 2)
            for room in door.rooms:
                name = f"{door.id} of {room}"
                yield Body(name, "opening", "door", "", "", none, none, room, door.x, door.y, 0.0, 2.0, half)

    # -- what bears and what holds things ----------------------------------------------------------------------------

    @cached_property
    def rests(self) -> dict[str, str]:
        """What each loose thing rests on, by id: a thing, a piece of furniture, a player's hand, or the floor."""
        return {thing.id: self._bearer(thing) for thing in self.loose}

    def _bearer(self, thing: Body) -> str:
        if thing.id in self.held:
            return "hand"
        found = [(0.0, FLOOR)]
        found += [(top, other) for other, top in self._tops(thing) if abs(thing.low - top) <= CONTACT]
        return max(found)[1]

    def _tops(self, thing: Body) -> Iterator[tuple[str, float]]:
        """(id, height) of every surface below the middle of a thing."""
        for piece in self.pieces.values():
            surfaces = (*piece.spec.surfaces, *((piece.spec.inside,) if piece.spec.inside else ()))
            for surface in surfaces:
                if self._over(self.bodies[piece.id], surface, 1.0, thing):
                    yield piece.id, surface.at[2]
        for other in self.loose:
            inside, scale = self.things[other.id].spec.inside, self.things[other.id].scale
            if other.id == thing.id or not other.covers(thing.x, thing.y):
                continue
            if inside is not None and self._over(other, inside, scale, thing):
                yield other.id, other.low + inside.at[2] * scale
            elif thing.low > other.low:
                yield other.id, other.high

    @staticmethod
    def _over(holder: Body, surface: Surface, scale: float, thing: Body) -> bool:
        a, b = holder.local(thing.x, thing.y)
        near_x = abs(a - surface.at[0] * scale) <= surface.half[0] * scale + 0.03
        return near_x and abs(b - surface.at[1] * scale) <= surface.half[1] * scale + 0.03

    @cached_property
    def within(self) -> dict[str, frozenset[str]]:
        """The containers that each loose thing lies in, by id."""
        return {thing.id: frozenset(self._containers_of(thing)) for thing in self.loose}

    def _containers_of(self, thing: Body) -> Iterator[str]:
        for holder in (*self.things.values(), *self.pieces.values()):
            inside, body = holder.spec.inside, self.bodies[holder.id]
            scale = holder.scale if isinstance(holder, Thing) else 1.0
            if inside is None or holder.id == thing.id or thing.id in self.held:
                continue
            floor, rim = body.low * isinstance(holder, Thing) + inside.at[2] * scale, body.high
            if self._over(body, inside, scale, thing) and floor - CONTACT <= thing.low < rim:
                yield holder.id

    def bearers(self, thing: str) -> set[str]:
        """Everything that a loose thing rests on or lies in, directly or not."""
        found, left = set(), [thing]
        while left:
            here = left.pop()
            below = {self.rests[here], *self.within[here]} if here in self.things else set()
            left += [i for i in below - found if i in self.things]
            found |= below
        return found - {"hand"}
