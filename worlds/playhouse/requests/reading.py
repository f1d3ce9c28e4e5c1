"""Noun phrases and places read from words, as people write them, to what they mean.

Everything that a text can mean is yielded, the longest readings first; :func:`read_things` takes the first that means
something in the house at hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from worlds.playhouse.requests.descriptions import SPECIAL, Description, Extreme, Place, meant, referents
from worlds.playhouse.requests.facts import Entity, Facts
from worlds.playhouse.requests.lexicon import IN_ROOM, OBJECT, nouns_by_singular, number_of, vocabulary
from worlds.playhouse.requests.phrase_book import (
    CLAUSE_BOOK,
    EXTREME_BOOK,
    QUANTIFIER_BOOK,
    RELATION_BOOK,
    SHAPE_BOOK,
    SIZE_BOOK,
    colour_book,
    noun_book,
)
from worlds.playhouse.requests.spelling import Speller

ARTICLES = {"the": "the", "these": "the", "those": "the", "this": "the", "that": "the", "a": "a", "an": "a"}
COLOUR_NOUNS = frozenset({"color", "colored", "colors"})
WHICH = frozenset({"which", "that", "who"})
BE = frozenset({"is", "are", "was", "were", "it", "they", "be"})
THERE = frozenset(
    "present placed kept located lying standing sitting there situated right exist exists available".split()
)
SMALL_WORDS = frozenset(ARTICLES) | COLOUR_NOUNS | WHICH | BE | THERE
SMALL_WORDS |= frozenset("not non of and with to my your shaped shape than has have corner wall middle side".split())
MOST_DETAILS = 4  # after a noun


@dataclass(frozen=True)
class Things:
    """What words mean in a house.

    Args:
      meant: what the hearer takes it to mean.
    """

    description: Description
    meant: tuple[Entity, ...]

    @property
    def ids(self) -> tuple[str, ...]:
        """Of what is meant."""
        return tuple(entity.id for entity in self.meant)


def words_of(text: str, more: frozenset[str] = frozenset()) -> list[str]:
    """Return the words of a text, set right by the vocabulary of the house and by ``more`` words."""
    return _speller(more).words(text)


@cache
def _speller(more: frozenset[str]) -> Speller:
    return Speller(vocabulary() | SMALL_WORDS | more)


def read_things(text: str, facts: Facts) -> Things | None:
    """Return what a noun phrase means in a house; None if it cannot be read or means nothing there."""
    return things_meant(words_of(text), facts)


def things_meant(words: Sequence[str], facts: Facts) -> Things | None:
    """Return what the words of a whole noun phrase mean; None if they cannot be read or mean nothing in the house.

    Of several readings, one that means as many as it says is taken before any other.
    """
    fallback = None
    for description in descriptions(words):
        found = meant(description, facts)
        if found and _as_many_as_said(description, found):
            return Things(description, found)
        if found and fallback is None:
            fallback = Things(description, found)
    return fallback


def can_mean_others(text: str, ids: Sequence[str], facts: Facts) -> bool:
    """Return True if a noun phrase can also be read as words for other things than those of some ids.

    "The orange fruit" is an orange, or a pear that is orange; "the small chair" a small one, or one for children.
    """
    for description in descriptions(words_of(text)):
        found = referents(description, facts)
        if found and _as_many_as_said(description, found) and {entity.id for entity in found} != set(ids):
            return True
    return False


def _as_many_as_said(description: Description, found: Sequence[Entity]) -> bool:
    if description.number is not None:
        return len(found) >= description.number
    return description.is_open or description.plural or len(found) == 1


def descriptions(words: Sequence[str]) -> Iterator[Description]:
    """Yield every description that all of the words make."""
    return (description for end, description in noun_phrases(words, 0) if end == len(words))


def noun_phrases(words: Sequence[str], start: int) -> list[tuple[int, Description]]:
    """Return (end, description) of the noun phrases that begin at ``start``, the longest first."""
    found = dict.fromkeys(_phrases(words, start))
    return sorted(found, key=lambda phrase: -phrase[0])


def places(words: Sequence[str], start: int) -> list[tuple[int, Place]]:
    """Return (end, place) of the places that are named from ``start`` on, the longest first."""
    return sorted(dict.fromkeys(_places(words, start)), key=lambda place: -place[0])


# -- before the noun ----------------------------------------------------------------------------------------------


def _phrases(words: Sequence[str], start: int) -> Iterator[tuple[int, Description]]:
    for at, quantifier, number in _quantified(words, start):
        begun = Description(quantifier=quantifier, number=number)
        for end, description in _modified(words, at, begun):
            described = description != begun or number is not None
            if not described and end == at:
                continue
            if description.noun in SPECIAL:
                yield end, replace(description, quantifier="the")
            elif _is_room(description):
                yield end, description  # what follows is said of what is in the room
            else:
                yield from _with_details(words, end, description, MOST_DETAILS)


def _quantified(words: Sequence[str], start: int) -> Iterator[tuple[int, str, int | None]]:
    """Quantifier, article and number, in whatever order; (end, quantifier, number)."""
    at, quantifier, number = start, "", None
    while at < len(words):
        found = QUANTIFIER_BOOK.longest(words, at)
        if found is not None:
            at, quantifier = found
            continue
        if words[at] in ARTICLES and not (words[at] == "this" and words[at + 1 : at + 2] == ["room"]):
            quantifier = quantifier or ARTICLES[words[at]]
        elif (number is None) and (named := number_of(words[at])) is not None:
            if words[at] == "one":
                yield at, quantifier, None  # "the one", "one" as a noun
            number = named
        elif not (words[at] == "of" and at > start):
            break
        at += 1
    yield at, quantifier, number


def _modified(words: Sequence[str], at: int, so_far: Description) -> Iterator[tuple[int, Description]]:
    """The noun, with any adjectives before it; or adjectives alone, which speak of any object."""
    yield from _noun(words, at, so_far)
    for end, more in _adjectives(words, at, so_far):
        yield from _modified(words, end, more)
    if so_far != Description(quantifier=so_far.quantifier) and at > 0 and words[at - 1] != "the":
        yield at, replace(so_far, plural=(so_far.number or 1) > 1)


def _adjectives(words: Sequence[str], at: int, so_far: Description) -> Iterator[tuple[int, Description]]:
    if at < len(words) and words[at] == "and" and so_far != Description(quantifier=so_far.quantifier):
        at += 1
    negated = at < len(words) and words[at] in ("not", "non")
    found = colour_book().longest(words, at + negated)
    if found is not None:
        end, colour = found
        end += end < len(words) and words[end] in COLOUR_NOUNS
        if negated:
            yield end, replace(so_far, other_than=(*so_far.other_than, colour))
        elif so_far.colour is None:
            yield end, replace(so_far, colour=colour)
    for field, book in (("size", SIZE_BOOK), ("shape", SHAPE_BOOK)):
        found = book.longest(words, at)
        if found is not None and getattr(so_far, field) is None:
            end = found[0] + (found[0] < len(words) and words[found[0]] in ("shape", "shaped"))
            yield end, replace(so_far, **{field: found[1]})
    found = EXTREME_BOOK.longest(words, at)
    if found is not None and so_far.extreme is None:
        yield found[0], replace(so_far, extreme=Extreme(found[1]))


def _noun(words: Sequence[str], at: int, so_far: Description) -> Iterator[tuple[int, Description]]:
    """A noun, or two that say one thing: "car toy", "toy car", "pear fruit"."""
    for end, (singular, plural) in noun_book().at(words, at):
        yield end, _named(so_far, singular, plural)
        for last, (other, others) in noun_book().at(words, end):
            if _is_name(singular) != _is_name(other) and not _is_anything(singular):
                yield last, _named(so_far, singular if _is_name(singular) else other, others)


def _is_name(singular: str) -> bool:
    return any(noun.meaning in ("kind", "room") for noun in nouns_by_singular()[singular])


def _is_anything(singular: str) -> bool:
    return all(noun.meaning == "any" for noun in nouns_by_singular()[singular])


def _named(so_far: Description, singular: str, plural: bool) -> Description:
    noun = OBJECT if singular in ("one", "something", "stuff") else singular
    plural = plural or (so_far.number or 1) > 1 or so_far.quantifier in ("all", "most", "many")
    return replace(so_far, noun=noun, plural=plural)


# -- after the noun -----------------------------------------------------------------------------------------------


def _with_details(words: Sequence[str], at: int, so_far: Description, most: int) -> Iterator[tuple[int, Description]]:
    """The noun with whatever is said after it, most first."""
    if most > 0:
        for end, more in _details(words, at, so_far):
            yield from _with_details(words, end, more, most - 1)
    end, negated = _filler(words, at)
    if end == len(words) and not negated:
        yield end, so_far  # "two balls present", "five objects were there"
    yield at, so_far


def _details(words: Sequence[str], at: int, so_far: Description) -> Iterator[tuple[int, Description]]:
    at, negated = _filler(words, at)
    for end, place in _places(words, at):
        yield end, replace(so_far, places=(*so_far.places, replace(place, negated=place.negated != negated)))
    yield from _colour_after(words, at, so_far, negated)
    found = CLAUSE_BOOK.longest(words, at)
    if found is not None:
        role = "unlike" if negated else "also"
        yield found[0], replace(so_far, **{role: (*getattr(so_far, role), found[1])})
    for field, book in (("size", SIZE_BOOK), ("shape", SHAPE_BOOK)):
        found = book.longest(words, at)
        if found is not None and not negated and getattr(so_far, field) is None:
            yield found[0], replace(so_far, **{field: found[1]})
    yield from _measured(words, at, so_far)


def _filler(words: Sequence[str], at: int) -> tuple[int, bool]:
    """Pass over "which is", "that are not", "present" and the like; (end, whether it was negated)."""
    negated = False
    while at < len(words):
        if words[at] == "not":
            if words[at + 1 : at + 3] == ["far", "from"]:
                break
            negated = not negated
        elif words[at] not in WHICH | BE | THERE or (words[at] == "right" and words[at + 1 : at + 2] == ["of"]):
            break
        at += 1
    return at, negated


def _colour_after(
    words: Sequence[str], at: int, so_far: Description, negated: bool
) -> Iterator[tuple[int, Description]]:
    """ "in green color", "of red color", "that is blue", "that is not blue"."""
    named = at < len(words) and words[at] in ("in", "of", "with", "has", "have")
    found = colour_book().longest(words, at + named)
    if found is None:
        return
    end, colour = found
    says_colour = end < len(words) and words[end] in COLOUR_NOUNS
    if named and not says_colour:
        return
    end += says_colour
    if negated:
        yield end, replace(so_far, other_than=(*so_far.other_than, colour))
    elif so_far.colour is None:
        yield end, replace(so_far, colour=colour)


def _measured(words: Sequence[str], at: int, so_far: Description) -> Iterator[tuple[int, Description]]:
    """ "nearest to the bed", "farthest from me", after a noun or after "the nearest ball"."""
    extreme = so_far.extreme
    found = EXTREME_BOOK.longest(words, at)
    if found is not None and extreme is None:
        at, extreme = found[0], Extreme(found[1])
        yield at, replace(so_far, extreme=extreme)
    if extreme is not None and extreme.anchor is None and at < len(words) and words[at] in ("to", "from"):
        for end, anchor in _phrases(words, at + 1):
            yield end, replace(so_far, extreme=replace(extreme, anchor=None if anchor.noun == "me" else anchor))


# -- places -------------------------------------------------------------------------------------------------------


def _places(words: Sequence[str], start: int) -> Iterator[tuple[int, Place]]:
    """Places that begin at ``start``, e.g. "next to the bed", "on my left", "here"."""
    at, negated = start, False
    if at < len(words) and words[at] == "not" and words[at + 1 : at + 3] != ["far", "from"]:
        at, negated = at + 1, True
    for end, place in _positive_places(words, at):
        yield end, replace(place, negated=negated)


def _positive_places(words: Sequence[str], at: int) -> Iterator[tuple[int, Place]]:
    if at >= len(words):
        return
    if words[at] == "here":
        yield at + 1, Place("in", (Description(noun="this room"),))
    yield from _beside_player(words, at)
    for end, relation in RELATION_BOOK.at(words, at):
        if relation == "between":
            yield from _between(words, end)
        else:
            for last, anchor in _phrases(words, end):
                if relation != "in" or not _is_player(anchor):
                    yield last, Place(relation, (anchor,))
    if words[at] in IN_ROOM:
        for end, anchor in _phrases(words, at + 1):
            if _is_room(anchor):
                yield end, Place("in", (anchor,))


def _beside_player(words: Sequence[str], at: int) -> Iterator[tuple[int, Place]]:
    """ "on my left", "to your right side"."""
    said = words[at : at + 3]
    if len(said) == 3 and said[0] in ("on", "to", "at") and said[1] in ("my", "your") and said[2] in ("left", "right"):
        player = Description(noun="me" if said[1] == "my" else "you")
        end = at + 3 + (words[at + 3 : at + 4] == ["side"])
        yield end, Place(f"{said[2]} of", (player,))


def _between(words: Sequence[str], at: int) -> Iterator[tuple[int, Place]]:
    for end, first in _phrases(words, at):
        if end < len(words) and words[end] == "and":
            for last, second in _phrases(words, end + 1):
                yield last, Place("between", (first, second))
        if first.plural:
            yield end, Place("between", (first,))


def _is_player(description: Description) -> bool:
    return description.noun in ("me", "you")


def _is_room(description: Description) -> bool:
    if description.noun in ("this room", "here", "house"):
        return True
    return any(noun.meaning == "room" for noun in nouns_by_singular().get(description.noun, ()))
