"""The intervals that the project's numbers come with: pure functions, seeded where they draw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import norm

LEVEL = 0.95
RESAMPLES = 10_000


@dataclass(frozen=True)
class Interval:
    """An estimate and the bounds around it, on one scale; ``count`` observations lie behind it."""

    estimate: float
    low: float
    high: float
    count: int

    def __post_init__(self) -> None:
        if not self.low <= self.high:
            raise ValueError(f"an interval's bounds are in order, not {self.low}, {self.high}")


def wilson_interval(successes: int, trials: int, level: float = LEVEL) -> Interval:
    """Wilson's score interval of a proportion (Wilson 1927, without continuity correction).

    Raises:
      ValueError: unless 0 <= successes <= trials and trials > 0.
    """
    if not 0 <= successes <= trials or trials == 0:
        raise ValueError(f"{successes} successes in {trials} trials is no proportion")
    z = float(norm.ppf(0.5 + level / 2))
    share = successes / trials
    shrink = 1 + z * z / trials
    centre = (share + z * z / (2 * trials)) / shrink
    half = z / shrink * np.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    return Interval(share, max(0.0, float(centre - half)), min(1.0, float(centre + half)), trials)


def bootstrap_mean(
    groups: Sequence[Sequence[np.ndarray]], *, seed: int, level: float = LEVEL, resamples: int = RESAMPLES
) -> Interval:
    """Percentile bootstrap interval of a mean over runs, strata and episodes, resampled as they were drawn.

    Runs (agents trained from different seeds) are resampled first, then the episodes of each stratum (probe) within
    each run drawn; strata are fixed and weigh the same. One run is not resampled. For a paired difference of two
    agents, pass per-episode differences: the pairing then survives every resample.

    Args:
      groups: ``groups[run][stratum]`` is float [episodes]; every run has the same strata.
      seed: of the resampling; the same arguments give the same interval.

    Returns: the mean over runs of the mean over strata of the mean over episodes, and its interval.

    Raises:
      ValueError: if there is nothing to average, or runs differ in their number of strata.
    """
    strata = {len(run) for run in groups}
    if len(strata) != 1 or 0 in strata or any(len(episodes) == 0 for run in groups for episodes in run):
        raise ValueError("every run needs the same strata, at least one, each with at least one episode")
    rng = np.random.default_rng(seed)
    estimate = float(np.mean([np.mean([np.mean(episodes) for episodes in run]) for run in groups]))
    means = np.zeros(resamples)
    for _ in groups:  # one slot for each run that a resample draws
        drawn = rng.integers(len(groups), size=resamples)
        for index, run in enumerate(groups):
            chosen = np.flatnonzero(drawn == index)
            for episodes in run:
                means[chosen] += _resampled_means(np.asarray(episodes, dtype=np.float64), len(chosen), rng)
    means /= len(groups) * strata.pop()
    tail = (1 - level) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    count = sum(len(episodes) for run in groups for episodes in run)
    return Interval(estimate, float(low), float(high), count)


def _resampled_means(episodes: np.ndarray, resamples: int, rng: np.random.Generator) -> np.ndarray:
    """Means of ``resamples`` resamples with replacement of ``episodes``: float64 [resamples].

    Counts how often each distinct value is drawn, as outcomes take two or three values and episodes come in hundreds.
    """
    values, counts = np.unique(episodes, return_counts=True)
    draws = rng.multinomial(len(episodes), counts / len(episodes), size=resamples)
    return draws @ values / len(episodes)
