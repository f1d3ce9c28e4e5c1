"""Intervals against independent computations, and against what they promise: coverage."""

from __future__ import annotations

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


def test_three_runs_that_differ_cover_the_truth_about_as_often_as_they_say() -> None:
    """Of runs yet to be made: runs differ by 0.1, and each has 100 episodes."""
    rng = np.random.default_rng(12)
    hits = 0
    for trial in range(300):
        groups = [[rng.binomial(1, np.clip(rng.normal(0.5, 0.1), 0, 1), size=100).astype(float)] for _ in range(3)]
        interval = mean_interval(groups, seed=trial, resamples=200)
        hits += interval.low <= 0.5 <= interval.high
    assert 0.92 <= hits / 300 <= 0.985


def test_paired_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(11)
    hits = 0
    for trial in range(300):
        differences = rng.choice([-1.0, 0.0, 1.0], p=[0.15, 0.55, 0.3], size=100)
        interval = mean_interval([[differences]], seed=trial, resamples=1000)
        hits += interval.low <= 0.15 <= interval.high
    assert 0.90 <= hits / 300 <= 0.985


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


def test_differences_that_are_all_alike_claim_no_certainty() -> None:
    reach = wilson_interval(0, 60).high
    for difference in (-1.0, 0.0, 1.0):
        found = difference_interval([[np.full(20, difference)]] * 3, seed=0)
        expected = Interval(difference, max(-1.0, difference - reach), min(1.0, difference + reach), 60)
        assert found == expected and reach > 0.05
    apart = [[np.r_[np.ones(16), np.zeros(4)]], [np.r_[np.ones(19), np.zeros(1)]], [np.ones(20)]]
    assert difference_interval(apart, seed=0).high == 1.0 < mean_interval(apart, seed=0).high
    mixed = [[np.r_[np.ones(5), np.zeros(10), -np.ones(5)]]]
    assert difference_interval(mixed, seed=3) == mean_interval(mixed, seed=3)


def test_differences_of_shares_that_are_all_alike_claim_no_certainty() -> None:
    whole = np.array([10.0, 20.0, 5.0])
    reach = wilson_interval(0, 3).high
    for difference in (-0.1, 0.0, 1.0):
        found = ratio_difference_interval(difference * whole, whole, seed=0)
        assert found is not None and found.count == 3 and found.estimate == pytest.approx(difference)
        assert found.low == pytest.approx(max(-1.0, difference - reach))
        assert found.high == pytest.approx(min(1.0, difference + reach))
    part = np.array([-1.0, 4.0, 0.0])
    apart = episode_interval(lambda w: (w @ part) / (w @ whole), 3, seed=2)
    assert ratio_difference_interval(part, whole, seed=2) == apart
    assert ratio_difference_interval(np.r_[part, 0.0], np.r_[whole, 0.0], seed=2) == apart  # the last one has nothing
    assert ratio_difference_interval(np.zeros(2), np.zeros(2), seed=0) is None


def test_outcomes_that_are_all_alike_claim_no_certainty() -> None:
    everything = [[np.ones(200), np.ones(100)]]
    assert mean_interval(everything, seed=0).low == 1.0
    assert share_interval(everything, seed=0) == wilson_interval(300, 300)
    assert share_interval([[np.array([1.0, 0.0])]], seed=0) == wilson_interval(1, 2)
    nothing = [[np.zeros(20)]] * 3
    assert share_interval(nothing, seed=0) == wilson_interval(0, 60)
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


def test_runs_that_agree_by_chance_are_no_surer_than_their_own_intervals() -> None:
    found = over_runs([Interval(0.4, 0.3, 0.6, 10)] * 4)  # the standard error of a mean of four is half of one's
    assert found is not None and (found.low, found.high) == pytest.approx((0.35, 0.5))


def test_one_run_has_its_own_interval_and_a_run_without_one_leaves_none() -> None:
    one = Interval(0.5, 0.4, 0.7, 9)
    assert over_runs([one]) == one and over_runs([None]) is None and over_runs([]) is None
    assert over_runs([None, one]) is None  # the mean of one run is not that of two


def test_runs_on_the_same_episodes_are_no_surer_than_one_of_them() -> None:
    same = over_runs([Interval(0.7, 0.65, 0.75, 40)] * 2, same_episodes=True)
    assert same is not None and (same.low, same.high) == pytest.approx((0.65, 0.75))
