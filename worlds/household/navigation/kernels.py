"""Arithmetic of ways, compiled. A cell is numbered row by row; distances are in widths of a cell."""

from __future__ import annotations

import math

import numpy as np

from worlds.household.state.tables import kernel
from worlds.household.state.vocabulary import Held

_ROOM, _ON = int(Held.ROOM), int(Held.ON)
_SQRT2 = math.sqrt(2.0)
SAMPLE = 0.2  # widths of a cell between two points of a line that are looked at


@kernel
def distance_fields(free, goals):
    """Return the distance of every cell from the nearest goal: float32 [targets, cells], infinite without a way.

    Ways run along free cells, bool [rows, columns], and their diagonals. Goals are bool [targets, rows, columns].
    """
    targets, cells = len(goals), free.size
    found = np.full((targets, cells), np.inf, dtype=np.float32)
    keys, heap = np.empty(8 * cells + 1), np.empty(8 * cells + 1, dtype=np.int32)
    for target in range(targets):
        _dijkstra(free, goals[target], found[target], keys, heap)
    return found


@kernel
def _dijkstra(free, goal, distance, keys, heap):
    rows, columns = free.shape
    count = 0
    for row in range(rows):
        for column in range(columns):
            if goal[row, column] and free[row, column]:
                distance[row * columns + column] = 0.0
                count = _push(keys, heap, count, 0.0, row * columns + column)
    while count > 0:
        key, cell = keys[0], heap[0]
        count = _pop(keys, heap, count)
        if key > distance[cell] + 1e-4:
            continue
        row, column = cell // columns, cell % columns
        for down in range(-1, 2):
            for right in range(-1, 2):
                there, beside = row + down, column + right
                if (down == 0 and right == 0) or not _inside(free, there, beside) or not free[there, beside]:
                    continue
                if down != 0 and right != 0 and not (free[row, beside] and free[there, column]):
                    continue
                far = distance[cell] + (_SQRT2 if down != 0 and right != 0 else 1.0)
                if far < distance[there * columns + beside] - 1e-4:
                    distance[there * columns + beside] = far
                    count = _push(keys, heap, count, far, there * columns + beside)


@kernel
def _push(keys, heap, count, key, cell):
    """Add a cell to a binary heap of ``count``; return the new count."""
    place = count
    while place > 0 and keys[(place - 1) // 2] > key:
        keys[place], heap[place] = keys[(place - 1) // 2], heap[(place - 1) // 2]
        place = (place - 1) // 2
    keys[place], heap[place] = key, cell
    return count + 1


@kernel
def _pop(keys, heap, count):
    """Remove the first of a binary heap; return the new count."""
    count -= 1
    key, cell = keys[count], heap[count]
    place = 0
    while 2 * place + 1 < count:
        child = 2 * place + 1
        if child + 1 < count and keys[child + 1] < keys[child]:
            child += 1
        if keys[child] >= key:
            break
        keys[place], heap[place] = keys[child], heap[child]
        place = child
    keys[place], heap[place] = key, cell
    return count


@kernel
def _inside(free, row, column):
    return 0 <= row < free.shape[0] and 0 <= column < free.shape[1]


@kernel
def components(free):
    """Return the number of the connected part of each free cell (int32 [rows, columns], else -1), and their sizes."""
    rows, columns = free.shape
    label = np.full((rows, columns), -1, dtype=np.int32)
    stack = np.empty(free.size, dtype=np.int32)
    sizes = np.zeros(free.size, dtype=np.int64)
    parts = 0
    for start in range(free.size):
        if not free[start // columns, start % columns] or label[start // columns, start % columns] >= 0:
            continue
        stack[0], count = start, 1
        label[start // columns, start % columns] = parts
        while count > 0:
            count -= 1
            row, column = stack[count] // columns, stack[count] % columns
            sizes[parts] += 1
            for down, right in ((0, 1), (0, -1), (1, 0), (-1, 0)):
                there, beside = row + down, column + right
                if _inside(free, there, beside) and free[there, beside] and label[there, beside] < 0:
                    label[there, beside] = parts
                    stack[count] = there * columns + beside
                    count += 1
        parts += 1
    return label, sizes[:parts]


@kernel
def nearest_free(free, room):
    """Return the free cell nearest to each cell, of the same room if it has one: int32 [cells]."""
    rows, columns = free.shape
    found = np.empty(free.size, dtype=np.int32)
    for cell in range(free.size):
        row, column = cell // columns, cell % columns
        if free[row, column]:
            found[cell] = cell
            continue
        best, found[cell] = np.inf, cell
        for there in range(rows):
            for beside in range(columns):
                if free[there, beside]:
                    far = (there - row) ** 2 + (beside - column) ** 2
                    if room[there, beside] != room[row, column]:
                        far += 1e6
                    if far < best:
                        best, found[cell] = far, there * columns + beside
    return found


@kernel
def cell_at(grid, nearest, x, y):
    """Return the free cell of a point, or the one nearest to it.

    Args:
      grid: west and south end in metres, rows, columns, width of a cell in metres.
    """
    west, south, rows, columns, width = grid
    column = min(max(int((x - west) / width), 0), columns - 1)
    row = min(max(int((y - south) / width), 0), rows - 1)
    return nearest[row * columns + column]


@kernel
def on_floor(grid, nearest, x, y):
    """Return a point in widths of a cell from the corner of the grid, in a free cell: its own or the nearest."""
    west, south, rows, columns, width = grid
    cell = cell_at(grid, nearest, x, y)
    x, y = (x - west) / width, (y - south) / width
    row, column = cell // columns, cell % columns
    if math.floor(x) == column and math.floor(y) == row:
        return x, y
    return column + 0.5, row + 0.5


@kernel
def anchor(parent, held, fixed, row):
    """Return the row to walk to in order to reach a thing: the first above it that never moves, or its root.

    ``fixed`` is -1 for things that can move; ``held`` has values of Held.
    """
    while fixed[row] < 0 and held[row] > _ROOM:
        row = parent[row]
    return row


@kernel
def anchor_of_open(parent, held, fixed, row):
    """Return the anchor of a thing, and True if the thing is on it and inside nothing."""
    at, is_open = row, True
    while fixed[at] < 0 and held[at] > _ROOM:
        is_open &= held[at] == _ON
        at = parent[at]
    return at, is_open and at != row and fixed[at] >= 0


@kernel
def walk(free, distance, grid, nearest, x, y, length, arrived):
    """Walk along the shortest way, straight from bend to bend, until ``arrived`` metres from the goal.

    Returns x and y, the direction of the last stretch (NaN without one), and True at the goal. ``distance`` is that of
    each cell from the goal: float32 [cells].
    """
    west, south, rows, columns, width = grid
    x, y = on_floor(grid, nearest, x, y)
    facing, there = np.nan, False
    length /= width
    while True:
        cell = int(y) * columns + int(x)
        there = distance[cell] <= arrived + 1e-4
        if there or length <= 1e-6:
            break
        ahead = _far_ahead(free, distance, x, y, cell, arrived)
        if ahead == cell:
            break
        to_x, to_y = ahead % columns + 0.5, ahead // columns + 0.5
        far = math.hypot(to_x - x, to_y - y)
        facing = math.atan2(to_y - y, to_x - x)
        share = min(1.0, length / far)
        x, y = x + share * (to_x - x), y + share * (to_y - y)
        length -= far
    return west + x * width, south + y * width, facing, there


@kernel
def _far_ahead(free, distance, x, y, cell, arrived):
    """Return the farthest cell of the shortest way that can be reached in a straight line, at most ten cells ahead."""
    columns = free.shape[1]
    best, at = cell, cell
    for _ in range(10):
        after = at
        row, column = at // columns, at % columns
        for down in range(-1, 2):
            for right in range(-1, 2):
                there, beside = row + down, column + right
                if not _inside(free, there, beside) or not free[there, beside]:
                    continue
                if down != 0 and right != 0 and not (free[row, beside] and free[there, column]):
                    continue
                if distance[there * columns + beside] < distance[after] - 1e-4:
                    after = there * columns + beside
        if after == at:
            break
        at = after
        if at // columns == cell // columns and at % columns == cell % columns:
            continue
        if best == cell or _straight(free, x, y, at % columns + 0.5, at // columns + 0.5):
            best = at
        if distance[at] <= arrived + 1e-4:
            break
    return best


@kernel
def _straight(free, x, y, to_x, to_y):
    """Return True if a straight line runs through free cells only."""
    steps = int(math.hypot(to_x - x, to_y - y) / SAMPLE) + 1
    for step in range(1, steps + 1):
        share = step / steps
        if not free[int(y + share * (to_y - y)), int(x + share * (to_x - x))]:
            return False
    return True


@kernel
def forward(free, grid, nearest, x, y, facing, length):
    """Return x and y after a straight walk, which ends where the free floor does."""
    west, south, rows, columns, width = grid
    x, y = on_floor(grid, nearest, x, y)
    steps = int(length / width / SAMPLE + 0.5)
    for _ in range(steps):
        to_x = x + math.cos(facing) * length / width / steps
        to_y = y + math.sin(facing) * length / width / steps
        if to_x < 0 or to_y < 0 or not _inside(free, int(to_y), int(to_x)) or not free[int(to_y), int(to_x)]:
            break
        x, y = to_x, to_y
    return west + x * width, south + y * width


@kernel
def all_distances(parent, held, fixed, centre, fields, from_here, grid, nearest, cell, arrived, found):
    """Write the distance of a cell from each thing into ``found``, float32 [N]; infinite without a way.

    ``fields`` are the distances from things that never move, float32 [fixed, cells], ``fixed`` their numbers or -1,
    ``from_here`` the distances from the cell, and ``arrived`` how near a person gets to a thing that can move.
    """
    for row in range(len(parent)):
        at = anchor(parent, held, fixed, row)
        if fixed[at] >= 0:
            found[row] = fields[fixed[at], cell]
        else:
            found[row] = max(0.0, from_here[cell_at(grid, nearest, centre[at, 0], centre[at, 1])] - arrived)
