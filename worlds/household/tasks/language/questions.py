"""Questions of a helper who is not sure what its partner wants, and her answers."""

from __future__ import annotations

from worlds.contract import WorldError
from worlds.household.tasks.language.nouns import NUMERALS, counted, number, plural, singulars
from worlds.household.tasks.predicates import Predicate, Relation, parse


def question(text: str) -> str:
    """Return the question how many things a predicate wants.

    Args:
      text: of the predicate, which is about things at a place.

    Raises:
      WorldError: the predicate is about a hand or a seat.
    """
    one = parse(text)
    if one.relation not in (Relation.ON, Relation.INSIDE):
        raise WorldError(f"no question is known about {text!r}: it names no place")
    return f"how many {plural(_noun(one))} do you want {_where(one)}?"


def answer(text: str, count: int) -> str:
    """Return the answer to :func:`question`: e.g. "two plates", "no plates".

    Args:
      text: of the predicate.
      count: of things that are wanted.
    """
    noun = _noun(parse(text))
    return counted(noun, count, numeral=True) if count else f"no {plural(noun)}"


def count_in(said: str) -> int:
    """Return the count that an answer names.

    Raises:
      WorldError: it begins with no number.
    """
    first = said.split()[0] if said.split() else ""
    if first == "no":
        return 0
    if first not in NUMERALS and not first.isdecimal():
        raise WorldError(f"{said!r} is no answer to how many: it begins with no number")
    return number(first)


def _noun(predicate: Predicate) -> str:
    return singulars(predicate.thing)[0]


def _where(predicate: Predicate) -> str:
    place = singulars(predicate.place)[0]
    return f"{'on' if predicate.relation is Relation.ON else 'in'} the {place}"
