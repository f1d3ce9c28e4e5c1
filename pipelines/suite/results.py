"""Statistics of judgements: success with intervals, time to success, agreement of judges. Pure functions with seeds.

Continuations of one scenario are correlated, and so are requests of one live episode. They are resampled together
(cluster bootstrap), so that intervals hold for other scenarios, or episodes, of the same distribution.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotation.agreement.krippendorff import alpha, coincidence_matrix
from rlhf.records.marks import Judgement
from rlhf.run.statistics import (
    LEVEL,
    Interval,
    episode_interval,
    ratio_difference_interval,
    ratio_interval,
    resampled_counts,
)
from worlds.contract import STEPS_PER_SECOND

TIE = 0.5  # success of a continuation that as many judges call a success as a failure


@dataclass(frozen=True)
class Outcome:
    """Outcome of one continuation, or of one request of a live episode.

    Args:
      success: 1, 0, or TIE.
      steps: from the take-over, or the request, to success; None without success.
    """

    agent: str
    cluster: str
    kind: str
    success: float
    steps: float | None


@dataclass(frozen=True)
class Cumulative:
    """Share of successes within each number of steps, with bounds; all of the same length."""

    steps: tuple[int, ...]
    share: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    steps_per_second: float = STEPS_PER_SECOND

    @property
    def seconds(self) -> tuple[float, ...]:
        """Steps in seconds."""
        return tuple(step / self.steps_per_second for step in self.steps)


@dataclass(frozen=True)
class JudgeRecord:
    """Number of judgements of one judge, and the share of successes among them."""

    judge: str
    judged: int
    success: float


@dataclass(frozen=True)
class JudgesAgreement:
    """Agreement of judges.

    Args:
      same: share of pairs of judges of one continuation who agree.
      seconds_apart: median difference of the moments of success of two judges; None without any.
    """

    judged: int
    several: int
    ties: int
    alpha: Interval | None
    same: Interval | None
    seconds_apart: float | None
    judges: tuple[JudgeRecord, ...]


def majority(judgements: Sequence[Judgement], begin: int) -> tuple[float, float | None]:
    """Majority of the judges of one continuation.

    Each judge counts once; equal numbers are a TIE. Judges who contradict themselves do not count. The time is the
    median of the judged moments of success; the step of the moment itself counts.

    Returns success, and the number of steps from the take-over to success, if any.

    Raises ValueError if no judge counts.
    """
    votes = one_voice(judgements)
    if not votes:
        raise ValueError("a majority of no judges")
    yes = sum(one.success for one in votes)
    success = TIE if 2 * yes == len(votes) else float(2 * yes > len(votes))
    moments = [one.step - begin + 1 for one in votes if one.success and one.step is not None]
    return success, float(np.median(moments)) if success > 0 and moments else None


def one_voice(judgements: Iterable[Judgement]) -> list[Judgement]:
    """Return one judgement of each judge, without judges who judged both success and failure."""
    by_judge: dict[str, list[Judgement]] = defaultdict(list)
    for one in judgements:
        by_judge[one.judge].append(one)
    agreed = [own for own in by_judge.values() if len({one.success for one in own}) == 1]
    return [min(own, key=lambda one: (one.step is None, one.step)) for own in agreed]


def success_rate(outcomes: Sequence[Outcome], *, seed: int, level: float = LEVEL) -> Interval | None:
    """Mean over scenarios of the mean over continuations, with a bootstrap over scenarios; None without outcomes.

    Where all succeeded, or none, the interval is Wilson's with the number of scenarios.
    """
    means = np.array([np.mean([one.success for one in own]) for own in _clusters(outcomes).values()])
    return ratio_interval(means, np.ones(len(means)), seed=seed, level=level) if len(means) else None


def request_rate(outcomes: Sequence[Outcome], *, seed: int, level: float = LEVEL) -> Interval | None:
    """Share of all requests that succeeded, with a bootstrap over episodes; None without outcomes."""
    clusters = _clusters(outcomes).values()
    part = np.array([sum(one.success for one in own) for own in clusters])
    whole = np.array([float(len(own)) for own in clusters])
    return ratio_interval(part, whole, seed=seed, level=level) if len(whole) else None


def difference(first: Sequence[Outcome], second: Sequence[Outcome], *, seed: int) -> Interval | None:
    """Success of ``first`` less ``second`` over their common scenarios.

    Returns the difference; None without common scenarios.
    """
    ours, theirs = _clusters(first), _clusters(second)
    differences = np.array([_mean(ours[name]) - _mean(theirs[name]) for name in ours if name in theirs])
    return ratio_difference_interval(differences, np.ones(len(differences)), seed=seed)


def cumulative_success(
    outcomes: Sequence[Outcome],
    longest: int,
    *,
    by_cluster: bool,
    seed: int,
    level: float = LEVEL,
    steps_per_second: float = STEPS_PER_SECOND,
) -> Cumulative:
    """Share of successes within 0, 1, ... ``longest`` steps, with pointwise bounds of a cluster bootstrap."""
    clusters = list(_clusters(outcomes).values())
    grid = range(longest + 1)
    done = np.array([[sum(one.success for one in own if _within(one, step)) for step in grid] for own in clusters])
    whole = np.array([float(len(own)) for own in clusters])
    if by_cluster:
        done, whole = done / whole[:, None], np.ones(len(whole))
    draws = resampled_counts(len(clusters), seed=seed)
    drawn, tail = (draws @ done) / (draws @ whole)[:, None], (1 - level) / 2
    share = done.sum(axis=0) / whole.sum()
    low, high = np.quantile(drawn, [tail, 1 - tail], axis=0)
    low, high = np.minimum(low, share), np.maximum(high, share)
    rows = (tuple(np.asarray(row).tolist()) for row in (grid, share, low, high))
    return Cumulative(*rows, steps_per_second=steps_per_second)


def judges_agreement(
    judgements: Mapping[str, Sequence[Judgement]],
    scenario_of: Mapping[str, str],
    *,
    seed: int,
    steps_per_second: float = STEPS_PER_SECOND,
) -> JudgesAgreement:
    """Agreement of judges on success, with a bootstrap over scenarios."""
    votes = {episode: one_voice(own) for episode, own in judgements.items()}
    several = {episode: own for episode, own in votes.items() if len(own) > 1}
    yes = np.array([sum(one.success for one in own) for own in several.values()], dtype=np.float64)
    counts = np.stack([yes, np.array([len(own) for own in several.values()]) - yes], axis=1)
    names = sorted({scenario_of[episode] for episode in several})
    of_scenario = [counts[[scenario_of[episode] == name for episode in several]] for name in names]
    matrices = np.array([coincidence_matrix(own) for own in of_scenario])  # [scenarios, 2, 2]
    pairs = np.array([[(n * (n - 1)).sum(), (n.sum(1) * (n.sum(1) - 1)).sum()] for n in of_scenario])  # same, all
    gaps = [gap for own in several.values() for gap in _gaps(own)]
    judged: Counter[str] = Counter(one.judge for own in votes.values() for one in own)
    good: Counter[str] = Counter(one.judge for own in votes.values() for one in own if one.success)
    return JudgesAgreement(
        judged=sum(bool(own) for own in votes.values()),
        several=len(several),
        ties=int((2 * counts[:, 0] == counts.sum(axis=1)).sum()),
        alpha=episode_interval(lambda w: alpha(np.tensordot(w, matrices, 1)), len(names), seed=seed),
        same=episode_interval(lambda w: (w @ pairs[:, 0]) / (w @ pairs[:, 1]), len(names), seed=seed),
        seconds_apart=float(np.median(gaps)) / steps_per_second if gaps else None,
        judges=tuple(JudgeRecord(name, judged[name], good[name] / judged[name]) for name in sorted(judged)),
    )


def _gaps(judgements: Sequence[Judgement]) -> list[int]:
    """Steps between the moments of success of any two judges."""
    moments = [one.step for one in judgements if one.success and one.step is not None]
    return [abs(a - b) for index, a in enumerate(moments) for b in moments[index + 1 :]]


def _clusters(outcomes: Sequence[Outcome]) -> dict[str, list[Outcome]]:
    found: dict[str, list[Outcome]] = {}
    for one in outcomes:
        found.setdefault(one.cluster, []).append(one)
    return found


def _mean(outcomes: Sequence[Outcome]) -> float:
    return float(np.mean([one.success for one in outcomes]))


def _within(outcome: Outcome, steps: int) -> bool:
    return outcome.steps is not None and outcome.steps <= steps
