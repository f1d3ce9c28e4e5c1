"""The arrays of T observations, as recordings hold them and agents take them, made from a player's declared spaces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from worlds.spaces.action import Array
from worlds.spaces.observation import PlayerSpec

ENTITY_COUNTS = "entity_counts"
ENTITIES = ("entity_categories", "entity_values")  # the rows of all steps, end to end


def step_arrays(player: PlayerSpec) -> dict[str, Array]:
    """Return type and shape of one step of every array that the player observes, by name.

    Entities have one array more, their number at each step, and None in place of that number.
    """
    found: dict[str, Array] = {}
    for name, array in player.arrays.items():
        if name in ENTITIES:
            found.setdefault(ENTITY_COUNTS, (np.dtype(np.int32), ()))
        found[name] = array
    return found


def stack_observations(player: PlayerSpec, observations: Sequence[Mapping[str, Any]]) -> dict[str, np.ndarray]:
    """Return the arrays of T observations as :func:`step_arrays` names them: [T, ...], entities end to end.

    Raises:
      ValueError, KeyError or AttributeError: a part is missing, or of another shape than at the first step.
    """
    return {name: _stacked(name, observations) for name in step_arrays(player)}


def observed_at(seen: Mapping[str, np.ndarray], texts: Mapping[str, Sequence[str]], step: int) -> dict[str, Any]:
    """Return what was observed at one step, as its world gave it.

    Args:
      seen: arrays of all steps, as :func:`stack_observations` returns them.
      texts: a text for every step, by key.
      step: which step.
    """
    found: dict[str, Any] = {key: said[step] for key, said in texts.items()}
    for name, values in seen.items():
        if name in ENTITIES:
            begin = int(seen[ENTITY_COUNTS][:step].sum())
            found[name] = values[begin : begin + int(seen[ENTITY_COUNTS][step])]
        elif name != ENTITY_COUNTS:
            found[name] = values[step]
    return found


def padded(rows: np.ndarray, counts: np.ndarray, most: int) -> np.ndarray:
    """Return sets of rows that lie end to end as one array [N, most, features], each filled up with zeros.

    Args:
      rows: [sum of counts, features].
      counts: integers [N], rows of every set.
      most: largest number of rows of a set.
    """
    filled = np.zeros((len(counts), most, rows.shape[1]), rows.dtype)
    filled[np.arange(most) < np.asarray(counts)[:, None]] = rows
    return filled


def unpadded(filled: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return the sets of :func:`padded` end to end again: [sum of counts, features]."""
    return filled[np.arange(filled.shape[1]) < np.asarray(counts)[:, None]]


def _stacked(name: str, observations: Sequence[Mapping[str, Any]]) -> np.ndarray:
    if name == ENTITY_COUNTS:
        return np.array([len(seen[ENTITIES[0]]) for seen in observations], np.int32)
    arrays = [seen[name] for seen in observations]
    return np.concatenate(arrays) if name in ENTITIES else np.stack(arrays)
