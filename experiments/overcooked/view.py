"""One player's view of a state of Overcooked-AI: a map of categories, and numbers about what is near.

A state is the published one: ``players``, each with a ``position`` (column, row), an ``orientation`` and perhaps a
``held_object``, and ``objects`` on counters and in pots. The rules are those of Carroll et al., 2019, "On the utility
of learning about humans for human-AI coordination", section 4.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from worlds.spaces.observation import Grid, ObservationSpec, Vector

Cell = tuple[int, int]  # column, row

ROWS, COLUMNS = 5, 9  # of the largest of the five kitchens; smaller ones are in the upper left corner
COOKING_STEPS = 20  # from the third onion to a soup that can be taken
ONIONS = 3  # of a soup
FLOOR, COUNTER, ONION_SOURCE, DISH_SOURCE, POT, SERVING = " XODPS"  # as published
DIRECTIONS: Mapping[Cell, str] = {(0, -1): "north", (0, 1): "south", (1, 0): "east", (-1, 0): "west"}
_MOVES = tuple(DIRECTIONS)
_TERRAIN = ("outside", FLOOR, COUNTER, ONION_SOURCE, DISH_SOURCE, POT, SERVING)
_THINGS = ("nothing", "onion", "dish", "soup")
_POT = ("empty", "1 onion", "2 onions", "20 steps left", "15 steps left", "10 steps left", "5 steps left", "ready")
_READY = _POT.index("ready")
_TARGETS = (
    "onion source", "dish source", "serving", "pot to fill", "pot that cooks", "soup that is ready",
    "onion", "dish", "soup", "free counter",
)  # fmt: skip
_TERRAIN_NAMES = ("outside", "floor", "counter", *_TARGETS[:2], "pot", "serving")

GRID = Grid(ROWS, COLUMNS, (len(_TERRAIN), len(_THINGS), 1 + 2 * len(_MOVES), len(_THINGS), 1 + len(_POT)))
_PARTS: Sequence[tuple[str, Sequence[str]]] = (
    ("turned", tuple(DIRECTIONS.values())),
    ("holds", _THINGS),
    ("faces", _TERRAIN_NAMES),
    ("faces on a counter", _THINGS),
    ("faces a pot", _POT),
    ("partner's", ("column", "row")),
    ("partner turned", tuple(DIRECTIONS.values())),
    ("partner holds", _THINGS),
    ("blocked", tuple(DIRECTIONS.values())),
    *((f"nearest {target}:", ("column", "row", "moves", "reachable")) for target in _TARGETS),
    *((f"to the nearest {target}:", tuple(DIRECTIONS.values())) for target in _TARGETS),
)
_NAMES = tuple(f"{part} {name}" for part, names in _PARTS for name in names)
OBSERVATION = ObservationSpec(grid=GRID, vector=Vector(len(_NAMES), _NAMES))


class InvalidState(ValueError):
    """A state that is none of this game's. The message names what is wrong."""


class Layout:
    """The fixed part of a kitchen, with the walking distances in it.

    Args:
      rows: text of every row, one character a cell; players' starts count as floor.

    Raises:
      InvalidState: more cells than a view has, or a cell that is unknown.
    """

    def __init__(self, rows: Sequence[str]) -> None:
        self.cells: dict[Cell, str] = {
            (x, y): FLOOR if cell in "12" else cell for y, row in enumerate(rows) for x, cell in enumerate(row)
        }
        unknown = next((cell for cell in self.cells.values() if cell not in _TERRAIN), None)
        if unknown is not None:
            raise InvalidState(f"a cell of the layout is {unknown!r}")
        if not self.cells or max(x for x, _ in self.cells) >= COLUMNS or max(y for _, y in self.cells) >= ROWS:
            raise InvalidState(f"a layout of {len(rows)} rows, not at most {ROWS} of at most {COLUMNS} cells")

    def of_kind(self, kind: str) -> list[Cell]:
        """Return the cells of one kind of terrain."""
        return [cell for cell, found in self.cells.items() if found == kind]

    @cached_property
    def steps(self) -> dict[Cell, dict[Cell, int]]:
        """Moves from every floor cell (second key) to beside every other cell (first key); none where no way leads."""
        floor = set(self.of_kind(FLOOR))
        return {target: self._from(_around(target) & floor, floor) for target in self.cells if target not in floor}

    def _from(self, begin: set[Cell], floor: set[Cell]) -> dict[Cell, int]:
        found, waiting = dict.fromkeys(begin, 0), deque(begin)
        while waiting:
            cell = waiting.popleft()
            for other in (_around(cell) & floor) - set(found):
                found[other] = found[cell] + 1
                waiting.append(other)
        return found

    @cached_property
    def terrain(self) -> np.ndarray:
        """Categories of the terrain, int16 [ROWS, COLUMNS]."""
        grid = np.zeros((ROWS, COLUMNS), np.int16)
        for (x, y), kind in self.cells.items():
            grid[y, x] = _TERRAIN.index(kind)
        return grid


def view(layout: Layout, state: Mapping[str, Any], player: int) -> tuple[np.ndarray, np.ndarray]:
    """Return what a player sees.

    Args:
      player: 0 or 1.

    Returns:
      The map, int16 [ROWS, COLUMNS, channels], and the vector, float32 [numbers].

    Raises:
      InvalidState: the state has unknown things, or players that are not on the floor.
    """
    own, partner = (_checked(layout, state["players"][which]) for which in (player, 1 - player))
    things = {_cell(each["position"]): each for each in state["objects"].values()}
    outside = next((cell for cell in things if layout.cells.get(cell, FLOOR) == FLOOR), None)
    if outside is not None:
        raise InvalidState(f"a thing is at {outside}, where no counter or pot is")
    pots = {cell: _pot(things.get(cell)) for cell in layout.of_kind(POT)}
    on_counters = {cell: _thing(each) for cell, each in things.items() if cell not in pots}
    grid = np.zeros(GRID.shape, np.int16)
    grid[..., 0] = layout.terrain
    for (x, y), thing in on_counters.items():
        grid[y, x, 1] = thing
    for who, (x, y, turned, held) in enumerate((own, partner)):
        grid[y, x, 2] = 1 + who * len(_MOVES) + turned
        grid[y, x, 3] = held
    for (x, y), filled in pots.items():
        grid[y, x, 4] = 1 + filled
    return grid, _vector(layout, own, partner, on_counters, pots)


_Player = tuple[int, int, int, int]  # column, row, orientation, what is held


def _vector(
    layout: Layout, own: _Player, partner: _Player, on_counters: Mapping[Cell, int], pots: Mapping[Cell, int]
) -> np.ndarray:
    x, y, turned, held = own
    dx, dy = _MOVES[turned]
    faced = (x + dx, y + dy)
    free = {cell for cell, kind in layout.cells.items() if kind == FLOOR} - {partner[:2]}
    parts = [
        _one_hot(turned, len(_MOVES)),
        _one_hot(held, len(_THINGS)),
        _one_hot(_TERRAIN.index(layout.cells.get(faced, "outside")), len(_TERRAIN)),
        _one_hot(on_counters.get(faced, 0), len(_THINGS)),
        _one_hot(pots[faced], len(_POT)) if faced in pots else [0.0] * len(_POT),
        [partner[0] - x, partner[1] - y],
        _one_hot(partner[2], len(_MOVES)),
        _one_hot(partner[3], len(_THINGS)),
        [float((x + dx, y + dy) not in free) for dx, dy in _MOVES],
    ]
    near, leads = list[float](), list[float]()
    for cells in _targets(layout, on_counters, pots):
        found, led = _nearest(layout, (x, y), cells)
        near += found
        leads += led
    return np.array([number for part in (*parts, near, leads) for number in part], np.float32)


def _targets(layout: Layout, on_counters: Mapping[Cell, int], pots: Mapping[Cell, int]) -> Iterable[list[Cell]]:
    """Yield the cells of every one of the targets, in their order."""
    yield layout.of_kind(ONION_SOURCE)
    yield layout.of_kind(DISH_SOURCE)
    yield layout.of_kind(SERVING)
    yield [cell for cell, filled in pots.items() if filled < ONIONS]
    yield [cell for cell, filled in pots.items() if ONIONS <= filled < _READY]
    yield [cell for cell, filled in pots.items() if filled == _READY]
    for thing in range(1, len(_THINGS)):
        yield [cell for cell, found in on_counters.items() if found == thing]
    yield [cell for cell in layout.of_kind(COUNTER) if cell not in on_counters]


def _nearest(layout: Layout, here: Cell, cells: Iterable[Cell]) -> tuple[list[float], list[float]]:
    """Return offset, moves and reachability of the nearest of ``cells``, and the directions that lead to it."""
    reached = [(layout.steps[cell][here], cell) for cell in cells if here in layout.steps[cell]]
    if not reached:
        return [0.0] * 4, [0.0] * len(_MOVES)
    moves, (x, y) = min(reached)
    leads = list[float]()
    for dx, dy in _MOVES:
        there = (here[0] + dx, here[1] + dy)
        nearer = there == (x, y) if not moves else layout.steps[x, y].get(there, moves) < moves
        leads.append(float(nearer))
    return [x - here[0], y - here[1], moves, 1.0], leads


def _checked(layout: Layout, player: Mapping[str, Any]) -> _Player:
    """Return column, row, orientation and held thing of a player."""
    cell, turned = _cell(player["position"]), _cell(player["orientation"])
    if layout.cells.get(cell) != FLOOR or turned not in DIRECTIONS:
        raise InvalidState(f"a player is at {cell}, turned to {turned}")
    held = player.get("held_object")
    return *cell, _MOVES.index(turned), 0 if held is None else _thing(held)


def _thing(found: Mapping[str, Any]) -> int:
    if found["name"] not in _THINGS[1:]:
        raise InvalidState(f"a thing is {found['name']!r}, not {', '.join(_THINGS[1:])}")
    return _THINGS.index(found["name"])


def _pot(found: Mapping[str, Any] | None) -> int:
    """Return the category of what a pot has in it."""
    if found is None:
        return 0
    kind, onions, cooked = found["state"] if found["name"] == "soup" else (found["name"], 0, 0)
    if kind != "onion" or not 1 <= onions <= ONIONS or cooked < 0:
        raise InvalidState(f"a pot has {found}")
    if onions < ONIONS:
        return int(onions)
    quarters = min(cooked, COOKING_STEPS) * (_READY - ONIONS) // COOKING_STEPS
    return ONIONS + int(quarters)


def _cell(pair: Sequence[Any]) -> Cell:
    x, y = pair
    return int(x), int(y)


def _around(cell: Cell) -> set[Cell]:
    return {(cell[0] + dx, cell[1] + dy) for dx, dy in _MOVES}


def _one_hot(index: int, count: int) -> list[float]:
    return [float(place == index) for place in range(count)]
