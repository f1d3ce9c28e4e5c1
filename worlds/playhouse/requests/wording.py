"""Descriptions in words: "the small red balls on the table in the living room"."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from worlds.playhouse.requests.descriptions import SPECIAL, Description, Extreme, Place
from worlds.playhouse.requests.lexicon import (
    EXTREMES,
    NUMBERS,
    RELATION_FORMS,
    SHAPE_FORMS,
    SIZE_FORMS,
    Forms,
    nouns_by_singular,
)

MEASURED = {"nearest": "to", "farthest": "from"}  # extremes that are said after the noun
PLAIN = 0.6  # share of the choices in which the first, plainest form is said


def words_for(description: Description, rng: np.random.Generator | None = None) -> str:
    """Return words for a description; without ``rng`` the plainest ones."""
    if description.noun in SPECIAL:
        article = "the " if description.noun in ("floor", "ground", "house") else ""
        return article + description.noun
    noun = nouns_by_singular()[description.noun][0]
    words = [*_adjectives(description, rng), noun.plural if description.plural else noun.singular]
    phrase = _with_quantifier(description, " ".join(words), noun.bare and not description.plural)
    return " ".join((phrase, *_after_noun(description, rng)))


def place_in_words(place: Place, rng: np.random.Generator | None = None) -> str:
    """E.g. "next to the bed", "not on the floor", "between the bed and the door", "near me"."""
    plain = place.anchors[0].noun in SPECIAL or nouns_by_singular()[place.anchors[0].noun][0].meaning == "room"
    relation = (
        place.relation if plain and place.relation in ("on", "in") else _choose(RELATION_FORMS[place.relation], rng)
    )
    if place.anchors[0].noun == "here":
        return "not here" if place.negated else "here"
    anchors = " and ".join(words_for(anchor, rng) for anchor in place.anchors)
    return f"{'not ' if place.negated else ''}{relation} {anchors}"


def with_article(noun: str) -> str:
    """E.g. "a ball", "an orange mug"."""
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def listed(items: Sequence[str]) -> str:
    """E.g. "a ball, a mug and a book"."""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


def _choose(forms: Forms, rng: np.random.Generator | None) -> str:
    if rng is None or len(forms.said) == 1 or rng.random() < PLAIN:
        return forms.said[0]
    return forms.said[1 + int(rng.integers(len(forms.said) - 1))]


def _adjectives(description: Description, rng: np.random.Generator | None) -> list[str]:
    words = []
    extreme = description.extreme
    if extreme is not None and extreme.word not in MEASURED:
        words.append(_choose(EXTREMES[extreme.word], rng))
    if description.size is not None:
        words.append(_choose(SIZE_FORMS[description.size], rng))
    if description.shape is not None:
        words.append(_choose(SHAPE_FORMS[description.shape], rng))
    if description.colour is not None:
        words.append(description.colour)
    return words


def _with_quantifier(description: Description, phrase: str, bare: bool) -> str:
    number = None if description.number is None else NUMBERS[description.number]
    if bare and not phrase.startswith("something"):
        bare = False  # an adjective before "something" would be no English; referring expressions avoid it
    if description.quantifier == "a":
        return phrase if bare else with_article(phrase)
    if bare:
        return phrase
    quantifier = {"all": "all the", "most": "most of the"}.get(description.quantifier, description.quantifier)
    return " ".join(word for word in (quantifier, number, phrase) if word)


def _after_noun(description: Description, rng: np.random.Generator | None) -> list[str]:
    words = [f"that {'are' if description.plural else 'is'} not {colour}" for colour in description.other_than]
    extreme: Extreme | None = description.extreme
    if extreme is not None and extreme.word in MEASURED:
        anchor = "me" if extreme.anchor is None else words_for(extreme.anchor, rng)
        words.append(f"{_choose(EXTREMES[extreme.word], rng)} {MEASURED[extreme.word]} {anchor}")
    for place in description.places:
        if place.negated or (rng is not None and rng.random() < 0.2 and not words):
            which = "which" if rng is not None and rng.random() < 0.5 else "that"
            words.append(f"{which} {'are' if description.plural else 'is'} {place_in_words(place, rng)}")
        else:
            words.append(place_in_words(place, rng))
    return words
