"""Paraphrases with slots: said by choice of one, read back in every way in which they fit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

_SLOT = re.compile(r"{(\w+)}")
_MARKS = re.compile(r"[?!.,;]+(?=\s|$)")
_POLITE = re.compile(r"^(?:please |could you |can you |now )+|(?: please)$")


@dataclass(frozen=True)
class Templates:
    """Paraphrases of one kind of request, e.g. "put {x} under {y}". A slot takes one word or more.

    Args:
      texts: lower case; those with the same slots are equally likely.
    """

    texts: tuple[str, ...]

    def __init__(self, *texts: str) -> None:
        object.__setattr__(self, "texts", texts)

    def say(self, rng: np.random.Generator, **slots: str) -> str:
        """Return one paraphrase that has just these slots, filled in. At least one must."""
        fitting = [text for text in self.texts if set(_SLOT.findall(text)) == set(slots)]
        return fitting[rng.integers(len(fitting))].format(**slots)

    def readings(self, words: str) -> Iterator[dict[str, str]]:
        """Yield the words in the slots for every way in which ``words`` fit, most fixed words first."""
        heard = tuple(_POLITE.sub("", _MARKS.sub("", words.lower()).strip()).split())
        for template in self._by_detail:
            yield from _match(template, heard)

    @cached_property
    def _by_detail(self) -> tuple[tuple[str, ...], ...]:
        split = [tuple(_MARKS.sub("", text).split()) for text in self.texts]
        return tuple(sorted(split, key=lambda words: -sum(not _SLOT.match(word) for word in words)))


def _match(template: tuple[str, ...], heard: tuple[str, ...]) -> Iterator[dict[str, str]]:
    """Yield the fillings of slots with which a template is what was heard; the first slots take few words first."""
    if not template or not heard:
        if not template and not heard:
            yield {}
        return
    slot = _SLOT.fullmatch(template[0])
    if slot is None:
        if template[0] == heard[0]:
            yield from _match(template[1:], heard[1:])
        return
    for taken in range(1, len(heard) - len(template) + 2):
        for rest in _match(template[1:], heard[taken:]):
            yield _joined({slot[1]: " ".join(heard[:taken])}, rest)


def _joined(first: Mapping[str, str], rest: Mapping[str, str]) -> dict[str, str]:
    return {**first, **rest}
