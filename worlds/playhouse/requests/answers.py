"""Answers in free words: yes and no, numbers, colors, places and lists of things, as people write them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from worlds.playhouse.requests.descriptions import Description, Place, referents
from worlds.playhouse.requests.facts import Entity, Facts
from worlds.playhouse.requests.lexicon import number_of
from worlds.playhouse.requests.phrase_book import by_meaning, colour_book
from worlds.playhouse.requests.reading import noun_phrases, places, words_of

YES, NO = "yes", "no"
_YES_NO = by_meaning(
    {
        YES: (
            "yes", "yeah", "yep", "yup", "sure", "correct", "right", "true", "of course", "there is", "there are",
            "it is", "they are", "it does", "i do", "i see one", "i see it", "i can see",
        ),
        NO: (
            "no", "nope", "nah", "not", "none", "never", "false", "wrong", "there is not", "there are not",
            "there is no", "there are no", "it is not", "they are not", "i do not", "i see no", "can not", "does not",
            "do not", "nothing",
        ),
    }
)  # fmt: skip
SAME, DIFFERENT = "same", "different"
LARGER, SMALLER = "larger", "smaller"
_SAMENESS = by_meaning(
    {
        SAME: ("same", "equal", "identical", "alike", "both", "as big as", "as large as"),
        DIFFERENT: ("different", "not same", "not the same", "differ", "unequal"),
        LARGER: ("larger", "bigger", "greater"),
        SMALLER: ("smaller", "littler", "less"),
    }
)
_SMALL = frozenset(
    "there it is are they i see can a an the that this and or on my you we have has of with color colored its do does "
    "here which thing object looks like lies stands sits placed present located at also some kept lying "
    "standing".split()
)
ANSWER_WORDS = _SMALL | frozenset(
    "yes yeah yep yup sure correct right true no nope nah none never false wrong nothing same equal identical alike "
    "both different differ unequal larger bigger greater smaller littler less course than looking seeing noticing "
    "notice am only total count number room sorry know".split()
)


def answer_words(utterance: str) -> list[str]:
    """Return the words of an answer, set right."""
    return words_of(utterance, ANSWER_WORDS)


def yes_or_no(utterance: str) -> str | None:
    """The answer to a yes/no question; None if it gives none. What is said first counts: "no, it is red"."""
    words = answer_words(utterance)
    for at in range(len(words)):
        found = _YES_NO.longest(words, at)
        if found is not None:
            return found[1]
    return None


def number(utterance: str) -> int | None:
    """The one number that an answer gives; "none" and "no balls" are 0; None if it gives none or several."""
    words = answer_words(utterance)
    if "one" in words and "or" not in words and any(number_of(word) is not None for word in words if word != "one"):
        words = [word for word in words if word != "one"]  # "there are three, one on the table"
    given = {n for n in map(number_of, words) if n is not None}
    if not given and not {"no", "none", "nothing", "any"}.isdisjoint(words):
        return 0
    return given.pop() if len(given) == 1 else None


def colours(utterance: str) -> tuple[str, ...]:
    """The colors that an answer names, in its order; none that it denies."""
    words, found, at = answer_words(utterance), [], 0
    while at < len(words):
        named = colour_book().longest(words, at)
        if named is None:
            at += 1
            continue
        if at == 0 or words[at - 1] not in ("not", "no"):
            found.append(named[1])
        at = named[0]
    return tuple(dict.fromkeys(found))


def comparison(utterance: str) -> tuple[str, Description | None] | None:
    """What an answer says of two things: (same, different, larger or smaller; of which thing, if it says so)."""
    words = answer_words(utterance)
    found = [(at, meaning) for at in range(len(words)) for _, meaning in _SAMENESS.at(words, at)]
    if not found:
        return None
    at, meaning = found[0]
    if meaning == SAME and at > 0 and "not" in words[max(0, at - 2) : at]:
        meaning = DIFFERENT
    subject = next((d for i in range(at) for _, d in noun_phrases(words, i) if _names_thing(d, words[:at])), None)
    return meaning, subject


def _names_thing(description: Description, before: Sequence[str]) -> bool:
    return description.noun not in ("object", "thing", "item", "me", "you", "one") and bool(before)


def places_named(utterance: str) -> tuple[tuple[Place, ...], bool]:
    """The places that an answer names, and whether something in it is neither a place nor a small word.

    "it is on the table in the living room" names two places.
    """
    words, found, at, strange = answer_words(utterance), [], 0, False
    while at < len(words):
        named = places(words, at)
        if named:
            at, place = named[0]
            found += _apart(place)
            continue
        things = noun_phrases(words, at)
        if things:
            at = max(things[0][0], at + 1)
            found += [part for place in things[0][1].places for part in _apart(place)]
        else:
            strange |= words[at] not in _SMALL
            at += 1
    return tuple(found), strange


def _apart(place: Place) -> list[Place]:
    """A place, and the room that its anchor is said to be in: "on the table in the pantry" is in the pantry, too."""
    if place.relation in ("on", "in") and not place.negated and len(place.anchors) == 1:
        anchor = place.anchors[0]
        rooms = [p for p in anchor.places if p.relation == "in"]
        if rooms:
            kept = replace(anchor, places=tuple(p for p in anchor.places if p.relation != "in"))
            return [replace(place, anchors=(kept,)), *rooms]
    return [place]


def things_named(utterance: str) -> tuple[Description, ...]:
    """The things that an answer names: "a ball, two mugs and the table" names three descriptions."""
    words, found, at = answer_words(utterance), [], 0
    while at < len(words):
        phrases = [p for p in noun_phrases(words, at) if p[1].noun not in ("me", "you", "here", "this room", "floor")]
        if phrases:
            at, description = phrases[0]
            found.append(description)
        else:
            at += 1
    return tuple(found)


def possibly(description: Description, facts: Facts) -> tuple[Entity, ...]:
    """Return everything of which a description is possibly true, for those who judge it."""
    return referents(description, facts, clearly=False)
