"""Simple arrangements of things on the floor or on a surface: when things form one, and where to put them for it.

Points are middles of things, float64 [N, 2+], metres.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

ROW, CIRCLE, TRIANGLE, SQUARE = "row", "circle", "triangle", "square"
FEWEST = {ROW: 3, CIRCLE: 4, TRIANGLE: 3, SQUARE: 4}
MOST = {ROW: 5, CIRCLE: 6, TRIANGLE: 3, SQUARE: 4}
OFF_THE_ROW = 0.2  # metres from the line at most
NEIGHBOURS = (0.02, 1.3)  # metres between the middles of neighbours
WIDEST = 2.5  # metres across a circle, triangle or square
UNEVEN = 0.35  # share by which radii or sides may differ from their mean
WIDE_GAP = 1.8  # times the mean angle between neighbours of a circle, at most
SLIM = math.radians(30.0)  # the least angle of a triangle, and the most by which a square's differ from right ones


def forms(shape: str, points: np.ndarray) -> bool:
    """Return True if things at ``points`` form a ``shape``."""
    flat = np.asarray(points, dtype=float)[:, :2]
    if not FEWEST[shape] <= len(flat):
        return False
    return {ROW: _is_row, CIRCLE: _is_circle, TRIANGLE: _is_triangle, SQUARE: _is_square}[shape](flat)


def order_in_row(points: np.ndarray) -> np.ndarray:
    """Return the order of points along the line that fits them best: int [N]."""
    flat = np.asarray(points, dtype=float)[:, :2]
    centred = flat - flat.mean(axis=0)
    return np.argsort(centred @ np.linalg.svd(centred, full_matrices=False)[2][0], kind="stable")


def is_sorted(values: Sequence[float], order: np.ndarray, slack: float = 0.02) -> bool:
    """Return True if values (m) in an order do not fall by more than ``slack``, from one end or the other."""
    steps = np.diff(np.array(values, dtype=np.float64)[order]).tolist()
    return min(steps) >= -slack or max(steps) <= slack


def layout(shape: str, number: int, apart: float) -> np.ndarray:
    """Return places of so many things in a shape around (0, 0), neighbours ``apart`` metres: float64 [number, 2]."""
    if shape == ROW:
        return np.stack([(np.arange(number) - (number - 1) / 2) * apart, np.zeros(number)], axis=1)
    radius = apart / (2 * math.sin(math.pi / number))
    angles = 2 * math.pi * np.arange(number) / number + math.pi / number
    return radius * np.stack([np.cos(angles), np.sin(angles)], axis=1)


def _is_row(points: np.ndarray) -> bool:
    centred = points - points.mean(axis=0)
    direction = np.linalg.svd(centred, full_matrices=False)[2][0]
    off = centred - np.outer(centred @ direction, direction)
    gaps: list[float] = np.diff(np.sort(centred @ direction)).tolist()
    near = NEIGHBOURS[0] <= min(gaps) and max(gaps) <= NEIGHBOURS[1]
    return near and float(np.linalg.norm(off, axis=1).max()) <= OFF_THE_ROW


def _is_circle(points: np.ndarray) -> bool:
    middle = points.mean(axis=0)
    radii = np.linalg.norm(points - middle, axis=1)
    angles = np.sort(np.arctan2(*(points - middle).T[::-1]))
    gaps = np.diff(np.append(angles, angles[0] + 2 * math.pi))
    even = bool(np.abs(radii - radii.mean()).max() <= UNEVEN * radii.mean())
    return even and gaps.max() <= WIDE_GAP * 2 * math.pi / len(points) and 2 * radii.max() <= WIDEST


def _is_triangle(points: np.ndarray) -> bool:
    if len(points) != 3:
        return False
    return min(_angles(points)) >= SLIM and _across(points) <= WIDEST


def _is_square(points: np.ndarray) -> bool:
    if len(points) != 4:
        return False
    middle = points.mean(axis=0)
    around = points[np.argsort(np.arctan2(*(points - middle).T[::-1]))]
    sides = np.linalg.norm(np.roll(around, -1, axis=0) - around, axis=1)
    right = all(abs(angle - math.pi / 2) <= SLIM for angle in _angles(around))
    return right and bool(np.abs(sides - sides.mean()).max() <= UNEVEN * sides.mean()) and _across(points) <= WIDEST


def _angles(points: np.ndarray) -> list[float]:
    """Inner angles (rad) of a polygon."""
    found = []
    for i in range(len(points)):
        a, b = points[i - 1] - points[i], points[(i + 1) % len(points)] - points[i]
        size = float(np.linalg.norm(a) * np.linalg.norm(b))
        found.append(math.acos(float(np.clip(a @ b / size, -1.0, 1.0))) if size > 0.0 else 0.0)
    return found


def _across(points: np.ndarray) -> float:
    return float(max(np.linalg.norm(a - b) for a in points for b in points))
