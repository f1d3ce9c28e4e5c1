"""Tables of rounds over seeds, and ranks of agents that scripts judge."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from experiments.engine.rows import Row, rows_of_results
from experiments.interactive_agents.judged_report import ranks
from experiments.interactive_agents.rounds import rounds_table
from pipelines.stages.evaluate import ProbeResult
from pipelines.suite.request_kinds import INSTRUCTION
from pipelines.suite.results import Outcome

AGENTS = ("BC", "Round 1", "Round 2", "demonstrator")


def outcomes(fulfilled: Sequence[int]) -> dict[str, ProbeResult]:
    """Of ten requests each, every agent fulfils the first so many."""
    return {
        agent: ProbeResult(agent, "tower", tuple(range(10)), tuple(n < share for n in range(10)), (None,) * 10)
        for agent, share in zip(AGENTS, fulfilled, strict=True)
    }


def rows_of_outcomes(found: Sequence[dict[str, ProbeResult]]) -> list[Row]:
    every = ((seed, agent, one) for seed, results in enumerate(found) for agent, one in results.items())
    return [row for seed, agent, one in every for row in rows_of_results("rounds", agent, seed, [one])]


def test_rounds_are_compared_with_the_cloned_agent_and_with_the_round_before() -> None:
    new = [outcomes((1, 3, 4, 9)), outcomes((1, 3, 6, 9))]
    known = [outcomes((2, 2, 8, 10)), outcomes((2, 2, 8, 10))]
    made = rounds_table(AGENTS, *(rows_of_outcomes(found) for found in (new, known)))
    first, one, two, last = ([cell.partition(" (")[0].strip("*") for cell in row] for row in made.rows)
    assert first == ["BC", "10", "", "", "20", "", ""]
    assert one == ["Round 1", "30", "+20", "", "20", "0", ""]
    assert two == ["Round 2", "50", "+40", "+20", "80", "+60", "+60"]
    assert last == ["demonstrator", "90", "", "", "100", "", ""]


def judged(agent: str, success: list[int]) -> list[Outcome]:
    return [Outcome(agent, f"s{number}", INSTRUCTION, each, None) for number, each in enumerate(success)]


def test_ranks_are_certain_where_an_agent_always_wins() -> None:
    found = {"a": judged("a", [0] * 20), "b": judged("b", [1] * 20), "c": judged("c", [0] * 20)}
    assert ranks([found, found], ("a", "b", "c")) == {
        "a": "2.0 (2.0 to 2.0)",  # as good as c
        "b": "1.0 (1.0 to 1.0)",
        "c": "2.0 (2.0 to 2.0)",
    }


def test_ranks_of_agents_that_are_alike_are_uncertain() -> None:
    rng = np.random.default_rng(0)
    a, b = (judged(name, rng.permutation([0, 1] * 20).tolist()) for name in "ab")
    assert ranks([{"a": a, "b": b}], ("a", "b"))["a"].endswith("(1.0 to 2.0)")


def test_ranks_over_seeds_are_means() -> None:
    good, bad = [1] * 20, [0] * 20
    first = {"a": judged("a", good), "b": judged("b", bad)}
    second = {"a": judged("a", bad), "b": judged("b", good)}
    assert ranks([first, second], ("a", "b"))["a"] == "1.5 (1.5 to 1.5)"
