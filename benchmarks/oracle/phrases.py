"""Noun phrases and places, read from words in every way in which they can be read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from benchmarks.oracle import words
from benchmarks.oracle.words import Noun

DETAILS = 4  # after a noun


@dataclass(frozen=True)
class Place:
    """Somewhere in relation to something.

    Args:
      relation: a value of :data:`words.RELATIONS`.
      anchors: one phrase, or two of "between".
      negated: whether it is anywhere else.
    """

    relation: str
    anchors: tuple[Phrase, ...]
    negated: bool = False


@dataclass(frozen=True)
class Phrase:
    """What a noun phrase says.

    Args:
      quantifier: a value of :data:`words.QUANTIFIERS`, or "" for none.
      number: that is named; 0 for none.
      colour: that it names, "" for none; likewise ``size`` and ``shape``.
      most: "largest", "smallest", "tallest", "nearest", "farthest" or "".
      most_from: what "nearest" is measured from; None for the speaker.
      places: where it is.
    """

    noun: Noun
    quantifier: str = ""
    number: int = 0
    colour: str = ""
    size: str = ""
    shape: str = ""
    not_colours: tuple[str, ...] = ()
    most: str = ""
    most_from: Phrase | None = None
    places: tuple[Place, ...] = ()

    @property
    def plural(self) -> bool:
        """Whether it speaks of several."""
        return self.number > 1 or (self.noun.plural and self.number != 1) or self.quantifier in ("all", "most")


def split(text: str) -> list[str]:
    """Words of a text in lower case."""
    text = re.sub(r"\b(is|are)n't\b", r"\1 not", text.lower())
    text = re.sub(r"\b(what|where|that|it)'s\b", r"\1 is", text)
    return re.findall(r"[a-z]+|'s|\d+", text)


class Reader:
    """Reads phrases in one text."""

    def __init__(self, text: Sequence[str]) -> None:
        self.text = list(text)
        self._phrases: dict[int, list[tuple[int, Phrase]]] = {}
        self._places: dict[int, list[tuple[int, Place]]] = {}

    @cached_property
    def length(self) -> int:
        """Words of the text."""
        return len(self.text)

    def phrases(self, at: int) -> list[tuple[int, Phrase]]:
        """(end, phrase) of every noun phrase that begins at a word."""
        if at not in self._phrases:
            self._phrases[at] = list(dict.fromkeys(self._read(at)))
        return self._phrases[at]

    def places(self, at: int) -> list[tuple[int, Place]]:
        """(end, place) of every place that begins at a word."""
        if at not in self._places:
            self._places[at] = list(dict.fromkeys(self._read_places(at)))
        return self._places[at]

    def _starts(self, at: int, table: Mapping[str, object], longest: int) -> Iterator[tuple[int, str]]:
        """(end, phrase) of everything in a table that begins at a word, the longest first."""
        for end in range(min(at + longest, self.length), at, -1):
            phrase = " ".join(self.text[at:end])
            if phrase in table:
                yield end, phrase

    def _read(self, at: int) -> Iterator[tuple[int, Phrase]]:
        begun = [(at, "", 0)]
        begun += [(end, words.QUANTIFIERS[q], 0) for end, q in self._starts(at, words.QUANTIFIERS, 3)]
        for start, quantifier, _ in begun:
            if start < self.length and self.text[start] in words.NUMBERS:
                yield from self._adjectives(start + 1, _Begun(quantifier, words.NUMBERS[self.text[start]]))
            yield from self._adjectives(start, _Begun(quantifier, 0))

    def _adjectives(self, at: int, begun: _Begun) -> Iterator[tuple[int, Phrase]]:
        for end, phrase in self._starts(at, words.nouns(), words.longest_noun()):
            for noun in words.nouns()[phrase]:
                if begun.number and noun.plural != (begun.number > 1):
                    continue
                if begun.quantifier in ("all", "most", "some") and not noun.plural:
                    continue
                if noun.plural or noun.bare or begun.quantifier or begun.number:
                    whole = Phrase(noun, begun.quantifier, begun.number, begun.colour, begun.size, begun.shape)
                    yield from self._details(end, replace(whole, most=begun.most), DETAILS)
        if at >= self.length:
            return
        word = self.text[at]
        if word in words.COLOUR_WORDS and not begun.colour:
            yield from self._adjectives(at + 1, replace(begun, colour=word))
        if word in words.SHAPE_WORDS and not begun.shape:
            yield from self._adjectives(at + 1, replace(begun, shape=word))
        for end, size in self._starts(at, words.SIZE_WORDS, 2):
            if not begun.size:
                yield from self._adjectives(end, replace(begun, size=words.SIZE_WORDS[size]))
        most = words.MOST.get(word) or words.DISTANCES.get(word)
        if most and not begun.most:
            yield from self._adjectives(at + 1, replace(begun, most=most))

    def _details(self, at: int, so_far: Phrase, left: int) -> Iterator[tuple[int, Phrase]]:
        yield at, so_far
        if left == 0 or at >= self.length or so_far.noun.sort in ("room", "player", "floor", "here", "this room"):
            return
        start, denied = at, False
        if self.text[at] in ("that", "which") and self.text[at + 1 : at + 2] == ["are" if so_far.plural else "is"]:
            start = at + 2
            denied = self.text[start : start + 1] == ["not"]
            if denied and self.text[start + 1 : start + 2] and self.text[start + 1] in words.COLOUR_WORDS:
                colours = (*so_far.not_colours, self.text[start + 1])
                yield from self._details(start + 2, replace(so_far, not_colours=colours), left - 1)
        for end, place in self.places(start):
            yield from self._details(end, replace(so_far, places=(*so_far.places, place)), left - 1)
        if self.text[start] in words.DISTANCES and self.text[start + 1 : start + 2] in (["to"], ["from"]):
            for end, anchor in self.phrases(start + 2):
                me = None if anchor.noun.of == {"setter"} and anchor.noun.sort == "player" else anchor
                most = replace(so_far, most=words.DISTANCES[self.text[start]], most_from=me)
                yield from self._details(end, most, left - 1)

    def _read_places(self, at: int) -> Iterator[tuple[int, Place]]:
        negated = self.text[at : at + 1] == ["not"]
        start = at + negated
        if self.text[start : start + 1] == ["here"]:
            yield start + 1, Place("in", (Phrase(Noun((("here", frozenset()),))),), negated)
        for end, phrase in self._starts(start, words.RELATIONS, 4):
            relation = words.RELATIONS[phrase]
            for last, anchor in self.phrases(end):
                if relation != "between":
                    yield last, Place(relation, (anchor,), negated)
                elif self.text[last : last + 1] == ["and"]:
                    for final, other in self.phrases(last + 1):
                        yield final, Place(relation, (anchor, other), negated)


@dataclass(frozen=True)
class _Begun:
    """A phrase before its noun."""

    quantifier: str
    number: int
    colour: str = ""
    size: str = ""
    shape: str = ""
    most: str = ""
