"""What is seen of a room: the square of cells before a viewer, those in the shadow of walls left out.

Arrays of a room have a border of ``BORDER`` cells of wall on every side, so that no view leaves them.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from worlds.school.grid.codes import CHANNELS, EMPTY, NONE, PEER, POINT_EAST, VIEW

BORDER = VIEW
_MIDDLE = VIEW // 2


@njit(cache=True, nogil=True)
def world_cell(x: int, y: int, direction: int, i: int, j: int) -> tuple[int, int]:
    """Return the cell of the room at column i, row j of a viewer's view; the farthest row is the first."""
    ahead, right = VIEW - 1 - j, i - _MIDDLE
    if direction == 0:
        return x + ahead, y + right
    if direction == 1:
        return x - right, y + ahead
    if direction == 2:
        return x - ahead, y - right
    return x + right, y - ahead


@njit(cache=True, nogil=True)
def _cast(lit: np.ndarray, dark: np.ndarray, side: int, ahead: int) -> None:
    """Cast the shadows of one row's cells on one side (-1 left, 1 right): outwards in the row, and on the next row."""
    j = VIEW - 1 - ahead
    for off in range(1, _MIDDLE):
        i = _MIDDLE + side * off
        if lit[i, j] and not dark[i, j]:
            continue
        if off >= ahead:
            lit[i + side, j] = False
        if j > 0:
            lit[i + side, j - 1] = False
            if ahead >= off:
                lit[i, j - 1] = False


@njit(cache=True, nogil=True)
def shadows(dark: np.ndarray) -> np.ndarray:
    """Return the cells that are seen from the middle of the last row, bool [VIEW, VIEW].

    Everything is seen at first. A cell that nothing is seen through, and one that is in shadow itself, shades those
    behind it within the cone between straight ahead and the diagonal; row after row, from the viewer outwards.
    """
    lit = np.ones((VIEW, VIEW), np.bool_)
    for ahead in range(VIEW):
        j = VIEW - 1 - ahead
        if 0 < ahead < VIEW - 1 and (dark[_MIDDLE, j] or not lit[_MIDDLE, j]):
            lit[_MIDDLE - 1 : _MIDDLE + 2, j - 1] = False
        _cast(lit, dark, -1, ahead)
        _cast(lit, dark, 1, ahead)
    return lit


@njit(cache=True, nogil=True)
def visible(opaque: np.ndarray, x: int, y: int, direction: int) -> np.ndarray:
    """Return what a viewer sees of the square before it: bool [VIEW, VIEW], column and row."""
    dark = np.empty((VIEW, VIEW), np.bool_)
    for i in range(VIEW):
        for j in range(VIEW):
            a, b = world_cell(x + BORDER, y + BORDER, direction, i, j)
            dark[i, j] = opaque[a, b]
    return shadows(dark)


@njit(cache=True, nogil=True)
def view(
    codes: np.ndarray, opaque: np.ndarray, x: int, y: int, direction: int, through: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Return what a viewer observes, uint8 [VIEW, VIEW, CHANNELS] with zeros where it sees nothing, and sees, bool
    [VIEW, VIEW].

    Both are by column and row. The peer's gaze, its pointing and its last act, if that was to point, are relative to
    the viewer's direction; in ``codes`` they are absolute.
    """
    lit = np.ones((VIEW, VIEW), np.bool_) if through else visible(opaque, x, y, direction)
    seen = np.zeros((VIEW, VIEW, CHANNELS), np.uint8)
    for i in range(VIEW):
        for j in range(VIEW):
            if not lit[i, j]:
                continue
            a, b = world_cell(x + BORDER, y + BORDER, direction, i, j)
            seen[i, j] = codes[a, b]
            if codes[a, b, 0] == PEER:
                seen[i, j, 3] = (codes[a, b, 3] - direction + 2) % 4
                if codes[a, b, 4] != NONE:
                    seen[i, j, 4] = (codes[a, b, 4] - direction + 2) % 4
                act = codes[a, b, 5]
                if POINT_EAST <= act < POINT_EAST + 4:
                    seen[i, j, 5] = POINT_EAST + (act - POINT_EAST - direction + 2) % 4
    seen[_MIDDLE, VIEW - 1] = 0
    seen[_MIDDLE, VIEW - 1, 0] = EMPTY  # the viewer's own cell: nobody carries anything
    return seen, lit


def view_cell(x: int, y: int, direction: int, other: tuple[int, int]) -> tuple[int, int] | None:
    """Return column and row at which a viewer has a cell of the room; None outside its view."""
    dx, dy = other[0] - x, other[1] - y
    ahead, right = ((dx, dy), (dy, -dx), (-dx, -dy), (-dy, dx))[direction]
    i, j = _MIDDLE + right, VIEW - 1 - ahead
    return (i, j) if 0 <= i < VIEW and 0 <= j < VIEW else None
