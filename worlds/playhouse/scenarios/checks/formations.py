"""Rows, triangles, squares and circles of things on a floor: pure geometry, lengths in metres."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

OFF_LINE = 0.22  # from a row's line at most
IN_ROW = 1.1  # between neighbours of a row at most, middle to middle
IN_SHAPE = 2.6  # between any two things of a shape at most
SHARPEST = math.radians(22.0)  # corner of a triangle at least
UNEVEN = 1.6  # times as long at most is the longest side of a square, or the longest radius of a circle
WIDEST = math.radians(160.0)  # gap of a circle at most, seen from its middle
OFF_SQUARE = math.radians(30.0)  # of a corner of a square from a right angle at most


def is_row(points: np.ndarray) -> bool:
    """Return True if points [N, 2] lie on a line, each near the next."""
    order = along_row(points)
    steps = np.linalg.norm(np.diff(points[order], axis=0), axis=1)
    centred = points - points.mean(axis=0)
    across = centred @ _directions(centred)[1]
    return bool(np.abs(across).max() <= OFF_LINE and steps.max() <= IN_ROW)


def along_row(points: np.ndarray) -> np.ndarray:
    """Return the order [N] of points [N, 2] along the line that fits them best."""
    centred = points - points.mean(axis=0)
    return np.argsort(centred @ _directions(centred)[0], kind="stable")


def is_triangle(points: np.ndarray) -> bool:
    """Return True if three points [3, 2] are the corners of a triangle that nobody would take for a row."""
    return len(points) == 3 and _is_compact(points) and min(corner_angles(points)) >= SHARPEST


def is_square(points: np.ndarray) -> bool:
    """Return True if four points [4, 2] are about the corners of a square."""
    if len(points) != 4 or not _is_compact(points):
        return False
    around = points[_around(points)]
    sides = np.linalg.norm(np.roll(around, -1, axis=0) - around, axis=1)
    corners = corner_angles(around)
    right = all(abs(angle - math.pi / 2) <= OFF_SQUARE for angle in corners)
    return right and bool(sides.max() <= UNEVEN * sides.min())


def is_circle(points: np.ndarray) -> bool:
    """Return True if four points or more [N, 2] lie around a middle, all about as far from it."""
    if len(points) < 4 or not _is_compact(points):
        return False
    radii = np.linalg.norm(points - points.mean(axis=0), axis=1)
    angles = np.sort(_angles(points))
    gaps = np.diff(np.append(angles, angles[0] + 2 * math.pi))
    return bool(radii.max() <= UNEVEN * radii.min() and gaps.max() <= WIDEST)


FORMATIONS: Mapping[str, Callable[[np.ndarray], bool]] = {
    "row": is_row,
    "triangle": is_triangle,
    "square": is_square,
    "circle": is_circle,
}


def corner_angles(points: np.ndarray) -> Sequence[float]:
    """Return the angles (rad) at points [N, 2] between the two next to each in their order."""
    found = []
    for i, corner in enumerate(points):
        a, b = points[i - 1] - corner, points[(i + 1) % len(points)] - corner
        cosine = float(a @ b) / max(float(np.linalg.norm(a) * np.linalg.norm(b)), 1e-9)
        found.append(math.acos(min(1.0, max(-1.0, cosine))))
    return found


def _is_compact(points: np.ndarray) -> bool:
    apart = np.linalg.norm(points[:, None] - points[None], axis=2)
    return bool(apart.max() <= IN_SHAPE)


def _directions(centred: np.ndarray) -> np.ndarray:
    """Directions [2, 2] along and across the line that fits best."""
    return np.linalg.svd(centred, full_matrices=True)[2]


def _angles(points: np.ndarray) -> np.ndarray:
    x, y = (points - points.mean(axis=0)).T
    return np.arctan2(y, x)


def _around(points: np.ndarray) -> np.ndarray:
    return np.argsort(_angles(points), kind="stable")
