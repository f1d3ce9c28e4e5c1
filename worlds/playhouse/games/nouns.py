"""Names of things and furniture in a house, and how they are read: "the red ball on the table", "two books"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from worlds.playhouse.games.choices import Choice, one
from worlds.playhouse.games.modifiers import Modifier
from worlds.playhouse.games.situation import Situation
from worlds.playhouse.house.catalogue import COLOURS, FURNITURE_KINDS, OBJECT_KINDS, SIZES
from worlds.playhouse.requests.language import NUMBERS, plural, refer, resolve

Pair = Sequence[str | None]  # colour and kind that words name, for the split of requests; JSON
ANY = "thing"
SOME = 2  # things that "some" asks for
OPEN = 0.25  # chance that a single thing is asked for as any of several


@dataclass(frozen=True)
class Named:
    """Words for a role in a request, and what they mean."""

    words: str
    choice: Choice
    said: list[Pair]


def singles(situation: Situation, rng: np.random.Generator, modifier: Modifier | None = None) -> Iterator[Named]:
    """Yield names of single loose things in random order: unique ones, and now and then any of several."""
    named = [n for i in situation.free if (n := name(situation, i, modifier)) is not None]
    several = [Named(g.words(1, rng), Choice(g.among), [g.pair]) for g in groups(situation, situation.free, modifier)]
    chances = np.array([OPEN / len(several)] * len(several) + [(1 - OPEN) / max(1, len(named))] * len(named))
    options = [*several, *named]
    for i in rng.choice(len(options), len(options), replace=False, p=chances / chances.sum()) if options else ():
        yield options[i]


def several(
    situation: Situation, rng: np.random.Generator, numbers: Sequence[int], modifier: Modifier | None = None
) -> Iterator[Named]:
    """Yield names of so many loose things of this room, or of all of a group, in random order."""
    options = [(g, n) for g in groups(situation, situation.free, modifier) for n in numbers if n <= len(g.among)]
    for i in rng.permutation(len(options)):
        group, number = options[i]
        yield Named(group.words(number, rng), Choice(group.among, number), [group.pair])


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
    for i in rng.permutation(len(among)):
        named = name(situation, str(among[int(i)]), modifier)
        if named is not None:
            yield named


@dataclass(frozen=True)
class Group:
    """Things of which a request may leave open which are meant.

    Args:
      among: their ids, all in the solver's room.
      colour: they have in common; None if that is not said.
      kind: they have in common; None if that is not said.
    """

    among: tuple[str, ...]
    colour: str | None
    kind: str | None

    @property
    def pair(self) -> Pair:
        """Colour and kind that its words name."""
        return [self.colour, self.kind]

    def words(self, number: int, rng: np.random.Generator) -> str:
        """Return words for so many of them, or for all."""
        noun = " ".join((*((self.colour,) if self.colour else ()), self.kind or ANY))
        if number == 1:
            article = "an" if noun[0] in "aeiou" else "a"
            return f"{(article, 'any')[rng.integers(2)]} {noun}"
        many = self.many
        if number == len(self.among):
            return f"{('all', 'all the')[rng.integers(2)]} {many}"
        return f"{('', 'any ')[rng.integers(2)]}{NUMBERS[number]} {many}"

    @property
    def many(self) -> str:
        """Words for them without a number."""
        return plural(self.colour, self.kind).replace("toys", f"{ANY}s")


def groups(situation: Situation, among: Sequence[str], modifier: Modifier | None = None) -> Iterator[Group]:
    """Yield every group of ``among``, of the solver's room, that a colour, a kind or both make; and all of them."""
    del modifier
    things = [situation.things[i] for i in situation.here]
    for colour, kind in {(c, k): 0 for t in things for c in (None, t.colour) for k in (None, t.kind)}:
        fitting = tuple(t.id for t in things if colour in (None, t.colour) and kind in (None, t.kind))
        if set(fitting) <= set(among):
            yield Group(fitting, colour, kind)


def name(situation: Situation, entity: str, modifier: Modifier | None = None) -> Named | None:
    """Return words that fit one thing or piece of furniture and nothing else; None if none do."""
    del modifier
    if entity in situation.things:
        thing = situation.things[entity]
        words = refer(thing, list(situation.things.values()))
        return None if words is None else Named(words, one(entity), [[thing.colour, thing.kind]])
    piece = situation.house.furniture_by_id[entity]
    for words, pair in (
        (f"the {piece.kind}", [None, piece.kind]),
        (f"the {piece.colour} {piece.kind}", [piece.colour, piece.kind]),
    ):
        if _furniture(words, situation) == [entity]:
            return Named(words, one(entity), [pair])
    return None


def read(words: str, situation: Situation) -> Choice | None:
    """Return the things, or the furniture, that words can mean; None if they name nothing here."""
    if words.startswith("the "):
        found = [t.id for t in resolve(words, list(situation.things.values()))] or _furniture(words, situation)
        near = [i for i in found if i in situation.here] or found
        return Choice(tuple(near)) if near else None
    match = _QUANTIFIED.fullmatch(words)
    if match is None:
        return None
    fitting = [i for i in situation.here if _fits(situation, i, match)]
    number = _number(match["quantity"], len(fitting))
    return Choice(tuple(fitting), number) if 0 < number <= len(fitting) else None


def _furniture(words: str, situation: Situation) -> list[str]:
    match = _PIECE.fullmatch(words)
    if match is None:
        return []
    fits = (f for f in situation.house.furniture if match["colour"] in (None, f.colour) and match["kind"] == f.kind)
    return [f.id for f in fits]


def _fits(situation: Situation, object_id: str, match: re.Match[str]) -> bool:
    thing = situation.things[object_id]
    kind = None if match["noun"] in (ANY, f"{ANY}s") else match["noun"]
    named = kind in (None, thing.kind, plural(None, thing.kind))
    return named and match["colour"] in (None, thing.colour) and match["size"] in (None, thing.size)


def _number(quantity: str, fitting: int) -> int:
    if quantity in ("a", "an", "any"):
        return 1
    if quantity.startswith("all"):
        return fitting
    if quantity == "some":
        return SOME
    return NUMBERS.index(quantity.removeprefix("any "))


_NOUNS = "|".join((ANY, f"{ANY}s", *OBJECT_KINDS, *(plural(None, kind) for kind in OBJECT_KINDS)))
_QUANTIFIED = re.compile(
    rf"(?P<quantity>an?|all the|all|some|(?:any )?(?:{'|'.join(NUMBERS)})|any)"
    rf"(?: (?P<size>{'|'.join(SIZES)}))?(?: (?P<colour>{'|'.join(COLOURS)}))? (?P<noun>{_NOUNS})"
)
_PIECE = re.compile(rf"the (?:(?P<colour>{'|'.join(COLOURS)}) )?(?P<kind>{'|'.join(FURNITURE_KINDS)})")
