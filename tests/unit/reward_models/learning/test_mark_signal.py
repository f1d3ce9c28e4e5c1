"""Signal and noise against a plain loop, by their definition, and on utilities whose ratio is known."""

from __future__ import annotations

import numpy as np
import pytest

from reward_models.learning.mark_signal import signal_tally, stack_signal
from reward_models.marks.pairs import MINUS, PLUS


def marks_at(steps: int, plus: list[int], minus: list[int]) -> np.ndarray:
    marks = np.zeros((steps, 2), np.uint8)
    for sign, own in ((PLUS, plus), (MINUS, minus)):
        np.add.at(marks[:, sign], own, 1)
    return marks


def plainly(utility: np.ndarray, marks: np.ndarray, tolerance: int) -> tuple[list[float], list[float], list[float]]:
    """The changes around every (+), every (-), and over every quiet window, from rewards and from the definition."""
    reward = np.diff(utility, prepend=utility[:1])
    found: tuple[list[float], list[float], list[float]] = ([], [], [])
    marked = np.flatnonzero(marks.sum(axis=1))
    for middle in range(len(utility)):
        window = range(middle - tolerance, middle + tolerance + 1)
        change = float(sum(reward[step] for step in window if 0 <= step < len(reward)))
        for sign in (PLUS, MINUS):
            found[sign].extend([change] * int(marks[middle, sign]))
        inside = all(0 <= step < len(reward) for step in window)
        if inside and all(abs(step - mark) > 2 * tolerance for step in window for mark in marked):
            found[2].append(change)
    return found


@pytest.mark.parametrize("seed", range(20))
def test_tallies_are_those_of_a_plain_loop(seed: int) -> None:
    rng = np.random.default_rng(seed)
    steps, tolerance = int(rng.integers(1, 70)), int(rng.integers(0, 4))
    utility = rng.normal(size=steps).astype(np.float32)
    marks = (rng.random((steps, 2)) < 0.04) * rng.integers(1, 3, (steps, 2))
    tally = signal_tally(utility, marks.astype(np.uint8), tolerance)
    for ours, theirs in zip((tally.plus, tally.minus, tally.unmarked), plainly(utility, marks, tolerance), strict=True):
        expected = [len(theirs), sum(theirs), sum(change**2 for change in theirs)]
        np.testing.assert_allclose(ours, expected, rtol=1e-5, atol=1e-5)


def test_a_step_at_marks_over_white_noise_has_the_ratio_that_it_must() -> None:
    """Utility that rises by 3 at a (+), falls by 1 at a (-), and has independent noise of 0.5 at every step."""
    rng, tallies = np.random.default_rng(0), []
    for _ in range(400):
        jump = np.zeros(120)
        jump[40], jump[80] = 3.0, -1.0
        utility = np.cumsum(jump) + 0.5 * rng.normal(size=120)
        tallies.append(signal_tally(utility, marks_at(120, [41], [82]), 4))  # raters are a little late
    every = stack_signal(tallies).weighted(np.ones((1, 400)))
    assert every.rise == pytest.approx(3.0, abs=0.1) and every.fall == pytest.approx(-1.0, abs=0.1)
    assert every.noise == pytest.approx(0.5 * np.sqrt(2), rel=0.03)  # two independent ends
    assert every.ratio == pytest.approx(4.0 / (0.5 * np.sqrt(2)), rel=0.05)


def test_episodes_count_as_often_as_they_are_weighed() -> None:
    rng = np.random.default_rng(3)
    tallies = [signal_tally(rng.normal(size=90), marks_at(90, [10 + n], [60]), 4) for n in range(4)]
    twice = stack_signal(tallies).weighted(np.array([[2.0, 0.0, 1.0, 1.0]]))
    by_hand = stack_signal([tallies[0], tallies[0], tallies[2], tallies[3]]).weighted(np.ones((1, 4)))
    assert twice.ratio == pytest.approx(by_hand.ratio)
