"""Shapes of a home in arrays, as compiled code reads them: of all its things, and of walls, floors and ceilings."""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from worlds.household.drawing.furniture import FURNITURE, cupboard, lidded, machine, seat, table, tub
from worlds.household.drawing.looks import LOOK_OF, LOOKS
from worlds.household.drawing.parts import ALL, CLOSED, Paint, Part, box, middle
from worlds.household.drawing.walls import structure
from worlds.household.state.home import Home, State, ThingClass
from worlds.household.state.vocabulary import Property

SHIRTS = ((214, 92, 70), (66, 112, 196))  # of the setter and of the solver
_UNPAINTED = ThingClass("", "", Property(0), (1.0, 1.0, 1.0)).colour


class Model(NamedTuple):
    """Shapes of a home. Those of row i are the ``first[i]``-th to before the ``first[i + 1]``-th.

    Args:
      first: int64 [N+1].
      kind: int32 [G], of :data:`worlds.drawing.kernels.geometry.DRAWN`.
      offset: float64 [G, 3], from the thing's centre, metres; of a person along its gaze, to its left, and up.
      half: float64 [G, 3], half sizes, metres.
      colour: int32 [G], red | green << 8 | blue << 16.
      when: int16 [G], condition in which a shape is drawn; if negative, that in which it is not.
      radius: float64 [N], of a ball around a thing's centre with all its shapes.
      rooms: int64 [rooms], rows.
      doors: int64 [doors], rows.
      walls: int64 [W, 3]: row of the room, axis across, and 1 or -1 for the direction from which it is seen, or 0.
      wall_kind: int32 [W].
      wall_centre: float64 [W, 3], metres.
      wall_half: float64 [W, 3].
      wall_colour: int32 [W].
    """

    first: np.ndarray
    kind: np.ndarray
    offset: np.ndarray
    half: np.ndarray
    colour: np.ndarray
    when: np.ndarray
    radius: np.ndarray
    rooms: np.ndarray
    doors: np.ndarray
    walls: np.ndarray
    wall_kind: np.ndarray
    wall_centre: np.ndarray
    wall_half: np.ndarray
    wall_colour: np.ndarray


@lru_cache(maxsize=1024)
def parts_of(kind: ThingClass) -> tuple[Part, ...]:
    """Return the parts of things of a class; those of an unknown class follow from its properties."""
    if kind.category == "Rooms":
        return ()
    if kind.category == "Doors":
        return _door(kind)
    if kind.name in LOOK_OF:
        return LOOK_OF[kind.name].parts
    make = FURNITURE.get(kind.name, _by_properties)
    return tuple(make(kind))


def _by_properties(kind: ThingClass) -> Sequence[Part]:
    deep, _, high = kind.size
    if Property.CONTAINERS in kind.properties:
        if Property.CAN_OPEN not in kind.properties:
            return tub(kind)
        return lidded(kind) if Property.GRABBABLE in kind.properties or high < 0.5 * deep else cupboard(kind)
    if Property.SITTABLE in kind.properties:
        return seat(kind)
    if kind.category == "Lamps":
        return LOOKS["lamp"].parts
    if Property.HAS_SWITCH in kind.properties:
        return machine(kind)
    if kind.properties & Property.SURFACES and min(kind.size) > 0.3:
        return table(kind)
    return [box()]


def _door(kind: ThingClass) -> tuple[Part, ...]:
    """Return a frame and a sliding door, whose edge is seen when it is open."""
    side = 0.06 / kind.size[1]
    deep = -0.2, 1.2
    return (
        box(deep, (0.0, side), ALL, "f2efe8"),
        box(deep, (1.0 - side, 1.0), ALL, "f2efe8"),
        box(deep, ALL, (0.97, 1.0), "f2efe8"),
        box(middle(0.4), (0.0, 2.4 * side), (0.0, 0.97)),
        box(middle(0.4), ALL, (0.0, 0.97), 1.0, CLOSED),
        box(middle(0.6), (0.15, 0.85), (0.1, 0.45), 0.88, CLOSED),
        box(middle(0.6), (0.15, 0.85), (0.52, 0.9), 0.88, CLOSED),
    )


class _Class(NamedTuple):
    """Parts of a class in arrays; centres and half sizes in shares of a thing's box, the middle is 0."""

    kind: np.ndarray
    centre: np.ndarray
    half: np.ndarray
    colour: np.ndarray
    when: np.ndarray


@lru_cache(maxsize=1024)
def _arrays_of(kind: ThingClass) -> _Class:
    parts = parts_of(kind)
    spans = np.array([part[1:4] for part in parts], np.float64).reshape(-1, 3, 2)
    return _Class(
        np.array([part.shape for part in parts], np.int32),
        spans.mean(axis=2) - 0.5,
        (spans[:, :, 1] - spans[:, :, 0]) / 2,
        np.array([painted(part.paint, _colour_of(kind)) for part in parts], np.int32),
        np.array([part.when for part in parts], np.int16),
    )


def _colour_of(kind: ThingClass) -> tuple[int, int, int]:
    """Return the colour of a class; one that has none gets a colour of its name."""
    if kind.colour != _UNPAINTED:
        return kind.colour
    red, green, blue, _ = zlib.crc32(kind.name.encode()).to_bytes(4, "little")
    return 80 + red // 2, 80 + green // 2, 80 + blue // 2


def painted(paint: Paint, colour: Sequence[int]) -> int:
    """Return RGB, or a share of ``colour``, as a packed colour: red | green << 8 | blue << 16."""
    red, green, blue = (
        bytes.fromhex(paint) if isinstance(paint, str) else (min(255, round(paint * each)) for each in colour)
    )
    return red | green << 8 | blue << 16


def model_of(home: Home, state: State) -> Model:
    """Return the shapes of a home."""
    found = _models.get(id(home))
    if found is None or found[0] is not home:
        if len(_models) >= MOST_MODELS:
            _models.clear()
        found = _models[id(home)] = home, _make(home, state)
    return found[1]


MOST_MODELS = 32
_models: dict[int, tuple[Home, Model]] = {}


def _make(home: Home, state: State) -> Model:
    classes = [_arrays_of(home.classes[number]) for number in home.kind.tolist()]
    counts = np.array([len(each.kind) for each in classes], np.int64)
    row = np.repeat(np.arange(len(home)), counts)
    quarter = np.rint(home.yaw / (math.pi / 2)).astype(np.int64) % 4
    quarter[home.person_rows] = 0
    extent = np.where((quarter % 2 == 1)[:, None], home.size[:, [1, 0, 2]], home.size).astype(np.float64)
    centre = np.concatenate([each.centre for each in classes]) * extent[row]
    half = np.concatenate([each.half for each in classes]) * extent[row]
    kind = np.concatenate([each.kind for each in classes])
    colour = np.concatenate([each.colour for each in classes])
    cos, sin = np.array([1.0, 0.0, -1.0, 0.0])[quarter][row], np.array([0.0, 1.0, 0.0, -1.0])[quarter][row]
    ahead, left, up = centre.T
    offset = np.stack([cos * ahead - sin * left, sin * ahead + cos * left, up], axis=1)
    odd = (quarter % 2 == 1)[row]
    half[odd] = half[odd][:, [1, 0, 2]]
    reach = np.sqrt(((np.abs(offset) + half) ** 2).sum(axis=1))
    radius = np.zeros(len(home))
    np.maximum.at(radius, row, reach)
    cylinders = kind == 5
    half[cylinders, :2] = half[cylinders, :2].min(axis=1, keepdims=True)
    for number, person in enumerate(home.persons):
        shirt = home.classes[int(home.kind[person])].colour
        old = {painted(share, shirt): painted(share, SHIRTS[number]) for share in (1.0, 0.85)}
        for each in np.flatnonzero(row == person):
            colour[each] = old.get(int(colour[each]), colour[each])
    return Model(
        np.concatenate([[0], np.cumsum(counts)]), kind, offset, np.maximum(half, 1e-4), colour,
        np.concatenate([each.when for each in classes]), radius, home.rooms, home.doors, *structure(home, state),
    )  # fmt: skip
