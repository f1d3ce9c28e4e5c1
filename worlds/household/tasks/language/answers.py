"""Answers in words: what whoever was asked says while and after it helps."""

from __future__ import annotations

import numpy as np

from worlds.household.tasks.language.nouns import counted, singulars

DONE = ("done", "all done", "that is done", "it is done", "I am done", "done, anything else?", "finished")
STARTED = ("ok", "sure", "I will do that", "of course", "I am on it")
NOT_UNDERSTOOD = ("sorry, I do not understand", "I do not know what you mean", "please say it in other words")
FOUND = ("I found {the}", "here is {the}", "{the} is here", "I have found {the}")
FOUND_THERE = ("I found {the} {there}", "{the} is {there}", "there is {one} {there}")
MISSING = ("I cannot find {one}", "I do not see {one} anywhere", "where can I find {one}?")


def done(rng: np.random.Generator) -> str:
    """Return words for a request that was done."""
    return _pick(DONE, rng)


def started(rng: np.random.Generator) -> str:
    """Return words for a request that was understood."""
    return _pick(STARTED, rng)


def not_understood(rng: np.random.Generator) -> str:
    """Return words for a request that was not understood."""
    return _pick(NOT_UNDERSTOOD, rng)


def found(rng: np.random.Generator, thing: str, place: str = "", inside: bool = False) -> str:
    """Return words for a thing that was found, on or in a place if one is given."""
    words = _words(thing)
    if place:
        words["there"] = f"{'in' if inside else 'on'} the {singulars(place)[0]}"
    return _pick(FOUND_THERE if place else FOUND, rng).format_map(words)


def missing(rng: np.random.Generator, thing: str) -> str:
    """Return words for a thing that is not found. ``thing`` is its class."""
    return _pick(MISSING, rng).format_map(_words(thing))


def _words(thing: str) -> dict[str, str]:
    noun = singulars(thing)[0]
    return {"the": f"the {noun}", "one": counted(noun, 1)}


def _pick(options: tuple[str, ...], rng: np.random.Generator) -> str:
    return options[int(rng.integers(len(options)))]
