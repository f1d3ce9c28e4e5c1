"""Estimates with their intervals, as JSON. A number that cannot be computed is None."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from rlhf.run.statistics import Interval, episode_interval, ratio_interval

_SEED = 0


def with_interval(rows: np.ndarray, measure: Callable[[np.ndarray], np.ndarray]) -> dict[str, float | None]:
    """Return a measure of summed counts with its 95% interval, by the bootstrap over episodes.

    Marks of one episode depend on each other, episodes do not.

    Args:
      measure: takes sums of rows [..., N] and returns the measure [...].

    Returns:
      ``value``, ``low`` and ``high``; of a single episode there is no interval.
    """
    return _as_json(episode_interval(lambda weights: measure(weights @ rows), len(rows), seed=_SEED), len(rows))


def share_with_interval(part: np.ndarray, whole: np.ndarray) -> dict[str, float | None]:
    """Return the share that ``part`` has of ``whole``, summed over episodes, with its 95% interval.

    As :func:`with_interval`; where all episodes have the same share, the interval is Wilson's for so many episodes.
    """
    return _as_json(ratio_interval(part, whole, seed=_SEED), len(whole))


def _as_json(found: Interval | None, episodes: int) -> dict[str, float | None]:
    if found is None:
        return {"value": None, "low": None, "high": None}
    if episodes < 2:
        return {"value": rounded(found.estimate), "low": None, "high": None}
    return {"value": rounded(found.estimate), "low": rounded(found.low), "high": rounded(found.high)}


def ratio(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """Return ``part`` / ``whole``; nan where the whole is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(whole > 0, part / whole, np.nan)


def rounded(value: float) -> float | None:
    """Return a number for JSON; None for nan."""
    return round(value, 6) if math.isfinite(value) else None
