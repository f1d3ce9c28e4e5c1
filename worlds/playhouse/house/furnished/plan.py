"""Plans of furnished houses: which rooms, where, and the doorways and windows in their walls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from worlds.playhouse.house.chance import Chance
from worlds.playhouse.house.colours import COLOURS
from worlds.playhouse.house.plain import (
    DOOR_WIDTH,
    GAP,
    PLACES_TRIED,
    NoPlaceError,
    door_box,
    rooms_overlap,
    wall_for_door,
)
from worlds.playhouse.house.record import WALL_THICKNESS, Doorway, Room, Window
from worlds.playhouse.house.room_types import ROOM_TYPES, RoomType
from worlds.playhouse.house.rules import shared_wall
from worlds.playhouse.house.settings import HouseSettings
from worlds.playhouse.house.wanted import Wanted

NARROWEST = 2.6  # metres, of a room that is no passage
PASSAGE_WIDTH = (1.9, 2.3)  # metres
NARROWEST_GAP = 1.0  # metres between rooms that share no wall
CANDIDATES = 5  # places of a room that are compared
MORE_DOORS = 0.35  # chance of a doorway that the house does not need
WINDOW_WIDTHS = (0.9, 1.5)
WINDOW_MARGIN = 0.35  # metres of wall at least beside a window
WALL_COLOURS = tuple(colour for colour in COLOURS if colour not in ("black", "brown", "red", "magenta", "blue"))


@dataclass(frozen=True)
class Plan:
    """The shell of a house, and the floor before its doorways that stays free."""

    rooms: tuple[Room, ...]
    doorways: tuple[Doorway, ...]
    windows: tuple[Window, ...]

    @property
    def keep_out(self) -> tuple[tuple[float, float, float, float], ...]:
        """Floor that stays free: (x, y, half width, half depth), metres."""
        return tuple((box.x, box.y, *box.half) for box in map(door_box, self.doorways))


def sample_plan(chance: Chance, settings: HouseSettings, include: Sequence[Wanted]) -> Plan:
    """The rooms, doorways and windows of one house. Raises NoPlaceError if a room finds no place."""
    types = _types(chance, settings, include)
    walls = chance.shuffled(WALL_COLOURS)
    rooms: list[Room] = []
    for i, kind in enumerate(types):
        size = _size(chance, kind, settings.room_size)
        x, y = _place(chance, rooms, size) if rooms else (0.0, 0.0)
        taken = {room.floor for room in rooms}
        floors = [floor for floor in kind.floors if floor not in taken] or kind.floors
        x1, y1 = round(x + size[0], 3), round(y + size[1], 3)
        rooms.append(Room(f"room_{i}", x, y, x1, y1, chance.choose(floors), kind.name, walls[i % len(walls)]))
    doorways = _doorways(chance, rooms)
    windows = [w for room in rooms for w in _windows(chance, room, rooms)]
    named = tuple(Window(f"window_{i}", *window) for i, window in enumerate(windows))
    return Plan(tuple(rooms), tuple(doorways), named)


def _types(chance: Chance, settings: HouseSettings, include: Sequence[Wanted]) -> list[RoomType]:
    """The types of the rooms, a passage first; none twice while there are others."""
    named = dict.fromkeys(one.room for one in include if one.room)
    count = max(chance.count(settings.rooms), len(named))
    chosen = [ROOM_TYPES[name] for name in named]
    allowed = [ROOM_TYPES[name] for name in settings.choices("room_types")]
    while len(chosen) < count:
        others = [t for t in allowed if t not in chosen] or allowed
        if count < 3:  # a passage leads somewhere
            others = [t for t in others if not t.passage] or others
        chosen.append(chance.weighed(others, [t.chance for t in others]))
    return sorted(chosen, key=lambda t: not t.passage)


def _size(chance: Chance, kind: RoomType, bounds: tuple[float, float]) -> tuple[float, float]:
    """Width and depth of a room, metres."""
    if kind.passage:
        long, narrow = chance.between(1.2 * bounds[0], 1.5 * bounds[1]), chance.between(*PASSAGE_WIDTH)
        size = (long, narrow) if chance.happens(0.5) else (narrow, long)
    else:
        low, high = (max(NARROWEST, kind.size * bound) for bound in bounds)
        size = chance.between(low, high), chance.between(low, high)
    return round(size[0], 1), round(size[1], 1)


def _place(chance: Chance, rooms: Sequence[Room], size: tuple[float, float]) -> tuple[float, float]:
    """South-west corner of a room at the side of another: of several, the one that keeps the house most compact."""
    found = []
    for _ in range(PLACES_TRIED):
        at, side = chance.choose(rooms), chance.count((0, 3))
        x, y = _beside(chance, at, side, size)
        room = Room("", x, y, round(x + size[0], 3), round(y + size[1], 3), "")
        if wall_for_door(at, room) and not any(rooms_overlap(room, other) or _gap(room, other) for other in rooms):
            found.append((_spread(room, rooms), x, y))
            if len(found) == CANDIDATES:
                break
    if not found:
        raise NoPlaceError("no place for another room (setting rooms)")
    return min(found)[1:]


def _beside(chance: Chance, at: Room, side: int, size: tuple[float, float]) -> tuple[float, float]:
    """A corner with which a room of a size is east, north, west or south of another; often their walls are in line."""
    width, depth = size
    shared = DOOR_WIDTH + 2 * WALL_THICKNESS
    if side % 2 == 0:
        x = at.x1 if side == 0 else round(at.x0 - width, 3)
        low, high, line = at.y0 - depth + shared, at.y1 - shared, (at.y0, round(at.y1 - depth, 3))
    else:
        low, high, line = at.x0 - width + shared, at.x1 - shared, (at.x0, round(at.x1 - width, 3))
    along = chance.choose(line) if chance.happens(0.6) else chance.between(low, high)
    return (x, along) if side % 2 == 0 else (along, at.y1 if side == 1 else round(at.y0 - depth, 3))


def _gap(a: Room, b: Room) -> bool:
    """Whether there is a gap between two rooms that is too narrow to look out on."""
    apart = max(a.x0 - b.x1, b.x0 - a.x1, a.y0 - b.y1, b.y0 - a.y1)
    return 1e-6 < apart < NARROWEST_GAP


def _spread(room: Room, rooms: Sequence[Room]) -> float:
    """Half the perimeter (m) of the rectangle around all rooms."""
    every = (*rooms, room)
    width = max(r.x1 for r in every) - min(r.x0 for r in every)
    return width + max(r.y1 for r in every) - min(r.y0 for r in every)


def _doorways(chance: Chance, rooms: Sequence[Room]) -> list[Doorway]:
    """One from each room to an earlier one, to a passage if there is one, and some of the others that fit."""
    doorways: list[Doorway] = []
    for i, room in enumerate(rooms):
        walls = [(other, wall) for other in rooms[:i] if (wall := wall_for_door(other, room))]
        if not walls:
            continue
        passages = [j for j, (other, _) in enumerate(walls) if ROOM_TYPES[other.type].passage]
        needed = passages[0] if passages else int(chance.count((0, len(walls) - 1)))
        for j, (other, (along, place, low, high)) in enumerate(walls):
            if j == needed or chance.happens(MORE_DOORS):
                margin = DOOR_WIDTH / 2 + WALL_THICKNESS / 2 + GAP
                middle = chance.between(low + margin, high - margin)
                x, y = (place, middle) if along == "y" else (middle, place)
                doorways.append(Doorway(f"doorway_{len(doorways)}", (other.id, room.id), x, y, along, DOOR_WIDTH))
    return doorways


def _windows(chance: Chance, room: Room, rooms: Sequence[Room]) -> Iterator[tuple[str, float, float, str, float]]:
    """One or two windows, each in the longest stretch of an outer wall: fields of a Window without its id."""
    stretches = sorted(_outer_walls(room, rooms), key=lambda s: s[2] - s[3])
    most = 2 if room.x1 - room.x0 > 3.0 else 1
    for along, place, low, high in stretches[:most]:
        room_for = high - low - 2 * (WINDOW_MARGIN + WALL_THICKNESS)
        if room_for < WINDOW_WIDTHS[0]:
            continue
        width = round(chance.between(WINDOW_WIDTHS[0], min(WINDOW_WIDTHS[1], room_for)), 2)
        slack = (room_for - width) / 2
        middle = chance.between((low + high) / 2 - slack, (low + high) / 2 + slack)
        x, y = (place, middle) if along == "y" else (middle, place)
        yield room.id, x, y, along, width


def _outer_walls(room: Room, rooms: Sequence[Room]) -> Iterator[tuple[str, float, float, float]]:
    """Of each side the longest stretch with no room behind it: (axis it runs along, its place, from, to)."""
    for along, place in (("x", room.y0), ("x", room.y1), ("y", room.x0), ("y", room.x1)):
        low, high = (room.x0, room.x1) if along == "x" else (room.y0, room.y1)
        behind: list[tuple[float, float]] = []
        for other in rooms:
            wall = shared_wall(room, other) if other is not room else None
            if wall and wall[0] == along and abs(wall[1] - place) < GAP:
                behind.append((wall[2], wall[3]))
        best = (low, low)
        for start, end in sorted([*behind, (high, high)]):
            if start - low > best[1] - best[0]:
                best = (low, start)
            low = max(low, end)
        yield along, place, best[0], best[1]
