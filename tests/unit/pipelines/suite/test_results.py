"""What judgements say, against computations that share nothing with ours but the formula."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from statistics import mean, median

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.agreement.krippendorff import krippendorff_alpha
from pipelines.suite.results import (
    Outcome,
    cumulative_success,
    difference,
    judges_agreement,
    majority,
    one_voice,
    request_rate,
    success_rate,
)
from rlhf.records.marks import Judgement
from rlhf.run.statistics import FEWER_RESAMPLES, wilson_interval


def said(episode: str, judge: str, success: bool, step: int | None = None) -> Judgement:
    return Judgement(episode, judge, success, step, False)


def made_up(seed: int, agents: tuple[str, ...] = ("A",), scenarios: int = 12, most: int = 5) -> list[Outcome]:
    """Outcomes in scenarios that are hard or easy, so that those of one are alike."""
    rng = np.random.default_rng(seed)
    outcomes = []
    for scenario in range(scenarios):
        ease = rng.random()
        for agent in agents:
            for _ in range(int(rng.integers(1, most + 1))):
                success = float(rng.choice([1.0, 0.5])) if rng.random() < ease else 0.0
                steps = float(rng.integers(1, 40)) if success else None
                outcomes.append(Outcome(agent, f"s{scenario}", "kind", success, steps))
    return outcomes


def grouped(outcomes: list[Outcome]) -> dict[str, list[Outcome]]:
    found = defaultdict(list)
    for one in outcomes:
        found[one.cluster].append(one)
    return found


# -- majority of judges ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("votes", "expected"),
    [
        ([(True, 14)], (1.0, 5.0)),
        ([(False, None)], (0.0, None)),
        ([(True, 14), (True, 20), (False, None)], (1.0, 8.0)),
        ([(True, 14), (False, None)], (0.5, 5.0)),
        ([(True, 14), (False, None), (False, None)], (0.0, None)),
        ([(True, None)], (1.0, None)),
        ([(True, 10)], (1.0, 1.0)),  # success at the first step that is judged takes one step
    ],
)
def test_the_majority_counts(votes: list[tuple[bool, int | None]], expected: tuple[float, float | None]) -> None:
    assert majority([said("e", f"j{i}", *vote) for i, vote in enumerate(votes)], 10) == expected


def test_contradicting_judges_do_not_count_and_none_counts_twice() -> None:
    judgements = [said("e", "a", True, 12), said("e", "a", False), said("e", "b", False), said("e", "b", False)]
    assert one_voice(judgements) == [said("e", "b", False)] and majority(judgements, 10) == (0.0, None)
    assert one_voice([said("e", "a", True, 15), said("e", "a", True, 12)]) == [said("e", "a", True, 12)]
    with pytest.raises(ValueError, match="no judges"):
        majority(judgements[:2], 10)


# -- success and its intervals ---------------------------------------------------------------------------------------


def test_success_is_the_mean_over_scenarios_whatever_their_size() -> None:
    outcomes = made_up(0)
    expected = mean(mean(one.success for one in own) for own in grouped(outcomes).values())
    found = success_rate(outcomes, seed=0)
    assert found is not None and found.estimate == pytest.approx(expected, abs=1e-12) and found.count == 12
    requests = request_rate(outcomes, seed=0)
    assert requests is not None
    assert requests.estimate == pytest.approx(mean(one.success for one in outcomes), abs=1e-12)


def test_continuations_of_one_scenario_are_not_independent() -> None:
    """Ten copies of each outcome add no information: the interval stays as wide as it was."""
    alone = [Outcome("A", f"s{i}", "kind", float(i % 2), 3.0 if i % 2 else None) for i in range(30)]
    once, ten = success_rate(alone, seed=0), success_rate(alone * 10, seed=0)
    assert once is not None and ten is not None and (once.low, once.high) == (ten.low, ten.high)
    naive = wilson_interval(150, 300)
    assert ten.high - ten.low > 2.5 * (naive.high - naive.low)


def test_differences_are_of_the_scenarios_that_both_have() -> None:
    outcomes = made_up(2, agents=("A", "B"), scenarios=15)
    ours = [one for one in outcomes if one.agent == "A" and one.cluster != "s3"]
    theirs = [one for one in outcomes if one.agent == "B" and one.cluster != "s7"]
    both = set(grouped(ours)) & set(grouped(theirs))
    expected = mean(
        mean(o.success for o in grouped(ours)[s]) - mean(o.success for o in grouped(theirs)[s]) for s in both
    )
    found = difference(ours, theirs, seed=0)
    assert found is not None and found.estimate == pytest.approx(expected, abs=1e-12) and found.count == 13
    alike = difference(ours, ours, seed=0)  # every difference is 0: nothing to resample
    assert alike is not None and alike.high == -alike.low == pytest.approx(wilson_interval(0, 14).high)
    assert difference(ours, [], seed=0) is None


@pytest.mark.parametrize("by_cluster", [True, False])
def test_success_against_time(by_cluster: bool) -> None:
    outcomes = made_up(3)
    found = cumulative_success(outcomes, 45, by_cluster=by_cluster, seed=0)
    for step, share in zip(found.steps, found.share, strict=True):
        groups = list(grouped(outcomes).values()) if by_cluster else [outcomes]
        expected = mean(mean(o.success * (o.steps is not None and o.steps <= step) for o in own) for own in groups)
        assert share == pytest.approx(expected, abs=1e-12)
    assert found.share[0] == 0 and list(found.share) == sorted(found.share)
    assert all(low <= share <= high for low, share, high in zip(found.low, found.share, found.high, strict=True))
    rate = (success_rate if by_cluster else request_rate)(outcomes, seed=0)
    assert rate is not None and found.share[-1] == pytest.approx(rate.estimate)
    assert found.seconds[15] == 4.0


# -- agreement -------------------------------------------------------------------------------------------------------


def alpha_by_hand(units: list[list[bool]]) -> float:
    """Krippendorff's alpha of nominal labels from its definition: disagreement of pairs within, and of all pairs."""
    units = [unit for unit in units if len(unit) > 1]
    values = [label for unit in units for label in unit]
    within = sum(
        sum(a != b for a, b in itertools.permutations(unit, 2)) / (len(unit) - 1) for unit in units
    ) / len(values)  # fmt: skip
    among = sum(a != b for a, b in itertools.permutations(values, 2)) / (len(values) * (len(values) - 1))
    return 1 - within / among if among else math.nan


def random_judgements(seed: int, episodes: int = 30) -> tuple[dict[str, list[Judgement]], dict[str, str]]:
    rng = np.random.default_rng(seed)
    judgements, scenario_of = {}, {}
    for number in range(episodes):
        name, true = f"e{number}", rng.random() < 0.6
        judges = [judge for judge in ("a", "b", "c", "d") if rng.random() < 0.6] or ["a"]
        scenario_of[name] = f"s{number // 3}"
        judgements[name] = [
            said(name, judge, bool(yes), int(rng.integers(50, 60)) if yes else None)
            for judge in judges
            for yes in [true != (rng.random() < 0.2)]
        ]
    return judgements, scenario_of


@given(st.integers(0, 10_000))
@settings(max_examples=40, deadline=None)
def test_alpha_is_krippendorffs(seed: int) -> None:
    judgements, scenario_of = random_judgements(seed, episodes=12)
    found = judges_agreement(judgements, scenario_of, seed=0)
    units = [[one.success for one in own] for own in judgements.values()]
    if not any(len(unit) > 1 for unit in units):
        assert found.alpha is None and found.same is None
        return
    expected = alpha_by_hand(units)
    if math.isnan(expected):
        assert found.alpha is None
        return
    assert found.alpha is not None and found.alpha.estimate == pytest.approx(expected, abs=1e-9)
    labels = np.full((4, len(judgements)), np.nan)
    for unit, own in enumerate(judgements.values()):
        for one in own:
            labels["abcd".index(one.judge), unit] = one.success
    assert krippendorff_alpha(labels) == pytest.approx(expected, abs=1e-9)
    pairs = [a == b for unit in units for a, b in itertools.combinations(unit, 2)]
    assert found.same is not None and found.same.estimate == pytest.approx(mean(pairs), abs=1e-12)


def test_the_bounds_of_alpha_are_those_of_resampled_scenarios() -> None:
    judgements, scenario_of = random_judgements(4)
    found = judges_agreement(judgements, scenario_of, seed=0)
    assert found.alpha is not None
    by_scenario: dict[str, list[list[bool]]] = defaultdict(list)
    for name, own in judgements.items():
        by_scenario[scenario_of[name]].append([one.success for one in own])
    rng, groups, drawn = np.random.default_rng(1), list(by_scenario.values()), []
    for _ in range(FEWER_RESAMPLES):
        chosen = rng.integers(len(groups), size=len(groups))
        drawn.append(alpha_by_hand([unit for index in chosen for unit in groups[index]]))
    low, high = np.nanquantile(drawn, [0.025, 0.975])
    assert found.alpha.low == pytest.approx(low, abs=0.06) and found.alpha.high == pytest.approx(high, abs=0.06)


def test_records_of_judges() -> None:
    judgements = {
        "e0": [said("e0", "a", True, 10), said("e0", "b", True, 25), said("e0", "c", True, 40)],
        "e1": [said("e1", "a", True, 10), said("e1", "b", False)],
        "e2": [said("e2", "a", False)],
        "e3": [said("e3", "a", False), said("e3", "a", True, 9)],
    }
    found = judges_agreement(judgements, dict.fromkeys(judgements, "s"), seed=0)
    assert (found.judged, found.several, found.ties) == (3, 2, 1)
    assert found.seconds_apart == median([15, 30, 15]) / 3.75
    alone = judges_agreement({"e2": judgements["e2"]}, {"e2": "s"}, seed=0)
    assert alone.several == 0 and alone.alpha is None and alone.same is None and alone.seconds_apart is None
    records = [(one.judge, one.judged, one.success) for one in found.judges]
    assert records == [("a", 3, pytest.approx(2 / 3)), ("b", 2, 0.5), ("c", 1, 1.0)]
