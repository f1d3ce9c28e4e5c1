"""Estimates with their intervals, as JSON. A number that cannot be computed is None."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from rlhf.run.statistics import episode_interval

_SEED = 0


def with_interval(rows: np.ndarray, measure: Callable[[np.ndarray], np.ndarray]) -> dict[str, float | None]:
    """Return a measure of summed counts with its 95% interval, by the bootstrap over episodes.

    Marks of one episode depend on each other, episodes do not.

    Args:
      rows: counts [episodes, N].
      measure: takes sums of rows [..., N] and returns the measure [...].

    Returns:
      ``value``, ``low`` and ``high``; of a single episode there is no interval.
    """
    found = episode_interval(lambda weights: measure(weights @ rows), len(rows), seed=_SEED)
    if found is None:
        return {"value": None, "low": None, "high": None}
    if len(rows) < 2:
        return {"value": rounded(found.estimate), "low": None, "high": None}
    return {"value": rounded(found.estimate), "low": rounded(found.low), "high": rounded(found.high)}


def ratio(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """Return ``part`` / ``whole``; nan where the whole is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(whole > 0, part / whole, np.nan)


def rounded(value: float) -> float | None:
    """Return a number for JSON; None for nan."""
    return round(value, 6) if math.isfinite(value) else None
