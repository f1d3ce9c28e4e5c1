"""A house read from the JSON of its record. What cannot be is refused in one line that names what is wrong."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from typing import Any, TypeVar

from worlds.contract import WorldError
from worlds.playhouse.house.record import FORMAT, FORMAT_2, PLAIN_SUBSTEPS, WHERE_THERE_ARE_ANY, House, layout
from worlds.playhouse.house.rules import check


def read_house(config: Mapping[str, Any]) -> House:
    """Read a house and check that it can be. Raises WorldError for one that cannot."""
    if not isinstance(config, Mapping):
        raise WorldError(f"a house configuration is a JSON object, not {type(config).__name__}")
    read = config.get("format")
    if read not in (FORMAT, FORMAT_2):
        raise WorldError(
            f"house configuration: format is {read!r}, this version reads {FORMAT!r} and {FORMAT_2!r}; "
            "give the configuration a Playhouse wrote"
        )
    rows = {name: _read_list(config, name, *rows) for name, rows in layout(str(read)).items()}
    # The first houses of the second format did not say it.
    substeps = config.get("substeps", PLAIN_SUBSTEPS) if read == FORMAT_2 else PLAIN_SUBSTEPS
    house = House(**rows, format=str(read), substeps=substeps)
    check(house)
    return house


_Record = TypeVar("_Record")


def _read_list(
    config: Mapping[str, Any], name: str, record: type[_Record], names: tuple[str, ...]
) -> tuple[_Record, ...]:
    rows = config.get(name, () if name in WHERE_THERE_ARE_ANY else None)
    if not isinstance(rows, list | tuple):
        raise WorldError(f"house configuration: {name!r} is missing or not a list")
    return tuple(_read(row, f"{name}[{i}]", record, names) for i, row in enumerate(rows))


def _read(row: Any, where: str, record: type[_Record], names: tuple[str, ...]) -> _Record:
    """One record from its JSON object. Raises WorldError naming the field that is missing or of a wrong type."""
    expected = {name: kind for name, kind in _types(record).items() if name in names}
    if not isinstance(row, Mapping):
        raise WorldError(f"house configuration: {where} is not an object with {', '.join(expected)}")
    unknown, missing = set(row) - set(expected), set(expected) - set(row)
    if unknown or missing:
        problem = f"lacks {min(missing)!r}" if missing else f"has the unknown field {min(map(str, unknown))!r}"
        raise WorldError(f"house configuration: {where} {problem}")
    return record(**{field: _value(row[field], kind, f"{where}.{field}") for field, kind in expected.items()})


@cache
def _types(record: type) -> dict[str, str]:
    return {f.name: str(f.type) for f in fields(record)}


def _value(value: Any, kind: str, where: str) -> Any:
    """``value`` as the dataclass field's type; integers are accepted where numbers are asked for."""
    if kind == "str" and isinstance(value, str):
        return value
    if kind == "int" and isinstance(value, int) and not isinstance(value, bool):
        return value
    if kind == "float" and isinstance(value, int | float) and not isinstance(value, bool):
        if math.isfinite(value):
            return float(value)
    elif kind.startswith("tuple") and isinstance(value, list | tuple) and all(isinstance(v, str) for v in value):
        if len(value) == 2:
            return tuple(value)
    raise WorldError(f"house configuration: {where} is {value!r}, not a valid {_PLAIN.get(kind, kind)}")


_PLAIN = {"str": "text", "int": "whole number", "float": "finite number", "tuple[str, str]": "pair of ids"}
