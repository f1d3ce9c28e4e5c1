"""Predicates of goals, as texts: what is to be where, by class of thing (Puig et al., 2021, Section 3)."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

from worlds.contract import WorldError

CHARACTER = "character"  # class of the persons
FORMS = "on_THING_PLACE, inside_THING_PLACE, holds_THING_character, sit_SEAT"


class Relation(IntEnum):
    """What a predicate asks for."""

    ON = 0
    INSIDE = 1
    HOLDS = 2  # a person has it in a hand
    SIT = 3  # a person sits there


@dataclass(frozen=True)
class Predicate:
    """A predicate of a goal. Its place is a class: any thing of it will do."""

    relation: Relation
    thing: str
    place: str

    @property
    def text(self) -> str:
        """The predicate as goals name it, e.g. "on_plate_kitchentable"."""
        if self.relation is Relation.SIT:
            return f"sit_{self.place}"
        return f"{self.relation.name.lower()}_{self.thing}_{self.place}"


_FORM = re.compile(r"(on|inside|holds|sit)_(.+)")


@lru_cache(maxsize=1024)
def parse(text: str) -> Predicate:
    """Return the predicate of a text.

    The person may be a number, as in the reference's texts "sit_1_sofa" and "holds_book_1": who it is follows from
    whose goal it is.
    """
    found = _FORM.fullmatch(text)
    relation, rest = (Relation[found[1].upper()], found[2].split("_")) if found else (None, [])
    if relation is Relation.SIT:
        person = rest.pop(0) if len(rest) > 1 else CHARACTER
        rest = [person, *rest]
    if relation is None or len(rest) != 2 or not all(rest):
        raise WorldError(f"goal: {text!r} is no predicate; known forms: {FORMS}")
    if relation is Relation.SIT:
        rest[0] = _person(text, rest[0])
    elif relation is Relation.HOLDS:
        rest[1] = _person(text, rest[1])
    return Predicate(relation, *rest)


def _person(text: str, word: str) -> str:
    if word != CHARACTER and not word.isdigit():
        raise WorldError(f"goal: {text!r} names {word!r} where a person belongs; write {CHARACTER!r}")
    return CHARACTER


def texts(relation: Relation, things: Collection[str], place: str) -> tuple[str, ...]:
    """Return the predicates of several things at one place, as texts."""
    return tuple(Predicate(relation, thing, place).text for thing in things)
