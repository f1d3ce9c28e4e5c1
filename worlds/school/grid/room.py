"""A room: things in cells, and the arrays of them from which observations and ways are computed."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from worlds.errors import UserError
from worlds.school.grid.codes import CHANNELS, EAST, EMPTY, STEPS
from worlds.school.grid.paths import first_direction
from worlds.school.grid.sight import BORDER, view, visible
from worlds.school.grid.things import Fence, Thing, Wall

Cell = tuple[int, int]
_TRIES = 16  # random cells that are tried before all are looked at
_WALL = Wall()  # walls never change, so that one is enough
_EMPTY = (EMPTY, 0, 0, 0, 0, 0)


class NoPlace(UserError):
    """A room without a place for what it should hold."""


class Room:
    """A square of cells, of which a rectangle at (0, 0) is the room within its walls.

    Attributes:
      codes: encoding of every cell, with a border of walls: uint8 [size + 2 BORDER, size + 2 BORDER, CHANNELS].
      opaque: cells that block the view, with the same border: bool [size + 2 BORDER, size + 2 BORDER].
      solid: cells that block the way, bool [size, size]; the agent's is not among them.
      agent: the agent's cell, (x, y); outside the square until it is placed.
    """

    def __init__(self, size: int, width: int, height: int) -> None:
        self.size, self.width, self.height = size, width, height
        side = size + 2 * BORDER
        self._cells: list[Thing | None] = [None] * (size * size)
        self.codes = np.empty((side, side, CHANNELS), np.uint8)
        self.codes[:] = _WALL.encode()
        self.codes[BORDER:-BORDER, BORDER:-BORDER] = _EMPTY
        self.opaque = np.ones((side, side), np.bool_)
        self.opaque[BORDER:-BORDER, BORDER:-BORDER] = False
        self.solid = np.zeros((size, size), np.bool_)
        self.agent: Cell = (-1, -1)
        self.direction = EAST

    # -- cells --------------------------------------------------------------------------------------------------

    def at(self, x: int, y: int) -> Thing | None:
        """Return what is in a cell; a wall outside the square."""
        if 0 <= x < self.size and 0 <= y < self.size:
            return self._cells[x * self.size + y]
        return _WALL

    def put(self, thing: Thing | None, cell: Cell) -> None:
        """Put a thing into a cell, in the place of what is there; None empties it."""
        x, y = cell
        before = self._cells[x * self.size + y]
        if before is not None:
            before.at = None
        self._cells[x * self.size + y] = thing
        if thing is not None:
            thing.at = cell
        self._write(thing, x, y)

    def move(self, thing: Thing, cell: Cell) -> None:
        """Move a thing, which leaves what was under it and covers what is there."""
        under, thing.under = thing.under, None
        self.put(under, thing.place)
        there = self.at(*cell)
        self.put(thing, cell)
        thing.under = there
        if there is not None:
            there.at = cell

    def replace(self, thing: Thing, other: Thing | None) -> None:
        """Put another thing into the place of one."""
        self.put(other, thing.place)

    def refresh(self, thing: Thing) -> None:
        """Bring the arrays up to date with a thing that has changed."""
        if thing.at is not None and self.at(*thing.at) is thing:
            self._write(thing, *thing.at)

    def things(self) -> Iterator[Thing]:
        """Yield the things in all cells."""
        return (thing for thing in self._cells if thing is not None)

    def _write(self, thing: Thing | None, x: int, y: int) -> None:
        a, b = x + BORDER, y + BORDER
        if thing is None:
            self.codes[a, b], self.opaque[a, b], self.solid[x, y] = _EMPTY, False, False
        else:
            self.codes[a, b] = thing.encode()
            self.opaque[a, b] = not thing.see_behind()
            self.solid[x, y] = not thing.can_overlap()

    # -- building -----------------------------------------------------------------------------------------------

    def wall(self, x: int, y: int, width: int, height: int) -> None:
        """Build a wall around a rectangle."""
        right, below = x + width - 1, y + height - 1
        for a, b in ((x, slice(y, below + 1)), (right, slice(y, below + 1))):
            self._wall_line(a, b)
        for b in (y, below):
            self._wall_line(slice(x, right + 1), b)

    def _wall_line(self, x: int | slice, y: int | slice) -> None:
        columns = range(x.start, x.stop) if isinstance(x, slice) else (x,)
        rows = range(y.start, y.stop) if isinstance(y, slice) else (y,)
        for a in columns:
            for b in rows:
                self._cells[a * self.size + b] = _WALL
        self.solid[x, y] = True
        inner = slice(BORDER, BORDER + self.size)
        self.opaque[inner, inner][x, y] = True
        self.codes[inner, inner][x, y] = _WALL.encode()

    def fence(self, x: int) -> None:
        """Build a fence from the upper to the lower wall at column ``x``."""
        for y in range(1, self.height - 1):
            self.put(Fence(), (x, y))

    def free_cell(
        self,
        rng: np.random.Generator,
        accepts: Callable[[int, int], bool] | None = None,
        within: tuple[int, int, int, int] | None = None,
        taken: bool = False,
    ) -> Cell:
        """Return a random empty cell of the room, or of a rectangle (x, y, width, height) ``within`` it; else raise
        NoPlace.

        With ``taken``, the cell may hold something. ``accepts`` (x, y) may refuse cells.
        """
        x, y, width, height = within or (0, 0, self.width, self.height)

        def does(cell: Cell) -> bool:
            free = taken or (cell != self.agent and self._cells[cell[0] * self.size + cell[1]] is None)
            return free and (accepts is None or accepts(*cell))

        count = width * height
        for number in rng.integers(count, size=_TRIES).tolist():  # most often one of these
            cell = x + number % width, y + number // width
            if does(cell):
                return cell
        possible = [cell for cell in ((x + k % width, y + k // width) for k in range(count)) if does(cell)]
        if not possible:
            raise NoPlace(f"a room of {self.width}x{self.height} cells has no place left for what it should hold")
        return possible[int(rng.integers(len(possible)))]

    # -- moving and seeing --------------------------------------------------------------------------------------

    @staticmethod
    def beside(cell: Cell, direction: int) -> Cell:
        """Return the cell beside one in a direction."""
        dx, dy = STEPS[direction]
        return cell[0] + dx, cell[1] + dy

    def is_free(self, x: int, y: int) -> bool:
        """Return True if a thing can move to a cell: it can be walked on, and the agent is not there."""
        return not self.solid[x, y] and self.agent != (x, y)

    def way(self, start: Cell, facing: int, goal: Cell, around: Cell | None = None) -> int:
        """Return the direction of the first step of a shortest way; -1 where there is none or none is needed."""
        if around is None or not 0 <= around[0] < self.size:
            return first_direction(self.solid, *start, facing, *goal)
        if around == goal:
            return -1
        before = bool(self.solid[around])
        self.solid[around] = True
        found = first_direction(self.solid, *start, facing, *goal)
        self.solid[around] = before
        return found

    def connects(self, start: Cell, goal: Cell) -> bool:
        """Return True if who stands in a cell can walk to another, or up to what is there; both may be solid."""
        return start == goal or self.way(start, EAST, goal) >= 0

    def sight(self, through: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """Return what the agent observes, uint8 [VIEW, VIEW, CHANNELS], and what it sees, bool [VIEW, VIEW]."""
        return view(self.codes, self.opaque, *self.agent, self.direction, through)

    def seen_from(self, cell: Cell, direction: int) -> np.ndarray:
        """Return what is seen from a cell, bool [VIEW, VIEW]."""
        return visible(self.opaque, *cell, direction)
