"""Yes/no questions: whether something is so, whether it exists, and how many there are of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from worlds.playhouse.games.modifiers import Modifier
from worlds.playhouse.games.nouns import Pair, coloured, pairs, referrer
from worlds.playhouse.games.questions.answering import YesOrNo
from worlds.playhouse.games.questions.naming import (
    groups,
    named_entities,
    read_group,
    read_one,
    rooms_to_look_at,
    singular,
)
from worlds.playhouse.games.registry import Arguments, LanguageGame, Request, register, steps
from worlds.playhouse.games.situation import Situation
from worlds.playhouse.games.templates import patterns_of
from worlds.playhouse.requests.answers import NO, YES
from worlds.playhouse.requests.descriptions import Description, is_at, referents
from worlds.playhouse.requests.facts import Entity, Facts
from worlds.playhouse.requests.lexicon import NUMBERS, number_of, similar_colours
from worlds.playhouse.requests.phrase_book import colour_book
from worlds.playhouse.requests.phrasing import Phrasing
from worlds.playhouse.requests.reading import COLOUR_NOUNS, places, words_of
from worlds.playhouse.requests.referring import Referrer, is_awkward
from worlds.playhouse.requests.wording import place_in_words, words_for

_WORDS = patterns_of("truth")
CLAIM = Phrasing(*_WORDS["claim"], question=True)
EXISTENCE = Phrasing(*_WORDS["existence"], question=True)
EXISTENCE_OF_PEOPLE = Phrasing(*_WORDS["existence of people"], question=True)
NUMBER = Phrasing(*_WORDS["number"], question=True)
AT_LEAST = Phrasing(*_WORDS["at least"], question=True)
MORE_THAN = Phrasing(*_WORDS["more than"], question=True)
LESS_THAN = Phrasing(*_WORDS["less than"], question=True)
MORE_OF = Phrasing(*_WORDS["more of"], question=True)
COMPARISONS = {"exactly": NUMBER, "at least": AT_LEAST, "more than": MORE_THAN, "less than": LESS_THAN}
OPEN = ("a", "an", "any", "some")
SIZES = ("small", "large")


# -- whether it is so -------------------------------------------------------------------------------------------------


def _claims(situation: Situation, rng: np.random.Generator, modifier: Modifier | None) -> Iterator[Request]:
    """True and false claims about a thing's color or place, as often."""
    kinds = ("colour", "place", "place")
    for kind in (kinds[int(rng.integers(len(kinds)))] for _ in range(40)):
        said = {"say_colour": kind != "colour", "say_place": kind != "place"}
        found = next(named_entities(situation, rng, modifier, **said), None)
        if found is None:
            continue
        target, name = found
        words = referrer(situation, rng, modifier)
        truth = bool(rng.integers(2))
        if kind == "colour":
            claim = _colour_claim(name.description, target, truth, words)
        else:
            claim = _place_claim(target, truth, words)
        if claim is not None:
            arguments = _claim_arguments(target, truth) | {"said": [*pairs(name.description), *claim.said]}
            yield Request(CLAIM.say(rng, x=name.words, p=claim.words), arguments)


@dataclass(frozen=True)
class Claim:
    """What is claimed of a thing, in words, and the colours and kinds that are named by it."""

    words: str
    said: list[Pair]


def _colour_claim(name: Description, target: Entity, truth: bool, words: Referrer) -> Claim | None:
    if target.colour is None:
        return None
    if truth:
        return Claim(target.colour, coloured(target.colour, name))
    here = {e.colour for e in words.facts.of("object", "furniture") if e.colour is not None}
    others = sorted(here - similar_colours(target.colour))
    if not others:
        return None
    other = others[int(words.rng.integers(len(others)))]
    return Claim(other, coloured(other, name))


def _place_claim(target: Entity, truth: bool, words: Referrer) -> Claim | None:
    """Words for where it is, or for where another thing is and it clearly is not."""
    others = [e for e in words.facts.of(target.what) if e.id != target.id]
    source = target if truth or not others else others[int(words.rng.integers(len(others)))]
    options = [p for p in words.places_of(source) if is_at(p, target, words.facts, truth) == truth]
    options = [p for p in options if p.relation != "far from"]
    if not options:
        return None
    place = options[int(words.rng.integers(len(options)))]
    said = [pair for anchor in place.anchors for pair in pairs(anchor)]
    return Claim(place_in_words(place, words.rng), said)


def _claim_arguments(target: Entity, truth: bool) -> Arguments:
    return {"target": target.id, "answer": YES if truth else NO}


def _read_claim(words: str, situation: Situation) -> Arguments | None:
    facts = situation.facts
    for slots in CLAIM.readings(words):
        if slots["x"][0] in OPEN:
            continue  # "is a ball on the table" asks whether there is one
        target = read_one(slots["x"], facts)
        truth = None if target is None else _truth_of(slots["p"], target, facts)
        if target is not None and truth is not None:
            return _claim_arguments(target, truth)
    return None


def _truth_of(claim: Sequence[str], target: Entity, facts: Facts) -> bool | None:
    """Return whether what is claimed of a thing is true; None if the words claim nothing that can be read."""
    negated = bool(claim) and claim[0] == "not"
    rest = list(claim[negated:])
    colour = colour_book().longest(rest, 0)
    if colour is not None and all(word in COLOUR_NOUNS for word in rest[colour[0] :]):
        return (target.colour == colour[1]) != negated
    if len(rest) == 1 and rest[0] in SIZES:
        return (target.size == rest[0]) != negated
    for end, place in places(rest, 0):
        if end == len(rest) and all(referents(anchor, facts, clearly=False) for anchor in place.anchors):
            return is_at(place, target, facts, clearly=False) != negated
    return None


# -- whether it exists ------------------------------------------------------------------------------------------------


def _existences(situation: Situation, rng: np.random.Generator, modifier: Modifier | None) -> Iterator[Request]:
    """Of what there is, and as often of what there is not, though it has the color and the kind of things there are."""
    facts = situation.facts
    for words, group in groups(situation, rng, modifier):
        description = singular(group.description)
        if rng.random() < 0.5:
            found = _absent(description, words)
            if found is None:
                continue
            description = found
        if is_awkward(description):
            continue
        sentence = words_for(description, rng)
        again = read_group(words_of(sentence), facts)
        if again is None or not words.wish.may_say(sentence):
            continue
        arguments = _existence_arguments(*again, facts) | {"said": pairs(description)}
        yield Request(EXISTENCE.say(rng, x=sentence), arguments)


def _absent(description: Description, words: Referrer) -> Description | None:
    """A description like ``description`` that is true of nothing, not even possibly."""
    loose = words.facts.of("object")
    for _ in range(6):
        other = loose[int(words.rng.integers(len(loose)))]
        changes = [{"colour": other.colour}, {"noun": other.kind, "shape": None}]
        changed = replace(description, **changes[int(words.rng.integers(2))])
        if not referents(changed, words.facts, clearly=False) and words.wish.allows(changed):
            return changed
    return None


def _existence_arguments(description: Description, found: Sequence[Entity], facts: Facts) -> Arguments:
    return {
        "target": sorted(entity.id for entity in found)[:1],
        "rooms": rooms_to_look_at(description, found, facts),
        "answer": YES if found else NO,
    }


def _read_existence(words: str, situation: Situation) -> Arguments | None:
    for slots in (*EXISTENCE.readings(words), *EXISTENCE_OF_PEOPLE.readings(words)):
        if number_of(slots["x"][0]) not in (None, 1):
            continue
        found = read_group(slots["x"], situation.facts)
        if found is not None:
            return _existence_arguments(*found, situation.facts)
    return None


# -- how many ---------------------------------------------------------------------------------------------------------


def _numbers(situation: Situation, rng: np.random.Generator, modifier: Modifier | None) -> Iterator[Request]:
    found = groups(situation, rng, modifier, fewest=2)
    for _, group in found:
        said = pairs(group.description)
        other = next(found, None) if rng.random() < 0.3 else None
        if other is not None and abs(len(other[1].ids) - len(group.ids)) >= 1:
            said += pairs(other[1].description)
            arguments = _more_of(group.ids, other[1].ids, _rooms(group.description, situation))
            yield Request(MORE_OF.say(rng, x=group.words, y=other[1].words), arguments | {"said": said})
            continue
        how = tuple(COMPARISONS)[int(rng.integers(len(COMPARISONS)))]
        number = max(1, len(group.ids) + int(rng.integers(-1, 2)))
        if 1 < number < len(NUMBERS):
            arguments = _compared(how, number, group.ids, _rooms(group.description, situation))
            yield Request(COMPARISONS[how].say(rng, n=NUMBERS[number], x=group.words), arguments | {"said": said})


def _rooms(description: Description, situation: Situation) -> list[str]:
    return rooms_to_look_at(description, (), situation.facts)


def _compared(how: str, number: int, found: Sequence[str], rooms: list[str]) -> Arguments:
    n = len(found)
    truth = {"exactly": n == number, "at least": n >= number, "more than": n > number, "less than": n < number}[how]
    return {"rooms": rooms, "answer": YES if truth else NO}


def _more_of(some: Sequence[str], others: Sequence[str], rooms: list[str]) -> Arguments:
    return {"rooms": rooms, "answer": YES if len(some) > len(others) else NO}


def _read_numbers(words: str, situation: Situation) -> Arguments | None:
    facts = situation.facts
    for how in ("more than", "less than", "at least", "exactly"):
        for slots in COMPARISONS[how].readings(words):
            number = number_of(slots["n"][0]) if len(slots["n"]) == 1 else None
            found = read_group(slots["x"], facts) if number is not None else None
            if number is not None and found is not None:
                return _compared(how, number, [e.id for e in found[1]], rooms_to_look_at(found[0], (), facts))
    for slots in MORE_OF.readings(words):
        some, others = read_group(slots["x"], facts), read_group(slots["y"], facts)
        if some is not None and others is not None:
            rooms = rooms_to_look_at(some[0], (), facts)
            return _more_of([e.id for e in some[1]], [e.id for e in others[1]], rooms)
    return None


register(
    LanguageGame(
        name="is it so",
        prompt="Ask the other player a yes/no question about something in the room.",
        kind="question",
        propose=_claims,
        reads=_read_claim,
        check=YesOrNo,
        steps=steps(80),
    )
)
register(
    LanguageGame(
        name="how many or not",
        prompt="Ask the other player a yes/no question about numbers of objects in the room.",
        kind="question",
        propose=_numbers,
        reads=_read_numbers,
        check=YesOrNo,
        steps=steps(80),
    )
)
register(
    LanguageGame(
        name="is there",
        prompt="Ask the other player whether a particular thing exists in the room.",
        kind="question",
        propose=_existences,
        reads=_read_existence,
        check=YesOrNo,
        steps=steps(80),
    )
)
