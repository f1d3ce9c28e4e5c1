"""Words that the oracle knows: nouns, adjectives and relations, in tables of its own beside the names of the house."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from worlds.playhouse.house.catalogue import COLOURS, FURNITURE_KINDS, OBJECT_KINDS
from worlds.playhouse.house.room_types import ROOM_TYPES

COLOUR_WORDS = frozenset(COLOURS)
SIZE_WORDS = {"small": "small", "little": "small", "tiny": "small", "large": "large", "big": "large", "huge": "large"}
SIZE_WORDS |= {"medium": "medium", "medium sized": "medium"}
SHAPE_WORDS = frozenset({"round", "circular", "rectangular", "square", "pointy", "long"})
MOST = {"largest": "largest", "biggest": "largest", "smallest": "smallest", "tallest": "tallest"}
DISTANCES = {"nearest": "nearest", "closest": "nearest", "farthest": "farthest", "furthest": "farthest"}
NUMBER_WORDS = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
).split()
NUMBERS = {word: i + 1 for i, word in enumerate(NUMBER_WORDS)}
QUANTIFIERS = {
    "the": "the", "a": "any", "an": "any", "any": "any", "some": "some", "all the": "all", "all": "all", "both": "all",
    "every": "all", "most of the": "most",
}  # fmt: skip
RELATIONS = {
    "on": "on", "on top of": "on", "lying on": "on", "onto": "on", "in": "in", "inside": "in", "into": "in",
    "under": "under", "underneath": "under", "beneath": "under", "below": "under", "above": "above",
    "next to": "next to",
    "beside": "next to", "near": "near", "close to": "near", "near to": "near", "far from": "far",
    "far away from": "far", "left of": "left", "to the left of": "left", "right of": "right",
    "to the right of": "right", "in front of": "front", "behind": "behind", "between": "between",
    "in between": "between",
}  # fmt: skip


@dataclass(frozen=True)
class Noun:
    """What a noun can be said of.

    Args:
      senses: (sort, of), one of which has to fit: ("kind", kinds), ("categories", all of which it has), ("thing", ())
        for anything loose, ("opening", kinds), ("room", types), ("player", names), ("floor", ()), ("here", ()),
        ("this room", ()).
      bare: whether it stands without an article.
    """

    senses: tuple[tuple[str, frozenset[str]], ...]
    plural: bool = False
    bare: bool = False

    @property
    def sort(self) -> str:
        """Of its first sense."""
        return self.senses[0][0]

    @property
    def of(self) -> frozenset[str]:
        """What its first sense is of."""
        return self.senses[0][1]


# Singular and plural of nouns for what people know of things, and the categories of the catalogue that these have.
_KNOWN: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("toy", "toys", ("toy",)),
    ("playing object", "playing objects", ("toy",)),
    ("vehicle", "vehicles", ("vehicle",)),
    ("toy vehicle", "toy vehicles", ("vehicle", "toy")),
    ("animal", "animals", ("animal",)),
    ("animal toy", "animal toys", ("animal", "toy")),
    ("toy animal", "toy animals", ("animal", "toy")),
    ("fruit", "fruits", ("fruit",)),
    ("eatable object", "eatable objects", ("eatable",)),
    ("eatable", "eatables", ("eatable",)),
    ("flying object", "flying objects", ("flies",)),
    ("toy that flies", "toys that fly", ("flies", "toy")),
    ("object that flies", "objects that fly", ("flies",)),
    ("object which flies in the air", "objects which fly in the air", ("flies",)),
    ("object that floats", "objects that float", ("floats",)),
    ("water toy", "water toys", ("floats", "toy")),
    ("musical instrument", "musical instruments", ("musical",)),
    ("plant", "plants", ("plant",)),
    ("soft object", "soft objects", ("soft",)),
    ("soft thing", "soft things", ("soft",)),
    ("object which is used to dry", "objects which are used to dry", ("to dry with",)),
    ("object we pour water on", "objects we pour water on", ("to pour water on",)),
    ("reading object", "reading objects", ("to read",)),
    ("object to drink from", "objects to drink from", ("to drink from",)),
    ("object to wash with", "objects to wash with", ("to wash with",)),
    ("light", "lights", ("light",)),
    ("container", "containers", ("container",)),
    ("ball", "balls", ("ball",)),
    ("seat", "seats", ("seat",)),
    ("piece of sitting furniture", "pieces of sitting furniture", ("seat",)),
    ("storage furniture", "storage furniture", ("storage",)),
    ("dining furniture", "dining furniture", ("dining furniture",)),
    ("piece of tableware", "pieces of tableware", ("tableware",)),
    ("dish", "dishes", ("tableware",)),
    ("piece of clothing", "pieces of clothing", ("clothing",)),
    ("something to wear", "things to wear", ("clothing",)),
    ("object used for tennis", "objects used for tennis", ("to play tennis with",)),
    ("piece of furniture", "pieces of furniture", ("furniture",)),
)
_USES = {
    "eat": "eatable", "sit on": "to sit on", "dry with": "to dry with", "read": "to read",
    "drink from": "to drink from", "wash with": "to wash with", "sleep on": "to sleep on", "eat from": "to eat from",
    "cook with": "to cook with", "look at": "to look at", "play tennis with": "to play tennis with",
}  # fmt: skip


@cache
def nouns() -> Mapping[str, tuple[Noun, ...]]:
    """Every noun phrase without adjectives, in the singular and in the plural."""
    found: dict[str, list[Noun]] = {}

    def add(phrase: str, sort: str, of: frozenset[str], plural: bool = False, bare: bool = False) -> None:
        others = found.setdefault(phrase, [])
        same = next((noun for noun in others if noun.plural == plural), None)
        senses = ((sort, of),) if same is None else (*same.senses, (sort, of))
        if same is not None:
            others.remove(same)
        others.append(Noun(senses, plural, bare))

    for name, kind in {**OBJECT_KINDS, **FURNITURE_KINDS}.items():
        head = name.split()[-1]  # a coffee table is a table
        heads = {head} if head in FURNITURE_KINDS or head in OBJECT_KINDS else set()
        for said in {name, *kind.synonyms, *heads}:
            add(said, "kind", frozenset({name}))
        for said in {kind.plural, *map(_plural, kind.synonyms), *map(_plural, heads)}:
            add(said, "kind", frozenset({name}), plural=True)
    for singular, plural, categories in _KNOWN:
        bare = singular.startswith("something") or singular.endswith(" furniture")
        add(singular, "categories", frozenset(categories), bare=bare and singular.split()[0] != "piece")
        add(plural, "categories", frozenset(categories), plural=True)
    for use, category in _USES.items():
        add(f"something to {use}", "categories", frozenset({category}), bare=True)
        add(f"things to {use}", "categories", frozenset({category}), plural=True)
    for word in ("object", "thing", "item"):
        add(word, "thing", frozenset())
        add(f"{word}s", "thing", frozenset(), plural=True)
    for room in ROOM_TYPES.values():
        for said in (room.name, *room.synonyms):
            add(said, "room", frozenset({room.name}))
    for opening in ("door", "window"):
        add(opening, "opening", frozenset({opening}))
        add(f"{opening}s", "opening", frozenset({opening}), plural=True)
    add("me", "player", frozenset({"setter"}), bare=True)
    add("you", "player", frozenset({"solver"}), bare=True)
    add("floor", "floor", frozenset())
    add("this room", "this room", frozenset(), bare=True)
    return {phrase: tuple(meanings) for phrase, meanings in found.items()}


def _plural(noun: str) -> str:
    """The plural of a synonym."""
    first, of, rest = noun.partition(" of ")
    if of:
        return f"{_plural(first)} of {rest}"
    last = noun.split()[-1]
    for kinds in (OBJECT_KINDS, FURNITURE_KINDS):
        if last in kinds:
            return noun[: len(noun) - len(last)] + kinds[last].plural
    if noun.endswith("ss") or noun.endswith(("x", "ch", "sh")):
        return f"{noun}es"
    if noun.endswith("s"):
        return noun
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}s"


@cache
def longest_noun() -> int:
    """Words of the longest noun."""
    return max(len(phrase.split()) for phrase in nouns())
