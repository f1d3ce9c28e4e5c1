"""Statistics of columns, as LeRobot writes them: of each episode, and of all together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

Statistics = Mapping[str, np.ndarray]

_QUANTILES = {"q01": 0.01, "q10": 0.1, "q50": 0.5, "q90": 0.9, "q99": 0.99}
_FRAMES = 32  # of an episode that the statistics of pictures are made of


def of_numbers(values: np.ndarray) -> Statistics:
    """Return the statistics of numbers [T, ...] over the steps; their shape is that of a step."""
    numbers = values.astype(np.float64)
    found: dict[str, np.ndarray] = {"min": numbers.min(axis=0), "max": numbers.max(axis=0)}
    found |= {"mean": numbers.mean(axis=0), "std": numbers.std(axis=0), "count": np.array([len(numbers)])}
    return found | dict(zip(_QUANTILES, np.quantile(numbers, list(_QUANTILES.values()), axis=0), strict=True))


def of_pictures(frames: np.ndarray) -> Statistics:
    """Return the statistics of each channel of ``frames`` uint8 [T, H, W, channels], from 0 to 1: [channels, 1, 1].

    They are of some frames, evenly spread.
    """
    some = frames[np.unique(np.linspace(0, len(frames) - 1, _FRAMES).astype(int))]
    channels = of_numbers(some.reshape(-1, some.shape[-1]) / 255)
    found = {name: value.reshape(-1, 1, 1) for name, value in channels.items() if name != "count"}
    return found | {"count": np.array([len(some)])}


class Together:
    """Statistics of all episodes: exact but for the quantiles, which are the outermost of any episode."""

    def __init__(self) -> None:
        self._found: dict[str, dict[str, np.ndarray]] = {}

    def add(self, episode: Mapping[str, Statistics]) -> None:
        """Add the statistics of one more episode, by column."""
        for name, new in episode.items():
            old = self._found.get(name)
            self._found[name] = dict(new) if old is None else _pooled(old, new)

    def to_json(self) -> dict[str, Any]:
        """Return the statistics as JSON values, by column."""
        return {name: {key: value.tolist() for key, value in found.items()} for name, found in self._found.items()}


def _pooled(old: Statistics, new: Statistics) -> dict[str, np.ndarray]:
    """Statistics of two sets of numbers; means and variances by the parallel algorithm."""
    count = old["count"] + new["count"]
    share, difference = new["count"] / count, new["mean"] - old["mean"]
    variance = old["std"] ** 2 * (1 - share) + new["std"] ** 2 * share + difference**2 * share * (1 - share)
    found = {"min": np.minimum(old["min"], new["min"]), "max": np.maximum(old["max"], new["max"])}
    found |= {"mean": old["mean"] + difference * share, "std": np.sqrt(variance), "count": count}
    for name, part in _QUANTILES.items():
        found[name] = (np.minimum if part <= 0.5 else np.maximum)(old[name], new[name])
    return found
