"""Frozen dataclasses to JSON and back, exactly, by their annotations."""

from __future__ import annotations

import base64
import difflib
import enum
import json
import math
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from worlds.errors import check_utf8

Record = TypeVar("Record")
_BEFORE = "before"
_LONGEST = 80  # characters of a value in a message


class BadRecord(ValueError):
    """JSON that is not the record asked for; the message names the field."""


def to_json(value: Any) -> Any:
    """``value`` as what ``json.dumps`` takes: dataclasses and mappings as objects, paths as text, bytes as base64.

    Numbers that JSON lacks are written as the text "nan", "inf" or "-inf". Raises TypeError for other kinds of value,
    and UserError for a path that is not in UTF-8.
    """
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_json(getattr(value, field.name)) for field in fields(value) if field.init}
    if isinstance(value, enum.Enum):
        return value.name
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
    """The dataclass ``kind`` that ``to_json`` wrote as ``data``.

    Raises:
      BadRecord: if a field is unknown, missing or of the wrong kind; fields with a default are no exception.
    """
    return _record(kind, data, "")


def before(value: Any) -> dict[str, Any]:
    """Return the metadata of a field with which records that lack it are read as having ``value``, not its default."""
    return {_BEFORE: value}


def with_new_settings(hint: Any, data: Any) -> Any:
    """``data``, which ``to_json`` wrote of a ``hint``, with the defaults of fields that it lacks, at every depth.

    For records that were written before those fields were there, or while they had other names
    (:func:`earlier_names`). A field whose default changes what is done says what records without it mean by
    :func:`before`. What does not fit is left to :func:`from_json`.
    """
    origin, members = get_origin(hint), get_args(hint)
    if is_dataclass(hint) and isinstance(hint, type) and isinstance(data, dict):
        hints, renamed = get_type_hints(hint), earlier_names(hint)
        data = {renamed.get(name, name): value for name, value in data.items()}
        found = {name: with_new_settings(hints.get(name), value) for name, value in data.items()}
        for field in fields(hint):
            if field.init and field.name not in data:
                if _BEFORE in field.metadata:
                    found[field.name] = to_json(field.metadata[_BEFORE])
                elif field.default is not MISSING:
                    found[field.name] = to_json(field.default)
                elif field.default_factory is not MISSING:
                    found[field.name] = to_json(field.default_factory())
        return found
    if origin in (Union, types.UnionType):
        records = [member for member in members if is_dataclass(member) or get_origin(member) is Mapping]
        return with_new_settings(records[0], data) if len(records) == 1 and data is not None else data
    if origin in (dict, Mapping):
        data = _unpacked(members, data)
        if not isinstance(data, dict):
            return data
        return {key: with_new_settings(members[1], item) for key, item in data.items()}
    if origin in (tuple, list, Sequence) and isinstance(data, list):
        fixed = origin is tuple and members[-1] is not Ellipsis
        hints = members if fixed and len(members) == len(data) else members[:1] * len(data)
        return [with_new_settings(member, item) for member, item in zip(hints, data, strict=True)]
    return data


def earlier_names(kind: type) -> Mapping[str, str]:
    """Names that fields of the dataclass ``kind`` had in earlier versions, each with the name that the field has now.

    A class with such fields lists them in its class variable ``EARLIER_NAMES``.
    """
    return getattr(kind, "EARLIER_NAMES", {})


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


def _record(kind: type, data: Any, where: str) -> Any:
    if not isinstance(data, dict):
        raise BadRecord(f"{where or kind.__name__} is not an object with settings")
    names = [field.name for field in fields(kind) if field.init]
    prefix = f"{where}." if where else ""
    for name in data:
        if name not in names:
            close = difflib.get_close_matches(name, names, n=1)
            raise BadRecord(f"no setting {prefix}{name}" + (f" (did you mean {close[0]}?)" if close else ""))
    for name in names:
        if name not in data:
            raise BadRecord(f"the setting {prefix}{name} is missing")
    hints = get_type_hints(kind)
    values = {name: _value(hints[name], data[name], prefix + name) for name in names}
    try:
        return kind(**values)
    except (ValueError, OverflowError) as error:
        raise BadRecord(f"{where or kind.__name__}: {error}") from error


def _value(hint: Any, data: Any, where: str) -> Any:
    """``data`` as the annotation ``hint`` says. Raises BadRecord if it cannot be that."""
    origin, members = get_origin(hint), get_args(hint)
    if hint is Any or hint is object:
        return data
    if origin in (Union, types.UnionType):
        return _member(members, data, where)
    if origin is Literal:
        return _checked(data in members, data, data, where, f"one of {', '.join(map(str, members))}")
    if origin in (tuple, list, Sequence):
        return _sequence(origin, members, data, where)
    if origin in (dict, Mapping):
        data = _unpacked(members, data)
        _checked(isinstance(data, dict), data, data, where, "an object")
        return {
            _value(members[0], key, where): _value(members[1], item, f"{where}.{key}") for key, item in data.items()
        }
    if origin is not None:  # Annotated[X, ...]
        return _value(members[0], data, where)
    if is_dataclass(hint):
        return _record(hint, data, where)  # type: ignore[arg-type]
    return _scalar(hint, data, where)


def _unpacked(members: tuple[Any, ...], data: Any) -> Any:
    """``data``, which should be a mapping; read from its JSON text where older versions saved open settings as that."""
    if not (isinstance(data, str) and members[1] is Any):
        return data
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return data


def _member(members: tuple[Any, ...], data: Any, where: str) -> Any:
    """The first member of a union that ``data`` can be; None only for null."""
    if data is None and type(None) in members:
        return None
    problem = BadRecord(f"{where} cannot be empty")
    for member in members:
        if member is not type(None):
            try:
                return _value(member, data, where)
            except BadRecord as error:
                problem = error
    raise problem


def _sequence(origin: Any, members: tuple[Any, ...], data: Any, where: str) -> Any:
    _checked(isinstance(data, list), data, data, where, "a list")
    if origin is tuple and members[-1] is not Ellipsis:
        _checked(len(data) == len(members), data, data, where, f"{len(members)} values")
        hints = members
    else:
        hints = members[:1] * len(data)
    items = [
        _value(hint, item, f"{where}[{index}]") for index, (hint, item) in enumerate(zip(hints, data, strict=True))
    ]
    return items if origin is list else tuple(items)


def _scalar(hint: Any, data: Any, where: str) -> Any:
    number = isinstance(data, (int, float)) and not isinstance(data, bool)
    if hint is float:
        _checked(number or data in ("nan", "inf", "-inf"), data, data, where, "a number")
        try:
            return float(data)
        except OverflowError:
            raise BadRecord(f"{where} is a number of more digits than a float can hold") from None
    if hint is int:
        return _checked(number and isinstance(data, int), data, data, where, "a whole number")
    if hint in (bool, str):
        return _checked(isinstance(data, hint), data, data, where, "true or false" if hint is bool else "text")
    if hint is bytes or hint is Path:
        text = _checked(isinstance(data, str), data, data, where, "text")
        try:
            return Path(text) if hint is Path else base64.b64decode(text)
        except ValueError as error:
            raise BadRecord(f"{where} is not base64 ({error})") from None
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return hint[
            _checked(data in list(hint.__members__), data, data, where, f"one of {', '.join(hint.__members__)}")
        ]
    raise TypeError(f"{where}: records cannot hold the annotation {hint!r}")


def _checked(good: bool, value: Any, data: Any, where: str, wanted: str) -> Any:
    if not good:
        shown = repr(data)
        raise BadRecord(f"{where} is {shown if len(shown) <= _LONGEST else f'{shown[:_LONGEST]}…'}, not {wanted}")
    return value
