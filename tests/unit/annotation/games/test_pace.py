"""Real time, measured on a clock that does what it likes."""

from __future__ import annotations

import pytest

from annotation.games.pace import MOST_BEHIND_SEC, Pace

TICK = 1 / 30


class Clock:
    def __init__(self) -> None:
        self.now, self.slept = 100.0, []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    def pace(self) -> Pace:
        return Pace(TICK, clock=lambda: self.now, sleep=self.sleep)


def test_ticks_are_evenly_spaced_whatever_a_tick_costs():
    clock = Clock()
    pace, at = clock.pace(), []
    for cost in [0.0, 0.02, 0.005, 0.03] * 20:
        pace.wait()
        at.append(clock.now)
        clock.now += cost
    assert [b - a for a, b in zip(at, at[1:], strict=False)] == pytest.approx([TICK] * 79)
    assert pace.speed == pytest.approx(1.0)


def test_a_short_delay_is_made_up_for():
    clock = Clock()
    pace = clock.pace()
    pace.wait()
    clock.now += 0.09
    for _ in range(9):
        pace.wait()
    assert clock.now == pytest.approx(100.0 + 9 * TICK)


@pytest.mark.parametrize("jump", [MOST_BEHIND_SEC + TICK + 0.01, 3600.0])
def test_after_a_jump_of_the_clock_play_keeps_its_pace(jump):
    clock = Clock()
    pace = clock.pace()
    pace.wait()
    clock.now += jump
    began = clock.now
    for _ in range(30):
        pace.wait()
    assert clock.now - began == pytest.approx(29 * TICK)


def test_a_clock_that_goes_back_does_not_stop_the_game():
    clock = Clock()
    pace = clock.pace()
    for _ in range(3):
        pace.wait()
    clock.now -= 3600.0
    began = clock.now
    for _ in range(30):
        pace.wait()
    assert clock.now - began <= 31 * TICK
    assert max(clock.slept) <= TICK + 1e-9


def test_a_machine_at_half_speed_shows():
    clock = Clock()
    pace = clock.pace()
    for _ in range(200):
        pace.wait()
        clock.now += 2 * TICK
    assert pace.speed == pytest.approx(0.5, abs=0.02)
    pace.resume()
    assert pace.speed == 1.0
