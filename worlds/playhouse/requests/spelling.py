"""Words as people type them: cut into tokens, with misspellings set right.

The rules, in their order:

1. Lower case; typographic apostrophes and dashes are plain ones; punctuation goes; "n't", "'s" and "'re" become words.
2. A word of the vocabulary stays as it is; so do numbers.
3. A word with a well-known other spelling (:data:`SPELLINGS`) is replaced by the usual one.
4. Two words that together are one of the vocabulary ("bath tub", "arm chair") become that one.
5. An unknown word that falls into two known ones ("tissueroll") becomes those.
6. Any other unknown word becomes the nearest word of the vocabulary by edit distance, where swapped neighbours count as
   one edit: within one edit for words of four and five letters, two from six letters, three from ten. Among words as
   near, one of the same letters is taken, then one with the same first letter, the longest, the first of the alphabet.
7. What remains unknown is kept: a reader passes over it or gives up.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import cache
from pathlib import Path

from worlds.data_files import read_entries

SPELLINGS: Mapping[str, str] = read_entries(Path(__file__).parent / "data" / "spellings.json", str)
_CONTRACTIONS = (
    (re.compile(r"[’‘`´]"), "'"),
    (re.compile(r"\bcan't\b"), "can not"),
    (re.compile(r"\bwon't\b"), "will not"),
    (re.compile(r"n't\b"), " not"),
    (re.compile(r"\b(what|where|who|which|it|that|there|here|how)'s\b"), r"\1 is"),
    (re.compile(r"'re\b"), " are"),
    (re.compile(r"'m\b"), " am"),
    (re.compile(r"'ve\b"), " have"),
    (re.compile(r"'s\b"), ""),
)
SHORTEST_JOINED = 6  # letters of two words that together are one


def tokens(text: str) -> list[str]:
    """Cut what was typed into lower-case words without punctuation."""
    text = text.lower()
    for pattern, instead in _CONTRACTIONS:
        text = pattern.sub(instead, text)
    return re.findall(r"[a-z]+|\d+", text)


class Speller:
    """Sets words right by a vocabulary."""

    def __init__(self, vocabulary: Collection[str]) -> None:
        self._known = frozenset(vocabulary) | {word for usual in SPELLINGS.values() for word in usual.split()}
        self._sorted = sorted(self._known)
        self._found: dict[str, tuple[str, ...]] = {}

    def words(self, text: str) -> list[str]:
        """Return the words of a text, set right."""
        typed: list[str] = []
        for token in tokens(text):
            typed += SPELLINGS[token].split() if token in SPELLINGS and token not in self._known else [token]
        return [word for token in self._joined(typed) for word in self._right(token)]

    def _joined(self, typed: list[str]) -> list[str]:
        joined: list[str] = []
        for token in typed:
            together = joined[-1] + token if joined else ""
            if len(together) >= SHORTEST_JOINED and together in self._known:
                joined[-1] = together
            else:
                joined.append(token)
        return joined

    def _right(self, token: str) -> tuple[str, ...]:
        if token in self._known or token.isdecimal():
            return (token,)
        if token not in self._found:
            self._found[token] = self._split(token) or (self._nearest(token),)
        return self._found[token]

    def _split(self, token: str) -> tuple[str, ...] | None:
        halves = ((token[:i], token[i:]) for i in range(3, len(token) - 2))
        return next((pair for pair in halves if pair[0] in self._known and pair[1] in self._known), None)

    def _nearest(self, token: str) -> str:
        most = edits_allowed(len(token))
        near = [(edits(token, word), word) for word in self._sorted if most and abs(len(word) - len(token)) <= most]
        letters = sorted(token)
        near = [
            (d, sorted(word) != letters, word[0] != token[0], -len(word), word)
            for d, word in near
            if d <= most and len(word) > 2
        ]
        return min(near)[-1] if near else token


def edits_allowed(letters: int) -> int:
    """Return how many edits a misspelled word of so many letters may be from the right one."""
    return (letters >= 4) + (letters >= 6) + (letters >= 10)


@cache
def edits(a: str, b: str) -> int:
    """Return the fewest insertions, deletions, changes and swaps of neighbouring letters that turn ``a`` into ``b``."""
    before, row = [], list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        earlier, before, row = before, row, [i]
        for j, other in enumerate(b, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == b[j - 2] and a[i - 2] == other:
                cost = min(cost, earlier[j - 2] + 1)
            row.append(cost)
    return row[-1]
