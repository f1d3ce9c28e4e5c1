"""Peaks, matching and thresholds against slow, plain versions, and against graph matching."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from annotation.agreement.measures import match_marks
from reward_models.scores.predicted_marks import (
    MarkedSteps,
    against_raters,
    among_raters,
    choose_threshold,
    compare,
    matched,
    peaks,
)
from rlhf.records.marks import Mark


def steps_of(*steps: int) -> np.ndarray:
    return np.array(steps, dtype=np.int64)


def marks_at(steps: Iterable[int], rater: str) -> list[Mark]:
    return [Mark("e", rater, int(step), 1, True) for step in steps]


@pytest.mark.parametrize("seed", range(8))
def test_matching_is_as_large_as_that_of_marks_and_of_graphs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = (np.sort(rng.integers(0, 40, rng.integers(0, 14))) for _ in range(2))
    tolerance = int(rng.integers(0, 5))
    ours = matched(first, second, tolerance)
    assert ours == len(match_marks(marks_at(first, "a"), marks_at(second, "b"), tolerance))
    if len(first) and len(second):
        near = csr_array((np.abs(first[:, None] - second[None, :]) <= tolerance).astype(int))
        assert ours == int((maximum_bipartite_matching(near) >= 0).sum())


@pytest.mark.parametrize("seed", range(5))
def test_peaks_are_kept_from_the_largest_on_and_stand_apart(seed: int) -> None:
    rng = np.random.default_rng(seed)
    reward, reach = rng.normal(size=60), int(rng.integers(0, 5))
    found = peaks(reward, 0.7, reach)
    left, kept = {t: abs(reward[t]) for t in range(60) if abs(reward[t]) >= 0.7}, []
    while left:
        largest = max(left, key=lambda t: left[t])
        kept.append(largest)
        left = {t: size for t, size in left.items() if abs(t - largest) > reach}
    assert found.plus.tolist() == sorted(t for t in kept if reward[t] > 0)
    assert found.minus.tolist() == sorted(t for t in kept if reward[t] < 0)
    assert len(kept) > 3


def test_a_peak_of_one_sign_hides_a_smaller_one_of_the_other() -> None:
    reward = np.array([0.0, 1.0, -0.9, 0.0, 0.0, -0.9])
    assert [steps.tolist() for steps in peaks(reward, 0.5, 1)] == [[1], [5]]
    assert [steps.tolist() for steps in peaks(reward, 0.5, 0)] == [[1], [2, 5]]
    with pytest.raises(ValueError, match="above 0"):
        peaks(reward, 0.0, 1)


def test_each_sign_is_matched_by_itself() -> None:
    tally = compare(MarkedSteps(steps_of(3), steps_of(10)), MarkedSteps(steps_of(10), steps_of(9, 30)), 2)
    assert tally.matched.tolist() == [0, 1]
    assert tally.predicted.tolist() == [1, 1] and tally.given.tolist() == [1, 2]
    assert tally.f1.tolist() == pytest.approx([0.0, 2 / 3])


def test_among_raters_is_the_mean_of_all_ordered_pairs() -> None:
    raters = [MarkedSteps(steps_of(*plus), steps_of()) for plus in ((1, 10), (2, 20, 30), (11,))]
    tally = among_raters(raters, 2)
    # a-b match at 1/2, a-c at 10/11, b-c nowhere: two pairs, both ways; each rater stands against two others.
    assert tally.matched.tolist() == [4, 0] and tally.predicted.tolist() == tally.given.tolist() == [12, 0]
    assert tally.f1[0] == pytest.approx(1 / 3) and np.isnan(tally.f1[1])
    assert among_raters(raters[:1], 2).given.tolist() == [0, 0]


def test_the_threshold_that_finds_planted_marks_is_found() -> None:
    """Marks stand at the rewards above 1 among smaller noise; the best threshold lies between the two."""
    rng = np.random.default_rng(4)
    rewards, raters = [], []
    for _ in range(12):
        reward = rng.uniform(-0.4, 0.4, 80)
        up, down = rng.choice(np.arange(5, 80, 8), 2, replace=False)
        reward[up], reward[down] = 1.0 + rng.random(), -1.0 - rng.random()
        rewards.append(reward)
        raters.append([MarkedSteps(steps_of(up + 1), steps_of(down + 1))])
    threshold = choose_threshold(rewards, raters, reach=2, tolerance=2)
    assert threshold is not None and 0.4 <= threshold <= 1.2

    def f1(tried: float) -> float:
        found = [against_raters(peaks(reward, tried, 2), some, 2) for reward, some in zip(rewards, raters, strict=True)]
        return float(sum(found[1:], found[0]).f1.mean())

    assert f1(threshold) == max(map(f1, (0.2, threshold, 1.7))) > 0.9


def test_without_marks_or_rewards_there_is_no_threshold() -> None:
    unmarked, marked = MarkedSteps(steps_of(), steps_of()), MarkedSteps(steps_of(1), steps_of())
    for rewards, raters in (([np.ones(4)], [[unmarked]]), ([np.zeros(4)], [[marked]]), ([], [])):
        assert choose_threshold(rewards, raters, 2, 2) is None


@pytest.mark.parametrize("seed", range(3))
def test_moments_determine_their_counts(seed: int) -> None:
    counts = np.random.default_rng(seed).integers(0, 3, (12, 2)) * (seed > 0)
    moments = MarkedSteps.of(counts)
    np.testing.assert_array_equal(moments.counts(12), counts)
    assert len(moments.plus) + len(moments.minus) == counts.sum(), "double marks are kept"
