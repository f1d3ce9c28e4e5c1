"""One scenario: a request in a person's words, the house in which they make sense, and what they ask for.

Houses and meanings are written as noun phrases and places of the house's language, which
:mod:`worlds.playhouse.requests.reading` reads::

    Scenario(
        0,
        "Add the circular objects into the green bin in play room",
        house=("a green bin in the playroom", "2 circular objects on the floor in the playroom"),
        check=Asks("put in", things="the circular objects in the playroom", target="the green bin in the playroom"),
    )

A phrase of ``house`` is a wish: "a" and "the" for one thing, a number for so many, a plural without one for two to
four. A phrase of ``check`` is a description that is resolved to ids at the moment of the request: "the" for what is
the only one, "all" for everything that fits, a number for so many of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

Kind = Literal["instruction", "question"]
TOWER = "build"  # the language game of towers


@dataclass(frozen=True)
class Asks:
    """What a request asks for: a success check by name, and what its roles are filled with.

    Args:
      game: name of a language game, or of a check of :mod:`worlds.playhouse.scenarios.checks`.
      roles: by name, phrases to be resolved; what is no phrase is an argument as it stands.
    """

    game: str
    roles: Mapping[str, Any]

    def __init__(self, game: str, **roles: Any) -> None:
        object.__setattr__(self, "game", game)
        object.__setattr__(self, "roles", MappingProxyType(roles))


@dataclass(frozen=True)
class ForJudges:
    """A request whose fulfilment no program can tell.

    Args:
      reason: why, for the table.
    """

    reason: str


@dataclass(frozen=True)
class CannotBePosed:
    """A request that makes sense in no house that can be.

    Args:
      reason: what is missing.
    """

    reason: str


Check = Asks | ForJudges | CannotBePosed


@dataclass(frozen=True)
class Scenario:
    """A line of the appendix.

    Args:
      number: of the line.
      words: verbatim.
      check: what is asked for.
      house: wishes for the house.
      kind: of the request.
      room: type of the room in which the setter asks; empty for that of the first wish that names one.
      setter: place at which the setter stands when asking, e.g. "near the chest"; empty for anywhere in ``room``.
      faces: description of what the setter looks at then; empty for anything.
      solver: type of the room in which the solver begins; empty for any of those of the house.
    """

    number: int
    words: str
    check: Check
    house: tuple[str, ...] = ()
    kind: Kind = "instruction"
    room: str = ""
    setter: str = ""
    faces: str = ""
    solver: str = ""

    @property
    def can_be_posed(self) -> bool:
        """Whether there are houses for it."""
        return not isinstance(self.check, CannotBePosed)

    @property
    def is_checked(self) -> bool:
        """Whether a program can tell its success."""
        return isinstance(self.check, Asks)


def question(number: int, words: str, check: Check, house: tuple[str, ...] = (), **more: Any) -> Scenario:
    """Return a scenario that asks for an answer."""
    return Scenario(number, words, check, house, kind="question", **more)


def arranged(shape: str, *groups: str, **more: Any) -> Asks:
    """Return the wish that so many things of each group form a row, triangle, square or circle.

    Args:
      shape: as in :mod:`worlds.playhouse.games.arrangements`.
      groups: phrases with numbers.
      more: ``by_size``, from small to large along a row; and what the game does not know: ``floor``, ``likeness``,
        ``target`` and ``place``, see :class:`worlds.playhouse.scenarios.checks.arranging.Formation`.
    """
    if len(groups) == 1 and set(more) <= {"by_size"}:
        return Asks("arrange", things=groups[0], shape=shape, **more)
    return Asks("scenario: arrange", shape=shape, groups=groups, **more)


def tower(*groups: str, **likeness: str) -> Asks:
    """Return the wish for a tower of so many things of each group, e.g. with ``colour="different"``."""
    if len(groups) == 1 and not likeness:
        return Asks(TOWER, things=groups[0])
    if len(groups) == 1 and list(likeness.values()) == ["different"]:
        return Asks(TOWER, things=groups[0], different=next(iter(likeness)))
    return Asks("scenario: tower", groups=groups, likeness=likeness)


def in_turn(first: Asks, second: Asks) -> Asks:
    """Return the wish for one thing and then another."""
    return Asks("do then", first=first, second=second)
