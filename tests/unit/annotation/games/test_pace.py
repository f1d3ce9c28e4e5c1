"""Real time, measured on a clock that does what it likes."""

from __future__ import annotations

import pytest

from annotation.games.pace import MOST_BEHIND_SEC, Pace

TICK = 1 / 30


class Clock:
    def __init__(self) -> None:
        self.now, self.slept = 100.0, []
        self.pace = Pace(TICK, clock=lambda: self.now, sleep=self.sleep)

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    def ticks(self, count: int, cost: float = 0.0) -> float:
        """Seconds that some ticks take."""
        began = self.now
        for _ in range(count):
            self.pace.wait()
            self.now += cost
        return self.now - began


def test_ticks_are_evenly_spaced_whatever_a_tick_costs():
    clock, at = Clock(), []
    for cost in [0.0, 0.02, 0.005, 0.03] * 20:
        clock.pace.wait()
        at.append(clock.now)
        clock.now += cost
    assert [b - a for a, b in zip(at, at[1:], strict=False)] == pytest.approx([TICK] * 79)
    assert clock.pace.speed == pytest.approx(1.0)


def test_a_short_delay_is_made_up_for():
    clock = Clock()
    clock.ticks(1)
    clock.now += 0.09
    clock.ticks(9)
    assert clock.now == pytest.approx(100.0 + 9 * TICK)


@pytest.mark.parametrize("jump", [MOST_BEHIND_SEC + TICK + 0.01, 3600.0])
def test_after_a_jump_of_the_clock_play_keeps_its_pace(jump):
    clock = Clock()
    clock.ticks(1)
    clock.now += jump
    assert clock.ticks(30) == pytest.approx(29 * TICK)


def test_a_clock_that_goes_back_does_not_stop_the_game():
    clock = Clock()
    clock.ticks(3)
    clock.now -= 3600.0
    assert clock.ticks(30) <= 31 * TICK
    assert max(clock.slept) <= TICK + 1e-9


def test_a_machine_at_half_speed_shows():
    clock = Clock()
    clock.ticks(200, cost=2 * TICK)
    assert clock.pace.speed == pytest.approx(0.5, abs=0.02)
    clock.pace.resume()
    assert clock.pace.speed == 1.0
