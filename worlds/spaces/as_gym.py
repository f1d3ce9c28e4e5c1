"""Declared spaces as Gymnasium's, for the methods of a world that others call."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from worlds.spaces.action import ActionSpec, Speech
from worlds.spaces.observation import Entities, PlayerSpec

_SAMPLED = frozenset(chr(code) for code in range(0x20, 0x250) if chr(code).isprintable())  # the Latin letters
_LONGEST_TEXT = 65_536  # characters of a text that is observed: whole apartments in words have some 8,000


class PrintableText(spaces.Text):
    """Printable text of any language; Gymnasium's default knows only letters and digits, not even the space.

    It samples Latin letters, as a space of text keeps every letter that it may draw.
    """

    def __init__(self, most_chars: int) -> None:
        super().__init__(max_length=most_chars, min_length=0, charset=_SAMPLED)

    def contains(self, x: Any) -> bool:
        """Return True if ``x`` is printable text that is short enough."""
        return isinstance(x, str) and len(x) <= self.max_length and x.isprintable()


class PrintableLines(PrintableText):
    """Such texts of several lines, which worlds show but nobody says."""

    def contains(self, x: Any) -> bool:
        """Return True if ``x`` is lines of printable text that are short enough together."""
        return isinstance(x, str) and len(x) <= self.max_length and x.replace("\n", "").isprintable()


def gym_action_space(spec: ActionSpec) -> spaces.Dict:
    """Return the space of a player's actions."""
    parts: dict[str, spaces.Space] = {"movement": gym_movement_space(spec), "utterance": _speech(spec.speech)}
    return spaces.Dict(parts | _continuous("continuous", spec))


def gym_movement_space(spec: ActionSpec) -> spaces.MultiDiscrete:
    """Return the space of the movement of one step: whole numbers [ticks, discrete components]."""
    return spaces.MultiDiscrete(np.tile(spec.counts, (spec.ticks, 1)), dtype=spec.dtype)  # type: ignore[arg-type]


def gym_observation_space(player: PlayerSpec, heard: Speech | None = None) -> spaces.Dict:
    """Return the space of a player's observations."""
    seen, words = player.observation, _speech(heard or player.action.speech)
    parts: dict[str, spaces.Space] = {}
    if seen.image is not None:
        parts["image"] = spaces.Box(0, 255, seen.image.shape, np.uint8)
    if seen.grid is not None:
        parts["grid"] = spaces.Box(0, _highest(seen.grid.shape, seen.grid.categories), dtype=np.int16)
    if seen.entities is not None:
        parts |= _entities(seen.entities)
    if seen.vector is not None:
        parts["vector"] = spaces.Box(-np.inf, np.inf, (seen.vector.length,), np.float32)
    if player.action.masked:
        parts["legal"] = spaces.Box(0, 1, (int(player.action.counts.sum()),), np.bool_)  # type: ignore[arg-type]
    parts |= {name: PrintableLines(_LONGEST_TEXT) for name in seen.texts}
    parts |= {"setter_text": words, "solver_text": words, "previous_movement": gym_movement_space(player.action)}
    return spaces.Dict(parts | _continuous("previous_continuous", player.action))


def _speech(speech: Speech | None) -> spaces.Text:
    return PrintableText(speech.most_chars if speech is not None else 1)


def _continuous(name: str, spec: ActionSpec) -> dict[str, spaces.Space]:
    if not spec.continuous:
        return {}
    low, high = np.array([[each.low, each.high] for each in spec.continuous], np.float32).T
    return {name: spaces.Box(np.tile(low, (spec.ticks, 1)), np.tile(high, (spec.ticks, 1)), dtype=np.float32)}


def _highest(shape: tuple[int, ...], counts: Any) -> np.ndarray:
    return np.broadcast_to(np.asarray(counts) - 1, shape).astype(np.int16)


def _entities(entities: Entities) -> dict[str, spaces.Space]:
    """Rows of categories and of values; Gymnasium cannot say that there are as many of both."""
    category = spaces.Box(0, _highest((len(entities.categorical),), entities.counts), dtype=np.int16)
    value = spaces.Box(-np.inf, np.inf, (len(entities.real),), np.float32)
    return {
        "entity_categories": spaces.Sequence(category, stack=True),
        "entity_values": spaces.Sequence(value, stack=True),
    }
