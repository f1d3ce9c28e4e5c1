"""Words of the house: nouns, adjectives, relations and numbers, each as people say it and as it is understood.

Of every list of forms the first :attr:`Forms.said` are said and all are understood.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

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
      forms: of words.
      said: how many of them, from the first, are said; the others are only understood.
    """

    forms: tuple[str, ...]
    said: int

    @property
    def spoken(self) -> tuple[str, ...]:
        """Those that are said."""
        return self.forms[: self.said]


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


# (singular, plural) of the nouns for each category of the catalogue; the first ones are said, those after None are
# only understood.
CATEGORIES: Mapping[str, tuple[tuple[str, str] | None, ...]] = {
    "toy": (("toy", "toys"), ("playing object", "playing objects"), None, ("plaything", "playthings")),
    "vehicle": (("vehicle", "vehicles"), ("toy vehicle", "toy vehicles")),
    "animal": (("animal", "animals"), ("animal toy", "animal toys"), ("toy animal", "toy animals")),
    "fruit": (("fruit", "fruits"),),
    "eatable": (
        ("eatable object", "eatables"),
        ("something to eat", "things to eat"),
        ("eatable object", "eatable objects"),
        None,
        ("eatable", "eatable items"),
        ("edible object", "edible objects"),
        ("food", "foods"),
    ),
    "flies": (
        ("flying object", "flying objects"),
        ("toy that flies", "toys that fly"),
        ("object that flies", "objects that fly"),
        ("object which flies in the air", "objects which fly in the air"),
        None,
        ("object which flies in the sky", "objects which fly in the sky"),
        ("flying toy", "flying toys"),
    ),
    "floats": (
        ("object that floats", "objects that float"),
        ("water toy", "water toys"),
        None,
        ("floating object", "floating objects"),
        ("water swimming object", "water swimming objects"),
        ("swimming object", "swimming objects"),
    ),
    "musical": (("musical instrument", "musical instruments"), None, ("instrument", "instruments")),
    "book": (),
    "plant": (("plant", "plants"),),
    "soft": (("soft object", "soft objects"), ("soft thing", "soft things")),
    "to sit on": (
        ("something to sit on", "things to sit on"),
        None,
        ("sitting object", "sitting objects"),
        ("object to sit on", "objects to sit on"),
    ),
    "to dry with": (
        ("something to dry with", "things to dry with"),
        ("object which is used to dry", "objects which are used to dry"),
        None,
        ("drying object", "drying objects"),
        ("object used to dry", "objects used to dry"),
    ),
    "to pour water on": (
        ("object we pour water on", "objects we pour water on"),
        None,
        ("object we pour water to", "objects we pour water to"),
        ("something to pour water on", "things to pour water on"),
    ),
    "to read": (("something to read", "things to read"), ("reading object", "reading objects")),
    "to drink from": (
        ("something to drink from", "things to drink from"),
        ("object to drink from", "objects to drink from"),
        None,
        ("drinking object", "drinking objects"),
    ),
    "to wash with": (
        ("something to wash with", "things to wash with"),
        ("object to wash with", "objects to wash with"),
        None,
        ("washing object", "washing objects"),
    ),
    "light": (("light", "lights"), None, ("light object", "light objects"), ("thing that shines", "things that shine")),
    "container": (("container", "containers"),),
    "ball": (("ball", "balls"),),
    "seat": (("seat", "seats"), ("piece of sitting furniture", "pieces of sitting furniture")),
    "storage": (("storage furniture", "storage furniture"),),
    "dining furniture": (("dining furniture", "dining furniture"),),
    "tableware": (("piece of tableware", "pieces of tableware"), None, ("tableware", "tableware"), ("dish", "dishes")),
    "clothing": (
        ("piece of clothing", "pieces of clothing"),
        ("something to wear", "things to wear"),
        None,
        ("clothing", "clothes"),
    ),
    "to sleep on": (("something to sleep on", "things to sleep on"),),
    "to eat from": (("something to eat from", "things to eat from"),),
    "to cook with": (("something to cook with", "things to cook with"),),
    "to look at": (("something to look at", "things to look at"),),
    "to play tennis with": (
        ("object used for tennis", "objects used for tennis"),
        ("something to play tennis with", "things to play tennis with"),
    ),
    "furniture": (("piece of furniture", "pieces of furniture"), None, ("furniture", "furniture")),
}  # fmt: skip

# What is said of things of a category after their noun: "the objects which fly in the air".
CLAUSES: Mapping[str, tuple[str, ...]] = {
    "flies": ("flies", "fly", "flying", "can fly", "flies in the air", "fly in the air", "flies in the sky",
              "fly in the sky", "flies in air", "fly in air", "flies in sky", "fly in sky"),
    "floats": ("floats", "float", "swims", "swim", "can swim", "can float", "swim in water", "floats on water",
               "swims in water", "float on water"),
    "to dry with": ("used to dry", "used for drying", "used to dry with"),
    "to play tennis with": ("used for tennis", "used for the tennis", "used to play tennis", "used in tennis"),
    "to sit on": ("used to sit", "used to sit on", "used for sitting"),
    "to read": ("used to read", "used for reading", "we read"),
    "to drink from": ("used to drink", "used for drinking"),
    "to wash with": ("used to wash", "used for washing"),
    "to cook with": ("used to cook", "used for cooking"),
    "toy": ("used to play", "used for playing", "to play with"),
    "eatable": ("eatable", "edible", "we eat", "to eat", "can be eaten"),
    "to pour water on": ("we pour water on", "we pour water to", "we pour water to it", "we water"),
    "musical": ("used to play music", "used for music"),
    "soft": ("soft",),
}  # fmt: skip

# Relations by how people say them.
RELATION_FORMS: Mapping[str, Forms] = {
    "on": Forms(("on", "on top of", "lying on", "upon", "on the top of", "top of", "onto", "over on"), 3),
    "in": Forms(("in", "inside", "in side", "inside of", "within", "into", "in to"), 2),
    "under": Forms(("under", "underneath", "beneath", "below", "under neath", "underneath of", "below of"), 4),
    "above": Forms(("above", "over"), 1),
    "next to": Forms(
        ("next to", "beside", "right next to", "besides", "by the side of", "adjacent to", "alongside", "touching"), 2
    ),
    "near": Forms(
        ("near", "close to", "near to", "nearby", "by", "around", "near by", "not far from", "in the vicinity of"), 3
    ),
    "far from": Forms(("far from", "far away from", "far to", "away from", "far off from"), 2),
    "left of": Forms(("left of", "to the left of", "on the left of", "at the left of", "on the left side of"), 2),
    "right of": Forms(("right of", "to the right of", "on the right of", "at the right of", "on the right side of"), 2),
    "in front of": Forms(("in front of", "before", "opposite to", "opposite", "in front"), 1),
    "behind": Forms(("behind", "in back of", "at the back of"), 1),
    "between": Forms(("between", "in between", "in the middle of", "among"), 2),
}
IN_ROOM = ("in", "of", "from", "at", "inside", "within")  # prepositions of rooms; "in" is said

SIZE_FORMS: Mapping[str, Forms] = {
    "small": Forms(("small", "little", "tiny", "mini", "short", "small sized", "small size"), 2),
    "medium": Forms(("medium", "medium sized", "medium size", "middle sized"), 2),
    "large": Forms(("large", "big", "huge", "giant", "large sized", "big sized", "large size", "big size"), 2),
}
SHAPE_FORMS: Mapping[str, Forms] = {
    "round": Forms(("round", "rounded", "spherical"), 1),
    "circular": Forms(("circular", "circle shaped", "circle"), 1),
    "rectangular": Forms(("rectangular", "rectangle", "rectangle shaped"), 1),
    "square": Forms(("square", "square shaped", "cubic"), 1),
    "pointy": Forms(("pointy", "pointed", "sharp", "cone shaped"), 1),
    "long": Forms(("long", "elongated", "lengthy"), 1),
}
EXTREMES: Mapping[str, Forms] = {
    "largest": Forms(("largest", "biggest"), 2),
    "smallest": Forms(("smallest", "littlest", "tiniest"), 1),
    "tallest": Forms(("tallest", "highest"), 1),
    "nearest": Forms(("nearest", "closest"), 2),
    "farthest": Forms(("farthest", "furthest"), 1),
}
# Other words for the names of colours. Neighbours are colours that people call by each other's names.
COLOUR_FORMS: Mapping[str, tuple[str, ...]] = {
    "grey": ("gray",),
    "cyan": ("turquoise", "sky blue", "light blue"),
    "purple": ("lilac",),
    "violet": ("lavender",),
    "aquamarine": ("aqua", "mint", "aqua marine"),
    "olive": ("dark green", "olive green"),
    "magenta": ("fuchsia",),
    "brown": ("dark brown",),
    "peach": ("salmon", "skin"),
    "blue": ("dark blue",),
}
NEIGHBOURS: tuple[frozenset[str], ...] = tuple(
    frozenset(pair)
    for pair in (
        ("violet", "purple"),
        ("magenta", "pink"),
        ("magenta", "purple"),
        ("aquamarine", "cyan"),
        ("aquamarine", "green"),
        ("olive", "green"),
        ("peach", "orange"),
        ("peach", "pink"),
    )
)
QUANTIFIERS: Mapping[str, Forms] = {
    "all": Forms(("all the", "all", "all of the", "every", "each", "each of the", "both", "both the"), 2),
    "some": Forms(("some", "some of the", "a few", "few", "the few", "several"), 1),
    "any": Forms(("any", "any of the", "any one", "one of the", "anyone"), 1),
    "most": Forms(("most of the", "most"), 2),
    "many": Forms(("many", "lots of", "a lot of"), 1),
    "no": Forms(("no", "none of the", "not any"), 2),
}
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
    for category, pairs in CATEGORIES.items():
        said = True
        for pair in pairs:
            if pair is None:
                said = False
            else:
                yield Noun(*pair, "category", frozenset({category}), pair[0].startswith("something"), said)
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
    return {word: colour for colour in COLOURS for word in (colour, *COLOUR_FORMS.get(colour, ()))}


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
        phrases += [form for forms in table.values() for form in forms.forms]
    said = frozenset(word for phrase in phrases for word in phrase.split()) | frozenset(NUMBERS) | frozenset(IN_ROOM)
    names = (*OBJECT_KINDS, *FURNITURE_KINDS, *ROOM_TYPES)
    return said - {name.replace(" ", "") for name in names if " " in name}  # "livingroom" is written in two words
