"""The measures of a study: how far raters agree, how they differ, and how they do on gold episodes.

Pure functions of submissions. Intervals are of 95%, by the bootstrap over episodes. A number that cannot be computed
(no marks, a single episode) is None.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from annotation.agreement.estimates import ratio, rounded, with_interval
from annotation.agreement.gold import QUALITY, TRAINING, Score, compare
from annotation.agreement.measures import match_marks
from annotation.agreement.rater_agreement import agreement
from annotation.agreement.submission import Submission
from rlhf.records.marks import PROGRESS, Mark
from worlds.contract import STEPS_PER_SECOND

FIVE_MINUTES = 300.0  # seconds
MOST_BINS = 72  # of time; more are drawn in a larger unit, where there is one
_UNITS_SEC = (3600, 86400, 7 * 86400, 28 * 86400)


def measure(
    submissions: Sequence[Submission],
    known: Mapping[str, Sequence[Mark]],
    tolerance: int,
    seed: int = 0,
    steps_per_second: float = STEPS_PER_SECOND,
) -> dict[str, Any]:
    """Return all measures, as JSON.

    Training is left out of agreement and bias: raters learn there what to mark.
    """
    five_minutes = FIVE_MINUTES * steps_per_second
    ordinary = [one for one in submissions if one.gold != TRAINING]
    shared = group_by_episode(ordinary)
    return {
        "submissions": len(submissions),
        "marks": sum(len(one.marks) for one in submissions),
        "shared": len(shared),
        "over_time": over_time(submissions),
        "rates": [round(len(one.marks) / one.steps * five_minutes, 2) for one in ordinary],
        "minutes": [round(one.active_sec / 60, 2) for one in ordinary],
        "seen": [round(one.seen, 3) for one in ordinary if one.seen is not None],
        "agreement": agreement(shared, tolerance, seed),
        "raters": [
            rater_bias(rater, shared, tolerance, five_minutes) for rater in sorted({one.rater for one in submissions})
        ],
        "gold": gold_scores(submissions, known, tolerance),
    }


def group_by_episode(submissions: Sequence[Submission]) -> list[list[Submission]]:
    """Return the submissions of each episode that has several, sorted by rater."""
    found: dict[str, list[Submission]] = {}
    for submission in submissions:
        found.setdefault(submission.episode, []).append(submission)
    return [sorted(those, key=lambda one: one.rater) for _, those in sorted(found.items()) if len(those) > 1]


def rater_bias(
    rater: str, shared: Sequence[Sequence[Submission]], tolerance: int, five_minutes: float
) -> dict[str, Any]:
    """Return how a rater's marks differ from those of the others on the same episodes.

    Returns:
      ``share`` of (+) and ``rate`` per five minutes, the rater's own and the ``*_others``'; ``*_difference``, own less
      others'; ``lag``, by how many steps the rater marks later than others do at the moments both mark.
    """
    rows = [_beside_others(rater, those, tolerance) for those in shared if any(one.rater == rater for one in those)]
    counts = np.reshape(np.array(rows, np.float64), (-1, 8))
    own = _own_measures(five_minutes)
    found = {name: rounded(float(measure(counts.sum(axis=0)))) for name, measure in own.items()}
    between = {name: with_interval(counts, measure) for name, measure in _differences(own).items()}
    return {"rater": rater, "episodes": len(rows), **found, **between}


def _beside_others(rater: str, submissions: Sequence[Submission], tolerance: int) -> list[float]:
    """Return the counts of one episode: own (+), marks and steps; the others'; the sum and number of own lags."""
    own = next(one for one in submissions if one.rater == rater)
    others = [one for one in submissions if one.rater != rater]
    lags = [mine.step - its.step for o in others for mine, its in match_marks(own.marks, o.marks, tolerance)]
    marks = [mark for other in others for mark in other.marks]
    return [
        _plus(own.marks), len(own.marks), own.steps, _plus(marks), len(marks), sum(other.steps for other in others),
        sum(lags), len(lags),
    ]  # fmt: skip


def _plus(marks: Sequence[Mark]) -> int:
    return sum(mark.sign == PROGRESS for mark in marks)


_Measures = Mapping[str, Callable[[np.ndarray], np.ndarray]]


def _own_measures(five_minutes: float) -> _Measures:
    """Return measures of the rows of :func:`_beside_others`, by name; ``five_minutes`` is in steps."""
    return {
        "share": lambda r: ratio(r[..., 0], r[..., 1]),
        "share_others": lambda r: ratio(r[..., 3], r[..., 4]),
        "rate": lambda r: ratio(r[..., 1], r[..., 2]) * five_minutes,
        "rate_others": lambda r: ratio(r[..., 4], r[..., 5]) * five_minutes,
    }


def _differences(own: _Measures) -> _Measures:
    return {
        "share_difference": lambda r: own["share"](r) - own["share_others"](r),
        "rate_difference": lambda r: own["rate"](r) - own["rate_others"](r),
        "lag": lambda r: ratio(r[..., 6], r[..., 7]),
    }


def gold_scores(
    submissions: Sequence[Submission], known: Mapping[str, Sequence[Mark]], tolerance: int
) -> list[dict[str, Any]]:
    """Return precision, recall and F1 of every rater on gold episodes, separately for training and quality."""
    scores: dict[tuple[str, str], list[Score]] = {}
    for one in submissions:
        if one.gold in (TRAINING, QUALITY) and one.episode in known:
            score = compare(one.marks, known[one.episode], tolerance).score
            scores.setdefault((one.rater, one.gold), []).append(score)
    return [
        {"rater": rater, "purpose": purpose, "episodes": len(each), **_as_json(sum(each, Score()))}
        for (rater, purpose), each in sorted(scores.items())
    ]


def _as_json(score: Score) -> dict[str, Any]:
    return {name: rounded(getattr(score, name)) for name in ("precision", "recall", "f1")}


def over_time(submissions: Sequence[Submission]) -> dict[str, Any]:
    """Count submitted episodes and their marks by the hour (UTC), or by a longer unit if the hours are too many."""
    if not submissions:
        return {"every_sec": 3600, "bins": []}
    first, last = (int(pick(one.submitted for one in submissions)) for pick in (min, max))
    every = next((unit for unit in _UNITS_SEC if last - first <= MOST_BINS * unit), _UNITS_SEC[-1])
    bins = [{"begin": begin, "episodes": 0, "marks": 0} for begin in range(first // every * every, last + 1, every)]
    for one in submissions:
        found = bins[int(one.submitted) // every - first // every]
        found["episodes"] += 1
        found["marks"] += len(one.marks)
    return {"every_sec": every, "bins": bins}
