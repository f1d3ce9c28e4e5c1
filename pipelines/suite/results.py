"""What judgements say: success, its intervals, time to success, and how far judges agree. Pure, seeded where it draws.

Continuations of one scenario are alike, and so are requests of one live episode. They are resampled together (cluster
bootstrap), so that an interval speaks of other scenarios, or episodes, of the kind.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotation.agreement.krippendorff import alpha, coincidence_matrix
from rlhf.records.marks import Judgement
from rlhf.run.statistics import LEVEL, Interval, episode_interval, ratio_interval, resampled_counts
from worlds.contract import STEPS_PER_SECOND

TIE = 0.5  # what a continuation counts of which as many judges say that it succeeded as that it failed


@dataclass(frozen=True)
class Outcome:
    """What came of one continuation, or of one request of a live episode.

    Args:
      agent: whose. cluster: its scenario, or episode. kind: of the request.
      success: 1, 0, or TIE. steps: from the take-over, or the request, to success; None where there is none.
    """

    agent: str
    cluster: str
    kind: str
    success: float
    steps: float | None


@dataclass(frozen=True)
class Cumulative:
    """Share of what has succeeded after so many steps, with bounds; all of the same length."""

    steps: tuple[int, ...]
    share: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]

    @property
    def seconds(self) -> tuple[float, ...]:
        return tuple(step / STEPS_PER_SECOND for step in self.steps)


@dataclass(frozen=True)
class JudgeRecord:
    """One judge: how much they judged, and the share that they said succeeded."""

    judge: str
    judged: int
    success: float


@dataclass(frozen=True)
class JudgesAgreement:
    """How far judges agree.

    Args:
      judged: continuations with a judgement. several: with more than one; ties: of these, undecided ones.
      alpha: Krippendorff's, of success and failure. same: share of pairs of judges of one continuation who agree.
      seconds_apart: median difference of the moments that two judges of one success name; None without any.
    """

    judged: int
    several: int
    ties: int
    alpha: Interval | None
    same: Interval | None
    seconds_apart: float | None
    judges: tuple[JudgeRecord, ...]


def majority(judgements: Sequence[Judgement], begin: int) -> tuple[float, float | None]:
    """What judges of one continuation say together: success, and steps from ``begin``, the take-over, until then.

    The majority counts, each judge once; as many on both sides are TIE. Who says both of one continuation says nothing.
    The time is the median of those who name a moment of success; the step of the moment itself counts.

    Raises:
      ValueError: if nobody says anything.
    """
    said = one_voice(judgements)
    if not said:
        raise ValueError("a majority of nobody")
    yes = sum(one.success for one in said)
    success = TIE if 2 * yes == len(said) else float(2 * yes > len(said))
    moments = [one.step - begin + 1 for one in said if one.success and one.step is not None]
    return success, float(np.median(moments)) if success > 0 and moments else None


def one_voice(judgements: Iterable[Judgement]) -> list[Judgement]:
    """One judgement of each judge; none of a judge who says that it succeeded and that it failed."""
    by_judge: dict[str, list[Judgement]] = defaultdict(list)
    for one in judgements:
        by_judge[one.judge].append(one)
    agreed = [own for own in by_judge.values() if len({one.success for one in own}) == 1]
    return [min(own, key=lambda one: (one.step is None, one.step)) for own in agreed]


def success_rate(outcomes: Sequence[Outcome], *, seed: int, level: float = LEVEL) -> Interval | None:
    """Mean over scenarios of the mean over continuations, each scenario weighing the same; bootstrap over scenarios.

    Where all succeeded, or none, it is Wilson's interval of so many scenarios. None without outcomes.
    """
    means = np.array([np.mean([one.success for one in own]) for own in _clusters(outcomes).values()])
    return ratio_interval(means, np.ones(len(means)), seed=seed, level=level) if len(means) else None


def request_rate(outcomes: Sequence[Outcome], *, seed: int, level: float = LEVEL) -> Interval | None:
    """Share of all requests that succeeded, each weighing the same; bootstrap over episodes. None without outcomes."""
    clusters = _clusters(outcomes).values()
    part = np.array([sum(one.success for one in own) for own in clusters])
    whole = np.array([float(len(own)) for own in clusters])
    return ratio_interval(part, whole, seed=seed, level=level) if len(whole) else None


def difference(first: Sequence[Outcome], second: Sequence[Outcome], *, seed: int) -> Interval | None:
    """Success of ``first`` less ``second`` over the scenarios that both have; None if they have none, or each differs
    by the same, which a bootstrap would call certain."""
    ours, theirs = _clusters(first), _clusters(second)
    differences = np.array([_mean(ours[name]) - _mean(theirs[name]) for name in ours if name in theirs])
    if not len(differences) or np.ptp(differences) == 0:
        return None
    return episode_interval(lambda w: (w @ differences) / w.sum(axis=1), len(differences), seed=seed)


def cumulative_success(
    outcomes: Sequence[Outcome], longest: int, *, by_cluster: bool, seed: int, level: float = LEVEL
) -> Cumulative:
    """How many have succeeded within 0, 1, ... ``longest`` steps, with pointwise bounds of a cluster bootstrap.

    Args:
      by_cluster: every cluster weighs the same, as in :func:`success_rate`; else every outcome does.
    """
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
    return Cumulative(*(tuple(np.asarray(row).tolist()) for row in (grid, share, low, high)))


def judges_agreement(
    judgements: Mapping[str, Sequence[Judgement]], scenario_of: Mapping[str, str], *, seed: int
) -> JudgesAgreement:
    """How far judges agree on success; intervals by a bootstrap over scenarios.

    Args:
      judgements: by episode. scenario_of: each episode's.
    """
    said = {episode: one_voice(own) for episode, own in judgements.items()}
    several = {episode: own for episode, own in said.items() if len(own) > 1}
    yes = np.array([sum(one.success for one in own) for own in several.values()], dtype=np.float64)
    counts = np.stack([yes, np.array([len(own) for own in several.values()]) - yes], axis=1)
    names = sorted({scenario_of[episode] for episode in several})
    of_scenario = [counts[[scenario_of[episode] == name for episode in several]] for name in names]
    matrices = np.array([coincidence_matrix(own) for own in of_scenario])  # [scenarios, 2, 2]
    pairs = np.array([[(n * (n - 1)).sum(), (n.sum(1) * (n.sum(1) - 1)).sum()] for n in of_scenario])  # same, all
    apart = [gap for own in several.values() for gap in _gaps(own)]
    judged: Counter[str] = Counter(one.judge for own in said.values() for one in own)
    good: Counter[str] = Counter(one.judge for own in said.values() for one in own if one.success)
    return JudgesAgreement(
        judged=sum(bool(own) for own in said.values()),
        several=len(several),
        ties=int((2 * counts[:, 0] == counts.sum(axis=1)).sum()),
        alpha=episode_interval(lambda w: alpha(np.tensordot(w, matrices, 1)), len(names), seed=seed),
        same=episode_interval(lambda w: (w @ pairs[:, 0]) / (w @ pairs[:, 1]), len(names), seed=seed),
        seconds_apart=float(np.median(apart)) / STEPS_PER_SECOND if apart else None,
        judges=tuple(JudgeRecord(name, judged[name], good[name] / judged[name]) for name in sorted(judged)),
    )


def _gaps(judgements: Sequence[Judgement]) -> list[int]:
    """Steps between the moments of success that any two judges name."""
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
