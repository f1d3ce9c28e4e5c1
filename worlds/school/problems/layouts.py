"""Places of the things of InformationSeeking, drawn for each of its problems."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from worlds.school.grid.room import Cell, Room


@dataclass(frozen=True)
class Layout:
    """Cells of the things of one problem."""

    apple: Cell
    target: Cell
    distractor: Cell | None = None
    door: Cell | None = None
    marble: Cell | None = None


def next_to(one: Cell, other: Cell) -> bool:
    """Return True for two cells that share a side."""
    return abs(one[0] - other[0]) + abs(one[1] - other[1]) == 1


def _anywhere(room: Room, rng: np.random.Generator, *taken: Cell | None) -> Cell:
    return room.free_cell(rng, lambda x, y: (x, y) not in taken)


def _apples(room: Room, rng: np.random.Generator, two: bool) -> Layout:
    apple = _anywhere(room, rng)
    return Layout(apple, apple)


def _boxes(room: Room, rng: np.random.Generator, two: bool) -> Layout:
    box = _anywhere(room, rng)
    return Layout(box, box, _anywhere(room, rng, box) if two else None)


def _two_places(room: Room, rng: np.random.Generator, two: bool) -> Layout:
    apple = _anywhere(room, rng)
    target = _anywhere(room, rng, apple)
    return Layout(apple, target, _anywhere(room, rng, apple, target) if two else None)


def _marble(room: Room, rng: np.random.Generator, two: bool) -> Layout:
    right, below = room.width - 2, room.height - 2
    apple = _anywhere(room, rng)
    corners = ((1, 1), (right, 1), (1, below), (right, below))
    generator = room.free_cell(rng, lambda x, y: (x, y) not in corners and x != apple[0] and y != apple[1])

    def holds_marble(x: int, y: int) -> bool:
        apart = x in (1, right) or y in (1, below) or (x, y) in (apple, generator)
        return not apart and (x == generator[0]) != (y == generator[1])

    marble = room.free_cell(rng, holds_marble)
    across = 1 if marble[0] == generator[0] else 0  # the distractor is on the other line through the marble
    taken = (apple, generator, marble)
    other = room.free_cell(rng, lambda x, y: (x, y) not in taken and (x, y)[across] == marble[across]) if two else None
    return Layout(apple, generator, other, marble=marble)


def _behind_door(room: Room, rng: np.random.Generator) -> tuple[Cell, Cell]:
    """Break a hole into the outer and one into the inner wall, and return both: for the apple and for the door."""
    right, below = room.width - 1, room.height - 1
    room.wall(1, 1, room.width - 2, room.height - 2)

    def on_wall(x: int, y: int) -> bool:
        return (x in (0, right) and 2 <= y <= below - 2) or (y in (0, below) and 2 <= x <= right - 2)

    apple = room.free_cell(rng, on_wall, taken=True)
    inwards = {0: 1, right: right - 1}.get(apple[0], apple[0]), {0: 1, below: below - 1}.get(apple[1], apple[1])
    for cell in (apple, inwards):
        room.put(None, cell)
    return apple, inwards


def _doors(room: Room, rng: np.random.Generator, two: bool) -> Layout:
    apple, door = _behind_door(room, rng)
    right, below = room.width - 2, room.height - 2

    def on_wall(x: int, y: int) -> bool:
        on_side = (x in (1, right) and 1 < y < below) or (y in (1, below) and 1 < x < right)
        return on_side and (x, y) != door

    other = room.free_cell(rng, on_wall, (1, 1, right, below), taken=True) if two else None
    if other is not None:
        room.put(None, other)
    return Layout(apple, door, other, door)


def _levers(room: Room, rng: np.random.Generator, two: bool) -> Layout:
    apple, door = _behind_door(room, rng)

    def away(x: int, y: int) -> bool:
        return (x, y) != door and not next_to((x, y), door)

    lever = room.free_cell(rng, away, (2, 2, room.width - 4, room.height - 4))
    other = room.free_cell(rng, lambda x, y: away(x, y) and (x, y) != lever) if two else None
    return Layout(apple, lever, other, door)


_LAYOUTS: dict[str, Callable[[Room, np.random.Generator, bool], Layout]] = {
    "Apples": _apples,
    "Boxes": _boxes,
    "Switches": _two_places,
    "Generators": _two_places,
    "Marble": _marble,
    "Doors": _doors,
    "Levers": _levers,
}


def draw_layout(problem: str, room: Room, rng: np.random.Generator, two: bool) -> Layout:
    """Draw the places of the things of a problem, and build its inner walls. Raises NoPlace if the room has none."""
    return _LAYOUTS[problem](room, rng, two)


def line_is_clear(room: Room, start: Cell, end: Cell) -> bool:
    """Return True if nothing between two cells of one row or column hides one from the other."""
    (x, y), (a, b) = start, end
    dx, dy = np.sign(a - x), np.sign(b - y)
    while (x, y) != (a, b):
        there = room.at(x, y)
        if there is not None and not there.see_behind():
            return False
        x, y = int(x + dx), int(y + dy)
    return True
