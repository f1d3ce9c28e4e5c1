"""Accuracy and calibration against loops over all pairs, and against what perfect probabilities promise."""

from __future__ import annotations

import math

import numpy as np
import pytest

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


def marks_and_utility(seed: int, steps: int = 40, raters: int = 2) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    marks = (rng.random((steps, raters, 2)) < 0.06).astype(np.uint8)
    return marks, rng.normal(size=steps).round(1)  # rounded, so that there are ties


def loop(utility: np.ndarray, marks: np.ndarray) -> dict[tuple[int, int], list[float]]:
    """By sign and group of distance: the weight ordered correctly and in all; by the definition, pair by pair."""
    found: dict[tuple[int, int], list[float]] = {}
    for rater in range(marks.shape[1]):
        for t1 in range(len(utility)):
            for t2 in range(t1 + 1, len(utility)):
                plus = any(marks[t, rater, PLUS] for t in range(t1 + 1, t2 + 1))
                minus = any(marks[t, rater, MINUS] for t in range(t1 + 1, t2 + 1))
                if plus == minus:
                    continue
                sign = PLUS if plus else MINUS
                group = max(i for i, least in enumerate(DISTANCES) if t2 - t1 >= least)
                cell = found.setdefault((sign, group), [0.0, 0.0])
                change = float(utility[t2] - utility[t1]) * (1 if plus else -1)
                cell[0] += 1.0 if change > 0 else 0.5 if change == 0 else 0.0
                cell[1] += 1.0
    return found


@pytest.mark.parametrize("seed", range(4))
def test_pairs_by_sign_and_distance_are_those_of_a_loop(seed: int) -> None:
    marks, utility = marks_and_utility(seed)
    ours, theirs = order_pairs(utility, marks), loop(utility, marks)
    assert theirs
    for sign in (PLUS, MINUS):
        for group in range(len(DISTANCES)):
            right, total = theirs.get((sign, group), (0.0, 0.0))
            assert ours.right[sign, group] == pytest.approx(right)
            assert ours.total[sign, group] == pytest.approx(total)


def test_reliability_of_pairs_is_that_of_a_loop() -> None:
    marks, utility = marks_and_utility(3)
    ours = order_pairs(utility, marks).reliability
    bins = len(PROBABILITIES) - 1
    weight, predicted, happened, loss = [0.0] * bins, [0.0] * bins, [0.0] * bins, 0.0
    for rater in range(2):
        for t1 in range(len(utility)):
            for t2 in range(t1 + 1, len(utility)):
                between = marks[t1 + 1 : t2 + 1, rater].sum(axis=0)
                if (between[PLUS] > 0) == (between[MINUS] > 0):
                    continue
                p = 1 / (1 + math.exp(-(utility[t2] - utility[t1])))
                better = between[PLUS] > 0
                place = min(int(p * bins), bins - 1)
                weight[place] += 1
                predicted[place] += p
                happened[place] += better
                loss -= math.log(p if better else 1 - p)
    assert ours.weight == pytest.approx(weight)
    assert ours.predicted == pytest.approx(predicted)
    assert ours.happened == pytest.approx(happened)
    assert ours.log_loss == pytest.approx(loss)


def test_true_probabilities_are_calibrated() -> None:
    rng = np.random.default_rng(0)
    p = rng.random(200_000)
    yes = (rng.random(len(p)) < p).astype(float)
    reliability = Reliability.of(p, yes, 1 - yes, PROBABILITIES)
    bold = Reliability.of(np.where(p > 0.5, 1.0, 0.0), yes, 1 - yes, PROBABILITIES)
    assert calibration_error(reliability.weight, reliability.predicted, reliability.happened) < 0.005
    # Who always says 0 or 1 is off by the mean of min(p, 1 - p), a quarter.
    assert calibration_error(bold.weight, bold.predicted, bold.happened) == pytest.approx(0.25, abs=0.005)
    assert reliability.log_loss / len(p) == pytest.approx(0.5, abs=0.005)  # the mean entropy of a uniform probability


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
