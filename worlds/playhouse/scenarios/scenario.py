"""One scenario: a request in a person's words, the house in which they make sense, and what they ask for.

Houses and meanings are written as noun phrases and places of the house's language, which
:mod:`worlds.playhouse.requests.reading` reads, in files of ``data/``, one for each subject::

    "0": {
      "words": "Add the circular objects into the green bin in play room",
      "check": {
        "game": "put in",
        "things": "the circular objects in the playroom",
        "target": "the green bin in the playroom"
      },
      "house": ["a green bin in the playroom", "2 circular objects on the floor in the playroom"]
    }

A phrase of ``house`` is a wish: "a" and "the" for one thing, a number for so many, a plural without one for two to
four. A phrase of ``check`` is a description that is resolved to ids at the moment of the request: "the" for what is
the only one, "all" for everything that fits, a number for so many of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import PlainValidator

from worlds.data_files import read_entries
from worlds.settings import BadValue, validated

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
    """A request whose fulfilment no program can tell."""

    reason: str


@dataclass(frozen=True)
class CannotBePosed:
    """A request that makes sense in no house that can be."""

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

    number: Annotated[int, PlainValidator(lambda name: _number_of(name))]
    words: str
    check: Annotated[Check, PlainValidator(lambda data: check_of(data))]
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


def read_lines(file: Path) -> tuple[Scenario, ...]:
    """Return the scenarios of a file. Raises UserError, which names the file, the number and the field, for others."""
    return tuple(read_entries(file, Scenario, named="number").values())


def _number_of(name: str) -> int:
    if not name.isdecimal():
        raise BadValue(f"{name!r} is no whole number")
    return int(name)


def check_of(data: Any) -> Check:
    """Return what is asked for.

    Args:
      data: ``{"game": ..., ROLE: PHRASE, ...}``, where a role of the game "do then" is such an object itself;
        ``{"for judges": REASON}``; or ``{"cannot be posed": REASON}``.

    Raises:
      BadValue: it is nothing of that.
    """
    if isinstance(data, dict):
        if "game" in data:
            return Asks(**{name: _role_of(value) for name, value in data.items()})
        for name, reason in data.items():
            if name in _REASONS and len(data) == 1:
                return _REASONS[name](validated(str, reason))
    raise BadValue(f"{data!r} has no game, and is neither for judges, nor cannot be posed")


def _role_of(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(value)
    return check_of(value) if isinstance(value, dict) and "game" in value else value


_REASONS = {"for judges": ForJudges, "cannot be posed": CannotBePosed}
