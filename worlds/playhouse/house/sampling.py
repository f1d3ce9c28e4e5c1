"""Sampled houses: the same seed and settings give the same house.

Rooms grow one at the side of another with a doorway between them. Furniture stands with its back to a wall, or
free, and always leaves a player room to pass: pieces keep :data:`PASSAGE` from each other and from the walls that
they do not touch, and clear of doorways. Loose things stand apart on the floor and on the furniture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from worlds.contract import SETTER, SOLVER, WorldError
from worlds.playhouse.house.catalogue import (
    COLOURS,
    FURNITURE_KINDS,
    OBJECT_KINDS,
    PLAIN_COLOURS,
    PLAIN_FLOORS,
    PLAIN_FURNITURE_KINDS,
    PLAIN_KINDS,
    SIZES,
    Surface,
)
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
from worlds.playhouse.house.rules import LARGEST_ROOM, SMALLEST_ROOM, footprints_overlap, objects_overlap, shared_wall

PASSAGE = 2 * AVATAR_RADIUS + 0.16  # metres a player needs between fixed things
DOOR_WIDTH = 1.0
DOOR_KEEP_OUT = 0.9  # metres kept free before and behind a doorway
GAP = 0.01  # metres between things that are side by side
HOUSES_TRIED = 30
PLACES_TRIED = 40
OPEN_VIEW = 2.0  # metres of free floor ahead with which a player's first view is good enough
DIRECTIONS = 24  # that are tried for a better one


@dataclass(frozen=True)
class HouseSettings:
    """Settings of sampled houses.

    Args:
      rooms: (fewest, most) in the house, both included.
      furniture: (fewest, most) in the whole house, both included.
      objects: (fewest, most) in the whole house, both included.
      room_size: (least, greatest) width and depth of a room in metres.
      kinds: names of kinds of object; None means all of the catalogue.
      colours: names of the colours of objects and furniture; None means all.
      sizes: names of the sizes of objects; None means all.
      furniture_kinds: names of kinds of furniture; None means all.
      on_furniture: chance that an object stands on furniture, where it fits on any, rather than on the floor.
      face_room: turn players who would start close before a wall or furniture to where the room is open. The house of a
        seed is the same with and without.

    Raises:
      WorldError: a range is empty, or a name is not in the catalogue.
    """

    rooms: tuple[int, int] = (1, 5)
    furniture: tuple[int, int] = (4, 12)
    objects: tuple[int, int] = (8, 24)
    room_size: tuple[float, float] = (4.0, 6.0)
    kinds: tuple[str, ...] | None = None
    colours: tuple[str, ...] | None = None
    sizes: tuple[str, ...] | None = None
    furniture_kinds: tuple[str, ...] | None = None
    on_furniture: float = 0.4
    face_room: bool = False

    def __post_init__(self) -> None:
        for name, least in (("rooms", 1), ("furniture", 0), ("objects", 0), ("room_size", 2 * SMALLEST_ROOM)):
            self._check_range(name, least)
        if self.rooms[1] > 5:
            raise WorldError(f"setting rooms: {self.rooms[1]} rooms; a house has at most 5")
        if self.room_size[1] > LARGEST_ROOM:
            raise WorldError(f"setting room_size: {self.room_size[1]} m; a room has at most {LARGEST_ROOM:g} m")
        for name, catalogue in _CATALOGUES.items():
            self._check_names(name, catalogue)
        if not 0.0 <= self.on_furniture <= 1.0:
            raise WorldError(f"setting on_furniture: {self.on_furniture} is not a chance between 0 and 1")
        if not isinstance(self.face_room, bool):
            raise WorldError(f"setting face_room: {self.face_room!r} is neither true nor false")

    def _check_range(self, name: str, least: float) -> None:
        value = getattr(self, name)
        if not isinstance(value, list | tuple) or len(value) != 2 or not least <= value[0] <= value[1]:
            raise WorldError(f"setting {name}: {value!r} is not a pair (fewest, most) with {least} <= fewest <= most")
        object.__setattr__(self, name, tuple(value))

    def _check_names(self, name: str, catalogue: Sequence[str]) -> None:
        value = getattr(self, name)
        if value is None:
            return
        if isinstance(value, str) or not value:
            raise WorldError(f"setting {name}: {value!r} is not a list of names; leave it out for all of them")
        unknown = next((v for v in value if v not in catalogue), None)
        if unknown is not None:
            raise WorldError(f"setting {name}: unknown {unknown!r}; known: {', '.join(catalogue)}")
        object.__setattr__(self, name, tuple(value))

    @classmethod
    def of(cls, **settings: object) -> HouseSettings:
        """Settings by name, as from a configuration file. Raises WorldError for a name that does not exist."""
        known = [f.name for f in fields(cls)]
        unknown = next((name for name in settings if name not in known), None)
        if unknown is not None:
            raise WorldError(f"no house setting named {unknown!r}; known: {', '.join(known)}")
        return cls(**settings)  # type: ignore[arg-type]

    def choices(self, name: str) -> tuple[str, ...]:
        """The names that ``kinds``, ``colours``, ``sizes`` or ``furniture_kinds`` allow, None read as all."""
        return getattr(self, name) or _PLAIN[name]


_CATALOGUES = {"kinds": OBJECT_KINDS, "colours": COLOURS, "sizes": SIZES, "furniture_kinds": FURNITURE_KINDS}
_PLAIN = {
    "kinds": PLAIN_KINDS,
    "colours": PLAIN_COLOURS,
    "sizes": tuple(SIZES),
    "furniture_kinds": PLAIN_FURNITURE_KINDS,
}


class _NoPlaceError(Exception):
    """This attempt has no place left for what its message names."""


def sample_house(seed: int, settings: HouseSettings | None = None) -> House:
    """The house of a seed.

    Raises:
      WorldError: what the settings ask for does not fit into the rooms they allow.
    """
    settings = settings or HouseSettings()
    rng = np.random.default_rng(seed)
    problem = ""
    for _ in range(HOUSES_TRIED):
        try:
            house = _Builder(rng, settings).build()
            return facing_the_room(house) if settings.face_room else house
        except _NoPlaceError as error:
            problem = str(error)
    raise WorldError(f"house settings: {problem}; ask for fewer or allow larger rooms (room_size)")


@dataclass
class _Box:
    """An axis-aligned rectangle by middle and half-extents."""

    x: float
    y: float
    half: tuple[float, float]


class _Builder:
    """One attempt at one house."""

    def __init__(self, rng: np.random.Generator, settings: HouseSettings) -> None:
        self.rng, self.settings = rng, settings
        self.rooms: list[Room] = []
        self.doorways: list[Doorway] = []
        self.furniture: list[Furniture] = []
        self.objects: list[Thing] = []

    def build(self) -> House:
        """Sample everything. Raises _NoPlaceError if something finds no place."""
        self._add_rooms(self._count(self.settings.rooms))
        self._add_doorways()
        self.keep_out = [self._door_box(door) for door in self.doorways]
        for i in range(self._count(self.settings.furniture)):
            self.furniture.append(self._place_furniture(f"furniture_{i}"))
        self.standing = [(piece, surface) for piece in self.furniture for surface in piece.spec.surfaces]
        starts = self._place_starts()
        for i in range(self._count(self.settings.objects)):
            self.objects.append(self._place_object(f"object_{i}", starts))
        return House(tuple(self.rooms), tuple(self.doorways), tuple(self.furniture), tuple(self.objects), tuple(starts))

    # -- chance ---------------------------------------------------------------------------------------------

    def _count(self, bounds: tuple[int, int]) -> int:
        return int(self.rng.integers(bounds[0], bounds[1] + 1))

    def _choose(self, options: Sequence):
        return options[int(self.rng.integers(len(options)))]

    def _between(self, low: float, high: float) -> float:
        """A coordinate between low and high, to the millimetre."""
        return round(low + (high - low) * float(self.rng.random()), 3)

    # -- rooms ----------------------------------------------------------------------------------------------

    def _add_rooms(self, count: int) -> None:
        floors = [str(f) for f in self.rng.permutation(list(PLAIN_FLOORS))]
        width, depth = self._room_size()
        self.rooms.append(Room("room_0", 0.0, 0.0, width, depth, floors[0]))
        for i in range(1, count):
            self.rooms.append(self._next_room(f"room_{i}", floors[i % len(floors)]))

    def _room_size(self) -> tuple[float, float]:
        low, high = self.settings.room_size
        return round(self._between(low, high), 1), round(self._between(low, high), 1)

    def _next_room(self, name: str, floor: str) -> Room:
        """A room at a side of one that stands."""
        shared = DOOR_WIDTH + 2 * WALL_THICKNESS
        for _ in range(PLACES_TRIED):
            at, side, (w, d) = self._choose(self.rooms), int(self.rng.integers(4)), self._room_size()
            if side % 2 == 0:  # east or west
                x0 = at.x1 if side == 0 else round(at.x0 - w, 3)
                y0 = self._between(at.y0 - d + shared, at.y1 - shared)
            else:
                x0 = self._between(at.x0 - w + shared, at.x1 - shared)
                y0 = at.y1 if side == 1 else round(at.y0 - d, 3)
            room = Room(name, x0, y0, round(x0 + w, 3), round(y0 + d, 3), floor)
            if not any(_rooms_overlap(room, other) for other in self.rooms):
                return room
        raise _NoPlaceError(f"no place for {name}")

    def _add_doorways(self) -> None:
        """A doorway wherever the growing house needs one to stay connected, and half of the others that fit."""
        for i, room in enumerate(self.rooms):
            walls = [(other, wall) for other in self.rooms[:i] if (wall := self._wall_for_door(other, room))]
            needed = int(self.rng.integers(len(walls))) if walls else -1
            for j, (other, wall) in enumerate(walls):
                if j == needed or self.rng.random() < 0.5:
                    self.doorways.append(self._doorway(other, room, *wall))

    @staticmethod
    def _wall_for_door(a: Room, b: Room) -> tuple[str, float, float, float] | None:
        wall = shared_wall(a, b)
        return wall if wall and wall[3] - wall[2] >= DOOR_WIDTH + 2 * WALL_THICKNESS - GAP else None

    def _doorway(self, a: Room, b: Room, along: str, place: float, low: float, high: float) -> Doorway:
        margin = DOOR_WIDTH / 2 + WALL_THICKNESS / 2 + GAP
        middle = self._between(low + margin, high - margin)
        x, y = (place, middle) if along == "y" else (middle, place)
        return Doorway(f"doorway_{len(self.doorways)}", (a.id, b.id), x, y, along, DOOR_WIDTH)

    @staticmethod
    def _door_box(door: Doorway) -> _Box:
        across, along = DOOR_KEEP_OUT, door.width / 2
        return _Box(door.x, door.y, (across, along) if door.along == "y" else (along, across))

    # -- furniture ------------------------------------------------------------------------------------------

    def _place_furniture(self, name: str) -> Furniture:
        for _ in range(PLACES_TRIED):
            kind, room = self._choose(self.settings.choices("furniture_kinds")), self._choose(self.rooms)
            turns = int(self.rng.integers(4))
            hx, hy = FURNITURE_KINDS[kind].half
            if FURNITURE_KINDS[kind].against_wall:
                place = self._against_wall(room, turns, hx, hy)
            else:
                place = self._free_standing(room, *((hx, hy) if turns % 2 == 0 else (hy, hx)))
            if place is None:
                continue
            piece = Furniture(name, kind, self._choose(self.settings.choices("colours")), room.id, *place, turns)
            if not self._in_the_way(piece):
                return piece
        raise _NoPlaceError(f"no place for {name} (setting furniture)")

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
        along = self._choose((low, high)) if corner else self._between(low + PASSAGE, high - PASSAGE)
        back = (room.y0, room.x1, room.y1, room.x0)[turns]
        across = back + (flush + hy) * (1 if turns in (0, 3) else -1)
        x, y = (along, across) if turns % 2 == 0 else (across, along)
        return round(x, 3), round(y, 3)

    def _free_standing(self, room: Room, hx: float, hy: float) -> tuple[float, float] | None:
        margin = WALL_THICKNESS / 2 + PASSAGE
        if min(room.x1 - room.x0 - 2 * (margin + hx), room.y1 - room.y0 - 2 * (margin + hy)) < 0:
            return None
        return (
            self._between(room.x0 + margin + hx, room.x1 - margin - hx),
            self._between(room.y0 + margin + hy, room.y1 - margin - hy),
        )

    # -- players and objects --------------------------------------------------------------------------------

    def _free_floor(self, radius: float, keep_doors_free: bool) -> tuple[Room, float, float] | None:
        """A place on a floor for a disc, None if the one tried is not free."""
        room, margin = self._choose(self.rooms), WALL_THICKNESS / 2 + radius + GAP
        if min(room.x1 - room.x0, room.y1 - room.y0) < 2 * margin:
            return None
        x, y = self._between(room.x0 + margin, room.x1 - margin), self._between(room.y0 + margin, room.y1 - margin)
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
                    starts.append(Start(agent, place[1], place[2], self._between(-np.pi, np.pi)))
                    break
            else:
                raise _NoPlaceError(f"no place for the {agent} to start")
        return starts

    def _place_object(self, name: str, starts: list[Start]) -> Thing:
        kind = self._choose(self.settings.choices("kinds"))
        colour = self._choose(self.settings.choices("colours"))
        size = self._choose(self.settings.choices("sizes"))
        radius, height = OBJECT_KINDS[kind].radius(SIZES[size]), OBJECT_KINDS[kind].height(SIZES[size])
        for attempt in range(2 * PLACES_TRIED):
            if self.standing and attempt < PLACES_TRIED and self.rng.random() < self.settings.on_furniture:
                piece, surface = self._choose(self.standing)
                place = self._on_surface(piece, surface, radius, height)
            else:
                place = self._on_floor(radius, starts)
            if place is None:
                continue
            room, support, x, y, z = place
            thing = Thing(name, kind, colour, size, room, support, x, y, z, self._between(-np.pi, np.pi))
            if not any(objects_overlap(thing, other) for other in self.objects):
                return thing
        raise _NoPlaceError(f"no place for {name} (setting objects)")

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
            surface.at[0] + self._between(-hx, hx) * 0.999, surface.at[1] + self._between(-hy, hy) * 0.999
        )
        return piece.room, piece.id, round(x, 3), round(y, 3), surface.at[2]


def facing_the_room(house: House) -> House:
    """Return ``house`` with players who look at something near turned to the direction in which they see farthest."""
    return replace(house, starts=tuple(_facing_the_room(start, house) for start in house.starts))


def _facing_the_room(start: Start, house: House) -> Start:
    if _open_distance(start, start.yaw, house) >= OPEN_VIEW:
        return start
    turns = [2 * np.pi * i / DIRECTIONS for i in range(DIRECTIONS)]
    yaws = [round(float((start.yaw + turn + np.pi) % (2 * np.pi) - np.pi), 3) for turn in turns]
    return replace(start, yaw=max(yaws, key=lambda yaw: _open_distance(start, yaw, house)))


def _open_distance(start: Start, yaw: float, house: House) -> float:
    """Metres of floor that lie free before a player who looks along ``yaw``, within its room."""
    room = house.room_at(start.x, start.y)
    ahead = np.arange(AVATAR_RADIUS, 2 * LARGEST_ROOM, 0.1)
    for distance in ahead:
        x, y = start.x + distance * np.cos(yaw), start.y + distance * np.sin(yaw)
        if room is None or not room.contains(x, y) or any(piece.gap_to(x, y) == 0.0 for piece in house.furniture):
            return float(distance)
    return float(ahead[-1])


def _rooms_overlap(a: Room, b: Room) -> bool:
    return min(a.x1, b.x1) - max(a.x0, b.x0) > 1e-9 and min(a.y1, b.y1) - max(a.y0, b.y0) > 1e-9
