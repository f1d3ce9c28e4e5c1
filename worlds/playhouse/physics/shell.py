"""The shell of a house as MuJoCo geoms: ground, floors, walls, and in the second format ceilings, doors and windows."""

from __future__ import annotations

from collections.abc import Iterator

import mujoco
import numpy as np

from worlds.playhouse.house.colours import FLOOR_FINISHES, FLOORS, wall_paint
from worlds.playhouse.house.parts import PAINTS, Vector
from worlds.playhouse.house.record import (
    WALL_HEIGHT,
    WALL_THICKNESS,
    WINDOW_HEAD,
    WINDOW_SILL,
    Doorway,
    House,
    Room,
    Window,
)
from worlds.playhouse.house.room_types import ROOM_TYPES
from worlds.playhouse.physics.geoms import LOOSE, PLAYER, Geoms

WALL_COLOUR = (0.82, 0.80, 0.74)
DOOR_HEAD = 2.05  # metres above the floor
_HALF = WALL_THICKNESS / 2
_PLANE = mujoco.mjtGeom.mjGEOM_PLANE
_UPSIDE_DOWN = (0.0, 1.0, 0.0, 0.0)
_SUNLIGHT = 0.4  # share of white in a floor's colour where the sun falls on it
Stretch = tuple[float, float]


def add_plain_shell(geoms: Geoms, house: House) -> None:
    """The ground, each room's own floor, and the walls with gaps where doorways are: the first format."""
    _add_ground(geoms)
    for room in house.rooms:
        _add_floor(geoms, room, "plain")
    for wall in walls(house):
        _add_solid_wall(geoms, wall, (*WALL_COLOUR, 1.0))


def add_furnished_shell(geoms: Geoms, house: House) -> None:
    """The same with what makes rooms: a colour on each one's walls, ceilings, door frames and windows.

    What stops things are the walls of the first format, which are not drawn: each room's side of a wall is a panel for
    show.
    """
    _add_ground(geoms)
    for wall in walls(house):
        _add_solid_wall(geoms, wall, (*WALL_COLOUR, 0.0))
    for room in house.rooms:
        _add_floor(geoms, room, FLOOR_FINISHES[room.floor])
        _add_ceiling(geoms, room)
        _add_panels(geoms, room, house.doorways)
    for door in house.doorways:
        _add_door_frame(geoms, door)
    for window in house.windows:
        _add_window(geoms, window, house.rooms_by_id[window.room])


def _add_ground(geoms: Geoms) -> None:
    geoms.add((0, 0, 1), (0, 0, 0), (0.5, 0.5, 0.5, 0.0), shape=_PLANE, layers=LOOSE)


def _add_floor(geoms: Geoms, room: Room, finish: str) -> None:
    size, (x, y) = _extent_of(room)
    geoms.add(size, (x, y, 0), (*FLOORS[room.floor], 1.0), finish, _PLANE)


def _add_ceiling(geoms: Geoms, room: Room) -> None:
    size, (x, y) = _extent_of(room)
    geoms.add(size, (x, y, WALL_HEIGHT), (*PAINTS["ceiling"], 1.0), "plaster", _PLANE, _UPSIDE_DOWN)


def _extent_of(room: Room) -> tuple[Vector, tuple[float, float]]:
    """Size of a plane that fills a room, and the room's middle, metres."""
    size = ((room.x1 - room.x0) / 2, (room.y1 - room.y0) / 2, 1.0)
    return size, ((room.x0 + room.x1) / 2, (room.y0 + room.y1) / 2)


def _add_solid_wall(geoms: Geoms, footprint: tuple[float, float, float, float], rgba: tuple[float, ...]) -> None:
    x0, y0, x1, y1 = footprint
    size, at = ((x1 - x0) / 2, (y1 - y0) / 2, WALL_HEIGHT / 2), ((x0 + x1) / 2, (y0 + y1) / 2, WALL_HEIGHT / 2)
    geoms.add(size, at, rgba, layers=LOOSE | PLAYER)


class _Side:
    """One side of a room, on which boxes for show are put: lengths are along the wall, depths into the room."""

    def __init__(self, geoms: Geoms, along: str, place: float, inward: int) -> None:
        self._geoms, self._along, self._place, self._inward = geoms, along, place, inward

    def add(self, finish: str, rgb: Vector, middle: float, length: float, depth: Stretch, height: Stretch) -> None:
        """A box of a length around a middle, from depth to depth (m from the wall's middle) and height to height."""
        across = self._place + self._inward * (depth[0] + depth[1]) / 2
        thick, tall = (depth[1] - depth[0]) / 2, (height[1] - height[0]) / 2
        x, y, size = middle, across, (length / 2, thick, tall)
        if self._along == "y":
            x, y, size = across, middle, (thick, length / 2, tall)
        self._geoms.add(size, (x, y, (height[0] + height[1]) / 2), (*rgb, 1.0), finish)


def _add_panels(geoms: Geoms, room: Room, doorways: tuple[Doorway, ...]) -> None:
    """The room's own side of its four walls, with openings where its doorways are."""
    rgb, finish = wall_paint(room.walls), ROOM_TYPES[room.type].walls
    own = [door for door in doorways if room.id in door.rooms]
    for along, place, inward in _sides(room):
        side = _Side(geoms, along, place, inward)
        low, end = (room.x0, room.x1) if along == "x" else (room.y0, room.y1)
        for door in sorted(own, key=lambda d: d.x if along == "x" else d.y):
            across, middle = (door.y, door.x) if along == "x" else (door.x, door.y)
            if door.along != along or abs(across - place) >= _HALF:
                continue
            gap = middle - door.width / 2
            side.add(finish, rgb, (low + gap) / 2, gap - low, (0.0, _HALF), (0.0, WALL_HEIGHT))
            side.add(finish, rgb, middle, door.width, (0.0, _HALF), (DOOR_HEAD, WALL_HEIGHT))
            low = middle + door.width / 2
        side.add(finish, rgb, (low + end) / 2, end - low, (0.0, _HALF), (0.0, WALL_HEIGHT))


def _sides(room: Room) -> Iterator[tuple[str, float, int]]:
    """(axis that it runs along, its place on the other axis, direction into the room) of the four sides."""
    yield from (("x", room.y0, 1), ("x", room.y1, -1), ("y", room.x0, 1), ("y", room.x1, -1))


def _add_door_frame(geoms: Geoms, door: Doorway) -> None:
    place, middle = (door.y, door.x) if door.along == "x" else (door.x, door.y)
    side, depth = _Side(geoms, door.along, place, 1), (-_HALF - 0.015, _HALF + 0.015)
    for end in (-1, 1):
        side.add("wood", PAINTS["frame"], middle + end * (door.width / 2 + 0.02), 0.09, depth, (0.0, DOOR_HEAD + 0.06))
    side.add("wood", PAINTS["frame"], middle, door.width, depth, (DOOR_HEAD - 0.02, DOOR_HEAD + 0.06))


def _add_window(geoms: Geoms, window: Window, room: Room) -> None:
    """A pane with the sky in it, its frame, and a patch of sun on the floor before it."""
    place, middle = (window.y, window.x) if window.along == "x" else (window.x, window.y)
    edges = (room.y0, room.y1) if window.along == "x" else (room.x0, room.x1)
    inward = 1 if abs(place - edges[0]) < abs(place - edges[1]) else -1
    side, frame, width = _Side(geoms, window.along, place, inward), PAINTS["frame"], window.width
    glass, proud = (_HALF - 0.01, _HALF + 0.004), (_HALF - 0.01, _HALF + 0.03)
    side.add("sky", PAINTS["sky"], middle, width, glass, (WINDOW_SILL, WINDOW_HEAD))
    for end in (-1, 1):
        side.add("plain", frame, middle + end * (width / 2 - 0.03), 0.06, proud, (WINDOW_SILL, WINDOW_HEAD))
    side.add("plain", frame, middle, 0.04, proud, (WINDOW_SILL, WINDOW_HEAD))
    side.add("plain", frame, middle, width, proud, (WINDOW_HEAD - 0.06, WINDOW_HEAD))
    side.add("plain", frame, middle, width + 0.12, (_HALF - 0.01, _HALF + 0.09), (WINDOW_SILL - 0.05, WINDOW_SILL))
    reach = min(1.9, edges[1] - edges[0] - 0.2)
    sunny = tuple(c + _SUNLIGHT * (1.0 - c) for c in FLOORS[room.floor])
    floor = FLOOR_FINISHES[room.floor]
    side.add(floor, (sunny[0], sunny[1], sunny[2]), middle, width, (0.45, reach), (0.0, 0.003))


def walls(house: House) -> Iterator[tuple[float, float, float, float]]:
    """Footprints (x0, y0, x1, y1) of the stretches of wall, doorways left out. Rooms that touch share their wall."""
    thick = WALL_THICKNESS / 2
    for along in ("x", "y"):
        for place in sorted({e for r in house.rooms for e in ((r.y0, r.y1) if along == "x" else (r.x0, r.x1))}):
            for low, high in _stretches(house, along, place):
                if along == "x":
                    yield low, place - thick, high, place + thick
                else:
                    yield place - thick, low, place + thick, high


def _stretches(house: House, along: str, place: float) -> Iterator[tuple[float, float]]:
    """The intervals of one wall line that are wall; their outer ends reach round the corners."""
    thick, sides = WALL_THICKNESS / 2, []
    for room in house.rooms:
        if along == "x" and place in (room.y0, room.y1):
            sides.append((room.x0 - thick, room.x1 + thick))
        if along == "y" and place in (room.x0, room.x1):
            sides.append((room.y0 - thick, room.y1 + thick))
    gaps = []
    for door in house.doorways:
        across, middle = (door.y, door.x) if along == "x" else (door.x, door.y)
        if door.along == along and abs(across - place) < thick:
            gaps.append((middle - door.width / 2, middle + door.width / 2))
    end = -np.inf
    merged: list[list[float]] = []
    for low, high in sorted(sides):
        if low <= end:
            merged[-1][1] = end = max(end, high)
        else:
            merged.append([low, high])
            end = high
    for low, high in merged:
        for gap_low, gap_high in sorted(g for g in gaps if low < g[0] and g[1] < high):
            yield low, gap_low
            low = gap_high
        yield low, high
