"""The houses of style "plain": rooms without names, any furniture in any of them, things apart from each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from worlds.contract import SETTER, SOLVER
from worlds.playhouse.house.catalogue import FURNITURE_KINDS, OBJECT_KINDS, PLAIN_FLOORS, SIZES, Surface
from worlds.playhouse.house.chance import PlainChance
from worlds.playhouse.house.record import (
    AVATAR_RADIUS,
    FLOOR,
    WALL_THICKNESS,
    Doorway,
    Furniture,
    House,
    Room,
    Start,
    Thing,
)
from worlds.playhouse.house.rules import footprints_overlap, objects_overlap, shared_wall
from worlds.playhouse.house.settings import HouseSettings

PASSAGE = 2 * AVATAR_RADIUS + 0.16  # metres a player needs between fixed things
DOOR_WIDTH = 1.0
DOOR_KEEP_OUT = 0.9  # metres kept free before and behind a doorway
GAP = 0.01  # metres between things that are side by side
PLACES_TRIED = 40


class NoPlaceError(Exception):
    """This attempt has no place left for what its message names."""


@dataclass
class Box:
    """An axis-aligned rectangle by middle and half-extents."""

    x: float
    y: float
    half: tuple[float, float]


class PlainBuilder:
    """One attempt at one house."""

    def __init__(self, rng: np.random.Generator, settings: HouseSettings) -> None:
        self.rng, self.settings = rng, settings
        self.chance = PlainChance(rng)
        self.rooms: list[Room] = []
        self.doorways: list[Doorway] = []
        self.furniture: list[Furniture] = []
        self.objects: list[Thing] = []

    def build(self) -> House:
        """Sample everything. Raises NoPlaceError if something finds no place."""
        self._add_rooms(self.chance.count(self.settings.rooms))
        self._add_doorways()
        self.keep_out = [door_box(door) for door in self.doorways]
        for i in range(self.chance.count(self.settings.furniture)):
            self.furniture.append(self._place_furniture(f"furniture_{i}"))
        self.standing = [(piece, surface) for piece in self.furniture for surface in piece.spec.surfaces]
        starts = self._place_starts()
        for i in range(self.chance.count(self.settings.objects)):
            self.objects.append(self._place_object(f"object_{i}", starts))
        return House(tuple(self.rooms), tuple(self.doorways), tuple(self.furniture), tuple(self.objects), tuple(starts))

    # -- rooms ----------------------------------------------------------------------------------------------

    def _add_rooms(self, count: int) -> None:
        floors = [str(f) for f in self.rng.permutation(list(PLAIN_FLOORS))]
        width, depth = self._room_size()
        self.rooms.append(Room("room_0", 0.0, 0.0, width, depth, floors[0]))
        for i in range(1, count):
            self.rooms.append(self._next_room(f"room_{i}", floors[i % len(floors)]))

    def _room_size(self) -> tuple[float, float]:
        low, high = self.settings.room_size
        return round(self.chance.between(low, high), 1), round(self.chance.between(low, high), 1)

    def _next_room(self, name: str, floor: str) -> Room:
        """A room at a side of one that stands."""
        shared = DOOR_WIDTH + 2 * WALL_THICKNESS
        for _ in range(PLACES_TRIED):
            at, side, (w, d) = self.chance.choose(self.rooms), int(self.rng.integers(4)), self._room_size()
            if side % 2 == 0:  # east or west
                x0 = at.x1 if side == 0 else round(at.x0 - w, 3)
                y0 = self.chance.between(at.y0 - d + shared, at.y1 - shared)
            else:
                x0 = self.chance.between(at.x0 - w + shared, at.x1 - shared)
                y0 = at.y1 if side == 1 else round(at.y0 - d, 3)
            room = Room(name, x0, y0, round(x0 + w, 3), round(y0 + d, 3), floor)
            if not any(rooms_overlap(room, other) for other in self.rooms):
                return room
        raise NoPlaceError(f"no place for {name}")

    def _add_doorways(self) -> None:
        """A doorway wherever the growing house needs one to stay connected, and half of the others that fit."""
        for i, room in enumerate(self.rooms):
            walls = [(other, wall) for other in self.rooms[:i] if (wall := wall_for_door(other, room))]
            needed = int(self.rng.integers(len(walls))) if walls else -1
            for j, (other, wall) in enumerate(walls):
                if j == needed or self.rng.random() < 0.5:
                    self.doorways.append(self._doorway(other, room, *wall))

    def _doorway(self, a: Room, b: Room, along: str, place: float, low: float, high: float) -> Doorway:
        margin = DOOR_WIDTH / 2 + WALL_THICKNESS / 2 + GAP
        middle = self.chance.between(low + margin, high - margin)
        x, y = (place, middle) if along == "y" else (middle, place)
        return Doorway(f"doorway_{len(self.doorways)}", (a.id, b.id), x, y, along, DOOR_WIDTH)

    # -- furniture ------------------------------------------------------------------------------------------

    def _place_furniture(self, name: str) -> Furniture:
        for _ in range(PLACES_TRIED):
            kind, room = self.chance.choose(self.settings.choices("furniture_kinds")), self.chance.choose(self.rooms)
            turns = int(self.rng.integers(4))
            hx, hy = FURNITURE_KINDS[kind].half
            if FURNITURE_KINDS[kind].against_wall:
                place = self._against_wall(room, turns, hx, hy)
            else:
                place = self._free_standing(room, *((hx, hy) if turns % 2 == 0 else (hy, hx)))
            if place is None:
                continue
            piece = Furniture(name, kind, self.chance.choose(self.settings.choices("colours")), room.id, *place, turns)
            if not self._in_the_way(piece):
                return piece
        raise NoPlaceError(f"no place for {name} (setting furniture)")

    def _in_the_way(self, piece: Furniture) -> bool:
        (hx, hy) = piece.half
        return any(footprints_overlap(piece, other, PASSAGE) for other in self.furniture) or any(
            abs(piece.x - b.x) < hx + b.half[0] and abs(piece.y - b.y) < hy + b.half[1] for b in self.keep_out
        )

    def _against_wall(self, room: Room, turns: int, hx: float, hy: float) -> tuple[float, float] | None:
        """Back to the south, east, north or west wall (0..3 quarter turns), in a corner or clear of both corners."""
        flush = WALL_THICKNESS / 2 + GAP
        low, high = (room.x0, room.x1) if turns % 2 == 0 else (room.y0, room.y1)
        low, high = low + flush + hx, high - flush - hx
        if low > high:
            return None
        corner = self.rng.random() < 0.35 or high - low < 2 * PASSAGE
        along = self.chance.choose((low, high)) if corner else self.chance.between(low + PASSAGE, high - PASSAGE)
        back = (room.y0, room.x1, room.y1, room.x0)[turns]
        across = back + (flush + hy) * (1 if turns in (0, 3) else -1)
        x, y = (along, across) if turns % 2 == 0 else (across, along)
        return round(x, 3), round(y, 3)

    def _free_standing(self, room: Room, hx: float, hy: float) -> tuple[float, float] | None:
        margin = WALL_THICKNESS / 2 + PASSAGE
        if min(room.x1 - room.x0 - 2 * (margin + hx), room.y1 - room.y0 - 2 * (margin + hy)) < 0:
            return None
        return (
            self.chance.between(room.x0 + margin + hx, room.x1 - margin - hx),
            self.chance.between(room.y0 + margin + hy, room.y1 - margin - hy),
        )

    # -- players and objects --------------------------------------------------------------------------------

    def _free_floor(self, radius: float, keep_doors_free: bool) -> tuple[Room, float, float] | None:
        """A place on a floor for a disc, None if the one tried is not free."""
        room, margin = self.chance.choose(self.rooms), WALL_THICKNESS / 2 + radius + GAP
        if min(room.x1 - room.x0, room.y1 - room.y0) < 2 * margin:
            return None
        x, y = (
            self.chance.between(room.x0 + margin, room.x1 - margin),
            self.chance.between(room.y0 + margin, room.y1 - margin),
        )
        if any(piece.gap_to(x, y) < radius + GAP for piece in self.furniture):
            return None
        if keep_doors_free and any(abs(x - b.x) < b.half[0] and abs(y - b.y) < b.half[1] for b in self.keep_out):
            return None
        return room, x, y

    def _place_starts(self) -> list[Start]:
        starts: list[Start] = []
        for agent in (SETTER, SOLVER):
            for _ in range(5 * PLACES_TRIED):
                place = self._free_floor(AVATAR_RADIUS + 0.1, keep_doors_free=False)
                if place and all(np.hypot(place[1] - s.x, place[2] - s.y) > 4 * AVATAR_RADIUS for s in starts):
                    starts.append(Start(agent, place[1], place[2], self.chance.between(-np.pi, np.pi)))
                    break
            else:
                raise NoPlaceError(f"no place for the {agent} to start")
        return starts

    def _place_object(self, name: str, starts: list[Start]) -> Thing:
        kind = self.chance.choose(self.settings.choices("kinds"))
        colour = self.chance.choose(self.settings.choices("colours"))
        size = self.chance.choose(self.settings.choices("sizes"))
        radius, height = OBJECT_KINDS[kind].radius(SIZES[size]), OBJECT_KINDS[kind].height(SIZES[size])
        for attempt in range(2 * PLACES_TRIED):
            if self.standing and attempt < PLACES_TRIED and self.rng.random() < self.settings.on_furniture:
                piece, surface = self.chance.choose(self.standing)
                place = self._on_surface(piece, surface, radius, height)
            else:
                place = self._on_floor(radius, starts)
            if place is None:
                continue
            room, support, x, y, z = place
            thing = Thing(name, kind, colour, size, room, support, x, y, z, self.chance.between(-np.pi, np.pi))
            if not any(objects_overlap(thing, other) for other in self.objects):
                return thing
        raise NoPlaceError(f"no place for {name} (setting objects)")

    def _on_floor(self, radius: float, starts: list[Start]) -> tuple[str, str, float, float, float] | None:
        place = self._free_floor(radius, keep_doors_free=True)
        if place is None:
            return None
        room, x, y = place
        near = any(np.hypot(x - s.x, y - s.y) < radius + 2 * AVATAR_RADIUS for s in starts)
        return None if near else (room.id, FLOOR, x, y, 0.0)

    def _on_surface(
        self, piece: Furniture, surface: Surface, radius: float, height: float
    ) -> tuple[str, str, float, float, float] | None:
        hx, hy = surface.half[0] - radius, surface.half[1] - radius
        if min(hx, hy) < 0 or height > surface.clearance - GAP:
            return None
        x, y = piece.to_house(
            surface.at[0] + self.chance.between(-hx, hx) * 0.999, surface.at[1] + self.chance.between(-hy, hy) * 0.999
        )
        return piece.room, piece.id, round(x, 3), round(y, 3), surface.at[2]


def wall_for_door(a: Room, b: Room) -> tuple[str, float, float, float] | None:
    """The wall between two rooms, see :func:`shared_wall`, if a doorway fits into it."""
    wall = shared_wall(a, b)
    return wall if wall and wall[3] - wall[2] >= DOOR_WIDTH + 2 * WALL_THICKNESS - GAP else None


def door_box(door: Doorway) -> Box:
    """The floor before and behind a doorway that is kept free."""
    across, along = DOOR_KEEP_OUT, door.width / 2
    return Box(door.x, door.y, (across, along) if door.along == "y" else (along, across))


def rooms_overlap(a: Room, b: Room) -> bool:
    """Return True if two rooms share floor."""
    return min(a.x1, b.x1) - max(a.x0, b.x0) > 1e-9 and min(a.y1, b.y1) - max(a.y0, b.y0) > 1e-9
