"""Accuracy, calibration, signal and noise against plain loops, and by what is known of made-up utilities."""

from __future__ import annotations

import math

import numpy as np
import pytest

from reward_models.learning.mark_signal import signal_tally, stack_signal
from reward_models.learning.ordering import (
    DISTANCES,
    PROBABILITIES,
    RARE,
    Reliability,
    calibration_error,
    order_pairs,
    stack_reliability,
    together,
)
from reward_models.marks.pairs import MINUS, PLUS
from tests.unit.reward_models.given_marks import marks_at


def marks_and_utility(seed: int, steps: int = 40, raters: int = 2) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    marks = (rng.random((steps, raters, 2)) < 0.06).astype(np.uint8)
    return marks, rng.normal(size=steps).round(1)  # rounded, so that there are ties


@pytest.mark.parametrize("seed", range(4))
def test_pairs_and_their_reliability_are_those_of_a_loop(seed: int) -> None:
    """By sign and group of distance, pair by pair, from the definition."""
    marks, utility = marks_and_utility(seed)
    bins = len(PROBABILITIES) - 1
    right, total = np.zeros((2, 2, len(DISTANCES)))
    weight, predicted, happened, loss = [0.0] * bins, [0.0] * bins, [0.0] * bins, 0.0
    for rater, t1, t2 in np.ndindex(marks.shape[1], len(utility), len(utility)):
        plus, minus = marks[t1 + 1 : t2 + 1, rater].any(axis=0)[[PLUS, MINUS]] if t1 < t2 else (False, False)
        if plus == minus:
            continue
        cell = PLUS if plus else MINUS, max(i for i, least in enumerate(DISTANCES) if t2 - t1 >= least)
        rise = float(utility[t2] - utility[t1])
        right[cell] += 0.5 if rise == 0 else float((rise > 0) == plus)
        total[cell] += 1.0
        p = 1 / (1 + math.exp(-rise))
        place = min(int(p * bins), bins - 1)
        weight[place] += 1
        predicted[place] += p
        happened[place] += plus
        loss -= math.log(p if plus else 1 - p)
    ours = order_pairs(utility, marks)
    assert total.sum() > 0
    np.testing.assert_allclose(ours.right, right)
    np.testing.assert_allclose(ours.total, total)
    assert ours.reliability.weight == pytest.approx(weight)
    assert ours.reliability.predicted == pytest.approx(predicted)
    assert ours.reliability.happened == pytest.approx(happened)
    assert ours.reliability.log_loss == pytest.approx(loss)


def test_calibration_error_is_the_textbook_sum_over_bins() -> None:
    rng = np.random.default_rng(1)
    p, yes = rng.random(500), rng.integers(0, 2, 500).astype(float)
    reliability = Reliability.of(p, yes, 1 - yes, RARE)
    error = 0.0
    for low, high in zip(RARE[:-1], RARE[1:], strict=True):
        inside = (p >= low) & (p < high)
        if inside.any():
            error += inside.mean() * abs(p[inside].mean() - yes[inside].mean())
    assert calibration_error(reliability.weight, reliability.predicted, reliability.happened) == pytest.approx(error)


def test_episodes_keep_apart_and_no_marks_weigh_nothing() -> None:
    marks, utility = marks_and_utility(5)
    none = order_pairs(utility, np.zeros_like(marks))
    assert none.total.sum() == 0 and none.reliability.weight.sum() == 0
    both = together([order_pairs(utility, marks), none])
    assert both.total.shape == (2, 2, len(DISTANCES)) and both.reliability.weight.shape == (2, len(PROBABILITIES) - 1)
    assert both.total[1].sum() == 0 and both.total[0].sum() > 0
    assert np.isnan(calibration_error(*(np.zeros(3),) * 3))
    assert stack_reliability([none.reliability]).log_loss.tolist() == [0.0]


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


@pytest.mark.parametrize("seed", range(8))
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
        tallies.append(signal_tally(utility, marks_at(120, [41], [82])[:, 0], 4))  # raters are a little late
    every = stack_signal(tallies).weighted(np.ones((1, 400)))
    assert every.rise == pytest.approx(3.0, abs=0.1) and every.fall == pytest.approx(-1.0, abs=0.1)
    assert every.noise == pytest.approx(0.5 * np.sqrt(2), rel=0.03)  # two independent ends
    assert every.ratio == pytest.approx(4.0 / (0.5 * np.sqrt(2)), rel=0.05)


def test_episodes_count_as_often_as_they_are_weighed() -> None:
    rng = np.random.default_rng(3)
    tallies = [signal_tally(rng.normal(size=90), marks_at(90, [10 + n], [60])[:, 0], 4) for n in range(4)]
    twice = stack_signal(tallies).weighted(np.array([[2.0, 0.0, 1.0, 1.0]]))
    by_hand = stack_signal([tallies[0], tallies[0], tallies[2], tallies[3]]).weighted(np.ones((1, 4)))
    assert twice.ratio == pytest.approx(by_hand.ratio)
