"""Outcomes are paired by the seeds of the episodes, whatever their order."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from pipelines.report.data import Outcomes
from pipelines.stages.outcomes.paired import at_probes, gain, ordered, paired, success_of
from rlhf.run.statistics import wilson_interval


def result(agent: str, probe: str, outcomes: list[int], seeds: list[int] | None = None) -> Outcomes:
    seeds = seeds or list(range(len(outcomes)))
    return Outcomes(agent, probe, 0, tuple(seeds), tuple(bool(won) for won in outcomes))


def test_a_gain_is_paired_by_episode_whatever_their_order() -> None:
    rng = np.random.default_rng(3)
    before = rng.integers(0, 2, 60)
    after = np.where(rng.random(60) < 0.3, 1, before)  # never worse on any episode
    order = rng.permutation(60)
    found = gain(
        [[result("new", "go", after[order].tolist(), order.tolist())]], [[result("old", "go", before.tolist())]], seed=1
    )
    assert found.estimate == pytest.approx(float(np.mean(after) - np.mean(before))) and found.count == 60
    assert 0 < found.low  # without pairing the interval would reach below 0
    unpaired = [after.mean(), before.mean()]
    assert unpaired[0] - unpaired[1] - 1.96 * math.sqrt(sum(p * (1 - p) / 60 for p in unpaired)) < 0


def test_outcomes_are_paired_by_the_episodes_seeds() -> None:
    before, after = result("BC", "go", [1, 0, 0], [3, 1, 2]), result("BC+RL", "go", [1, 0, 0], [1, 2, 3])
    assert np.array_equal(ordered(before), [0, 0, 1])
    assert np.array_equal(paired(after, before), [1, 0, -1])
    assert at_probes([before], ["go"]) == [before]
    for other in (result("BC", "go", [1, 1, 1], [1, 2, 4]), result("BC", "lift", [1, 1, 1], [1, 2, 3])):
        with pytest.raises(ValueError, match="BC[+]RL and BC did not play the same episodes of go"):
            paired(after, other)


def test_the_interval_of_a_small_gain_is_the_bootstraps() -> None:
    """All 3^3 resamples of three differences, counted out."""
    differences = [1, 0, -1]
    means = sorted(np.mean(drawn) for drawn in itertools.product(differences, repeat=3))
    found = gain([[result("new", "go", [1, 0, 0])]], [[result("old", "go", [0, 0, 1])]])
    assert found.estimate == 0 and (found.low, found.high) == pytest.approx((means[0], means[-1]))


def test_probes_weigh_the_same_in_a_gain() -> None:
    new = [result("new", "go", [1] * 10), result("new", "lift", [0] * 90)]
    old = [result("old", "lift", [0] * 90), result("old", "go", [0] * 10)]
    assert gain([new], [old]).estimate == 0.5


def test_runs_are_paired_with_themselves() -> None:
    new = [[result("new", "go", wins)] for wins in ([1, 1, 0, 1], [0, 1, 0, 0])]
    old = [[result("old", "go", wins)] for wins in ([0, 1, 0, 0], [0, 0, 0, 0])]
    assert gain(new, old).estimate == np.mean([0.5, 0.25]) and success_of(new).estimate == 0.5
    assert success_of(new[:1]) == wilson_interval(3, 4)
    with pytest.raises(ValueError, match="zip"):
        gain(new, old[:1])
    with pytest.raises(ValueError, match="different probes"):
        gain(new[:1], [[result("old", "lift", [1, 0, 0, 0])]])
