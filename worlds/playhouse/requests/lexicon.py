"""Words of the house: nouns, adjectives, relations and numbers, each as people say it and as it is understood.

They are entries of files in ``data/``: ``categories.json``, ``forms.json`` and ``colour_words.json``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from worlds.data_files import read_entries
from worlds.playhouse.house.catalogue import COLOURS, FURNITURE_KINDS, OBJECT_KINDS, SIZES
from worlds.playhouse.house.kinds import FurnitureKind, ObjectKind, regular_plural
from worlds.playhouse.house.room_types import ROOM_TYPES
from worlds.playhouse.requests.facts import Entity

NUMBERS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
)  # fmt: skip
OBJECT = "object"  # the noun of whatever is loose


@dataclass(frozen=True)
class Forms:
    """Ways to say one meaning.

    Args:
      said: words for it, the plainest first.
      understood: further words, which are only understood.
    """

    said: tuple[str, ...]
    understood: tuple[str, ...] = ()

    @property
    def every(self) -> tuple[str, ...]:
        """All that are understood."""
        return self.said + self.understood


@dataclass(frozen=True)
class CategoryWords:
    """Words for the things of a category.

    Args:
      said: nouns for them, each in singular and plural.
      understood: further nouns, which are only understood.
      clauses: what is said of them after their noun: "the objects which fly in the air".
    """

    said: tuple[tuple[str, str], ...] = ()
    understood: tuple[tuple[str, str], ...] = ()
    clauses: tuple[str, ...] = ()


@dataclass(frozen=True)
class ColourWords:
    """Words for a colour besides its name.

    Args:
      also: other words for it.
      near: colours that people call by its name, and it by theirs.
    """

    also: tuple[str, ...]
    near: tuple[str, ...] = ()


@dataclass(frozen=True)
class Noun:
    """A noun and what it can mean.

    Args:
      singular: words of one.
      plural: words of several.
      meaning: "kind", "category", "room", "any" (object or furniture), or "special" ("me", "the floor").
      of: names of kinds, of the category, or of the type of room that it means.
      bare: whether it takes no article in the singular, as "something to read" does.
      said: whether people's requests are phrased with it, or it is only understood.
    """

    singular: str
    plural: str
    meaning: str
    of: frozenset[str]
    bare: bool = False
    said: bool = True

    def fits(self, what: str, kind: str, categories: frozenset[str]) -> bool:
        """Return True if the noun can be said of an entity of this kind and these categories."""
        if self.meaning == "kind":
            return what in ("object", "furniture", "opening") and kind in self.of
        if self.meaning == "category":
            return not self.of.isdisjoint(categories)
        if self.meaning == "room":
            return what == "room" and (kind in self.of or not self.of)
        return self.meaning == "any" and what == "object"


_DATA = Path(__file__).parent / "data"
CATEGORIES: Mapping[str, CategoryWords] = read_entries(_DATA / "categories.json", CategoryWords)
CLAUSES: Mapping[str, tuple[str, ...]] = {name: words.clauses for name, words in CATEGORIES.items() if words.clauses}

_FORMS: Mapping[str, Mapping[str, Forms]] = read_entries(_DATA / "forms.json", Mapping[str, Forms])
RELATION_FORMS = _FORMS["relations"]
SIZE_FORMS = _FORMS["sizes"]
SHAPE_FORMS = _FORMS["shapes"]
EXTREMES = _FORMS["extremes"]
QUANTIFIERS = _FORMS["quantifiers"]
IN_ROOM = ("in", "of", "from", "at", "inside", "within")  # prepositions of rooms; "in" is said


COLOUR_WORDS: Mapping[str, ColourWords] = read_entries(_DATA / "colour_words.json", ColourWords)
NEIGHBOURS = tuple(frozenset({colour, near}) for colour, words in COLOUR_WORDS.items() for near in words.near)
MORE_ROOM_NAMES: Mapping[str, tuple[str, ...]] = {"living room": ("living",), "playroom": ("kids room", "toys room")}


def plural_of(noun: str) -> str:
    """The plural of a noun of one word or more: "tissue rolls", "bars of soap"; "drawers" is one already."""
    first, of, rest = noun.partition(" of ")
    if of:
        return f"{plural_of(first)} of {rest}"
    *before, last = noun.split(" ")
    known = OBJECT_KINDS.get(last) or FURNITURE_KINDS.get(last)
    if known is None and noun.endswith("s") and not noun.endswith("ss"):
        return noun
    return " ".join((*before, known.plural if known else regular_plural(last)))


@cache
def nouns() -> tuple[Noun, ...]:
    """Every noun of the house."""
    return tuple(_nouns())


@cache
def nouns_by_singular() -> Mapping[str, tuple[Noun, ...]]:
    """The nouns by the words of their singular: one word can be the name of a kind and of a category."""
    found: dict[str, tuple[Noun, ...]] = {}
    for noun in nouns():
        found[noun.singular] = (*found.get(noun.singular, ()), noun)
    return found


def can_be_called(entity: Entity, singular: str) -> bool:
    """Return True if the noun ``singular`` can be said of ``entity``."""
    return _can_be_called(entity.what, entity.kind, entity.categories, singular)


@cache
def _can_be_called(what: str, kind: str, categories: frozenset[str], singular: str) -> bool:
    return any(noun.fits(what, kind, categories) for noun in nouns_by_singular().get(singular, ()))


@cache
def said_of(what: str, kind: str, categories: frozenset[str]) -> tuple[Noun, ...]:
    """The nouns that are said of entities of this kind and these categories."""
    return tuple(noun for noun in nouns() if noun.said and noun.fits(what, kind, categories))


def _nouns() -> Iterator[Noun]:
    anything = frozenset[str]()
    for singular, plural, said in (
        (OBJECT, "objects", True), ("thing", "things", True), ("item", "items", True), ("one", "ones", False),
        ("something", "things", False), ("stuff", "stuff", False),
    ):  # fmt: skip
        yield Noun(singular, plural, "any", anything, bare=singular == "something", said=said)
    yield from _names_of_kinds()
    for category, words in CATEGORIES.items():
        for one, several in (*words.said, *words.understood):
            said = (one, several) in words.said
            yield Noun(one, several, "category", frozenset({category}), one.startswith("something"), said)
    yield from _names_of_rooms()
    for word in ("me", "you", "floor", "house", "here", "this room"):
        yield Noun(word, "floors" if word == "floor" else word, "special", anything, word != "floor")
    for word, meaning in (("ground", "floor"), ("floor ground", "floor")):
        yield Noun(word, word + "s", "special", frozenset({meaning}), said=False)
    for word in ("window", "door"):
        yield Noun(word, word + "s", "kind", frozenset({word}))


def _names_of_kinds() -> Iterator[Noun]:
    """Names and synonyms, each with all the kinds that it can mean."""
    meant: dict[tuple[str, str], set[str]] = {}
    kinds: dict[str, ObjectKind | FurnitureKind] = {**OBJECT_KINDS, **FURNITURE_KINDS}
    for name, kind in kinds.items():
        meant.setdefault((name, kind.plural), set()).add(name)
        for synonym in kind.synonyms:
            meant.setdefault((synonym, plural_of(synonym)), set()).add(name)
        head = kinds.get(name.split(" ")[-1])
        if head is not None:  # a coffee table is a table
            meant.setdefault((head.name, head.plural), set()).add(name)
    for (singular, plural), names in meant.items():
        yield Noun(singular, plural, "kind", frozenset(names))


def _names_of_rooms() -> Iterator[Noun]:
    yield Noun("room", "rooms", "room", frozenset())
    for room in ROOM_TYPES.values():
        yield Noun(room.name, plural_of(room.name), "room", frozenset({room.name}))
        for synonym in (*room.synonyms, *MORE_ROOM_NAMES.get(room.name, ())):
            said = synonym in room.synonyms[:2]
            yield Noun(synonym, plural_of(synonym), "room", frozenset({room.name}), said=said)


@cache
def colour_words() -> Mapping[str, str]:
    """The colour that each word for one means."""
    also = {colour: words.also for colour, words in COLOUR_WORDS.items()}
    return {word: colour for colour in COLOURS for word in (colour, *also.get(colour, ()))}


def similar_colours(colour: str) -> frozenset[str]:
    """``colour`` and those that people call by its name."""
    return frozenset({colour}).union(*(pair for pair in NEIGHBOURS if colour in pair))


def number_of(word: str) -> int | None:
    """The number that a word or digits mean."""
    if word.isdecimal() and len(word) < 4:
        return int(word)
    return NUMBERS.index(word) if word in NUMBERS else None


@cache
def vocabulary() -> frozenset[str]:
    """Every single word of the house's language."""
    phrases = [n.singular for n in nouns()] + [n.plural for n in nouns()] + list(colour_words()) + list(SIZES)
    phrases += [clause for clauses in CLAUSES.values() for clause in clauses]
    for table in (RELATION_FORMS, SIZE_FORMS, SHAPE_FORMS, EXTREMES, QUANTIFIERS):
        phrases += [form for forms in table.values() for form in forms.every]
    said = frozenset(word for phrase in phrases for word in phrase.split()) | frozenset(NUMBERS) | frozenset(IN_ROOM)
    names = (*OBJECT_KINDS, *FURNITURE_KINDS, *ROOM_TYPES)
    return said - {name.replace(" ", "") for name in names if " " in name}  # "livingroom" is written in two words
