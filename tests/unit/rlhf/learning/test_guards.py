"""Alarms and early stopping, and the noise that raises none."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rlhf.learning.guards import GuardConfig, Guards


def held_out(modelled: float, success: float, requests: int = 64) -> dict[str, float]:
    return {
        "held_out/modelled_return": modelled,
        "held_out/true_success": success,
        "held_out/requests": float(requests),
    }


def test_an_outlying_gradient_is_reported_once() -> None:
    guards, norms = Guards(GuardConfig(gradient=10)), np.random.default_rng(0).lognormal(0.0, 0.5, 60)
    assert not [line for i, norm in enumerate(norms) for line in guards.look(i, {"gradient_norm": norm})]
    (alarm,) = guards.look(60, {"gradient_norm": 40.0})
    assert (alarm.update, alarm.kind) == (60, "gradient") and "update 60" in str(alarm) and "40" in alarm.text
    assert guards.look(61, {"gradient_norm": 40.0}) == []
    assert guards.look(62, {"gradient_norm": 1.0}) == []
    assert len(guards.look(63, {"gradient_norm": 40.0})) == 1


def test_collapsing_entropy_is_reported() -> None:
    guards = Guards(GuardConfig(entropy=0.5))
    reported = [guards.look(i, {"policy/entropy": 8.0 * 0.98**i}) for i in range(80)]
    first = next(i for i, lines in enumerate(reported) if lines)
    usual = np.median([8.0 * 0.98**i for i in range(20)])
    assert 8.0 * 0.98**first < 0.5 * usual <= 8.0 * 0.98 ** (first - 1)
    assert reported[first][0].kind == "entropy" and sum(map(len, reported)) == 1


@pytest.mark.parametrize(
    ("then", "reported"),
    [
        (held_out(1.5, 0.20), True),
        (held_out(1.5, 0.44), False),  # 64 plays cannot distinguish it from 0.5
        (held_out(1.5, 0.60), False),
        (held_out(0.3, 0.20), False),  # bad, but nothing was optimised
    ],
)
def test_reward_up_and_success_down_is_over_optimisation(then: dict[str, float], reported: bool) -> None:
    guards = Guards()
    assert guards.look(0, held_out(0.5, 0.5)) == []
    alarms = guards.look(50, then)
    assert [alarm.kind for alarm in alarms] == ["over_optimisation"] * reported
    assert all("over-optimisation" in one.text and "50%" in one.text and "20%" in one.text for one in alarms)


def test_by_chance_alone_the_alarm_is_rare() -> None:
    """No agent changes its true success of one half, the modelled return always rises: how often is that an alarm?"""
    rng, runs, reported = np.random.default_rng(1), 2000, 0
    for _ in range(runs):
        guards = Guards()
        guards.look(0, held_out(0.0, rng.binomial(64, 0.5) / 64))
        reported += bool(guards.look(1, held_out(1.0, rng.binomial(64, 0.5) / 64)))
    assert reported / runs == pytest.approx(0.0228, abs=0.012)  # beyond two standard errors on one side


def test_over_optimisation_is_not_reported_without_ground_truth() -> None:
    guards = Guards()
    assert guards.look(0, {"held_out/modelled_return": 0.0}) == []
    assert guards.look(1, {"held_out/modelled_return": 9.0}) == []


def test_patience_ends_after_so_many_plays_without_a_better_one() -> None:
    guards = Guards(GuardConfig(patience=2))
    best, ended = [], []
    guards.look(0, {"held_out/modelled_return": 9.0})  # of the agent that it begins with
    for update, modelled in enumerate([0.1, 0.4, 0.3, 0.5, 0.5, 0.2], start=1):
        guards.look(update, {"held_out/modelled_return": modelled})
        guards.look(update, {"gradient_norm": 1.0})  # updates between two plays count for nothing
        best.append(guards.is_best)
        ended.append(guards.exhausted)
    assert best == [True, True, False, True, False, False]
    assert ended == [False] * 5 + [True]


def test_a_resumed_run_is_watched_as_if_it_had_never_stopped() -> None:
    rng = np.random.default_rng(2)
    rows = [
        {"gradient_norm": float(rng.lognormal(0, 1.5)), "policy/entropy": float(8 * 0.97**i)}
        | (held_out(0.1 * i, max(0.0, 0.6 - 0.01 * i)) if i % 10 == 0 else {})
        for i in range(90)
    ]
    config = GuardConfig(gradient=5.0, entropy=0.4, patience=3)
    straight, first = Guards(config), Guards(config)
    expected = [straight.look(i, row) for i, row in enumerate(rows)]
    assert sum(map(bool, expected)) >= 3
    reported = [first.look(i, row) for i, row in enumerate(rows[:45])]
    second = Guards(config)
    second.load_state_dict(first.state_dict())
    reported += [second.look(45 + i, row) for i, row in enumerate(rows[45:])]
    assert reported == expected
    assert (second.best_return, second.since_best) == (straight.best_return, straight.since_best)
    assert second.best_return == pytest.approx(8.0) and not math.isinf(second.best_return)
