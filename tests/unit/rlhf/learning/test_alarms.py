"""Alarms: on disk before the next update, once each whatever dies; what raises them, and the noise that does not."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from rlhf.learning.alarms import ALARMS_FILE, AlarmLog, KeptAlarms, read_alarms
from rlhf.learning.guards import Alarm, GuardConfig, Guards, paired_change
from worlds.errors import UserError

EARLY = Alarm(3, "gradient", "the gradient's norm is 90")
MIDDLE = Alarm(10, "entropy", "it hardly tries anything else")
LATE = Alarm(14, "over_optimisation", "the modelled return rose, “true” success fell")


def test_an_alarm_is_on_disk_when_it_has_been_added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    real = os.fsync
    log = AlarmLog(tmp_path)
    assert read_alarms(tmp_path) == KeptAlarms(0, ())
    monkeypatch.setattr(os, "fsync", lambda file: (synced.append(os.fstat(file).st_ino), real(file))[1])
    log.add(EARLY)
    assert synced == [log.path.stat().st_ino]
    assert read_alarms(tmp_path) == KeptAlarms(0, (EARLY,))  # though nobody has closed the file
    log.add(LATE)
    log.close()
    log.close()
    assert read_alarms(tmp_path) == KeptAlarms(0, (EARLY, LATE))


def test_a_resumed_run_has_every_alarm_once(tmp_path: Path) -> None:
    with AlarmLog(tmp_path) as log:
        for alarm in (EARLY, MIDDLE, LATE):
            log.add(alarm)
    with AlarmLog(tmp_path, resume_step=10) as log:  # whose guards remember what they raised up to there
        log.add(LATE)
    assert read_alarms(tmp_path) == KeptAlarms(0, (EARLY, MIDDLE, LATE))
    with AlarmLog(tmp_path, resume_step=20):
        pass
    assert read_alarms(tmp_path) == KeptAlarms(0, (EARLY, MIDDLE, LATE))


@pytest.mark.parametrize("length", [0, 1, 30])
def test_a_line_cut_off_by_a_crash_is_skipped_and_then_replaced(tmp_path: Path, length: int) -> None:
    with AlarmLog(tmp_path) as log:
        log.add(EARLY)
    path = tmp_path / ALARMS_FILE
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + lines[1][:length])
    assert read_alarms(tmp_path) == KeptAlarms(0, ())
    with AlarmLog(tmp_path, resume_step=2) as log:
        log.add(EARLY)
    assert read_alarms(tmp_path) == KeptAlarms(0, (EARLY,))
    path.write_bytes(lines[0][:length])  # a run that died as it began knows nothing of alarms
    assert read_alarms(tmp_path) is None
    path.write_text('{"step": 1}\n{"step": 2, "alarm": "gradient", "text": "x"}\n')
    with pytest.raises(UserError, match="without 'alarm'"):
        read_alarms(tmp_path)


# What raises them


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
        ({"held_out/modelled_return": 9.0}, False),  # there is no ground truth
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


def second(modelled: float, change: float, error: float = 0.1) -> dict[str, float]:
    return {
        "held_out/modelled_return": modelled,
        "held_out/second_change": change,
        "held_out/second_change_error": error,
    }


@pytest.mark.parametrize(
    ("then", "raised"),
    [
        (second(0.5, -0.31), True),
        (second(0.5, -0.29), False),  # within three standard errors
        (second(0.5, 0.9), False),
        (second(-0.1, -0.9), False),  # worse by both: they agree
    ],
)
def test_return_up_by_one_model_and_down_by_the_other_is_disagreement(then: dict[str, float], raised: bool) -> None:
    guards = Guards(GuardConfig(disagreement=3))
    assert guards.look(0, second(0.0, 0.0, 0.0)) == []
    alarms = guards.look(50, then)
    assert [(alarm.kind, alarm.stops) for alarm in alarms] == [("disagreement", True)] * raised
    assert all(
        "rose from 0.00 to 0.50" in one.text and "fell by 0.31 (standard error 0.10)" in one.text for one in alarms
    )
    assert guards.look(51, then) == [] and not EARLY.stops and not LATE.stops


def test_a_change_is_paired_by_episode_and_its_error_is_that_of_the_differences() -> None:
    first = {"a": 10.0, "b": -10.0, "c": 3.0, "gone": 99.0}
    now = {"c": 1.0, "a": 9.0, "new": -99.0, "b": -13.0}
    # Changes -1, -3 and -2, of mean -2; squared deviations 1, 1 and 0; the variance is 2 / (3 - 1).
    assert paired_change(first, now) == pytest.approx((-2.0, (1.0 / 3) ** 0.5))
    assert paired_change(first, {"a": 9.0, "new": 1.0}) is None


def test_by_chance_alone_disagreement_is_rare_however_much_episodes_differ() -> None:
    rng, runs, raised = np.random.default_rng(3), 2000, 0
    for _ in range(runs):
        worth = rng.normal(0.0, 50.0, 64)
        first, now = ({str(i): w for i, w in enumerate(worth + rng.normal(0.0, 1.0, 64))} for _ in range(2))
        found = paired_change(first, now)
        assert found is not None
        guards = Guards()
        guards.look(0, second(0.0, 0.0, 0.0))
        raised += bool(guards.look(1, second(1.0, *found)))
    assert raised / runs == pytest.approx(0.0249, abs=0.012)  # P(t < -2) at 63 degrees of freedom


def test_a_resumed_run_is_watched_as_if_it_had_never_stopped() -> None:
    rng = np.random.default_rng(2)
    rows = [
        {"gradient_norm": float(rng.lognormal(0, 1.5)), "policy/entropy": float(8 * 0.97**i)}
        | (held_out(0.1 * i, max(0.0, 0.6 - 0.01 * i)) if i % 10 == 0 else {})
        for i in range(90)
    ]
    config = GuardConfig(gradient=5.0, entropy=0.4)
    straight, first = Guards(config), Guards(config)
    expected = [straight.look(i, row) for i, row in enumerate(rows)]
    assert sum(map(bool, expected)) >= 3
    reported = [first.look(i, row) for i, row in enumerate(rows[:45])]
    second = Guards(config)
    second.load_state_dict(first.state_dict())
    reported += [second.look(45 + i, row) for i, row in enumerate(rows[45:])]
    assert reported == expected
