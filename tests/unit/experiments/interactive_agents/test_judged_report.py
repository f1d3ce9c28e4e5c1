"""Tables of agents that scripts judge: rates of seeds together, ranks with intervals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from experiments.interactive_agents.judged_report import over_seeds, ranks
from pipelines.suite.request_kinds import INSTRUCTION
from pipelines.suite.results import Outcome
from rlhf.run.statistics import Interval


def test_seeds_are_combined_by_students_t() -> None:
    estimates = [0.5, 0.6, 0.7]
    found = over_seeds([Interval(each, each - 0.05, each + 0.05, 10) for each in estimates])
    low, high = stats.t.interval(0.95, 2, np.mean(estimates), stats.sem(estimates))
    assert found is not None
    assert (found.estimate, found.low, found.high) == pytest.approx((0.6, low, high))


def test_seeds_that_agree_by_chance_are_no_surer_than_their_own_intervals() -> None:
    found = over_seeds([Interval(0.4, 0.3, 0.6, 10)] * 4)  # the standard error of a mean of four is half of one's
    assert found is not None and (found.low, found.high) == pytest.approx((0.35, 0.5))


def test_one_seed_has_its_own_interval_and_a_seed_without_one_leaves_none() -> None:
    one = Interval(0.5, 0.4, 0.7, 9)
    assert over_seeds([one]) == one and over_seeds([None]) is None and over_seeds([]) is None
    assert over_seeds([None, one]) is None  # the mean of one seed is not that of two


def outcomes(agent: str, success: list[int]) -> list[Outcome]:
    return [Outcome(agent, f"s{number}", INSTRUCTION, each, None) for number, each in enumerate(success)]


def test_ranks_are_certain_where_an_agent_always_wins() -> None:
    found = {"a": outcomes("a", [0] * 20), "b": outcomes("b", [1] * 20), "c": outcomes("c", [0] * 20)}
    assert ranks([found, found], ("a", "b", "c")) == {
        "a": "2.0 (2.0 to 2.0)",  # as good as c
        "b": "1.0 (1.0 to 1.0)",
        "c": "2.0 (2.0 to 2.0)",
    }


def test_ranks_of_agents_that_are_alike_are_uncertain() -> None:
    rng = np.random.default_rng(0)
    a, b = (outcomes(name, rng.permutation([0, 1] * 20).tolist()) for name in "ab")
    assert ranks([{"a": a, "b": b}], ("a", "b"))["a"].endswith("(1.0 to 2.0)")


def test_ranks_over_seeds_are_means() -> None:
    good, bad = [1] * 20, [0] * 20
    first = {"a": outcomes("a", good), "b": outcomes("b", bad)}
    second = {"a": outcomes("a", bad), "b": outcomes("b", good)}
    assert ranks([first, second], ("a", "b"))["a"] == "1.5 (1.5 to 1.5)"
