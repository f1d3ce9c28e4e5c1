"""What a request is about: the things that it names, and whether it depends on where its setter is."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cache
from typing import Any

from worlds.contract import SETTER, TaskSpec
from worlds.playhouse.games.registry import games

_WITH_SETTER = ("bring", "hand over", "stand by")  # games in which the solver comes to the setter
_DIRECTIONS = ("left", "right", "front", "behind")


def things_of(arguments: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the ids of everything that arguments of a request name, what it is mainly about first."""
    return tuple(dict.fromkeys(_ids(arguments)))


@cache
def _roles() -> tuple[str, ...]:
    """Arguments that are the id of one thing, of any game."""
    return tuple(dict.fromkeys(role for game in games().values() for role in game.roles.values()))


def _ids(arguments: Mapping[str, Any]) -> Iterator[str]:
    for role in _roles():
        if isinstance(arguments.get(role), str):
            yield arguments[role]
    for value in arguments.values():
        if isinstance(value, Mapping):
            yield from value.get("among", ())
            yield from value.get("anchors", ())
            if isinstance(value.get("arguments"), Mapping):  # a part of a chain
                yield from _ids(value["arguments"])


def main_things(spec: TaskSpec) -> tuple[str, ...]:
    """Return the ids of what is to be handled or gone to, of which a request may leave the choice; () if unclear."""
    things, target = spec.arguments.get("things"), spec.arguments.get("target")
    if isinstance(things, Mapping):
        return tuple(things["among"])
    return (target,) if isinstance(target, str) else ()


def depends_on_setter(spec: TaskSpec) -> bool:
    """Return True if what a request means changes when its setter moves: "bring me", "beside me", "on the left"."""
    return (
        spec.name in _WITH_SETTER
        or SETTER in things_of(spec.arguments)
        or "seen_from" in repr(spec.arguments)
        or any(word in spec.instruction.split() for word in (*_DIRECTIONS, "me"))
    )


def is_about(arguments: Mapping[str, Any], about: Collection[str]) -> bool:
    """Return True if arguments of a request name one of the things ``about``."""
    return not set(about).isdisjoint(things_of(arguments))
