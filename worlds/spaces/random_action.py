"""Random actions of a declared space, and words that fit its speech."""

from __future__ import annotations

import zlib
from collections.abc import Collection
from typing import Any

import numpy as np

from worlds.spaces.action import ActionSpec, Discrete, Grammar, Pointer, Speech


def random_action(
    spec: ActionSpec, rng: np.random.Generator, without: Collection[str] = (), entities: int = 0
) -> dict[str, Any]:
    """Return a random action without words, held for all ticks of the step."""
    action = spec.silent()
    for column, part in enumerate(spec.discrete):
        if isinstance(part, Discrete):
            drawn = [number for number, name in enumerate(part.bins) if name not in without] if without else part.count
            action["movement"][:, column] = rng.choice(drawn)
        elif entities:
            action["movement"][:, column] = rng.integers(1 + min(entities, part.most))
    for column, part in enumerate(spec.continuous):
        action["continuous"][:, column] = rng.uniform(part.low, part.high)
    return action


def within_entities(spec: ActionSpec, action: dict[str, Any], entities: int) -> dict[str, Any]:
    """Return ``action`` with nothing pointed at where a pointer means a row that is not among the ``entities``."""
    points = [isinstance(part, Pointer) for part in spec.discrete]
    if not any(points):
        return action
    beyond = (action["movement"] > entities) & np.array(points)
    return action | {"movement": np.where(beyond, spec.neutral_movement(), action["movement"])}


def within_legal(spec: ActionSpec, action: dict[str, Any], legal: np.ndarray | None) -> dict[str, Any]:
    """Return ``action`` with a legal value in place of every illegal discrete one; without a mask all are legal."""
    if legal is None:
        return action
    movement = action["movement"].copy()
    for column, allowed in enumerate(np.split(legal, np.cumsum(spec.counts)[:-1])):
        values = movement[:, column]
        known = np.flatnonzero(allowed).astype(values.dtype)
        movement[:, column] = np.where(allowed[values], values, known[values % len(known)])
    return action | {"movement": movement}


def words_of(speech: Speech | None, text: str) -> str:
    """Return ``text``, or for a grammar a sentence that stands for it: other texts are other sentences, if there are
    enough.
    """
    if not isinstance(speech, Grammar):
        return text if speech is not None else ""
    number = zlib.crc32(text.encode())
    return " ".join(filter(None, (slot[number % len(slot)] for slot in speech.slots)))
