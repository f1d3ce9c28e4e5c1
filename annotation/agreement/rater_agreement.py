"""Agreement of raters who marked the same episodes: on whether to mark a moment, and on its sign.

Two questions are kept apart, as one number hides the difference: raters who press at the same moments with signs at
random still agree on all the empty stretches between. Beside each share stands the share that chance gives:

* *whether*: of the moments that one of two raters marked, those that both marked. By chance: the same with the other's
  marks shifted around the episode by a random number of steps, which keeps how many there are and how they cluster.
* *sign*: of the moments that both marked, those with one sign. By chance: p² + (1 - p)², with p the share of (+) among
  these marks.
* *overall*: of the moments that one marked, those that both marked with one sign. By chance: shifted, as above.

Pure functions of submissions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from annotation.agreement.estimates import ratio, rounded, share_with_interval, with_interval
from annotation.agreement.krippendorff import alpha
from annotation.agreement.measures import match_marks
from annotation.agreement.moments import coincidences, find_moments
from annotation.agreement.submission import Submission
from rlhf.records.marks import PROGRESS, Mark

MOST_PAIRS = 200  # of raters that are listed; those with most episodes in common
MOST_SHIFTS = 20  # of each pair's marks of an episode
_MATCHINGS = 5000  # in all, for chance: where there are many pairs, few shifts of each are enough
# Columns of counts: moments that both marked, those that one marked alone, and (+) among the marks that were matched.
_SAME, _OPPOSITE, _FIRST, _SECOND, _PLUS = range(5)
_MARKED, _BOTH = [_SAME, _OPPOSITE, _FIRST, _SECOND], [_SAME, _OPPOSITE]
SHARES = {"whether": (_BOTH, _MARKED), "sign": ([_SAME], _BOTH), "overall": ([_SAME], _MARKED)}  # part, whole


def agreement(shared: Sequence[Sequence[Submission]], tolerance: int, seed: int = 0) -> dict[str, Any]:
    """Return how far raters agree, all together and two at a time.

    Returns:
      Krippendorff's ``alpha`` over moments and empty stretches; ``whether``, ``sign`` and ``overall``, each with its
      ``chance``; and ``whether`` and ``sign`` of the ``pairs`` of raters.
    """
    rng = np.random.default_rng(seed)
    both = [(one, other) for submissions in shared for one, other in combinations(submissions, 2)]
    shifts = max(1, min(MOST_SHIFTS, _MATCHINGS // max(1, len(both))))
    by_episode: dict[str, list[tuple[np.ndarray, np.ndarray]]] = {}
    by_pair: dict[tuple[str, str], list[tuple[np.ndarray, np.ndarray]]] = {}
    for one, other in both:
        counts = _counts(one.marks, other.marks, tolerance)
        offsets = rng.integers(0, one.steps, shifts)
        by_chance = [_counts(one.marks, _shifted(other, int(offset)), tolerance) for offset in offsets]
        found = counts, np.mean(by_chance, axis=0)
        by_episode.setdefault(one.episode, []).append(found)
        by_pair.setdefault((one.rater, other.rater), []).append(found)
    matrices = [
        coincidences(find_moments([one.marks for one in submissions], submissions[0].steps, tolerance))
        for submissions in shared
    ]
    often = sorted(by_pair, key=lambda pair: (-len(by_pair[pair]), pair))[:MOST_PAIRS]
    together = [np.sum(pairs, axis=0) for pairs in by_episode.values()]
    return {
        "alpha": with_interval(np.reshape(matrices, (-1, 9)), lambda sums: alpha(sums.reshape(*sums.shape[:-1], 3, 3))),
        **_shares(together),
        "pairs": [{"raters": list(pair), "episodes": len(by_pair[pair]), **_shares(by_pair[pair])} for pair in often],
    }


def _counts(first: Sequence[Mark], second: Sequence[Mark], tolerance: int) -> np.ndarray:
    """Return the counts of one episode and two raters, float64 [5]."""
    pairs = match_marks(first, second, tolerance)
    same = sum(a.sign == b.sign for a, b in pairs)
    plus = sum(mark.sign == PROGRESS for pair in pairs for mark in pair)
    return np.array(
        [same, len(pairs) - same, len(first) - len(pairs), len(second) - len(pairs), plus], dtype=np.float64
    )


def _shifted(submission: Submission, offset: int) -> list[Mark]:
    """Return the marks moved on by ``offset`` steps; those past the end continue from the beginning."""
    return [replace(mark, step=(mark.step + offset) % submission.steps) for mark in submission.marks]


def _shares(found: Sequence[Any]) -> dict[str, dict[str, float | None]]:
    """Return every share and its level by chance, from the counts and the counts by chance of each episode."""
    counts, by_chance = np.reshape([list(one) for one in found], (-1, 2, 5)).transpose(1, 0, 2)
    shares = {}
    for name, (part, whole) in SHARES.items():
        estimate = share_with_interval(counts[:, part].sum(axis=1), counts[:, whole].sum(axis=1))
        chance = ratio(by_chance[:, part].sum(), by_chance[:, whole].sum())
        shares[name] = {**estimate, "chance": rounded(float(chance))}
    shares["sign"]["chance"] = rounded(float(sign_by_chance(counts.sum(axis=0))))
    return shares


def sign_by_chance(counts: np.ndarray) -> np.ndarray:
    """Return how often two raters would agree on signs if they drew them at random, (+) as often as both did."""
    share = ratio(counts[..., _PLUS], 2 * (counts[..., _SAME] + counts[..., _OPPOSITE]))
    return share**2 + (1 - share) ** 2
