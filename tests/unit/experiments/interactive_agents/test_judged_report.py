"""Tables of agents that scripts judge: ranks with intervals."""

from __future__ import annotations

import numpy as np

from experiments.interactive_agents.judged_report import ranks
from pipelines.suite.request_kinds import INSTRUCTION
from pipelines.suite.results import Outcome


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
