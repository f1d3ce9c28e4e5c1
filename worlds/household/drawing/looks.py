"""Parts of things that look the same at every size: of small things, of persons, and of some furniture."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from pydantic import PlainValidator

from worlds.data_files import read_entries
from worlds.household.drawing.parts import (
    ALWAYS,
    OFF,
    ON,
    OPEN,
    SHUT,
    SITTING,
    STANDING,
    Paint,
    Part,
    Span,
    ball,
    box,
    drum,
    middle,
)
from worlds.settings import BadValue, validated

_SHAPES: Mapping[str, Callable[..., Part]] = {"box": box, "ball": ball, "drum": drum}
_WHEN = {
    "always": ALWAYS, "open": OPEN, "shut": SHUT, "on": ON, "off": OFF, "sitting": SITTING, "standing": STANDING
}  # fmt: skip


def _span(data: Any) -> Span:
    return validated(Span, data) if isinstance(data, list) else middle(validated(float, data))


def _paint(data: Any) -> Paint:
    return data if isinstance(data, str) else validated(float, data)


def _known(table: Mapping[str, Any], name: Any) -> Any:
    if name not in table:
        raise BadValue(f"{name!r} is unknown; known: {', '.join(table)}")
    return table[name]


_FIELDS: Mapping[str, Callable[[Any], Any]] = {
    "shape": partial(_known, _SHAPES),
    "depth": _span,
    "width": _span,
    "height": _span,
    "paint": _paint,
    "when": partial(_known, _WHEN),
}


def _part(entry: dict[str, Any]) -> Part:
    values = {name: _known(_FIELDS, name)(value) for name, value in entry.items()}
    if "shape" not in values:
        raise BadValue("shape is missing")
    return values.pop("shape")(**values)


def _parts(data: list[dict[str, Any]]) -> tuple[Part, ...]:
    found = []
    for number, entry in enumerate(data):
        try:
            found.append(_part(entry))
        except BadValue as error:
            raise BadValue(f"part {number}, {entry!r}: {error}") from error
    return tuple(found)


@dataclass(frozen=True)
class Look:
    """What things of some classes look like.

    Args:
      of: names of the classes.
      parts: parts in shares of a thing's box. In the data, a number in place of a span is the middle share of a side.
    """

    of: tuple[str, ...]
    parts: Annotated[tuple[Part, ...], PlainValidator(_parts)]


LOOKS: Mapping[str, Look] = read_entries(Path(__file__).parent / "data" / "looks.json", Look)
LOOK_OF: Mapping[str, Look] = {name: look for look in LOOKS.values() for name in look.of}
