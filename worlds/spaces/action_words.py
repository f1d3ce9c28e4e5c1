"""An action in words, by the names that its world declares."""

from __future__ import annotations

import numpy as np

from worlds.spaces.action import NOTHING, ActionSpec, Pointer

_STILL = "–"


def action_words(action: ActionSpec, movement: np.ndarray, continuous: np.ndarray | None = None) -> str:
    """Return what is done in one step, e.g. "pickup" or "verb take, thing 3"; a dash for nothing.

    The only component of a body is named by its bin alone. Ticks that do the same are one; others are separated.
    """
    ticks: list[str] = []
    for tick in range(action.ticks):
        words = _discrete_words(action, movement[tick])
        if continuous is not None:
            values = zip(action.continuous, continuous[tick].tolist(), strict=True)
            words += [f"{part.name} {value:.2f}" for part, value in values]
        said = ", ".join(words) or _STILL
        if not ticks or ticks[-1] != said:
            ticks.append(said)
    return "; ".join(ticks)


def _discrete_words(action: ActionSpec, values: np.ndarray) -> list[str]:
    """Return the components of one tick that are not neutral, each with its value."""
    alone = len(action.components) == 1
    words = []
    for part, value in zip(action.discrete, values.tolist(), strict=True):
        if isinstance(part, Pointer):
            words += [] if value == NOTHING else [f"{part.name} {value}"]
        elif alone:
            words.append(part.bins[value])
        elif value != part.neutral:
            words.append(f"{part.name} {part.bins[value]}")
    return words
