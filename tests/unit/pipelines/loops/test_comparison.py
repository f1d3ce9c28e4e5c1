"""Rounds are compared by what their agents did on the same episodes, and shown as they are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pipelines.loops.comparison import success
from pipelines.loops.rounds import MOST_ROUNDS, LoopConfig, agent_name, resolve_round, resolve_start
from pipelines.report.data import RoundResult, RoundsCompared
from pipelines.report.findings import OVERALL
from pipelines.report.rounds import before_and_after, compared, success_by_round
from pipelines.stages.evaluate import ProbeResult
from rlhf.run.statistics import Interval, wilson_interval


def result(agent: str, probe: str, outcomes: list[int]) -> ProbeResult:
    count = len(outcomes)
    return ProbeResult(agent, probe, tuple(range(count)), tuple(map(bool, outcomes)), (None,) * count)


def test_success_is_wilsons_by_probe_and_the_mean_of_probes_over_all() -> None:
    found = success([result("a", "go", [1] * 30 + [0] * 10), result("a", "lift", [1] * 2 + [0] * 18)], seed=0)
    assert list(found) == ["go", "lift", OVERALL]
    assert found[OVERALL].estimate == pytest.approx((0.75 + 0.1) / 2) and found[OVERALL].count == 60
    assert found["go"] == wilson_interval(30, 40)
    assert list(success([result("a", "go", [1, 0])], seed=0)) == ["go"]  # one probe is all probes


def one_round(number: int, by_people: int = 0, **changes: object) -> RoundResult:
    facts: dict = {
        "number": number, "agent": agent_name(number), "deployed": agent_name(number - 1), "episodes": 500,
        "held_out_episodes": 60, "progress": 300 * number, "regress": 120, "by_people": by_people, "accuracy": 0.8,
        "modelled_return": (0.2, 0.9), "true_success": (0.4, 0.5), "success": {"lift": Interval(0.5, 0.4, 0.6, 100)},
        "on_clone": Interval(0.1, 0.02, 0.18, 100), "on_deployed": Interval(-0.05, -0.2, 0.1, 100),
    }  # fmt: skip
    return RoundResult(**(facts | changes))


def example(*rounds: RoundResult) -> RoundsCompared:
    clone, reference = ({"lift": Interval(at, at - 0.1, at + 0.1, 100)} for at in (0.4, 0.9))
    return RoundsCompared(clone="BC", clone_success=clone, reference_success=reference, rounds=rounds)


def dots(drawn: str) -> list[tuple[float, float]]:
    """Places of the dots of a chart."""
    return [(float(x), float(y)) for x, y in re.findall(r'<use [^>]*x="([\d.]+)" y="([\d.]+)"', drawn)]


def test_success_is_drawn_where_it_is() -> None:
    drawn = success_by_round(example(one_round(1), one_round(2)))
    places = dots(drawn)
    assert len(places) == 3 and places[0][0] < places[1][0] < places[2][0]
    assert places[1][1] == places[2][1] < places[0][1]  # 50%, above 40%
    words = re.findall(r">([^<>]+)</text>", drawn)
    assert words[:3] == ["BC", "Round 1", "Round 2"] and words[-3:] == ["40%", "50%", "50%"]
    assert "<title>demonstrator: 90%</title>" in drawn and "<title>BC at lift: 40% (30% to 50%)</title>" in drawn


def test_a_round_without_measurements_leaves_a_gap() -> None:
    assert len(dots(before_and_after([("Round 1", None), ("Round 2", (1.0, -0.5))], share=False))) == 2
    assert "Nothing was measured" in before_and_after([("Round 1", None)], share=True)


def test_the_table_names_raters_and_intervals_of_gains() -> None:
    page = "".join(compared(example(one_round(1), one_round(2, by_people=7))))
    cells = [re.sub(r"<[^>]+>", " ", row).split() for row in re.findall(r"<tr>.*?</tr>", page, re.DOTALL)]
    assert "scripted" in cells[1] and cells[2][cells[2].index("7") : cells[2].index("7") + 3] == ["7", "by", "people"]
    assert page.count('class="pill better"') == 2 and page.count('class="pill unclear"') == 2


def test_no_two_recordings_of_a_preset_share_a_seed_and_all_are_allowed() -> None:
    seeds = []
    for seed in (0, 24):
        config = LoopConfig(run=Path("r"), seed=seed, rounds=MOST_ROUNDS)
        seeds += [resolve_start(config).demonstrations.seed]
        seeds += [resolve_round(config, number).play.seed for number in range(1, MOST_ROUNDS + 1)]
    assert len(set(seeds)) == len(seeds) == 2 * (MOST_ROUNDS + 1)
