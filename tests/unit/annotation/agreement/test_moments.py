"""Moments, and Krippendorff's alpha over them, against slow independent computations."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.agreement.krippendorff import alpha, krippendorff_alpha
from annotation.agreement.moments import coincidences, find_moments
from rlhf.records.marks import Mark

STEPS = 30
marks = st.lists(
    st.tuples(st.integers(0, STEPS - 1), st.sampled_from((1, -1))), max_size=8, unique_by=lambda mark: mark[0]
)


def given_by(rater: str, pairs: list[tuple[int, int]]) -> list[Mark]:
    return [Mark("e", rater, step, sign, scripted=False) for step, sign in pairs]


def test_marks_within_the_tolerance_are_one_moment() -> None:
    raters = [given_by("a", [(10, 1), (20, -1)]), given_by("b", [(12, 1), (24, -1)]), given_by("c", [])]
    found = find_moments(raters, STEPS, tolerance=3)
    assert found.labels.T.tolist() == [[1, 1, 0], [-1, 0, 0], [0, -1, 0]]
    assert found.quiet == 10 // 4 + (20 - 14) // 4 + 0 + (30 - 28) // 4


def test_two_marks_of_one_rater_are_two_moments() -> None:
    found = find_moments([given_by("a", [(5, 1), (6, 1)]), given_by("b", [(6, 1)])], STEPS, tolerance=2)
    assert found.labels.T.tolist() == [[1, 1], [1, 0]]


@given(st.lists(marks, min_size=2, max_size=4), st.integers(0, 6))
def test_every_mark_is_in_one_moment_and_near_the_others_of_it(
    raters: list[list[tuple[int, int]]], tolerance: int
) -> None:
    found = find_moments([given_by(str(i), pairs) for i, pairs in enumerate(raters)], STEPS, tolerance)
    for row, pairs in zip(found.labels, raters, strict=True):
        assert [label for label in row.tolist() if label] == [sign for _, sign in sorted(pairs)]
    places = [iter(sorted(step for step, _ in pairs)) for pairs in raters]
    for column in found.labels.T:
        steps = [next(place) for place, label in zip(places, column, strict=True) if label]
        assert steps and max(steps) - min(steps) <= tolerance
    turned = find_moments([given_by(str(i), pairs) for i, pairs in enumerate(reversed(raters))], STEPS, tolerance)
    assert np.array_equal(turned.labels, found.labels[::-1]) and turned.quiet == found.quiet


@given(st.lists(st.tuples(marks, marks, marks), min_size=1, max_size=3), st.integers(0, 6))
def test_alpha_is_the_one_of_all_units_together(episodes: list[tuple], tolerance: int) -> None:
    """Against the pairs of values counted one by one, and against alpha of one long table of units."""
    units, total = [], np.zeros((3, 3))
    for raters in episodes:
        moments = find_moments([given_by(str(i), pairs) for i, pairs in enumerate(raters)], STEPS, tolerance)
        total += coincidences(moments)
        units += [*moments.labels.T.tolist(), *[[0, 0, 0]] * moments.quiet]
    expected = alpha_by_pairs(units)
    for found in (float(alpha(total)), krippendorff_alpha(np.array(units, np.float64).T) if units else math.nan):
        assert found == pytest.approx(expected, nan_ok=True, abs=1e-9)


def alpha_by_pairs(units: list[list[int]]) -> float:
    """1 - observed / expected disagreement, from every pair of values within a unit and within all of them."""
    values = [value for unit in units for value in unit]
    within = [(a != b) for unit in units for a, b in combinations(unit, 2)]
    across = [(a != b) for a, b in combinations(values, 2)]
    if not within or not any(across):
        return math.nan
    return 1 - (sum(within) / len(within)) / (sum(across) / len(across))


def test_one_rater_gives_no_agreement() -> None:
    assert not coincidences(find_moments([given_by("a", [(5, 1)])], STEPS, 2)).any()
    assert math.isnan(float(alpha(np.zeros((3, 3)))))


def test_chance_is_nothing_and_the_same_is_everything() -> None:
    rng = np.random.default_rng(0)
    total, same = np.zeros((3, 3)), np.zeros((3, 3))
    for _ in range(400):
        one, other = ([(int(s), int(rng.choice((1, -1)))) for s in np.flatnonzero(rng.random(60) < 0.1)] for _ in "ab")
        total += coincidences(find_moments([given_by("a", one), given_by("b", other)], 60, 0))
        same += coincidences(find_moments([given_by("a", one), given_by("b", one)], 60, 0))
    assert abs(float(alpha(total))) < 0.02 and float(alpha(same)) == 1.0


def test_the_favour_of_units_laid_around_marks_is_small() -> None:
    """Raters who mark at random, as often as people do; what docs/agreement.md says of it."""
    rng, total = np.random.default_rng(0), np.zeros((3, 3))
    for _ in range(200):
        two = [[(int(s), int(rng.choice((1, -1)))) for s in rng.choice(1125, 14, replace=False)] for _ in "ab"]
        total += coincidences(find_moments([given_by(str(i), pairs) for i, pairs in enumerate(two)], 1125, 4))
    assert 0.01 < float(alpha(total)) < 0.05
