"""Names of things and furniture in a house, and how they are read: "the red ball on the table", "two books"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from worlds.playhouse.games.choices import Choice, one
from worlds.playhouse.games.modifiers import Modifier
from worlds.playhouse.games.situation import Situation
from worlds.playhouse.requests.descriptions import Description
from worlds.playhouse.requests.lexicon import nouns_by_singular
from worlds.playhouse.requests.reading import read_things
from worlds.playhouse.requests.referring import Expression, Referrer
from worlds.playhouse.requests.wishes import Wish

Pair = Sequence[str | None]  # colour and kind that a noun phrase names, for the split of requests; JSON
SOME = 2  # things that "some" asks for
HEED = 0.6  # chance that the name for one role keeps to a modifier
OPEN = 0.25  # chance that a single thing is asked for as any of several


@dataclass(frozen=True)
class Named:
    """Words for a role in a request, and what they mean."""

    words: str
    choice: Choice
    said: list[Pair]


def referrer(
    situation: Situation, rng: np.random.Generator, modifier: Modifier | None = None, heed: float = HEED
) -> Referrer:
    """Return one who finds the setter's words for things of a situation.

    Args:
      heed: chance of keeping to it, for it is enough if the name for one of several roles does.
    """
    return Referrer(situation.facts, rng, Wish("" if modifier is None else modifier.name), heed)


def singles(situation: Situation, rng: np.random.Generator, modifier: Modifier | None = None) -> Iterator[Named]:
    """Yield names of single loose things in random order: unique ones, and now and then any of several."""
    words = referrer(situation, rng, modifier, heed=0.8)
    several = _quantified(words, situation, (1,))
    for i in rng.permutation(len(situation.free)):
        if rng.random() < OPEN and (named := next(several, None)) is not None:
            yield named
        if (named := _name(words, situation.free[i])) is not None:
            yield named
    yield from several


def several(
    situation: Situation, rng: np.random.Generator, numbers: Sequence[int], modifier: Modifier | None = None
) -> Iterator[Named]:
    """Yield names of so many loose things, or of all of a group, in random order."""
    yield from _quantified(referrer(situation, rng, modifier), situation, numbers)


def one_or_more(
    situation: Situation, rng: np.random.Generator, numbers: Sequence[int], modifier: Modifier | None = None
) -> Iterator[Named]:
    """Yield names of single things and, as often as :data:`OPEN`, of so many of several, in random order."""
    single, more = singles(situation, rng, modifier), several(situation, rng, numbers, modifier)
    while True:
        first, second = (more, single) if rng.random() < OPEN else (single, more)
        named = next(first, None) or next(second, None)
        if named is None:
            return
        yield named


def named_things(
    situation: Situation, rng: np.random.Generator, among: Sequence[str], modifier: Modifier | None = None
) -> Iterator[Named]:
    """Yield unique names of loose things or furniture, in random order."""
    words = referrer(situation, rng, modifier)
    for entity_id in rng.permutation(list(among)).tolist():
        named = _name(words, entity_id)
        if named is not None:
            yield named


def read(words: str, situation: Situation) -> Choice | None:
    """Return the things, or the furniture, that words can mean; None if they name nothing here."""
    things = read_things(words, situation.facts)
    if things is None or any(entity.what not in ("object", "furniture") for entity in things.meant):
        return None
    number = number_meant(things.description, len(things.ids))
    return Choice(things.ids, number) if 0 < number <= len(things.ids) else None


def number_meant(description: Description, fitting: int) -> int:
    """Return how many of the ``fitting`` things a description asks for."""
    if description.number is not None:
        return description.number
    if description.quantifier == "some" and description.plural:
        return min(SOME, fitting)
    if description.plural or description.quantifier == "all":
        return fitting
    return 1


def pairs(description: Description) -> list[Pair]:
    """Return the colours and kinds that a description names, its own first, then those of what it is placed by."""
    extreme = description.extreme
    anchors = [anchor for place in description.places for anchor in place.anchors]
    anchors += [extreme.anchor] if extreme is not None and extreme.anchor is not None else []
    return [*coloured(description.colour, description), *(pair for anchor in anchors for pair in pairs(anchor))]


def coloured(colour: str | None, description: Description) -> list[Pair]:
    """Return a colour with each kind that a description can name; with None for players, rooms and categories."""
    nouns = nouns_by_singular().get(description.noun, ())
    kinds = {kind for noun in nouns if noun.meaning == "kind" for kind in noun.of}
    return [[colour, kind] for kind in sorted(kinds)] or [[colour, None]]


def _name(words: Referrer, entity_id: str) -> Named | None:
    found = words.the(entity_id)
    return None if found is None else Named(found.words, one(entity_id), pairs(found.description))


def _quantified(words: Referrer, situation: Situation, numbers: Sequence[int]) -> Iterator[Named]:
    """So many of groups of loose things that nobody holds."""
    if not situation.free:
        return
    for group in words.groups(situation.free):
        fitting = [n for n in numbers if n <= len(group.ids)]
        if fitting:
            number = fitting[int(words.rng.integers(len(fitting)))]
            found = _said(words, group, number)
            if found is not None:
                yield Named(found.words, Choice(group.ids, number), pairs(group.description))


def _said(words: Referrer, group: Expression, number: int) -> Expression | None:
    """ "any ball", "three balls", "all the balls", with a quantifier where one is wished for."""
    wished = words.wish.name == "quantifiers"
    noun = nouns_by_singular()[group.description.noun][0]
    if number == 1 and noun.singular == noun.plural:
        return None  # "any grapes" are one bunch or several
    if number == 1:
        return words.quantified(group, 1, "any" if wished or words.rng.random() < 0.5 else "a")
    if number == len(group.ids):
        return words.quantified(group, None, "all")
    if number == SOME and words.rng.random() < (1.0 if wished else 0.2):
        return words.quantified(group, None, "some")
    return words.quantified(group, number, "any" if wished or words.rng.random() < 0.3 else "")
