"""What an environment asks for, in whichever of its places it says so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from gymnasium import spaces

from worlds.spaces.gym_spaces import leaves
from worlds.spaces.observation import whole_text

# Parts of an observation or of infos, and attributes, that say what is asked for, if they are text.
MISSIONS = ("mission", "instruction", "language_instruction", "goal", "task")
_NUMBERS = (spaces.Box, spaces.Discrete, spaces.MultiDiscrete, spaces.MultiBinary)


def mission_keys(space: spaces.Space) -> tuple[str, ...]:
    """Return the names of texts of an observation that say what is asked for; the setter says it instead."""
    return tuple(
        str(path[0])
        for path, leaf in leaves(space)
        if len(path) == 1 and path[0] in MISSIONS and not isinstance(leaf, _NUMBERS)
    )


def find_mission(seen: Any, info: Mapping[str, Any], inner: Any) -> str | None:
    """Return what an environment asks for: the first text in its observation, its info or its attributes.

    Returns:
      "" if all such texts are empty; None if there are none.
    """
    silent = None
    for value in _places(seen, info, inner):
        words = _words(value)
        if words:
            return words
        silent = words if silent is None else silent
    return silent


def _places(seen: Any, info: Mapping[str, Any], inner: Any) -> Iterator[Any]:
    for place in (seen, info):
        if isinstance(place, Mapping):
            yield from (place[key] for key in MISSIONS if key in place)
    yield from (getattr(inner, key, None) for key in MISSIONS)


def _words(value: Any) -> str | None:
    """Return a text in one line; None for what is no text."""
    if isinstance(value, (bytes, np.ndarray)) and np.asarray(value).dtype.kind in "SUO" and np.size(value) == 1:
        value = np.asarray(value).item()
        value = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
    return " ".join(whole_text(str(value)).split()) if isinstance(value, str) else None
