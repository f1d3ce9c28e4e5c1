"""What a study leader is told of raters: how far they agree, how they differ, and how they do on gold episodes.

Pure functions of submissions. Intervals are of 95%, by the bootstrap over episodes: marks of one episode depend on
each other, episodes do not. Numbers that cannot be told (no marks, a single episode) are None.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from annotation.agreement.gold import QUALITY, TRAINING, Score, compare
from annotation.agreement.measures import match_marks, pairwise_agreement
from annotation.agreement.moments import alpha, coincidences, find_moments
from rlhf.records.marks import PROGRESS, Mark

RESAMPLES = 1000
STEPS_IN_FIVE_MINUTES = 1125
MOST_BINS = 72  # of time; more are drawn in a larger unit, where there is one
_UNITS_SEC = (3600, 86400, 7 * 86400, 28 * 86400)
MOST_PAIRS = 200  # of raters that are told one by one; those with most episodes in common


@dataclass(frozen=True)
class Submission:
    """One rater's submitted marks of one episode.

    Args:
      gold: "" or what the episode was given for. submitted: seconds since 1970. active_sec: time they worked on it.
    """

    rater: str
    episode: str
    steps: int
    marks: tuple[Mark, ...]
    gold: str = ""
    submitted: float = 0.0
    active_sec: float = 0.0


def measure(
    submissions: Sequence[Submission], known: Mapping[str, Sequence[Mark]], tolerance: int, seed: int = 0
) -> dict[str, Any]:
    """Everything, as JSON.

    What raters mark to train is left out of agreement and bias: it is how they learn what to mark.

    Args:
      known: marks of gold episodes. tolerance: steps by which marks of one moment may be apart.
    """
    rng = np.random.default_rng(seed)
    shared = by_episode([submission for submission in submissions if submission.gold != TRAINING])
    return {
        "submissions": len(submissions),
        "marks": sum(len(submission.marks) for submission in submissions),
        "shared": len(shared),
        "over_time": over_time(submissions),
        "rates": [round(rate(len(w.marks), w.steps), 2) for w in submissions if w.gold != TRAINING],
        "minutes": [round(w.active_sec / 60, 2) for w in submissions if w.gold != TRAINING],
        "agreement": agreement(shared, tolerance, rng),
        "raters": [rater_bias(rater, shared, tolerance, rng) for rater in sorted({w.rater for w in submissions})],
        "gold": gold_scores(submissions, known, tolerance),
    }


def by_episode(submissions: Sequence[Submission]) -> list[list[Submission]]:
    """The submissions of each episode that has several, sorted by rater."""
    found: dict[str, list[Submission]] = {}
    for submission in submissions:
        found.setdefault(submission.episode, []).append(submission)
    several = [
        sorted(submissions, key=lambda submission: submission.rater)
        for _, submissions in sorted(found.items())
        if len(submissions) > 1
    ]
    return several


def agreement(shared: Sequence[Sequence[Submission]], tolerance: int, rng: np.random.Generator) -> dict[str, Any]:
    """Krippendorff's alpha over moments, and pairwise agreement of all and of each two raters."""
    matrices = np.array(
        [
            coincidences(find_moments([w.marks for w in submissions], submissions[0].steps, tolerance))
            for submissions in shared
        ]
    ).reshape(-1, 9)
    pairs: dict[tuple[str, str], list[list[int]]] = {}
    pooled = np.zeros((len(shared), 4))
    for place, submissions in enumerate(shared):
        for one, other in combinations(submissions, 2):
            a = pairwise_agreement(one.marks, other.marks, tolerance)
            counts = [a.same_sign, a.opposite_sign, a.only_first, a.only_second]
            pairs.setdefault((one.rater, other.rater), []).append(counts)
            pooled[place] += counts
    often = sorted(pairs, key=lambda pair: (-len(pairs[pair]), pair))[:MOST_PAIRS]
    return {
        "alpha": with_interval(matrices, lambda sums: alpha(sums.reshape(*sums.shape[:-1], 3, 3)), rng),
        "overall": with_interval(pooled, overall, rng),
        "of_moments": with_interval(pooled, of_moments, rng),
        "of_signs": with_interval(pooled, of_signs, rng),
        "pairs": [_pair(pair, np.array(pairs[pair], np.float64), rng) for pair in often],
    }


def _pair(raters: tuple[str, str], counts: np.ndarray, rng: np.random.Generator) -> dict[str, Any]:
    found = {"overall": with_interval(counts, overall, rng), "of_signs": with_interval(counts, of_signs, rng)}
    return {"raters": list(raters), "episodes": len(counts), **found}


def overall(counts: np.ndarray) -> np.ndarray:
    """Of [..., 4] (same sign, opposite sign, only one, only the other): share of marked moments on which both agree."""
    return _ratio(counts[..., 0], counts.sum(axis=-1))


def of_moments(counts: np.ndarray) -> np.ndarray:
    """Share of marked moments that both marked, whatever the sign."""
    return _ratio(counts[..., 0] + counts[..., 1], counts.sum(axis=-1))


def of_signs(counts: np.ndarray) -> np.ndarray:
    """Share of the moments both marked that have one sign."""
    return _ratio(counts[..., 0], counts[..., 0] + counts[..., 1])


def rater_bias(
    rater: str, shared: Sequence[Sequence[Submission]], tolerance: int, rng: np.random.Generator
) -> dict[str, Any]:
    """How a rater's marks differ from those of the others on the same episodes.

    ``share`` of (+) and ``rate`` per five minutes are the rater's own, ``*_others`` the others', ``*_difference`` own
    less others'. ``lag`` is by how many steps the rater marks later than others do at the moments both mark.
    """
    rows = np.array(
        [_beside_others(rater, submissions, tolerance) for submissions in shared if _among(rater, submissions)]
    )
    rows = rows.reshape(-1, 8)
    found = {name: _said(float(measured(rows.sum(axis=0)))) for name, measured in _OWN.items()}
    between = {name: with_interval(rows, measured, rng) for name, measured in _BETWEEN.items()}
    return {"rater": rater, "episodes": len(rows), **found, **between}


def _among(rater: str, submissions: Sequence[Submission]) -> bool:
    return any(submission.rater == rater for submission in submissions)


def _beside_others(rater: str, submissions: Sequence[Submission], tolerance: int) -> list[float]:
    """Of one episode: own (+), marks and steps; the others'; sum and number of own lags."""
    own = next(submission for submission in submissions if submission.rater == rater)
    others = [submission for submission in submissions if submission.rater != rater]
    lags = [mine.step - its.step for o in others for mine, its in match_marks(own.marks, o.marks, tolerance)]
    marks = [mark for other in others for mark in other.marks]
    return [
        _plus(own.marks), len(own.marks), own.steps, _plus(marks), len(marks), sum(other.steps for other in others),
        sum(lags), len(lags),
    ]  # fmt: skip


def _plus(marks: Sequence[Mark]) -> int:
    return sum(mark.sign == PROGRESS for mark in marks)


_OWN: Mapping[str, Callable[[np.ndarray], np.ndarray]] = {
    "share": lambda r: _ratio(r[..., 0], r[..., 1]),
    "share_others": lambda r: _ratio(r[..., 3], r[..., 4]),
    "rate": lambda r: _ratio(r[..., 1], r[..., 2]) * STEPS_IN_FIVE_MINUTES,
    "rate_others": lambda r: _ratio(r[..., 4], r[..., 5]) * STEPS_IN_FIVE_MINUTES,
}
_BETWEEN: Mapping[str, Callable[[np.ndarray], np.ndarray]] = {
    "share_difference": lambda r: _OWN["share"](r) - _OWN["share_others"](r),
    "rate_difference": lambda r: _OWN["rate"](r) - _OWN["rate_others"](r),
    "lag": lambda r: _ratio(r[..., 6], r[..., 7]),
}


def gold_scores(
    submissions: Sequence[Submission], known: Mapping[str, Sequence[Mark]], tolerance: int
) -> list[dict[str, Any]]:
    """Precision, recall and F1 of every rater who has had gold episodes, apart for training and for quality."""
    scores: dict[tuple[str, str], list[Score]] = {}
    for submission in submissions:
        if submission.gold in (TRAINING, QUALITY) and submission.episode in known:
            score = compare(submission.marks, known[submission.episode], tolerance).score
            scores.setdefault((submission.rater, submission.gold), []).append(score)
    return [
        {"rater": rater, "purpose": purpose, "episodes": len(each), **_told(sum(each, Score()))}
        for (rater, purpose), each in sorted(scores.items())
    ]


def _told(score: Score) -> dict[str, Any]:
    return {name: _said(getattr(score, name)) for name in ("precision", "recall", "f1")}


def over_time(submissions: Sequence[Submission]) -> dict[str, Any]:
    """Submitted episodes and their marks by the hour, or, where those are too many, by a larger unit (UTC)."""
    if not submissions:
        return {"every_sec": 3600, "bins": []}
    first, last = (int(pick(submission.submitted for submission in submissions)) for pick in (min, max))
    every = next((unit for unit in _UNITS_SEC if last - first <= MOST_BINS * unit), _UNITS_SEC[-1])
    bins = [{"begin": begin, "episodes": 0, "marks": 0} for begin in range(first // every * every, last + 1, every)]
    for submission in submissions:
        found = bins[int(submission.submitted) // every - first // every]
        found["episodes"] += 1
        found["marks"] += len(submission.marks)
    return {"every_sec": every, "bins": bins}


def with_interval(
    rows: np.ndarray, measured: Callable[[np.ndarray], np.ndarray], rng: np.random.Generator
) -> dict[str, float | None]:
    """A measure of the sum of ``rows`` [E, N], one an episode, with its interval by resampling episodes.

    Args:
      measured: of sums [..., N]: the measure [...].
    """
    if len(rows) == 0:
        return {"value": None, "low": None, "high": None}
    value = float(measured(rows.sum(axis=0)))
    if len(rows) < 2:
        return {"value": _said(value), "low": None, "high": None}
    times = rng.multinomial(len(rows), np.full(len(rows), 1 / len(rows)), size=RESAMPLES)
    drawn = measured(times @ rows)
    drawn = drawn[~np.isnan(drawn)]
    low, high = np.percentile(drawn, [2.5, 97.5]) if len(drawn) else (math.nan, math.nan)
    return {"value": _said(value), "low": _said(float(low)), "high": _said(float(high))}


def rate(marks: int, steps: int) -> float:
    """Marks per five minutes."""
    return marks / steps * STEPS_IN_FIVE_MINUTES


def _ratio(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(whole > 0, part / whole, np.nan)


def _said(value: float) -> float | None:
    return round(value, 6) if math.isfinite(value) else None
