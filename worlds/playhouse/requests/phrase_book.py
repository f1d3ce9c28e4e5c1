"""Phrases of the lexicon by their words, for those who read: the longest that begins at a place in a text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Generic, TypeVar

from worlds.playhouse.requests.lexicon import (
    CLAUSES,
    EXTREMES,
    QUANTIFIERS,
    RELATION_FORMS,
    SHAPE_FORMS,
    SIZE_FORMS,
    Forms,
    colour_words,
    nouns,
)

Meaning = TypeVar("Meaning")


class PhraseBook(Generic[Meaning]):
    """Meanings of phrases.

    Args:
      meanings: by phrase, words with blanks between them.
    """

    def __init__(self, meanings: Mapping[str, Meaning]) -> None:
        self._first: dict[str, list[tuple[tuple[str, ...], Meaning]]] = {}
        for phrase, meaning in meanings.items():
            words = tuple(phrase.split())
            self._first.setdefault(words[0], []).append((words, meaning))
        for entries in self._first.values():
            entries.sort(key=lambda entry: -len(entry[0]))

    def at(self, words: Sequence[str], start: int) -> Iterator[tuple[int, Meaning]]:
        """Yield (end, meaning) of all phrases that begin at ``start``, the longest first."""
        if start < len(words):
            for phrase, meaning in self._first.get(words[start], ()):
                end = start + len(phrase)
                if tuple(words[start:end]) == phrase:
                    yield end, meaning

    def longest(self, words: Sequence[str], start: int) -> tuple[int, Meaning] | None:
        """Return (end, meaning) of the longest phrase that begins at ``start``; None if there is none."""
        return next(self.at(words, start), None)


def by_meaning(table: Mapping[str, Sequence[str]]) -> PhraseBook[str]:
    """Return the book of all phrases for each meaning."""
    return PhraseBook({phrase: meaning for meaning, phrases in table.items() for phrase in phrases})


def _by_form(table: Mapping[str, Forms]) -> PhraseBook[str]:
    return by_meaning({meaning: forms.every for meaning, forms in table.items()})


@cache
def noun_book() -> PhraseBook[tuple[str, bool]]:
    """(Singular, whether the phrase is a plural) of every form of a noun."""
    plurals = {noun.plural: (noun.singular, True) for noun in reversed(nouns())}
    return PhraseBook(plurals | {noun.singular: (noun.singular, False) for noun in nouns()})


@cache
def colour_book() -> PhraseBook[str]:
    return PhraseBook(colour_words())


RELATION_BOOK = _by_form(RELATION_FORMS)
SIZE_BOOK = _by_form(SIZE_FORMS)
SHAPE_BOOK = _by_form(SHAPE_FORMS)
EXTREME_BOOK = _by_form(EXTREMES)
QUANTIFIER_BOOK = _by_form(QUANTIFIERS)
CLAUSE_BOOK = by_meaning(CLAUSES)
