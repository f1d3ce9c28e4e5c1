"""Shapes that entries of the catalogue name: primitives, and what is made of several of them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cache, partial
from math import cos, pi, sin, tan
from typing import Any, get_type_hints

from worlds.playhouse.house.parts import Part, box, capsule, core, cylinder, ellipsoid, hollow, sphere
from worlds.settings import BadValue, validated

_BOOKS = (("screen", 0.30), ("ember", 0.26), ("leaf", 0.32), ("clay", 0.28), ("linen", 0.30), ("brass", 0.25))


def rod(radius: float, length: float, **more: Any) -> Part:
    """An upright rod with round ends, which its length leaves out."""
    return Part("capsule", (radius, length / 2, 0.0), **more)


def ring(radius: float, thickness: float, pieces: int, height: float) -> tuple[Part, ...]:
    """A ring that lies level at a height, of straight rods with round ends."""
    rods = []
    for i in range(pieces):
        angle = 2 * pi * i / pieces
        at = (radius * cos(angle), radius * sin(angle), height)
        half = radius * sin(pi / pieces)
        rods.append(Part("capsule", (thickness, half, 0.0), at, (90.0, 0.0, 360.0 * i / pieces), solid=False))
    return tuple(rods)


def tub(width: float, height: float) -> tuple[Part, ...]:
    """Eight staves around a hidden square container of the same width."""
    middle, stave = width / 2 - 0.015, width * tan(pi / 8)
    staves = []
    for i in range(8):
        at = (middle * cos(pi * i / 4), middle * sin(pi * i / 4), height / 2)
        staves.append(box(0.03, stave, height, at, euler=(0.0, 0.0, 45.0 * i), solid=False))
    bottom = cylinder(middle, 0.02, (0.0, 0.0, 0.026), shade=0.6, solid=False)
    return (*hollow(width, width, height, hidden=True), *staves, bottom)


def wheels(x: float, y: float, radius: float) -> tuple[Part, ...]:
    """Four wheels at (+-x, +-y)."""
    return tuple(
        cylinder(radius, 0.05, (sx * x, sy * y, radius), euler=(90.0, 0.0, 0.0), paint="tyre", solid=False)
        for sx in (-1, 1)
        for sy in (-1, 1)
    )


def legs(x: float, y: float, height: float, width: float = 0.07, **more: Any) -> tuple[Part, ...]:
    """Four square legs at (+-x, +-y)."""
    return tuple(
        box(width, width, height, (sx * x, sy * y, height / 2), shade=0.7, **more) for sx in (-1, 1) for sy in (-1, 1)
    )


def round_legs(x: float, y: float, radius: float, height: float) -> tuple[Part, ...]:
    """Four round legs at (+-x, +-y), for show."""
    return tuple(
        cylinder(radius, height, (sx * x, sy * y, height / 2), shade=0.8, solid=False)
        for sx in (-1, 1)
        for sy in (-1, 1)
    )


def eyes(x: float, y: float, z: float) -> tuple[Part, ...]:
    """Two eyes at (x, +-y, z)."""
    return tuple(sphere(0.013, (x, side * y, z), paint="tyre", solid=False) for side in (-1, 1))


def stem(height: float, x: float = 0.0) -> tuple[Part, ...]:
    """A stalk with a leaf that begins at a height."""
    leaf = (x + 0.05, 0.0, height + 0.015)
    return (
        cylinder(0.012, 0.06, (x, 0.0, height), paint="bark", solid=False),
        ellipsoid(0.10, 0.05, 0.02, leaf, euler=(0.0, -20.0, 0.0), paint="leaf", solid=False),
    )


def pot(radius: float, height: float, paint: str = "main") -> tuple[Part, ...]:
    """A round pot full of soil."""
    return (
        cylinder(0.8 * radius, 0.8 * height, (0.0, 0.0, 0.4 * height), paint=paint, solid=False),
        cylinder(radius, 0.35 * height, (0.0, 0.0, 0.825 * height), paint=paint, solid=False),
        cylinder(0.85 * radius, 0.01, (0.0, 0.0, height), paint="soil", solid=False),
    )


def seat(width: float, depth: float, height: float, arm: float, back: float) -> tuple[Part, ...]:
    """An upholstered seat with a back and two arms; ``width`` is between the arms."""
    outer = width + 2 * arm
    return (
        box(width, depth, height, (0.0, 0.0, height / 2), finish="cloth"),
        box(outer, 0.18, back, (0.0, -depth / 2 - 0.09, back / 2), shade=0.85, finish="cloth"),
        box(arm, depth, height + 0.2, (-width / 2 - arm / 2, 0.0, height / 2 + 0.1), shade=0.75, finish="cloth"),
        box(arm, depth, height + 0.2, (width / 2 + arm / 2, 0.0, height / 2 + 0.1), shade=0.75, finish="cloth"),
    )


def books(z: float, width: float) -> tuple[Part, ...]:
    """Books for show that stand on a board of a width at a height."""
    count = len(_BOOKS)
    return tuple(
        box(0.8 * width / count, 0.24, height, (width * ((i + 0.5) / count - 0.5), 0.0, z + height / 2), paint=paint,
            solid=False)
        for i, (paint, height) in enumerate(_BOOKS)
    )  # fmt: skip


def border(x: float, z: float, width: float, thick: float, middle: float) -> tuple[Part, ...]:
    """A frame of full extents x, z and of a width, around (0, 0, middle)."""
    return (
        *(box(width, thick, z, (side * (x - width) / 2, 0.0, middle), solid=False) for side in (-1, 1)),
        *(box(x, thick, width, (0.0, 0.0, middle + side * (z - width) / 2), solid=False) for side in (-1, 1)),
    )


SHAPES: Mapping[str, Callable[..., Part | tuple[Part, ...]]] = {
    shape.__name__: shape
    for shape in (
        box, sphere, cylinder, ellipsoid, capsule, rod, core, hollow,
        ring, tub, wheels, legs, round_legs, eyes, stem, pot, seat, books, border,
    )
}  # fmt: skip


def parts_of(data: Any) -> tuple[Part, ...]:
    """Return the parts of a list of entries, each of which names a shape.

    Args:
      data: e.g. ``[{"box": [0.2, 0.1, 0.3], "at": [0, 0, 0.15], "paint": "metal"}, {"wheels": [0.1, 0.1, 0.05]}]``: the
        shape with its measures in the order of its parameters, then those of its other parameters, and fields of
        :class:`Part`, that are not as usual.

    Raises:
      BadValue: an entry names no shape, or its values are not those of the shape.
    """
    found: list[Part] = []
    for number, entry in enumerate(data):
        try:
            made = _made(entry)
        except (TypeError, ValueError) as error:
            raise BadValue(f"part {number}, {entry!r}: {error}") from error
        found.extend((made,) if isinstance(made, Part) else made)
    return tuple(found)


def _made(entry: Mapping[str, Any]) -> Part | tuple[Part, ...]:
    named = [name for name in entry if name in SHAPES]
    if len(named) != 1:
        raise BadValue(f"it names {len(named)} shapes, not one; known: {', '.join(SHAPES)}")
    measures, others = _parameters(SHAPES[named[0]])
    given = entry[named[0]]
    if not isinstance(given, list) or len(given) > len(measures):
        raise BadValue(f"{named[0]} is not a list of {', '.join(measures)}")
    unknown = next((name for name in entry if name != named[0] and name not in others), None)
    if unknown is not None:
        raise BadValue(f"{named[0]} has no {unknown!r}; known: {', '.join(others)}")
    values = [read(value) for read, value in zip(measures.values(), given, strict=False)]
    return SHAPES[named[0]](*values, **{name: others[name](v) for name, v in entry.items() if name != named[0]})


@cache
def _parameters(shape: Callable[..., Any]) -> tuple[dict[str, Callable[[Any], Any]], dict[str, Callable[[Any], Any]]]:
    """Readers of a shape's measures, which are its numbers, and of everything else that an entry can give it."""
    hints, parameters = get_type_hints(shape), inspect.signature(shape).parameters
    named = {
        name: partial(validated, hints[name]) for name, each in parameters.items() if each.kind is not each.VAR_KEYWORD
    }
    measures = {name: read for name, read in named.items() if hints[name] in (float, int)}
    fields = get_type_hints(Part) if len(named) < len(parameters) else {}
    more = {name: partial(validated, hint) for name, hint in fields.items() if name not in ("shape", "size")}
    return measures, named | more
