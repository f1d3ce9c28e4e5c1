"""Tables in JSON files beside the code: each entry becomes a value or a frozen dataclass, checked by its annotations.

TOML would have room for comments, but Python reads the kinds of the Playhouse from it in 30 ms, from JSON in 2 ms.
"""

from __future__ import annotations

import json
import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from worlds.errors import UserError

Entry = TypeVar("Entry")
Reader = Callable[[Any], Any]
_NAMES = {int: "no whole number", bool: "neither true nor false", str: "no text"}


class Misfit(ValueError):
    """Data that does not fit its annotation; the message says where and why."""


def read_entries(
    file: Path, kind: type[Entry], own: Mapping[str, Reader] | None = None, named: str = "name"
) -> dict[str, Entry]:
    """Return the entries of a file by their names, in the order of the file.

    Args:
      file: a JSON object of entries.
      kind: annotation of each entry. Entries of a dataclass may leave out fields with defaults.
      own: readers of fields that their annotations do not describe, by name; they raise :class:`Misfit`.
      named: the field, if the dataclass has it, that is the name of the entry.

    Raises:
      UserError: the file is no such object, or an entry does not fit; the line names the file, the entry and the field.
    """
    found = {}
    for name, data in _load(file).items():
        try:
            found[name] = _entry(kind, name, data, own or {}, named) if is_dataclass(kind) else reader_of(kind)(data)
        except (Misfit, TypeError, ValueError) as error:
            raise UserError(f"{file.name}: {name}: {error}") from error
    return found


def _load(file: Path) -> dict[str, Any]:
    try:
        data = json.loads(file.read_text(encoding="utf-8"), object_pairs_hook=_once)
    except ValueError as error:
        raise UserError(f"{file.name}: {error}") from error
    if not isinstance(data, dict):
        raise UserError(f"{file.name}: {data!r:.80} is no JSON object of entries by name")
    return data


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise Misfit(f"{next(name for name in names if names.count(name) > 1)!r} is there twice")
    return found


@cache
def reader_of(hint: Any) -> Reader:
    """Return the function that reads JSON as an annotation says; it raises Misfit for what does not fit."""
    origin, members = get_origin(hint), get_args(hint)
    if hint is Any:
        return lambda data: data
    if hint is float:
        return _number
    if hint in (int, bool, str):
        return partial(_instance, hint)
    if origin is Literal:
        return partial(_one_of, members)
    if origin in (Union, types.UnionType):
        (inner,) = (member for member in members if member is not type(None))
        return reader_of(inner)
    if origin is tuple and members[-1] is not Ellipsis:
        return partial(_fixed, tuple(map(reader_of, members)))
    if origin in (tuple, frozenset):
        return partial(_several, origin, reader_of(members[0]))
    if origin is Mapping:
        return partial(_by_name, reader_of(members[1]))
    return partial(_record, hint)


def _number(data: Any) -> float:
    if isinstance(data, bool) or not isinstance(data, int | float):
        raise Misfit(f"{data!r} is no number")
    return float(data)


def _instance(kind: type, data: Any) -> Any:
    if type(data) is not kind:
        raise Misfit(f"{data!r} is {_NAMES[kind]}")
    return data


def _one_of(known: tuple[Any, ...], data: Any) -> Any:
    if data not in known:
        raise Misfit(f"{data!r} is unknown; known: {', '.join(map(str, known))}")
    return data


def _items(data: Any) -> list[Any]:
    if not isinstance(data, list):
        raise Misfit(f"{data!r} is no list")
    return data


def _fixed(readers: tuple[Reader, ...], data: Any) -> tuple[Any, ...]:
    if len(_items(data)) != len(readers):
        raise Misfit(f"{data!r} has {len(data)} values, not {len(readers)}")
    return tuple(read(item) for read, item in zip(readers, data, strict=True))


def _several(kind: type, read: Reader, data: Any) -> Any:
    return kind(read(item) for item in _items(data))


def _items_by_name(data: Any) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise Misfit(f"{data!r} is no JSON object")
    return data


def _by_name(read: Reader, data: Any) -> dict[str, Any]:
    return {name: read(item) for name, item in _items_by_name(data).items()}


@cache
def _fields(kind: type) -> Mapping[str, tuple[Field[Any], Any]]:
    """The fields of a dataclass and their annotations, by name."""
    hints = get_type_hints(kind)
    return {field.name: (field, hints[field.name]) for field in fields(kind) if field.init}


def _entry(kind: type, name: str, data: Any, own: Mapping[str, Reader], named: str) -> Any:
    if named not in _fields(kind):
        return _record(kind, data, own)
    if isinstance(data, dict) and named in data:
        raise Misfit(f"no field named {named!r}: that is the name of the entry")
    return _record(kind, {named: name, **_items_by_name(data)}, own)


def _record(kind: type, data: Any, own: Mapping[str, Reader] | None = None) -> Any:
    known, values = _fields(kind), {}
    for name, item in _items_by_name(data).items():
        if name not in known:
            raise Misfit(f"no field named {name!r}; known: {', '.join(known)}")
        try:
            values[name] = own[name](item) if own and name in own else reader_of(known[name][1])(item)
        except Misfit as error:
            raise Misfit(f"{name}: {error}") from error
    for name, (field, _) in known.items():
        if name not in values and field.default is MISSING and field.default_factory is MISSING:
            raise Misfit(f"{name} is missing")
    return kind(**values)
