"""Spaces as JSON, as datasets, agents and recordings keep them."""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, TypeVar

from worlds.spaces.action import ActionSpec, Continuous, Discrete, FreeText, Grammar, InvalidSpace, Pointer
from worlds.spaces.observation import Category, Entities, Grid, Image, ObservationSpec, PlayerSpec, Vector

Spec = TypeVar("Spec", PlayerSpec, ActionSpec)

# Of those that may stand at the same place; the others are known by their place.
_KINDS: dict[str, type] = {
    "discrete": Discrete, "pointer": Pointer, "continuous": Continuous, "free text": FreeText, "grammar": Grammar,
}  # fmt: skip
_NAMES = {kind: name for name, kind in _KINDS.items()}
_RECORDS = (*_KINDS.values(), ActionSpec, Category, Entities, Grid, Image, ObservationSpec, PlayerSpec, Vector)


def to_json(spec: Any) -> Any:
    """Return ``spec``, a :class:`PlayerSpec` or a part of one, as JSON values, without those that are defaults."""
    if isinstance(spec, (tuple, list)):
        return [to_json(each) for each in spec]
    if not is_dataclass(spec):
        return spec
    kind = {"kind": _NAMES[type(spec)]} if type(spec) in _NAMES else {}
    values = {
        field.name: getattr(spec, field.name) for field in fields(spec) if getattr(spec, field.name) != field.default
    }
    return kind | {name: to_json(value) for name, value in values.items()}


def from_json(said: Any, kind: type[Spec] = PlayerSpec, where: str = "spaces") -> Spec:
    """Return the spaces that JSON values from :func:`to_json` describe. Raises InvalidSpace, naming the place of a
    fault.
    """
    return _record(kind, said, where)


def _record(kind: type, said: Any, where: str) -> Any:
    if not isinstance(said, Mapping):
        raise InvalidSpace(f"{where} is {_quoted(said)}, not an object")
    known = {field.name: field for field in fields(kind)}
    unknown = next((name for name in said if name not in known and name != "kind"), None)
    if unknown is not None:
        raise InvalidSpace(f"{where} has an unknown key {_quoted(unknown)}; known: {', '.join(known)}")
    lacking = next((name for name, field in known.items() if field.default is MISSING and name not in said), None)
    if lacking is not None:
        raise InvalidSpace(f"{where} has no {lacking}")
    types_ = typing.get_type_hints(kind)
    return kind(**{name: _value(types_[name], said[name], f"{where}.{name}") for name in known if name in said})


def _value(wanted: Any, said: Any, where: str) -> Any:
    """Return ``said`` as the type ``wanted``. Raises InvalidSpace where it is of another."""
    choices = typing.get_args(wanted) if isinstance(wanted, types.UnionType) else (wanted,)
    if said is None and type(None) in choices:
        return None
    records = [choice for choice in choices if choice in _RECORDS]
    if len(records) == 1:
        return _record(records[0], said, where)
    if records:
        name = said.get("kind") if isinstance(said, Mapping) else None
        kind = _KINDS.get(name) if isinstance(name, str) else None
        if kind is None or kind not in records:
            raise InvalidSpace(
                f"{where} is of kind {_quoted(name)}; known: {', '.join(_NAMES[one] for one in records)}"
            )
        return _record(kind, said, where)
    if typing.get_origin(wanted) is tuple:
        if not isinstance(said, list):
            raise InvalidSpace(f"{where} is {_quoted(said)}, not a list")
        return tuple(_value(typing.get_args(wanted)[0], each, f"{where}[{i}]") for i, each in enumerate(said))
    return _plain(wanted, said, where)


def _plain(wanted: Any, said: Any, where: str) -> Any:
    if wanted is float and isinstance(said, int) and not isinstance(said, bool):
        return float(said)
    if not isinstance(said, wanted) or (wanted is int and isinstance(said, bool)):
        raise InvalidSpace(f"{where} is {_quoted(said)}, not {_WORDS[wanted]}")
    return said


_WORDS: dict[type, str] = {int: "a whole number", float: "a number", str: "text", bool: "true or false"}


def _quoted(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:57]}..."
