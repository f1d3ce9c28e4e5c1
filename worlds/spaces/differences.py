"""Differences between the spaces that an agent was made for and those of a world or a dataset, by name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any


def differences(wanted: Any, found: Any, names: tuple[str, str] = ("the agent", "the world")) -> list[str]:
    """Return all differences of two specs in words, e.g. "observation.image.height: the agent has 36, the world 72"."""
    return [
        f"{where.lstrip('.')}: {names[0]} has {mine}, {names[1]} {other}"
        for where, mine, other in _walk("", wanted, found)
    ]


def _walk(where: str, mine: Any, other: Any) -> Iterator[tuple[str, str, str]]:
    if mine == other:
        return
    if type(mine) is type(other) and is_dataclass(mine):
        for field in fields(mine):
            yield from _walk(f"{where}.{field.name}", getattr(mine, field.name), getattr(other, field.name))
    elif isinstance(mine, tuple) and isinstance(other, tuple) and len(mine) == len(other):
        for number, (one, two) in enumerate(zip(mine, other, strict=True)):
            yield from _walk(f"{where}[{number}]", one, two)
    else:
        yield where, _short(mine), _short(other)


def _short(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, tuple):
        return f"{len(value)} ({', '.join(_short(each) for each in value[:8])}{', ...' if len(value) > 8 else ''})"
    if is_dataclass(value):
        name = getattr(value, "name", None)
        return f"{name} ({type(value).__name__.lower()})" if name else type(value).__name__.lower()
    return repr(value)
