"""Nouns of classes, in singular and plural, and numerals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path

from worlds.data_files import read_entries

NUMERALS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")

# Words of classes whose names are not words. The first is the usual one; all are said and understood.
_WORDS: Mapping[str, tuple[str, ...]] = read_entries(Path(__file__).parent / "data" / "nouns.json", tuple[str, ...])
_PLURALS = {"glass": "glasses", "box": "boxes", "knife": "knives", "bench": "benches", "dish": "dishes"}
_NO_PLURAL = frozenset({"bananas"})


def singulars(name: str) -> tuple[str, ...]:
    """Return the nouns of a class in the singular; the first is the usual one."""
    return _WORDS.get(name, (name,))


def plural(noun: str) -> str:
    """Return the plural of a noun: of what comes before "of", or of its last word."""
    head, of, rest = noun.partition(" of ")
    before, _, last = head.rpartition(" ")
    return f"{before} {_plural(last)}".strip() + of + rest


def _plural(word: str) -> str:
    if word in _NO_PLURAL:
        return word
    if word in _PLURALS:
        return _PLURALS[word]
    if word.endswith(("s", "x", "ch", "sh", "o")):
        return f"{word}es"
    if word.endswith("y") and word[-2] not in "aeiou":
        return f"{word[:-1]}ies"
    return f"{word}s"


def counted(noun: str, count: int, numeral: bool = False) -> str:
    """Return a number of things in words, e.g. "an apple" or "two plates"; with ``numeral``, "one apple"."""
    if count == 1 and not numeral:
        return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"
    number = NUMERALS[count] if count < len(NUMERALS) else str(count)
    return f"{number} {noun if count == 1 else plural(noun)}"


def number(word: str) -> int:
    """Return the number that a numeral, an article or digits name."""
    if word in ("a", "an"):
        return 1
    return NUMERALS.index(word) if word in NUMERALS else int(word)


def listed(parts: Iterable[str]) -> str:
    """Return parts as one list: "x", "x and y", "x, y and z"."""
    *rest, last = parts
    return f"{', '.join(rest)} and {last}" if rest else last


@lru_cache(maxsize=64)
def names_of(classes: tuple[str, ...]) -> Mapping[str, str]:
    """Return the class of every noun, singular and plural; a class's own name comes before words of others."""
    found = {noun: name for name in classes for noun in (name, plural(name))}
    for name in classes:
        for noun in singulars(name):
            found.setdefault(noun, name)
            found.setdefault(plural(noun), name)
    return found


def clear_nouns(name: str, classes: tuple[str, ...]) -> tuple[str, ...]:
    """Return the nouns of a class that name no other one, the usual one first."""
    names = names_of(classes)
    return tuple(noun for noun in singulars(name) if names.get(noun) == names.get(plural(noun)) == name) or (name,)
