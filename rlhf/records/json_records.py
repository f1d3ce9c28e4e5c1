"""Frozen dataclasses to JSON and back, exactly, by their annotations."""

from __future__ import annotations

import base64
import math
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, TypeVar

from worlds.errors import check_utf8
from worlds.settings import validated

Record = TypeVar("Record")


def to_json(value: Any) -> Any:
    """``value`` as what ``json.dumps`` takes: dataclasses and mappings as objects, paths as text, bytes as base64.

    Numbers that JSON lacks are written as the text "nan", "inf" or "-inf". Raises TypeError for other kinds of value,
    and UserError for a path that is not in UTF-8.
    """
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_json(getattr(value, field.name)) for field in fields(value) if field.init}
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else str(float(value))
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, Path):
        check_utf8(value)
        return str(value)
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, Mapping):
        return {str(key): to_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_json(item) for item in value]
    raise TypeError(f"a {type(value).__name__} cannot be written as JSON: {value!r}")


def from_json(kind: type[Record], data: Any) -> Record:
    """The dataclass ``kind`` that ``to_json`` wrote as ``data``; fields that it lacks have their defaults.

    Raises:
      BadValue: if a field is unknown, missing or of the wrong kind.
    """
    return validated(kind, data)


def differences(one: Any, other: Any) -> Iterator[tuple[str, Any, Any]]:
    """Dotted name and both values, as JSON, of every setting in which two records of one kind differ, in their order.

    What only one of two mappings has is None in the other.
    """
    yield from _differences(to_json(one), to_json(other), "")


def _differences(one: Any, other: Any, where: str) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(one, dict) and isinstance(other, dict):
        for name in [*one, *(name for name in other if name not in one)]:
            yield from _differences(one.get(name), other.get(name), f"{where}.{name}" if where else name)
    elif one != other:
        yield where, one, other
