"""Requests in many words: small grammars that are said in all their variants and read back, also as people type them.

A pattern such as ``"(put|place) {x} [right] next to {y}"`` stands for all texts with one of each group in parentheses,
with or without what is in brackets. Slots in braces take the words of things. The pronoun "it" is said as "them" of
several things.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, lru_cache

import numpy as np

from worlds.playhouse.house.catalogue import COLOURS
from worlds.playhouse.requests.reading import noun_phrases, words_of
from worlds.playhouse.requests.spelling import tokens

INSTRUCTION_FRAMES = (
    "please {}", "can you {}?", "could you {}?", "could you please {}?", "{} please", "hey, {}", "now {}", "{} now",
    "can you please {}?", "i want you to {}", "would you {}?", "ok, {}", "i would like you to {}", "{} for me",
)  # fmt: skip
QUESTION_FRAMES = ("hey, {}", "now, {}", "ok, {}", "{} please", "please, {}", "so, {}")
PLAIN = 0.55  # share of requests without a frame
_SLOT = re.compile(r"{(\w+)}")
_LEADING = (
    "can you please", "could you please", "would you please", "i would like you to", "i want you to", "i need you to",
    "can you", "could you", "would you", "will you", "please", "kindly", "now", "hey", "ok", "okay", "so", "then",
    "and", "your task is to", "you have to", "try to", "hi", "first",
)  # fmt: skip
_TRAILING = ("please", "for me", "now", "thanks", "thank you", "ok")
_ARTICLES = frozenset({"the", "a", "an"})
# Words of the fixed text of every phrasing: what another phrasing says is no misspelling of what this one says.
_fixed: set[str] = {word for phrase in (*_LEADING, *_TRAILING) for word in phrase.split()}
_PRONOUNS = frozenset({"it", "them", "that", "those", "this", "these"})


def variants(pattern: str) -> tuple[str, ...]:
    """Return every text that a pattern stands for."""
    texts, rest = _alternatives(pattern, 0)
    if rest != len(pattern):
        raise ValueError(f"pattern {pattern!r}: a bracket is closed that was never opened")
    return tuple(dict.fromkeys(" ".join(text.split()).replace(" ?", "?") for text in texts))


def _alternatives(pattern: str, at: int) -> tuple[list[str], int]:
    """The texts from ``at`` to the end of the group or pattern, and where that is."""
    finished, texts = [], [""]
    while at < len(pattern) and pattern[at] not in ")]":
        letter = pattern[at]
        if letter in "([":
            inner, at = _alternatives(pattern, at + 1)
            inner += [""] if letter == "[" else []
            texts = [text + more for text in texts for more in inner]
        elif letter == "|":
            finished, texts = finished + texts, [""]
        else:
            texts = [text + letter for text in texts]
        at += 1
    return finished + texts, at


def bare(words: str, frames: Sequence[str] = INSTRUCTION_FRAMES) -> str:
    """Return the words of a request without those of politeness around them."""
    for frame in sorted(frames, key=len, reverse=True):
        before, _, after = frame.partition("{}")
        if words.startswith(before) and words.endswith(after):
            return words.removeprefix(before).removesuffix(after)
    return words


def otherwise(words: str, question: bool) -> list[str]:
    """Return a request, or a ``question``, with other words of politeness, and without any."""
    frames, marked = QUESTION_FRAMES if question else INSTRUCTION_FRAMES, question and words.endswith("?")
    text = bare(words.rstrip("?") if marked else words, frames)
    framed = (frame.format(text) + ("?" if marked else "") for frame in ("{}", *frames))
    return [one for one in framed if one != words]


class Phrasing:
    """All ways to phrase one kind of request.

    Args:
      patterns: of the grammar above, lower case.
      question: whether it asks for an answer, which is framed in other words than an instruction.
    """

    def __init__(self, *patterns: str, question: bool = False) -> None:
        self.texts = tuple(dict.fromkeys(text for pattern in patterns for text in variants(pattern)))
        _fixed.update(word for text in self.texts for word in tokens(_SLOT.sub(" ", text)))
        self._frames = QUESTION_FRAMES if question else INSTRUCTION_FRAMES

    def say(self, rng: np.random.Generator, **slots: str) -> str:
        """Return one phrasing that has just these slots, now and then within words of politeness."""
        fitting = [text for text in self.texts if set(_SLOT.findall(text)) == set(slots)]
        text = fitting[int(rng.integers(len(fitting)))]
        if speaks_of_several(slots.get("x", "")):
            text = re.sub(r"\bit\b", "them", text)
        words = text.format(**slots)
        if rng.random() < PLAIN:
            return words
        frame = self._frames[int(rng.integers(len(self._frames)))]
        asked = words.endswith("?") and not frame.endswith("?")
        return frame.format(words.rstrip("?")) + ("?" if asked else "")

    def readings(self, text: str) -> Iterator[dict[str, list[str]]]:
        """Yield the words in the slots for every way in which a text fits, those with most fixed words first."""
        for heard in _heard(text, len(_fixed)):
            for template in self._by_detail:
                yield from _match(template, heard)

    @cached_property
    def _by_detail(self) -> list[tuple[str, ...]]:
        """The texts as words, each slot as "{name}"."""
        split = {tuple(_template(text)) for text in self.texts}
        return sorted(split, key=lambda words: (-sum(word[0] != "{" for word in words), words))


def _template(text: str) -> Iterator[str]:
    for part in re.split(r"({\w+})", text):
        yield from [part] if _SLOT.fullmatch(part) else tokens(part)


@lru_cache(maxsize=256)
def _heard(text: str, words_known: int) -> tuple[tuple[str, ...], ...]:
    """A text in words that are set right by all that any phrasing says: as it is, and with less and less politeness."""
    del words_known  # more words known, other corrections
    begun = list(_without_leading(words_of(text, frozenset(_fixed))))
    return tuple(dict.fromkeys(tuple(words) for start in begun for words in _without_trailing(start)))


def _without_leading(words: list[str]) -> Iterator[list[str]]:
    """Yield words as they are, then with one phrase of politeness after another left off before them."""
    leading: str | None = ""
    while leading is not None and len(words) > len(leading.split()):
        words = words[len(leading.split()) :]
        yield words
        leading = next((p for p in _LEADING if words[: len(p.split())] == p.split()), None)


def _without_trailing(words: list[str]) -> Iterator[list[str]]:
    """Yield words as they are, then with one phrase of politeness after another left off behind them."""
    trailing: str | None = ""
    while trailing is not None and len(words) > len(trailing.split()):
        words = words[: len(words) - len(trailing.split())]
        yield words
        trailing = next((p for p in _TRAILING if words[-len(p.split()) :] == p.split()), None)


def _match(template: Sequence[str], heard: Sequence[str]) -> Iterator[dict[str, list[str]]]:
    """Yield what slots hold where a template is what was heard; articles between fixed words do not matter.

    The first slots take the most words first.
    """
    if not template:
        if not heard:
            yield {}
        return
    first = template[0]
    if first[0] == "{":
        least = sum(word not in _ARTICLES for word in template[1:])
        for taken in range(len(heard) - least, 0, -1):
            for rest in _match(template[1:], heard[taken:]):
                yield {first[1:-1]: list(heard[:taken]), **rest}
    elif heard and (heard[0] == first or (first == "it" and heard[0] in _PRONOUNS)):
        yield from _match(template[1:], heard[1:])
    elif first in _ARTICLES:
        yield from _match(template[1:], heard)
    elif heard and heard[0] in _ARTICLES:
        yield from _match(template, heard[1:])


def speaks_of_several(words: str) -> bool:
    """Return True if words for things are in the plural."""
    phrases = noun_phrases(tokens(words), 0)
    return bool(phrases) and (phrases[0][1].plural or phrases[0][1].quantifier == "some")  # "some grapes"


# -- as people type -----------------------------------------------------------------------------------------------


def as_typed(text: str, rng: np.random.Generator, means_the_same: Callable[[str], bool], slips: int = 1) -> str:
    """Return a text with a few of people's slips, after which it still means the same; unchanged if none is found.

    Args:
      means_the_same: whether a reader understands a text with slips.
    """
    for _ in range(int(rng.integers(1, slips + 1))):
        for _ in range(6):
            slip = _SLIPS[int(rng.integers(len(_SLIPS)))](text, rng)
            if slip != text and means_the_same(slip):
                text = slip
                break
    return text


def _misspell(text: str, rng: np.random.Generator) -> str:
    """One letter of a longer word dropped, doubled, or swapped with the next one."""
    words = text.split(" ")
    long = [i for i, word in enumerate(words) if len(word) > 4 and word.isalpha()]
    if not long:
        return text
    i = long[int(rng.integers(len(long)))]
    at, word = int(rng.integers(1, len(words[i]) - 1)), words[i]
    before, letter, after = word[:at], word[at], word[at + 1 :]
    slips = before + after, before + 2 * letter + after, before + after[:1] + letter + after[1:]
    words[i] = slips[int(rng.integers(len(slips)))]
    return " ".join(words)


def _without_article(text: str, rng: np.random.Generator) -> str:
    return _one_of(text, re.compile(r"\b(?:the|a|an) "), "", rng)


def _double_blank(text: str, rng: np.random.Generator) -> str:
    return _one_of(text, re.compile(" "), "  ", rng)


def _with_colour_word(text: str, rng: np.random.Generator) -> str:
    word = ("color", "colour")[int(rng.integers(2))]
    return _one_of(text, re.compile(rf"\b({'|'.join(COLOURS)}) (?=[a-z])"), rf"\1 {word} ", rng)


def _other_end(text: str, rng: np.random.Generator) -> str:
    return text.rstrip("?. ") + (".", "", " .", " ?", "..", "?")[int(rng.integers(6))]


def _capital(text: str, rng: np.random.Generator) -> str:
    return text[:1].upper() + text[1:]


def _one_of(text: str, pattern: re.Pattern[str], instead: str, rng: np.random.Generator) -> str:
    """One of the places that a pattern fits, replaced."""
    found = list(pattern.finditer(text))
    if not found:
        return text
    match = found[int(rng.integers(len(found)))]
    return text[: match.start()] + match.expand(instead) + text[match.end() :]


_SLIPS: tuple[Callable[[str, np.random.Generator], str], ...] = (
    _misspell, _misspell, _misspell, _without_article, _double_blank, _with_colour_word, _other_end, _capital,
)  # fmt: skip
