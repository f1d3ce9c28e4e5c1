"""Requests in words for every goal, in varied language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from worlds.contract import UTTERANCE_MAX_CHARS, WorldError
from worlds.household.catalogue.classes import CLASSES
from worlds.household.tasks.goals import Goal
from worlds.household.tasks.language import phrases
from worlds.household.tasks.language.nouns import clear_nouns, counted, listed
from worlds.household.tasks.predicates import Relation, parse
from worlds.household.tasks.sets import SETS

_TRIES = 40  # to find words that are short enough, before the shortest ones are said
_IN = ("in", "in", "inside")
CLASS_NAMES = tuple(each.name for each in CLASSES)


@dataclass
class Clause:
    """A part of a request: things to place, to hold, or a seat to take; "" and {} if there is nothing of the kind."""

    activity: str = ""
    inside: bool = False
    place: str = ""
    things: dict[str, int] = field(default_factory=dict)
    held: dict[str, int] = field(default_factory=dict)
    seat: str = ""


def clauses_of(goal: Goal) -> list[Clause]:
    """Return the clauses of a request for a goal: one for each activity and place; what is held comes last."""
    placed: dict[tuple[str, bool, str], Clause] = {}
    held, seats = [], []
    for text, count in goal.items():
        predicate = parse(text)
        activity = next((name for name, each in SETS.items() if text in each.predicates), "")
        if predicate.relation is Relation.HOLDS:
            held.append(Clause(activity, held={predicate.thing: count}))
        elif predicate.relation is Relation.SIT:
            seats.append(Clause(activity, seat=predicate.place))
        else:
            inside = predicate.relation is Relation.INSIDE
            clause = placed.setdefault(
                (activity, inside, predicate.place), Clause(activity, inside, predicate.place)
            )  # fmt: skip
            clause.things[predicate.thing] = clause.things.get(predicate.thing, 0) + count
    if len(held) == len(seats) == 1:
        reading = next((each for each in placed.values() if each.activity == "read_book"), Clause("read_book"))
        reading.held, reading.seat = held[0].held, seats[0].seat
        others = [each for each in placed.values() if each is not reading]
        return [*others, reading]
    return [*placed.values(), *held, *seats]


def commands_of(clause: Clause) -> Sequence[str]:
    """Return the templates of a clause that are commands."""
    if clause.held and clause.seat:
        return phrases.READING_WITH if clause.things else phrases.READING
    if clause.held:
        return phrases.HOLDING
    if clause.seat:
        return phrases.SITTING
    return (*phrases.COMMANDS, *phrases.COMMANDS_OF.get(clause.activity, ()))


def statements_of(clause: Clause) -> Sequence[str]:
    """Return the templates of a clause that make a whole request without a frame."""
    if clause.held or clause.seat:
        return ()
    return (*phrases.STATEMENTS, *phrases.STATEMENTS_OF.get(clause.activity, ()))


def own_of(clause: Clause) -> Sequence[str]:
    """Return the templates of a clause in which the setter itself reads."""
    if clause.held and clause.seat:
        return phrases.OWN_READING_WITH if clause.things else phrases.OWN_READING
    return ()


def request(
    goal: Goal, rng: np.random.Generator, own: bool = False, classes: tuple[str, ...] = CLASS_NAMES
) -> str:  # fmt: skip
    """Return a request in words.

    :func:`worlds.household.tasks.language.understanding.goal_of` reads it back exactly.
    """
    clauses = clauses_of(goal)
    for _ in range(_TRIES):
        words = _request(clauses, rng, own, classes)
        if len(words) <= UTTERANCE_MAX_CHARS:
            return words
    words = _shortest(clauses, own, classes)
    if len(words) > UTTERANCE_MAX_CHARS:
        raise WorldError(
            f"goal: asking for it takes {len(words)} characters, an utterance has {UTTERANCE_MAX_CHARS}; "
            "leave some of its predicates out"
        )
    return words


def _request(clauses: Sequence[Clause], rng: np.random.Generator, own: bool, classes: tuple[str, ...]) -> str:
    *others, last = clauses
    numeral = bool(rng.random() < 0.3)
    said = [
        _pick(commands_of(clause), rng).format_map(_words(clause, rng, numeral, classes))
        for clause in (others[i] for i in rng.permutation(len(others)))
    ]
    words = _words(last, rng, numeral, classes)
    if own and own_of(last):
        return _joined([*said, _pick(own_of(last), rng).format_map(words)], rng)
    alone = () if others else statements_of(last)
    template = _pick((*commands_of(last), *alone), rng)
    if template in alone:
        return template.format_map(words)
    frame = _pick(phrases.FRAMES, rng)
    return frame.format(clauses=_joined([*said, template.format_map(words)], rng))


def _joined(said: Sequence[str], rng: np.random.Generator) -> str:
    """Return clauses as one text."""
    words = said[0]
    for clause in said[1:]:
        words += _pick(phrases.SEPARATORS, rng) + clause
    return words


def _shortest(clauses: Sequence[Clause], own: bool, classes: tuple[str, ...]) -> str:
    """Return the plainest request."""
    said = []
    for clause in clauses:
        templates = (own and own_of(clause)) or commands_of(clause)
        said.append(min((each.format_map(_words(clause, None, False, classes)) for each in templates), key=len))
    return min(phrases.SEPARATORS, key=len).join(said)


def _words(
    clause: Clause, rng: np.random.Generator | None, numeral: bool, classes: tuple[str, ...]
) -> Mapping[str, str]:  # fmt: skip
    """Return the words for the slots of a clause's template; the shortest ones without ``rng``."""

    def noun(name: str) -> str:
        nouns = clear_nouns(name, classes)
        return _pick(nouns, rng) if rng is not None else min(nouns, key=len)

    def several(counts: Mapping[str, int]) -> str:
        names = list(counts)
        order = names if rng is None else [names[i] for i in rng.permutation(len(names))]
        return listed(counted(noun(name), counts[name], numeral) for name in order) if names else ""

    place = f"the {noun(clause.place)}" if clause.place else ""
    inside = _IN[0] if rng is None else _pick(_IN, rng)
    return {
        "things": several(clause.things),
        "there": f"{inside if clause.inside else 'on'} {place}",
        "place": place,
        "held": several(clause.held),
        "seat": f"the {noun(clause.seat)}" if clause.seat else "",
    }


def _pick(options: Sequence[str], rng: np.random.Generator) -> str:
    return options[int(rng.integers(len(options)))]
