"""Patterns of finishes, computed once: squares that repeat without a seam.

A pattern has two parts, each SIDE x SIDE numbers from 0 to 1: ``dim``, by which the surface's own colour is multiplied,
and ``mix``, the weight of a second colour. Columns run along the grain, rows across it or upwards.

Recorded play is replayed to the last bit on other machines. So there is nothing here whose last bit depends on a
machine: sums, products, quotients and roots are exact by the IEEE's rules, sines and logarithms are not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SIDE = 256  # texels along the side of a pattern
Field = NDArray[np.float64]
Drawn = tuple[Field, Field]

_ROWS, _COLUMNS = np.mgrid[0:SIDE, 0:SIDE] / SIDE
_NONE = np.zeros((SIDE, SIDE))


@dataclass(frozen=True)
class Pattern:
    """A finish's pattern.

    Args:
      draw: returns its dim and mix.
      size: width and height of the square in metres, before it repeats.
      second: RGB of the second colour, 0 to 255.
      upright: columns run level on upright faces, as bricks do; else along a face's longer side, as grain does.
      lit: shaded as surfaces are; else as bright at any distance and from any side.
    """

    draw: Callable[[], Drawn]
    size: tuple[float, float]
    second: tuple[int, int, int] = (255, 255, 255)
    upright: bool = False
    lit: bool = True


PATTERNS: dict[str, Pattern] = {}


def _pattern(name: str, width: float, height: float, **more: object) -> Callable[[Callable[[], Drawn]], None]:
    def register(draw: Callable[[], Drawn]) -> None:
        PATTERNS[name] = Pattern(draw, (width, height), **more)  # type: ignore[arg-type]

    return register


def _hashed(x: NDArray[np.int64], y: NDArray[np.int64], seed: int) -> Field:
    """Numbers from 0 to 1 without order, the same for the same integers."""
    with np.errstate(over="ignore"):
        h = x.astype(np.uint32) * np.uint32(0x9E3779B1) + y.astype(np.uint32) * np.uint32(0x85EBCA77)
        h += np.uint32((seed * 0xC2B2AE3D) & 0xFFFFFFFF)
        for shift, factor in ((15, 0x2C1B3C6D), (12, 0x297A2D39)):
            h = (h ^ (h >> np.uint32(shift))) * np.uint32(factor)
        h ^= h >> np.uint32(15)
    return h.astype(np.float64) / 0xFFFFFFFF


def noise(across: int, down: int, seed: int) -> Field:
    """Smooth noise of as many cells a side, from 0 to 1."""
    x, y = _COLUMNS * across, _ROWS * down
    left, low = np.floor(x).astype(np.int64), np.floor(y).astype(np.int64)
    a, b = smooth(x - left), smooth(y - low)
    right, high = (left + 1) % across, (low + 1) % down
    lower = _hashed(left, low, seed) * (1 - a) + _hashed(right, low, seed) * a
    upper = _hashed(left, high, seed) * (1 - a) + _hashed(right, high, seed) * a
    return lower * (1 - b) + upper * b


def clouds_of_noise(across: int, down: int, octaves: int, seed: int) -> Field:
    """Noise of several sizes, each twice as fine and half as strong as the one before, from 0 to 1."""
    total = _NONE.copy()
    for i in range(octaves):
        total += noise(across << i, down << i, seed + i) / 2**i
    return total / (2 - 2.0 ** (1 - octaves))


def smooth(x: Field) -> Field:
    """From 0 to 1 as x does, with level ends."""
    x = np.clip(x, 0.0, 1.0)
    return x * x * (3 - 2 * x)


def step(x: Field, at: float, soft: float) -> Field:
    """0 below ``at``, 1 above, within ``soft`` on both sides a smooth way from one to the other."""
    return smooth((x - at + soft) / (2 * soft))


def cells(across: int, down: int, shift: float = 0.0) -> tuple[Field, Field, NDArray[np.int64], NDArray[np.int64]]:
    """Cells in courses, every other one of which is shifted by a part of a cell.

    Returns:
      The place inside the cell, 0 to 1 along and across; and the cell's column and row.
    """
    y = _ROWS * down
    row = np.floor(y).astype(np.int64)
    x = _COLUMNS * across + shift * (row % 2)
    column = np.floor(x).astype(np.int64)
    return x - column, y - row, column % across, row


def seams(along: Field, across: Field, wide: float, high: float, soft: float = 0.6) -> Field:
    """1 in the seams between cells, whose halves take the parts ``wide`` and ``high`` of a cell; else 0."""
    x, y = np.minimum(along, 1 - along), np.minimum(across, 1 - across)
    return 1 - step(x, wide, soft * wide) * step(y, high, soft * high)


@_pattern("wood", 0.80, 0.40)
def _wood() -> Drawn:
    bent = _ROWS * 9 + 1.6 * noise(2, 3, 11) + 0.5 * noise(5, 8, 12)
    rings = np.abs(2 * (bent - np.floor(bent)) - 1)
    fibres = noise(6, 128, 13)
    return 0.80 + 0.13 * rings - 0.10 * fibres * fibres + 0.10 * noise(3, 24, 14), _NONE


@_pattern("planks", 1.60, 0.64)
def _planks() -> Drawn:
    along, across, column, row = cells(2, 4, 0.5)
    tone = _hashed(column + 2 * row, row, 21)
    shifted = np.roll(noise(4, 96, 22), 57, axis=1)
    grain = noise(4, 32, 23)
    bent = across * 3 + 1.2 * noise(2, 8, 24) + 4 * tone
    rings = np.abs(2 * (bent - np.floor(bent)) - 1)
    gap = seams(along, across, 0.004, 0.022)
    body = 0.74 + 0.16 * tone + 0.07 * rings - 0.08 * shifted * shifted + 0.07 * grain
    return body * (1 - 0.55 * gap), _NONE


@_pattern("cloth", 0.20, 0.20)
def _cloth() -> Drawn:
    along, across, column, row = cells(32, 32)
    over = (column + row) % 2 == 0  # the thread along lies over the one across
    arch = np.where(over, 1 - (2 * across - 1) ** 2, 1 - (2 * along - 1) ** 2)
    threads = np.where(over, _hashed(row, row * 0, 31), _hashed(column, column * 0 + 7, 31))
    return 0.80 + 0.10 * arch + 0.05 * threads + 0.05 * noise(8, 8, 32), _NONE


@_pattern("carpet", 0.50, 0.50)
def _carpet() -> Drawn:
    tufts = noise(64, 64, 41)
    return 0.72 + 0.22 * tufts * (0.4 + 0.6 * noise(128, 128, 42)) + 0.10 * clouds_of_noise(4, 4, 3, 43), _NONE


@_pattern("tiles", 0.60, 0.60, second=(206, 203, 196), upright=True)
def _tiles() -> Drawn:
    along, across, column, row = cells(2, 2)
    grout = seams(along, across, 0.016, 0.016)
    bevel = seams(along, across, 0.045, 0.045, 0.9) * (1 - grout)
    body = 0.90 + 0.05 * _hashed(column, row, 51) + 0.05 * clouds_of_noise(4, 4, 3, 52) - 0.07 * bevel
    return body, 0.85 * grout


@_pattern("brick", 0.96, 0.60, second=(201, 194, 182), upright=True)
def _brick() -> Drawn:
    along, across, column, row = cells(4, 8, 0.5)
    mortar = seams(along, across, 0.022, 0.075)
    body = 0.70 + 0.20 * _hashed(column, row, 61) + 0.10 * clouds_of_noise(16, 16, 3, 62)
    return body * (1 - mortar) + (0.92 + 0.08 * noise(64, 64, 63)) * mortar, 0.9 * mortar


@_pattern("plaster", 1.60, 1.60, upright=True)
def _plaster() -> Drawn:
    return 0.93 + 0.045 * clouds_of_noise(3, 3, 4, 71) + 0.025 * noise(128, 128, 72), _NONE


@_pattern("paper", 0.40, 0.40, upright=True)
def _paper() -> Drawn:
    along, across, column, _ = cells(4, 4, 0.5)
    away = np.abs(along - 0.5) + np.abs(across - 0.5)
    motif = (1 - step(away, 0.16, 0.04)) + 0.7 * (1 - step(np.abs(away - 0.30), 0.02, 0.02))
    bands = np.where(column % 2 == 0, 1.0, 0.0)
    return 0.955 + 0.025 * noise(96, 96, 81) - 0.02 * bands, 0.20 * motif


@_pattern("grass", 0.80, 0.80, second=(205, 214, 96))
def _grass() -> Drawn:
    blades = noise(96, 32, 91) * 0.6 + noise(40, 128, 92) * 0.4
    return 0.52 + 0.48 * blades * (0.75 + 0.25 * noise(4, 4, 93)), 0.30 * clouds_of_noise(6, 6, 3, 94) * blades


@_pattern("sky", 2.56, 2.56, second=(250, 252, 255), upright=True, lit=False)
def _sky() -> Drawn:
    haze = 0.45 * (1 - smooth((_ROWS - 0.30) / 0.40)) * step(_ROWS, 0.06, 0.06)
    puffs = clouds_of_noise(3, 5, 4, 101)
    return 1 - _NONE, np.clip(haze + 0.95 * step(puffs, 0.66, 0.09), 0.0, 1.0)


@_pattern("water", 0.80, 0.80, second=(236, 250, 255))
def _water() -> Drawn:
    one, other = clouds_of_noise(5, 5, 2, 111), clouds_of_noise(6, 6, 2, 112)
    lines = 1 - step(np.abs(one - other), 0.035, 0.035)
    return 0.84 + 0.16 * noise(4, 4, 113), 0.50 * lines


@_pattern("leaves", 0.32, 0.32, second=(188, 224, 120))
def _leaves() -> Drawn:
    dim, mix = np.full((SIDE, SIDE), 0.50), _NONE.copy()
    spots = np.arange(90)
    for x, y, turn, tone in zip(*(_hashed(spots, spots * 0 + k, 121) for k in range(4)), strict=True):
        across, down = (_COLUMNS - x + 0.5) % 1 - 0.5, (_ROWS - y + 0.5) % 1 - 0.5
        c = 2 * turn - 1  # the cosine of the leaf's direction
        s = np.sqrt(1 - c * c)
        long, wide = across * c + down * s, down * c - across * s
        inside = (long / 0.115) ** 2 + (wide / 0.048) ** 2
        leaf, vein = inside < 1, np.abs(wide) < 0.005
        dim[leaf] = (0.66 + 0.34 * tone - 0.18 * inside)[leaf]
        mix[leaf] = (0.22 * tone + 0.25 * vein)[leaf]
    return dim, mix


@_pattern("stripes", 0.24, 0.24)
def _stripes() -> Drawn:
    along = 2 * _COLUMNS - np.floor(2 * _COLUMNS)
    light = step(along, 0.25, 0.02) - step(along, 0.75, 0.02)
    return 0.97 - 0.04 * noise(64, 64, 131), 0.62 * light


@_pattern("dots", 0.16, 0.16)
def _dots() -> Drawn:
    along, across, _, _ = cells(2, 2, 0.5)
    away = np.sqrt((along - 0.5) ** 2 + (across - 0.5) ** 2)
    return 1 - _NONE, 0.80 * (1 - step(away, 0.24, 0.03))
