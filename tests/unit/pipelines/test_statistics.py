"""Intervals against independent computations, and against what they promise: coverage."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from pipelines.statistics import Interval, mean_interval, wilson_interval


@pytest.mark.parametrize(("successes", "trials"), [(0, 10), (3, 10), (10, 10), (81, 200), (1, 1), (499, 1000)])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_wilson_agrees_with_scipy(successes: int, trials: int, level: float) -> None:
    interval = wilson_interval(successes, trials, level)
    other = stats.binomtest(successes, trials).proportion_ci(level, method="wilson")
    assert interval.low == pytest.approx(other.low, abs=1e-12)
    assert interval.high == pytest.approx(other.high, abs=1e-12)
    assert interval.estimate == successes / trials and interval.count == trials


def test_wilson_bounds_solve_the_score_equation() -> None:
    """At a bound p, the score statistic (share - p) / sqrt(p (1 - p) / n) is z: Wilson's definition."""
    interval = wilson_interval(81, 263)
    for bound in (interval.low, interval.high):
        assert abs(81 / 263 - bound) / np.sqrt(bound * (1 - bound) / 263) == pytest.approx(1.959963984540054)


@pytest.mark.parametrize(("successes", "trials"), [(1, 0), (-1, 3), (4, 3), (0, 0)])
def test_wilson_refuses_what_is_no_proportion(successes: int, trials: int) -> None:
    with pytest.raises(ValueError):
        wilson_interval(successes, trials)


def test_bootstrap_of_one_run_agrees_with_scipy() -> None:
    rng = np.random.default_rng(0)
    differences = rng.choice([-1.0, 0.0, 1.0], p=[0.1, 0.5, 0.4], size=300)
    ours = mean_interval([[differences]], seed=1)
    other = stats.bootstrap((differences,), np.mean, method="percentile", n_resamples=10_000, rng=2).confidence_interval
    assert ours.estimate == pytest.approx(differences.mean())
    assert ours.low == pytest.approx(other.low, abs=0.01)
    assert ours.high == pytest.approx(other.high, abs=0.01)


def test_strata_weigh_the_same_whatever_their_size() -> None:
    ours = mean_interval([[np.zeros(1000), np.ones(10)]], seed=0)
    assert ours.estimate == 0.5
    assert (ours.low, ours.high, ours.count) == (0.5, 0.5, 1010)  # strata are fixed, and each is without variance


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


def test_runs_that_agree_by_chance_are_no_surer_than_their_episodes() -> None:
    rng = np.random.default_rng(6)
    run = rng.binomial(1, 0.4, size=50).astype(float)
    ours = mean_interval([[run], [run], [run]], seed=0)
    other = stats.bootstrap(([*run] * 3,), np.mean, method="percentile", n_resamples=10_000, rng=2).confidence_interval
    assert ours.low == pytest.approx(other.low, abs=0.01)
    assert ours.high == pytest.approx(other.high, abs=0.01)


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


def test_the_same_seed_gives_the_same_interval() -> None:
    groups = [[np.random.default_rng(0).normal(size=30)]]
    assert mean_interval(groups, seed=4) == mean_interval(groups, seed=4)
    assert mean_interval(groups, seed=4) != mean_interval(groups, seed=5)


@pytest.mark.parametrize("groups", [[], [[]], [[np.zeros(0)]], [[np.zeros(2)], [np.zeros(2), np.zeros(2)]]])
def test_bootstrap_refuses_emptiness(groups: list[list[np.ndarray]]) -> None:
    with pytest.raises(ValueError, match="same strata"):
        mean_interval(groups, seed=0)


def test_interval_is_in_order() -> None:
    with pytest.raises(ValueError):
        Interval(0.5, 0.6, 0.4, 10)
