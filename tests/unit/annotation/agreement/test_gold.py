"""Marks of two raters matched, a rater's held against known ones, and when gold episodes are due."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.agreement.gold import QUALITY, TRAINING, Score, compare, purpose_due
from annotation.agreement.measures import Agreement, match_marks, pairwise_agreement
from rlhf.records.marks import Mark

pairs = st.lists(st.tuples(st.integers(0, 12), st.sampled_from((1, -1))), max_size=4, unique_by=lambda mark: mark[0])


def marks(*said: tuple[int, int], rater: str = "ann") -> list[Mark]:
    return [Mark("e", rater, step, sign, scripted=False) for step, sign in said]


def most(first: list, second: list, fits: Callable[[Any, Any], bool]) -> int:
    """The most pairs that fit, by trying every way to pair two lists."""
    few, many = sorted((first, second), key=len)
    ways = (zip(few, order, strict=False) for order in permutations(many, len(few)))
    return max((sum(fits(a, b) for a, b in way) for way in ways), default=0)


@given(pairs, pairs, st.integers(0, 4))
def test_as_many_are_matched_and_right_as_can_be(first: list, second: list, tolerance: int) -> None:
    matched = match_marks(marks(*first), marks(*second, rater="b"), tolerance)
    assert len(matched) == most(first, second, lambda a, b: abs(a[0] - b[0]) <= tolerance)
    found = compare(marks(*first), marks(*second, rater=""), tolerance).score
    assert (found.given, found.known) == (len(first), len(second))
    assert found.right == most(first, second, lambda a, b: abs(a[0] - b[0]) <= tolerance and a[1] == b[1])


def test_matching_by_hand() -> None:
    first, second = marks((10, 1), (20, -1), (50, 1)), marks((12, 1), (19, 1), (90, 1), rater="b")
    assert [(a.step, b.step) for a, b in match_marks(first, second, tolerance=3)] == [(10, 12), (20, 19)]
    found = pairwise_agreement(first, second, 3)
    assert found == Agreement(same_sign=1, opposite_sign=1, only_first=1, only_second=1)
    assert (found.overall, found.of_moments, found.of_signs) == (1 / 4, 2 / 4, 1 / 2)
    with pytest.raises(ValueError, match="one episode"):
        match_marks(marks((1, 1)), [Mark("other", "b", 1, 1, scripted=True)], 3)


def test_marks_are_matched_missed_or_extra() -> None:
    found = compare(marks((3, 1), (10, -1), (20, 1)), marks((5, 1), (10, 1), (30, -1), rater=""), tolerance=2)
    assert [(a.step, b.step) for a, b in found.matched] == [(3, 5)]
    assert [m.step for m in found.missed] == [10, 30] and [m.step for m in found.extra] == [10, 20]
    assert found.score == Score(given=3, known=3, right=1)
    assert found.score.precision == found.score.recall == found.score.f1 == pytest.approx(1 / 3)


def test_nothing_given_and_nothing_known() -> None:
    assert math.isnan(Score().f1) and math.isnan(Score(known=2).precision) and Score(known=2).recall == 0
    assert Score(1, 2, 1) + Score(3, 0, 0) == Score(4, 2, 1)


def test_every_so_manieth_episode_is_for_quality() -> None:
    history: list[str] = [TRAINING, TRAINING]
    for _ in range(12):
        history.append(purpose_due(history, every=4))
    assert history[2:] == ["", "", "", QUALITY] * 3
    assert purpose_due(["", "", ""], every=0) == "" and purpose_due([], every=1) == QUALITY
