"""Requests read back as goals: exactly what :mod:`worlds.household.tasks.language.asking` says, and words like it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from worlds.contract import WorldError
from worlds.household.state.home import Home
from worlds.household.tasks.goals import check_home, parse_goal
from worlds.household.tasks.language.asking import CLASS_NAMES
from worlds.household.tasks.language.nouns import NUMERALS, names_of, number
from worlds.household.tasks.language.phrases import FILLED, SET_TABLE, VERBS_OF_HOLDING, VERBS_OF_SITTING
from worlds.household.tasks.predicates import CHARACTER, Predicate, Relation

_CLAUSES = re.compile(r"[;.]|\bthen\b|\balso\b")
_OWN = re.compile(r"\b(?:i (?:want to|would like to|am going to|feel like)|while i|let me) (?:sit|read)")
_HELD = "\N{SECTION SIGN}"  # marks where something was said about what is held: "read a book" on the sofa


class _Things(NamedTuple):
    """Things that a request names: their class, and how many."""

    name: str
    number: int


class _Place(NamedTuple):
    """A place that a request names: its class, and how things are to be there."""

    relation: Relation
    name: str


@dataclass(frozen=True)
class _Patterns:
    """Regular expressions for what requests name, for some classes."""

    held: re.Pattern[str]
    seat: re.Pattern[str]
    named: re.Pattern[str]  # places, filled places, the table that is set, and counted things, in their order


def _any(words: Iterable[str]) -> str:
    """Return a pattern for any of these words, the longest one that fits."""
    return "(?:" + "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True)) + ")"


@lru_cache(maxsize=64)
def _patterns(classes: tuple[str, ...]) -> _Patterns:
    noun = _any(names_of(classes))
    count = rf"({_any(['a', 'an', *NUMERALS[1:]])}|[1-9]\d?)"
    things = rf"{count} ({noun})"
    verbs = _any(VERBS_OF_HOLDING)
    return _Patterns(
        held=re.compile(rf"\b{verbs} {things}\b"),
        seat=re.compile(rf"(?:\b{_any(VERBS_OF_SITTING)}|{_HELD}) (?:on|in) the ({noun})\b"),
        named=re.compile(
            rf"\b(?P<preposition>on|onto|in|inside|into) the (?P<place>{noun})\b"
            rf"|\b{_any(FILLED)} the (?P<filled>{noun}) with\b"
            rf"|\b(?P<table>{_any(SET_TABLE)})(?: for dinner)? with\b"
            rf"|\b(?P<count>{count}) (?P<thing>{noun})\b"
        ),
    )


def goal_of(words: str, classes: tuple[str, ...] = CLASS_NAMES) -> dict[str, int] | None:
    """Return the goal that a request asks for; None if it is no request that is understood."""
    patterns, names = _patterns(classes), names_of(classes)
    goal: dict[str, int] = {}
    for clause in _CLAUSES.split(" ".join(words.lower().split())):
        found = _read_clause(clause, patterns, names)
        if found is None:
            return None
        for predicate, count in found:
            goal[predicate.text] = goal.get(predicate.text, 0) + count
    return goal or None


def goal_in(words: str, home: Home) -> dict[str, int] | None:
    """Return the goal that a request asks for in a home; None if it is not understood or cannot be there."""
    goal = goal_of(words, tuple(each.name for each in home.classes))
    if goal is None:
        return None
    try:
        goal = parse_goal(goal, home.classes)
        check_home(goal, home)
    except WorldError:
        return None
    return goal


def is_own(words: str) -> bool:
    """Return True if the words say that whoever asks is to hold and sit, as in "I want to read a book on the sofa"."""
    return _OWN.search(" ".join(words.lower().split())) is not None


def _read_clause(
    clause: str, patterns: _Patterns, names: Mapping[str, str]
) -> list[tuple[Predicate, int]] | None:  # fmt: skip
    """Return the predicates of a clause with their counts; None for things without a place, or a place without."""
    found: list[tuple[Predicate, int]] = []
    for count, thing in patterns.held.findall(clause):
        found.append((Predicate(Relation.HOLDS, names[thing], CHARACTER), number(count)))
    clause = patterns.held.sub(_HELD, clause)
    for seat in patterns.seat.findall(clause):
        found.append((Predicate(Relation.SIT, CHARACTER, names[seat]), 1))
    clause = patterns.seat.sub("", clause)
    named = [_read(match, names) for match in patterns.named.finditer(clause)]
    placed = _placed(named)
    return None if placed is None else found + placed


def _read(match: re.Match[str], names: Mapping[str, str]) -> _Things | _Place:
    if match["thing"]:
        return _Things(names[match["thing"]], number(match["count"]))
    if match["table"]:
        return _Place(Relation.ON, "kitchentable")
    if match["filled"]:
        return _Place(Relation.INSIDE, names[match["filled"]])
    relation = Relation.ON if match["preposition"].startswith("on") else Relation.INSIDE
    return _Place(relation, names[match["place"]])


def _placed(named: list[_Things | _Place]) -> list[tuple[Predicate, int]] | None:
    """Give things their places: the next one if the clause begins with a thing, otherwise the last one."""
    if named and isinstance(named[0], _Things):
        named = named[::-1]
    placed: list[tuple[Predicate, int]] = []
    place, is_empty = None, False
    for each in named:
        if isinstance(each, _Place):
            if is_empty:
                return None
            place, is_empty = each, True
        elif place is None:
            return None
        else:
            placed.append((Predicate(place.relation, each.name, place.name), each.number))
            is_empty = False
    return None if is_empty else placed
