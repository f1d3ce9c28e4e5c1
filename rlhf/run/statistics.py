"""The intervals that the project's numbers come with: pure functions, seeded where they draw."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtri, stdtrit  # quantiles; scipy.stats takes a second to import

LEVEL = 0.95
RESAMPLES = 10_000
FEWER_RESAMPLES = 2_000  # of what is costly to compute; bounds then move by a fiftieth of the interval


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


def wilson_interval(successes: float, trials: int, level: float = LEVEL) -> Interval:
    """Wilson's score interval of a proportion (Wilson 1927, without continuity correction).

    Raises:
      ValueError: unless 0 <= successes <= trials and trials > 0.
    """
    if not 0 <= successes <= trials or trials == 0:
        raise ValueError(f"{successes} successes in {trials} trials is no proportion")
    z = float(ndtri(0.5 + level / 2))
    share = successes / trials
    shrink = 1 + z * z / trials
    centre = (share + z * z / (2 * trials)) / shrink
    half = z / shrink * np.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    return Interval(share, max(0.0, float(centre - half)), min(1.0, float(centre + half)), trials)


def mean_of(estimate: float, deviation: float, count: int) -> Interval | None:
    """Student's t interval of a mean.

    Returns:
      The interval; None of a single observation.
    """
    if count < 2:
        return None
    half = float(stdtrit(count - 1, 0.5 + LEVEL / 2)) * deviation / float(np.sqrt(count))
    return Interval(estimate, estimate - half, estimate + half, count)


def mean_interval(groups: Sequence[Sequence[np.ndarray]], *, seed: int, resamples: int = RESAMPLES) -> Interval:
    """Interval of a mean over runs (agents trained from different seeds), strata (probes) and episodes.

    Of one run, a percentile bootstrap over the episodes of each stratum; it speaks of that run only. Of several,
    Student's t over the runs' means, which speaks of runs yet to be made, or the bootstrap of these runs' episodes
    where that is wider. (A bootstrap of three runs would not do: its bounds are the least and the greatest of them,
    which have the truth between them in 75% of all cases.) Strata are fixed and weigh the same. For a paired difference
    of two agents, pass per-episode differences: the pairing then survives every resample.

    Args:
      groups: ``groups[run][stratum]`` is float [episodes]; every run has the same strata.
      seed: of the resampling; the same arguments give the same interval.

    Returns:
      Mean over runs of the mean over strata of the mean over episodes, and its interval.

    Raises:
      ValueError: if there is nothing to average, or runs differ in their number of strata.
    """
    count = len(_pooled(groups))
    rng = np.random.default_rng(seed)
    runs = np.array([np.mean([np.mean(episodes) for episodes in run]) for run in groups])
    means = np.zeros(resamples)
    for run in groups:
        for episodes in run:
            means += _resampled_means(np.asarray(episodes, dtype=np.float64), resamples, rng)
    means /= len(groups) * len(groups[0])
    tail = (1 - LEVEL) / 2
    low, high = map(float, np.quantile(means, [tail, 1 - tail]))
    estimate = float(runs.mean())
    if len(runs) > 1:
        half = float(stdtrit(len(runs) - 1, 1 - tail) * runs.std(ddof=1) / np.sqrt(len(runs)))
        low, high = min(low, estimate - half), max(high, estimate + half)
    return Interval(estimate, low, high, count)


def share_interval(groups: Sequence[Sequence[np.ndarray]], *, seed: int) -> Interval:
    """:func:`mean_interval` of outcomes that are 0 or 1, within [0, 1].

    Of one run with one stratum it is Wilson's, and so it is of outcomes that are all alike: all resamples of those
    would be, too, and would claim certainty.
    """
    outcomes = _pooled(groups)
    if (len(groups) == 1 and len(groups[0]) == 1) or np.ptp(outcomes) == 0:
        return wilson_interval(int(outcomes.sum()), len(outcomes))
    found = mean_interval(groups, seed=seed)
    return replace(found, low=max(0.0, found.low), high=min(1.0, found.high))


def difference_interval(groups: Sequence[Sequence[np.ndarray]], *, seed: int) -> Interval:
    """:func:`mean_interval` of differences of paired outcomes that are 0 or 1, within [-1, 1].

    Differences that are all alike, whose resamples would claim certainty, are as far from the mean at most as Wilson's
    interval of no success in so many trials reaches.
    """
    found = mean_interval(groups, seed=seed)
    if np.ptp(_pooled(groups)) == 0:
        return _all_alike(found)
    return replace(found, low=max(-1.0, found.low), high=min(1.0, found.high))


def over_runs(found: Sequence[Interval | None], *, same_episodes: bool = False) -> Interval | None:
    """Combine the intervals of runs, for what :func:`mean_interval` has no outcomes of.

    Student's t over their estimates, or the interval of the mean of these runs where that is wider: of runs that were
    measured on different episodes, on each side the root of the sum of the squared distances between every estimate and
    its bound (MOVER: Zou and Donner, "Construction of confidence intervals about effect measures", 2008); of runs that
    were measured on the same ones, whose errors do not cancel, the mean of their bounds.

    Returns:
      The interval of the mean; of one run, its own. None if a run has none: a mean of the others is of other runs.
    """
    known = [one for one in found if one is not None]
    if not known or len(known) < len(found):
        return None
    if len(known) == 1:
        return known[0]
    estimates, low, high = np.array([[one.estimate, one.low, one.high] for one in known]).T
    over = mean_of(float(estimates.mean()), float(estimates.std(ddof=1)), len(known))
    assert over is not None
    if same_episodes:
        return replace(over, low=min(over.low, float(low.mean())), high=max(over.high, float(high.mean())))
    below, above = (float(np.linalg.norm(bound - estimates)) / len(known) for bound in (low, high))
    return replace(over, low=min(over.low, over.estimate - below), high=max(over.high, over.estimate + above))


def _all_alike(found: Interval) -> Interval:
    reach = wilson_interval(0, found.count).high
    return replace(found, low=max(-1.0, found.estimate - reach), high=min(1.0, found.estimate + reach))


def _pooled(groups: Sequence[Sequence[np.ndarray]]) -> np.ndarray:
    """All episodes of all runs, end to end. Raises ValueError if runs differ in their number of strata or lack some."""
    strata = {len(run) for run in groups}
    if len(strata) != 1 or 0 in strata or any(len(episodes) == 0 for run in groups for episodes in run):
        raise ValueError("every run needs the same strata, at least one, each with at least one episode")
    return np.concatenate([episodes for run in groups for episodes in run])


def _resampled_means(episodes: np.ndarray, resamples: int, rng: np.random.Generator) -> np.ndarray:
    """Means of ``resamples`` resamples with replacement of ``episodes``: float64 [resamples].

    Counts how often each distinct value is drawn, as outcomes take two or three values and episodes come in hundreds.
    """
    values, counts = np.unique(episodes, return_counts=True)
    draws = rng.multinomial(len(episodes), counts / len(episodes), size=resamples)
    return draws @ values / len(episodes)


def episode_interval(
    estimate: Callable[[np.ndarray], np.ndarray],
    episodes: int,
    *,
    seed: int,
    level: float = LEVEL,
    resamples: int = FEWER_RESAMPLES,
) -> Interval | None:
    """Percentile bootstrap over episodes of anything that can be computed from how often each episode counts.

    For what many observations of one episode go into (pairs, marks, requests): they depend on each other, episodes
    do not.

    Args:
      estimate: takes weights of the episodes, float64 [R, episodes], and gives R estimates; nan where there is nothing
        to estimate from.

    Returns:
      Estimate with every episode counted once, and its interval; None if the estimate is nan.
    """
    if not episodes:
        return None
    (found,) = estimate(np.ones((1, episodes))).tolist()
    if not np.isfinite(found):
        return None
    draws = resampled_counts(episodes, seed=seed, resamples=resamples)
    drawn, tail = estimate(draws), (1 - level) / 2
    low, high = map(float, np.nanquantile(drawn, [tail, 1 - tail]))
    return Interval(found, min(low, found), max(high, found), episodes)


def resampled_counts(episodes: int, *, seed: int, resamples: int = FEWER_RESAMPLES) -> np.ndarray:
    """Return how often each episode is drawn in each of many resamples with replacement: float64 [resamples, episodes].

    Args:
      episodes: number of episodes, or of whatever else is resampled as a whole.
    """
    draws = np.random.default_rng(seed).multinomial(episodes, np.full(episodes, 1 / episodes), size=resamples)
    return draws.astype(np.float64)


def ratio_interval(part: np.ndarray, whole: np.ndarray, *, seed: int, level: float = LEVEL) -> Interval | None:
    """The share that ``part`` [E] has of ``whole`` [E], summed over episodes; None if the whole is nothing.

    A bootstrap over the episodes that have something. Where all of them have the same share, such as 0, or there is
    only one, all resamples are alike and would claim certainty: then it is Wilson's interval of so many episodes.
    """
    has = whole > 0
    part, whole = part[has].astype(np.float64), whole[has].astype(np.float64)
    if len(whole) and np.ptp(part / whole) < 1e-12:
        wilson = wilson_interval(float(np.clip(part[0] / whole[0], 0, 1)) * len(whole), len(whole), level)
        # Its bound there is the share itself, but for rounding.
        return replace(wilson, low=min(wilson.low, wilson.estimate), high=max(wilson.high, wilson.estimate))
    return episode_interval(lambda w: (w @ part) / (w @ whole), len(whole), seed=seed, level=level)


def ratio_difference_interval(part: np.ndarray, whole: np.ndarray, *, seed: int) -> Interval | None:
    """The difference of two shares of ``whole`` [E], of which one has ``part`` [E] more, summed over episodes.

    A bootstrap over the episodes that have something; None if none has. Where all of them have the same difference, it
    is as wide as that of :func:`difference_interval`.
    """
    has = whole > 0
    part, whole = part[has].astype(np.float64), whole[has].astype(np.float64)
    found = episode_interval(lambda w: (w @ part) / (w @ whole), len(whole), seed=seed)
    return found if found is None or np.ptp(part / whole) > 1e-12 else _all_alike(found)


def crossed_interval(
    part: np.ndarray, whole: np.ndarray, first: np.ndarray, second: np.ndarray, *, seed: int, level: float = LEVEL
) -> Interval | None:
    """The share that ``part`` has of ``whole``, summed over observations that share both of two factors.

    For answers of raters about episodes: those of one rater depend on each other, and so do those about one episode.
    A percentile bootstrap in which both factors are drawn with replacement, and an observation counts as often as the
    product of both says (Owen, 2007, "The pigeonhole bootstrap"); it errs towards wide intervals. Where all resamples
    are alike and would claim certainty, it is Wilson's interval of the levels of the smaller factor that has several.

    Args:
      part: float [N].
      whole: float [N], of which ``part`` is a part.
      first: int [N], level of the first factor of each observation, from 0.
      second: int [N], of the second.

    Returns:
      The share with its interval, and the number of observations; None if the whole is nothing.
    """
    if not whole.sum() > 0:
        return None
    drawn = [
        resampled_counts(int(factor.max()) + 1, seed=draw)[:, factor]
        for factor, draw in ((first, 2 * seed), (second, 2 * seed + 1))
    ]
    weights = drawn[0] * drawn[1]
    wholes = weights @ whole
    shares = (weights @ part)[wholes > 0] / wholes[wholes > 0]
    found, tail = float(part.sum() / whole.sum()), (1 - level) / 2
    low, high = map(float, np.quantile(shares, [tail, 1 - tail]))
    if high - low < 1e-12:
        levels = [count for count in (len(np.unique(first)), len(np.unique(second))) if count > 1]
        wilson = wilson_interval(found * min(levels, default=1), min(levels, default=1), level)
        low, high = wilson.low, wilson.high
    return Interval(found, min(low, found), max(high, found), len(whole))


def percent(share: float) -> str:
    """0.4167 as "42%"."""
    return f"{100 * share:.0f}%"


def points(difference: Interval) -> str:
    """A difference of shares with its interval: "+16 points (+9 to +23)"."""
    return f"{signed(difference.estimate)} points ({signed(difference.low)} to {signed(difference.high)})"


def signed(share: float) -> str:
    """A difference of shares in points: 0.16 as "+16"."""
    rounded = round(100 * share)
    return "0" if rounded == 0 else f"{rounded:+d}".replace("-", "\N{MINUS SIGN}")
