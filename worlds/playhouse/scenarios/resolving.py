"""What a scenario asks for, in the house at hand: phrases become ids, places and true answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from worlds.playhouse.games import nouns
from worlds.playhouse.games.choices import Choice
from worlds.playhouse.games.questions.naming import ids, rooms_to_look_at
from worlds.playhouse.games.registry import Arguments
from worlds.playhouse.games.situation import Situation
from worlds.playhouse.games.whereabouts import read_where
from worlds.playhouse.requests.answers import DIFFERENT, LARGER, NO, SAME, SMALLER, YES
from worlds.playhouse.requests.descriptions import clear_or_possible, referents
from worlds.playhouse.requests.facts import Entity
from worlds.playhouse.requests.lexicon import similar_colours
from worlds.playhouse.requests.relations import LARGER as LARGER_BY
from worlds.playhouse.requests.relations import SAME_SIZE, volume
from worlds.playhouse.scenarios.houses.wishes import read_phrase
from worlds.playhouse.scenarios.scenario import TOWER, Asks

ENOUGH = 3  # names that are enough where many things could be named


def resolve(asks: Asks, situation: Situation) -> Arguments | None:
    """Return the arguments that what is asked for has in a situation; None where its words mean nothing, or several."""
    if asks.game in _QUESTIONS:
        return _QUESTIONS[asks.game](asks.roles, situation)
    arguments: Arguments = {}
    for role, phrase in asks.roles.items():
        found = _ROLES[role](phrase, situation) if role in _ROLES else phrase
        if found is None:
            return None
        arguments[role] = found
    if asks.game == TOWER:
        arguments["height"] = arguments["things"]["number"]
    return _apart(arguments)


def _apart(arguments: Arguments) -> Arguments | None:
    """Arguments whose things are not what they are to be put on, in or at."""
    if "things" not in arguments or "target" not in arguments:
        return arguments
    things, target = Choice.of(arguments), Choice.of(arguments, "target")
    if things == target:
        return arguments  # "hit the book using another book"
    among = tuple(i for i in things.among if i not in target.among)
    number = things.number if things.is_open else len(among)
    return arguments | {"things": Choice(among, number).to_json()} if 0 < number <= len(among) else None


# -- roles ------------------------------------------------------------------------------------------------------------


def _things(phrase: str, situation: Situation) -> dict[str, Any] | None:
    choice = _choice(phrase, situation)
    return choice.to_json() if choice is not None and set(choice.among) <= set(situation.positions) else None


def _groups(phrases: Sequence[str], situation: Situation) -> list[dict[str, Any]] | None:
    found = [_things(phrase, situation) for phrase in phrases]
    return [group for group in found if group is not None] if all(found) else None


def _target(phrase: str, situation: Situation) -> dict[str, Any] | None:
    choice = _choice(phrase, situation)
    return None if choice is None else choice.to_json()


def _choice(phrase: str, situation: Situation) -> Choice | None:
    """What a phrase means; "the" has to mean one thing only, or its plural two at least."""
    description = read_phrase(phrase)
    found = [e for e in clear_or_possible(description, situation.facts) if e.what in ("object", "furniture")]
    number = nouns.number_meant(description, len(found))
    definite = description.quantifier == "the" and not description.plural
    if not found or number > len(found) or (definite and len(found) != 1) or number < 1:
        return None
    return Choice(tuple(ids(found)), number)


def _place(phrase: str, situation: Situation) -> dict[str, Any] | None:
    where = read_where(phrase, situation)
    return None if where is None else where.to_json()


def _part(asks: Asks, situation: Situation) -> dict[str, Any] | None:
    """One of two requests in one."""
    arguments = resolve(asks, situation)
    return None if arguments is None else {"game": asks.game, "arguments": arguments}


def _rooms(phrase: str, situation: Situation) -> list[str] | None:
    found = [e.id for e in clear_or_possible(read_phrase(phrase), situation.facts) if e.what == "room"]
    return found if len(found) == 1 else None


_ROLES: Mapping[str, Callable[[Any, Situation], Any]] = {
    "things": _things,
    "groups": _groups,
    "target": _target,
    "place": _place,
    "rooms": _rooms,
    "first": _part,
    "second": _part,
}


# -- questions --------------------------------------------------------------------------------------------------------


def _one(phrase: str, situation: Situation) -> Entity | None:
    found = clear_or_possible(read_phrase(phrase), situation.facts)
    return found[0] if len(found) == 1 else None


def _where_is(roles: Mapping[str, Any], situation: Situation) -> Arguments | None:
    target = _one(roles["of"], situation)
    return None if target is None else {"target": target.id}


def _colour_of(roles: Mapping[str, Any], situation: Situation) -> Arguments | None:
    target = _one(roles["of"], situation)
    return None if target is None or target.colour is None else {"target": target.id, "answer": target.colour}


def _group(roles: Mapping[str, Any], situation: Situation) -> tuple[list[str], list[str]]:
    """Ids of the things that "of" describes, and of the rooms in which one has to look for them."""
    description = replace(read_phrase(roles["of"]), number=None)
    found = ids(referents(description, situation.facts))
    return found, rooms_to_look_at(description, (), situation.facts)


def _count(roles: Mapping[str, Any], situation: Situation) -> Arguments | None:
    found, rooms = _group(roles, situation)
    return {"rooms": rooms, "answer": len(found)}


def _how_many_or_not(roles: Mapping[str, Any], situation: Situation) -> Arguments | None:
    found, rooms = _group(roles, situation)
    return {"rooms": rooms, "answer": YES if len(found) == roles["number"] else NO}


def _is_there(roles: Mapping[str, Any], situation: Situation) -> Arguments | None:
    found, rooms = _group(roles, situation)
    return {"target": sorted(found)[:1], "rooms": rooms, "answer": YES if found else NO}


def _name_objects(roles: Mapping[str, Any], situation: Situation) -> Arguments | None:
    found, rooms = _group(roles, situation)
    loose = sorted(i for i in found if i in situation.positions)
    enough = roles.get("number", min(ENOUGH, len(loose)))
    return {"among": loose, "number": enough, "rooms": rooms} if 0 < enough <= len(loose) else None


def _both(roles: Mapping[str, Any], situation: Situation) -> tuple[Entity, Entity] | None:
    """The two things that "of" and "and_of" describe, or "of" alone."""
    if "and_of" not in roles:
        found = clear_or_possible(read_phrase(roles["of"]), situation.facts)
        return (found[0], found[1]) if len(found) == 2 else None
    a, b = _one(roles["of"], situation), _one(roles["and_of"], situation)
    return None if a is None or b is None or a.id == b.id else (a, b)


def _same_colour(roles: Mapping[str, Any], situation: Situation) -> Arguments | None:
    both = _both(roles, situation)
    if both is None:
        return None
    a, b = both
    if a.colour != b.colour and b.colour in similar_colours(a.colour or ""):
        return None  # people would disagree
    return {"both": [a.id, b.id], "answer": SAME if a.colour == b.colour else DIFFERENT, "yes": None}


def _compare_sizes(roles: Mapping[str, Any], situation: Situation) -> Arguments | None:
    both = _both(roles, situation)
    if both is None:
        return None
    ratio = volume(both[0]) / max(volume(both[1]), 1e-9)
    if max(ratio, 1 / ratio) <= SAME_SIZE.clear:
        answer = SAME
    elif ratio >= LARGER_BY.clear or ratio <= 1 / LARGER_BY.clear:
        answer = LARGER if ratio > 1.0 else SMALLER
    else:
        return None  # people would disagree
    return {"both": [e.id for e in both], "answer": answer}


_QUESTIONS: Mapping[str, Callable[[Mapping[str, Any], Situation], Arguments | None]] = {
    "where is": _where_is,
    "color of": _colour_of,
    "how many": _count,
    "how many or not": _how_many_or_not,
    "is there": _is_there,
    "name objects": _name_objects,
    "same color": _same_colour,
    "compare sizes": _compare_sizes,
}
