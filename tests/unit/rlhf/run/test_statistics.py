"""Intervals against independent computations, and against what they promise: coverage."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from rlhf.run.statistics import (
    Interval,
    crossed_interval,
    difference_interval,
    episode_interval,
    mean_interval,
    over_runs,
    ratio_difference_interval,
    ratio_interval,
    share_interval,
    wilson_interval,
)


@pytest.mark.parametrize(("successes", "trials"), [(0, 10), (3, 10), (10, 10), (81, 200), (1, 1), (499, 1000)])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_wilson_agrees_with_scipy(successes: int, trials: int, level: float) -> None:
    interval = wilson_interval(successes, trials, level)
    other = stats.binomtest(successes, trials).proportion_ci(level, method="wilson")
    assert interval.low == pytest.approx(other.low, abs=1e-12)
    assert interval.high == pytest.approx(other.high, abs=1e-12)
    assert interval.estimate == successes / trials and interval.count == trials


def test_bootstrap_of_one_run_agrees_with_scipy() -> None:
    rng = np.random.default_rng(0)
    differences = rng.choice([-1.0, 0.0, 1.0], p=[0.1, 0.5, 0.4], size=300)
    ours = mean_interval([[differences]], seed=1)
    other = stats.bootstrap((differences,), np.mean, method="percentile", n_resamples=10_000, rng=2).confidence_interval
    assert ours.estimate == pytest.approx(differences.mean())
    assert ours.low == pytest.approx(other.low, abs=0.01)
    assert ours.high == pytest.approx(other.high, abs=0.01)


def test_several_runs_agree_with_students_t() -> None:
    rng = np.random.default_rng(5)
    groups = [
        [rng.binomial(1, 0.2 + 0.2 * run + 0.1 * probe, size=400).astype(float) for probe in range(2)]
        for run in range(3)
    ]
    means = [np.mean([one.mean() for one in run]) for run in groups]
    low, high = stats.ttest_1samp(means, 0.0).confidence_interval(0.95)
    ours = mean_interval(groups, seed=9)
    assert (ours.estimate, ours.low, ours.high) == pytest.approx((np.mean(means), low, high))


def runs_that_differ(rng: np.random.Generator) -> list[list[np.ndarray]]:
    """Three runs of 100 episodes whose shares of successes differ by 0.1 about 0.5."""
    return [[rng.binomial(1, np.clip(rng.normal(0.5, 0.1), 0, 1), size=100).astype(float)] for _ in range(3)]


def paired(rng: np.random.Generator) -> list[list[np.ndarray]]:
    """Differences in 100 episodes of one run, of the mean 0.15."""
    return [[rng.choice([-1.0, 0.0, 1.0], p=[0.15, 0.55, 0.3], size=100)]]


@pytest.mark.parametrize(("draw", "truth", "least"), [(runs_that_differ, 0.5, 0.92), (paired, 0.15, 0.90)])
def test_intervals_cover_the_truth_about_as_often_as_they_say(draw: Any, truth: float, least: float) -> None:
    rng, hits = np.random.default_rng(12), 0
    for trial in range(300):
        interval = mean_interval(draw(rng), seed=trial, resamples=500)
        hits += interval.low <= truth <= interval.high
    assert least <= hits / 300 <= 0.985


def test_ratio_of_sums_agrees_with_scipys_bootstrap_of_episodes() -> None:
    rng = np.random.default_rng(3)
    whole = rng.integers(1, 40, 80).astype(float)
    part = rng.binomial(whole.astype(int), rng.beta(4, 2, 80)).astype(float)
    ours = ratio_interval(part, whole, seed=0)
    assert ours is not None

    def ratio(i: np.ndarray, axis: int) -> np.ndarray:
        return part[i].sum(axis) / whole[i].sum(axis)

    data = (np.arange(80),)
    other = stats.bootstrap(data, ratio, method="percentile", n_resamples=10_000, rng=2, vectorized=True)
    assert ours.estimate == part.sum() / whole.sum() and ours.count == 80
    assert ours.low == pytest.approx(other.confidence_interval.low, abs=0.01)
    assert ours.high == pytest.approx(other.confidence_interval.high, abs=0.01)


def test_episodes_that_all_agree_leave_room_for_those_that_will_not() -> None:
    whole = np.array([3.0, 0.0, 9.0, 2.0])
    ours, zero = ratio_interval(whole, whole, seed=0), ratio_interval(0 * whole, whole, seed=0)
    assert ours is not None and zero is not None
    assert (ours.low, ours.high, ours.count) == (wilson_interval(3, 3).low, 1.0, 3)  # one episode had nothing
    assert (zero.low, zero.high) == (0.0, wilson_interval(0, 3).high)
    one = ratio_interval(np.array([1.0]), np.array([5.0]), seed=0)
    assert one is not None and one.low < 0.1 and one.high > 0.6, "one episode of many observations is one episode"
    assert ratio_interval(np.zeros(2), np.zeros(2), seed=0) is None
    assert ratio_interval(np.zeros(0), np.zeros(0), seed=0) is None


@pytest.mark.parametrize("difference", [-1.0, 0.0, 1.0])
def test_differences_that_are_all_alike_claim_no_certainty(difference: float) -> None:
    reach = wilson_interval(0, 60).high
    expected = Interval(difference, max(-1.0, difference - reach), min(1.0, difference + reach), 60)
    assert difference_interval([[np.full(20, difference)]] * 3, seed=0) == expected and reach > 0.05
    whole, reach = np.array([10.0, 20.0, 5.0]), wilson_interval(0, 3).high
    found = ratio_difference_interval(difference / 10 * whole, whole, seed=0)
    ends = (difference / 10, max(-1.0, difference / 10 - reach), min(1.0, difference / 10 + reach))
    assert found is not None and found.count == 3
    assert (found.estimate, found.low, found.high) == pytest.approx(ends)


def test_differences_that_differ_have_bootstrap_intervals_within_their_range() -> None:
    apart = [[np.r_[np.ones(16), np.zeros(4)]], [np.r_[np.ones(19), np.zeros(1)]], [np.ones(20)]]
    assert difference_interval(apart, seed=0).high == 1.0 < mean_interval(apart, seed=0).high
    mixed = [[np.r_[np.ones(5), np.zeros(10), -np.ones(5)]]]
    assert difference_interval(mixed, seed=3) == mean_interval(mixed, seed=3)
    part, whole = np.array([-1.0, 4.0, 0.0]), np.array([10.0, 20.0, 5.0])
    expected = episode_interval(lambda w: (w @ part) / (w @ whole), 3, seed=2)
    assert ratio_difference_interval(part, whole, seed=2) == expected
    assert ratio_difference_interval(np.r_[part, 0.0], np.r_[whole, 0.0], seed=2) == expected  # the last has nothing
    assert ratio_difference_interval(np.zeros(2), np.zeros(2), seed=0) is None


@pytest.mark.parametrize(
    ("groups", "successes", "trials"),
    [
        ([[np.ones(200), np.ones(100)]], 300, 300),
        ([[np.zeros(20)]] * 3, 0, 60),
        ([[np.array([1.0, 0.0])]], 1, 2),
    ],
)
def test_outcomes_that_are_all_alike_claim_no_certainty(groups: Any, successes: int, trials: int) -> None:
    assert share_interval(groups, seed=0) == wilson_interval(successes, trials)
    mixed = [[np.ones(50), np.r_[np.ones(10), np.zeros(40)]]] * 2
    found = share_interval(mixed, seed=0)
    assert found.estimate == pytest.approx(0.6) and 0.0 < found.low < 0.6 < found.high < 1.0


def test_crossed_intervals_are_those_of_episodes_where_there_is_one_rater() -> None:
    rng = np.random.default_rng(5)
    whole = rng.integers(1, 6, 40).astype(float)
    part = rng.binomial(whole.astype(int), 0.7).astype(float)
    alone, episodes = np.zeros(40, int), np.arange(40)
    crossed = crossed_interval(part, whole, alone, episodes, seed=1)
    single = ratio_interval(part, whole, seed=2)
    assert crossed is not None and single is not None and crossed.estimate == pytest.approx(single.estimate)
    assert crossed.low == pytest.approx(single.low, abs=0.02) and crossed.high == pytest.approx(single.high, abs=0.02)
    assert crossed == crossed_interval(part, whole, alone, episodes, seed=1)


def test_crossed_intervals_cover_the_share_of_new_raters_and_episodes() -> None:
    """Raters and episodes differ: an interval over answers alone would be far too narrow."""
    rng, covered = np.random.default_rng(6), 0
    raters, episodes = (factor.ravel() for factor in np.meshgrid(np.arange(10), np.arange(20), indexing="ij"))
    for draw in range(100):
        share = 0.6 + rng.normal(0, 0.08, 10)[raters] + rng.normal(0, 0.08, 20)[episodes]
        found = crossed_interval(
            rng.binomial(1, share.clip(0, 1)).astype(float), np.ones(200), raters, episodes, seed=draw
        )
        assert found is not None
        covered += found.low <= 0.6 <= found.high
    assert covered >= 90


def test_crossed_intervals_of_equal_answers_claim_no_certainty() -> None:
    ones = np.ones(6)
    found = crossed_interval(ones, ones, np.arange(6) % 2, np.arange(6) // 2, seed=0)
    assert found is not None and (found.estimate, found.high) == (1.0, 1.0) and found.low < 0.5
    assert crossed_interval(np.zeros(2), np.zeros(2), np.zeros(2, int), np.arange(2), seed=0) is None


def test_runs_are_combined_by_students_t() -> None:
    estimates = [0.5, 0.6, 0.7]
    found = over_runs([Interval(each, each - 0.05, each + 0.05, 10) for each in estimates])
    low, high = stats.t.interval(0.95, 2, np.mean(estimates), stats.sem(estimates))
    assert found is not None
    assert (found.estimate, found.low, found.high) == pytest.approx((0.6, low, high))


ONE = Interval(0.5, 0.4, 0.7, 9)


@pytest.mark.parametrize(
    ("runs", "same_episodes", "ends"),
    [
        ([ONE], False, (0.4, 0.7)),
        ([Interval(0.4, 0.3, 0.6, 10)] * 4, False, (0.35, 0.5)),  # half of one's: no surer than their own intervals
        ([Interval(0.7, 0.65, 0.75, 40)] * 2, True, (0.65, 0.75)),
        ([], False, None),
        ([None, ONE], False, None),  # the mean of one run is not that of two
    ],
)
def test_runs_are_no_surer_than_their_own_intervals(runs: Any, same_episodes: bool, ends: Any) -> None:
    found = over_runs(runs, same_episodes=same_episodes)
    assert (found and (found.low, found.high)) == (ends and pytest.approx(ends))
