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


def test_alpha_of_krippendorffs_own_example() -> None:
    """The four observers and twelve units of Krippendorff (2011), for which he gives 0.743."""
    n = np.nan
    labels = np.array(
        [
            [1, 2, 3, 3, 2, 1, 4, 1, 2, n, n, n],
            [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, n, 3],
            [n, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, n],
            [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, n],
        ]
    )
    assert krippendorff_alpha(labels) == pytest.approx(0.743, abs=5e-4)


def test_alpha_by_hand() -> None:
    # Two raters, four units: three agree (+, +, -), one does not. Observed disagreement 1/4;
    # totals: + 5, - 3, so expected disagreement 1 - (5*4 + 3*2) / (8*7) = 30/56; alpha = 1 - (1/4) / (30/56) = 8/15.
    assert krippendorff_alpha(np.array([[1, 1, -1, 1], [1, 1, -1, -1]])) == pytest.approx(8 / 15)
    assert krippendorff_alpha(np.array([[1, 0, -1], [1, 0, -1]])) == pytest.approx(1.0)
    assert np.isnan(krippendorff_alpha(np.array([[1, np.nan], [np.nan, 1]])))
    assert np.isnan(krippendorff_alpha(np.zeros((2, 3))))
