"""Pictures of things on tiles, in shapes of MiniGrid's."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from minigrid.utils.rendering import (
    fill_coords,
    point_in_circle,
    point_in_line,
    point_in_rect,
    point_in_triangle,
    rotate_fn,
)

from worlds.school.grid.codes import ANTAGONISTIC, NONE, RGB, TOGGLE

_BLACK = np.zeros(3)
_LEAF, _STALK = np.array([0, 150, 40]), np.array([120, 70, 40])
_SKIN = np.array([250, 224, 190])


def paint(img: np.ndarray, thing: Any) -> None:
    """Draw a thing of ``worlds.school`` on a tile, uint8 [side, side, 3]."""
    _PAINTERS[thing.type](img, thing, RGB[thing.color].astype(float))


def _rect(img: np.ndarray, left: float, right: float, top: float, bottom: float, colour: np.ndarray) -> None:
    fill_coords(img, point_in_rect(left, right, top, bottom), colour)


def _disc(img: np.ndarray, x: float, y: float, radius: float, colour: np.ndarray) -> None:
    fill_coords(img, point_in_circle(x, y, radius), colour)


def _wall(img: np.ndarray, thing: Any, colour: np.ndarray) -> None:
    _rect(img, 0, 1, 0, 1, colour)


def _fence(img: np.ndarray, thing: Any, colour: np.ndarray) -> None:
    wood = 0.6 * colour + 70
    for y in (0.42, 0.72):
        _rect(img, 0.0, 1.0, y, y + 0.08, wood)
    for x in (0.12, 0.42, 0.72):
        _rect(img, x, x + 0.16, 0.3, 0.92, wood)
        fill_coords(img, point_in_triangle((x, 0.3), (x + 0.16, 0.3), (x + 0.08, 0.14)), wood)


def _door(img: np.ndarray, thing: Any, colour: np.ndarray) -> None:
    if thing.is_open:
        _rect(img, 0.0, 0.12, 0.0, 1.0, colour)
        return
    _rect(img, 0.0, 1.0, 0.0, 1.0, colour)
    _rect(img, 0.06, 0.94, 0.06, 0.94, 0.45 * colour)
    if thing.type == "door":
        _disc(img, 0.78, 0.5, 0.08, colour)
    else:  # a beam of the lever's signal
        for radius in (0.34, 0.22, 0.1):
            _disc(img, 0.5, 0.5, radius, colour)
            _disc(img, 0.5, 0.5, radius - 0.05, 0.45 * colour)


def _switch(img: np.ndarray, thing: Any, colour: np.ndarray) -> None:
    _rect(img, 0.18, 0.82, 0.08, 0.92, colour)
    _rect(img, 0.26, 0.74, 0.16, 0.84, _BLACK)
    top = 0.2 if thing.is_on and thing.light else 0.52
    _rect(img, 0.34, 0.66, top, top + 0.28, colour)


def _box(img: np.ndarray, thing: Any, colour: np.ndarray) -> None:
    _rect(img, 0.1, 0.9, 0.2, 0.9, colour)
    _rect(img, 0.16, 0.84, 0.46, 0.84, 0.45 * colour if thing.is_locked else _BLACK)
    _rect(img, 0.44, 0.56, 0.38, 0.58, colour)
    if thing.is_locked:
        _disc(img, 0.5, 0.66, 0.08, colour)


def _apple_at(img: np.ndarray, x: float, y: float, radius: float, colour: np.ndarray) -> None:
    _disc(img, x - 0.45 * radius, y, 0.72 * radius, colour)
    _disc(img, x + 0.45 * radius, y, 0.72 * radius, colour)
    _disc(img, x, y + 0.35 * radius, 0.72 * radius, colour)
    fill_coords(img, point_in_line(x, y - 0.4 * radius, x + 0.1 * radius, y - 1.2 * radius, 0.1 * radius), _STALK)
    leaf = point_in_triangle(
        (x + 0.1 * radius, y - 0.9 * radius),
        (x + 0.9 * radius, y - 1.3 * radius),
        (x + 0.6 * radius, y - 0.7 * radius),
    )
    fill_coords(img, leaf, _LEAF)


def _apple(img: np.ndarray, thing: Any, colour: np.ndarray) -> None:
    _apple_at(img, 0.5, 0.56, 0.32, colour)
    if thing.eaten:  # bites
        _disc(img, 0.84, 0.6, 0.16, _BLACK)
        _disc(img, 0.16, 0.6, 0.16, _BLACK)


def _generator(img: np.ndarray, thing: Any, colour: np.ndarray) -> None:
    for size, fill in ((0.42, colour), (0.38, _BLACK), (0.34, colour), (0.3, _BLACK)):
        if thing.by_marble:
            _disc(img, 0.5, 0.5, size, fill)
        else:
            _rect(img, 0.5 - size, 0.5 + size, 0.5 - size, 0.5 + size, fill)
    _apple_at(img, 0.5, 0.54, 0.16, RGB["red"].astype(float))


def _platform(img: np.ndarray, thing: Any, colour: np.ndarray) -> None:
    for radius, fill in ((0.3, colour), (0.25, _BLACK), (0.2, colour), (0.15, _BLACK)):
        _disc(img, 0.5, 0.5, radius, fill)


def _marble(img: np.ndarray, thing: Any, colour: np.ndarray) -> None:
    _disc(img, 0.5, 0.5, 0.24, colour)
    _disc(img, 0.58, 0.42, 0.06, np.full(3, 255.0))


def _tee(img: np.ndarray, thing: Any, colour: np.ndarray) -> None:
    _rect(img, 0.25, 0.75, 0.5, 0.58, colour)
    _rect(img, 0.44, 0.56, 0.5, 0.86, colour)


def _lever(img: np.ndarray, thing: Any, colour: np.ndarray) -> None:
    _rect(img, 0.18, 0.82, 0.76, 0.86, colour)
    _disc(img, 0.5, 0.74, 0.14, colour)
    angle = math.pi * (0.75 if thing.is_on else 0.25)
    end = 0.5 - 0.48 * math.cos(angle), 0.74 - 0.48 * math.sin(angle)
    fill_coords(img, point_in_line(0.5, 0.74, *end, 0.05), colour)
    _disc(img, *end, 0.09, colour)


def _peer(img: np.ndarray, thing: Any, colour: np.ndarray) -> None:
    """Draw a head seen from above with a nose where it looks, and a hand where it points."""
    turn = 0.5 * math.pi * thing.direction
    _disc(img, 0.5, 0.5, 0.36, colour)
    _disc(img, 0.5, 0.5, 0.27, _SKIN)
    nose = point_in_triangle((0.76, 0.4), (0.76, 0.6), (0.98, 0.5))
    fill_coords(img, rotate_fn(nose, cx=0.5, cy=0.5, theta=turn), colour)
    for y in (0.4, 0.6):
        fill_coords(img, rotate_fn(point_in_circle(0.62, y, 0.06), cx=0.5, cy=0.5, theta=turn), _BLACK)
    if thing.kind == ANTAGONISTIC:
        for y in (0.32, 0.68):
            brow = point_in_line(0.7, y, 0.62, 0.5, 0.035)
            fill_coords(img, rotate_fn(brow, cx=0.5, cy=0.5, theta=turn), colour)
    if thing.pointing != NONE:
        theta = 0.5 * math.pi * thing.pointing
        hand = point_in_triangle((0.72, 0.08), (0.72, 0.3), (1.0, 0.19))
        fill_coords(img, rotate_fn(hand, cx=0.5, cy=0.5, theta=theta), np.full(3, 255.0))
    if thing.last_act == TOGGLE:
        fill_coords(img, rotate_fn(point_in_circle(0.9, 0.82, 0.09), cx=0.5, cy=0.5, theta=turn), np.full(3, 255.0))


_PAINTERS: dict[str, Callable[[np.ndarray, Any, np.ndarray], None]] = {
    "wall": _wall,
    "fence": _fence,
    "door": _door,
    "remotedoor": _door,
    "switch": _switch,
    "lockablebox": _box,
    "apple": _apple,
    "applegenerator": _generator,
    "generatorplatform": _platform,
    "marble": _marble,
    "marbletee": _tee,
    "lever": _lever,
    "npc": _peer,
}
