"""A role in a request: one thing, or so many of several."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Choice:
    """So many of these: "the red ball" is one of one, "two books" two of all books here, "all books" all of them.

    Args:
      among: ids of the things, or of pieces of furniture, that the words fit.
      number: of them that are meant.
    """

    among: tuple[str, ...]
    number: int = 1

    @property
    def is_open(self) -> bool:
        """Whether the words leave open which are meant."""
        return self.number < len(self.among)

    def has(self, fits: Callable[[str], bool]) -> bool:
        """Return True if as many as are meant fit."""
        return sum(map(fits, self.among)) >= self.number

    def to_json(self) -> dict[str, Any]:
        """As in the arguments of a request."""
        return {"among": list(self.among), "number": self.number}

    @classmethod
    def of(cls, arguments: Mapping[str, Any], role: str = "things") -> Choice:
        """Return the choice that arguments of a request have for a role."""
        return cls(tuple(arguments[role]["among"]), arguments[role]["number"])


def one(object_id: str) -> Choice:
    """Return the choice that a name for a single thing makes."""
    return Choice((object_id,))


def whole(among: Sequence[str]) -> Choice:
    """Return the choice of all of them."""
    return Choice(tuple(among), len(among))
