"""Walls with openings for doors, floors and ceilings of a home, each seen from inside its room alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from worlds.drawing.kernels.geometry import BOX, PLANE
from worlds.household.state.home import Home, State

REACH_M = 0.3  # of a door from the wall in which it is
THIN_M = 1e-3  # half the thickness of walls; they stand before the backs of what hangs on their other side
RIM_M = 0.05  # of walls, as seen from above
CEILING, RIM = (255, 255, 255), (74, 66, 60)
# Colours of walls, by class of room, and of floors.
WALLS: Mapping[str, tuple[int, int, int]] = {
    "bathroom": (220, 244, 250),
    "bedroom": (240, 230, 252),
    "kitchen": (255, 246, 212),
    "livingroom": (248, 240, 226),
}
FLOORS: Mapping[str, tuple[int, int, int]] = {
    "bathroom": (150, 170, 178),
    "bedroom": (176, 142, 112),
    "kitchen": (186, 172, 152),
    "livingroom": (164, 122, 84),
}
OTHER_WALL, OTHER_FLOOR = (240, 240, 234), (160, 146, 128)

Wall = tuple[int, int, int, int, np.ndarray, np.ndarray, tuple[int, int, int]]


def structure(home: Home, state: State) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return walls, floors and ceilings: the last five arrays of :class:`worlds.household.drawing.model.Model`."""
    found = [each for room in home.rooms.tolist() for each in _room(home, state, room)]
    return (
        np.array([each[:3] for each in found], np.int64),
        np.array([each[3] for each in found], np.int32),
        np.array([each[4] for each in found], np.float64),
        np.array([each[5] for each in found], np.float64),
        np.array([red | green << 8 | blue << 16 for *_, (red, green, blue) in found], np.int32),
    )


def _room(home: Home, state: State, room: int) -> Iterator[Wall]:
    centre, half = state.centre[room].astype(np.float64), home.size[room].astype(np.float64) / 2
    low, high, name = centre - half, centre + half, home.name_of(room)
    flat = np.array([half[0], half[1], THIN_M])
    floor = np.array([centre[0], centre[1], low[2]])
    yield room, 2, 1, PLANE, floor, flat, FLOORS.get(name, OTHER_FLOOR)
    yield room, 2, -1, BOX, np.array([centre[0], centre[1], high[2] + THIN_M]), flat, CEILING
    for axis in (0, 1):
        for side in (-1, 1):
            at = (low if side < 0 else high)[axis]
            for begin, end, bottom in _pieces(home, state, room, axis, at, low, high):
                middle, size = np.empty(3), np.empty(3)
                middle[axis], size[axis] = at - side * THIN_M, THIN_M
                middle[1 - axis], size[1 - axis] = (begin + end) / 2, (end - begin) / 2
                middle[2], size[2] = (bottom + high[2]) / 2, (high[2] - bottom) / 2
                yield room, axis, -side, BOX, middle, size, WALLS.get(name, OTHER_WALL)
            middle, size = centre.copy(), half + RIM_M
            middle[axis], size[axis] = at, RIM_M
            middle[2], size[2] = high[2] + 0.02, 0.01
            yield room, 0, 0, BOX, middle, size, RIM


def _pieces(
    home: Home, state: State, room: int, axis: int, at: float, low: np.ndarray, high: np.ndarray
) -> Iterator[tuple[float, float, float]]:
    """Yield where the pieces of a wall begin and end, and the height of their lower edges, metres."""
    along, begin = 1 - axis, low[1 - axis]
    holes = []
    for door in home.doors.tolist():
        half = home.size[door] / 2
        if room in home.between[door] and half[along] > half[axis] and abs(state.centre[door, axis] - at) < REACH_M:
            holes.append((float(state.centre[door, along]), float(half[along]), float(state.centre[door, 2] + half[2])))
    for middle, half, top in sorted(holes):
        if middle - half > begin:
            yield begin, middle - half, low[2]
        if top < high[2]:
            yield max(begin, middle - half), min(high[along], middle + half), top
        begin = max(begin, middle + half)
    if begin < high[along]:
        yield begin, high[along], low[2]
