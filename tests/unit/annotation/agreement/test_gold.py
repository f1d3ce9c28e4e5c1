"""A rater's marks held against known ones, and when gold episodes are due."""

from __future__ import annotations

import math
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.agreement.gold import QUALITY, TRAINING, Score, compare, purpose_due
from rlhf.records.marks import Mark

pairs = st.lists(st.tuples(st.integers(0, 12), st.sampled_from((1, -1))), max_size=4, unique_by=lambda mark: mark[0])


def marks(*said: tuple[int, int], rater: str = "ann") -> list[Mark]:
    return [Mark("e", rater, step, sign, scripted=False) for step, sign in said]


def test_marks_are_matched_missed_or_extra() -> None:
    found = compare(marks((3, 1), (10, -1), (20, 1)), marks((5, 1), (10, 1), (30, -1), rater=""), tolerance=2)
    assert [(a.step, b.step) for a, b in found.matched] == [(3, 5)]
    assert [m.step for m in found.missed] == [10, 30] and [m.step for m in found.extra] == [10, 20]
    assert found.score == Score(given=3, known=3, right=1)
    assert found.score.precision == found.score.recall == found.score.f1 == pytest.approx(1 / 3)


@given(pairs, pairs, st.integers(0, 4))
def test_as_many_are_right_as_can_be(given_pairs: list, known_pairs: list, tolerance: int) -> None:
    found = compare(marks(*given_pairs), marks(*known_pairs, rater=""), tolerance).score
    assert (found.given, found.known) == (len(given_pairs), len(known_pairs))
    assert found.right == most_right(given_pairs, known_pairs, tolerance)


def most_right(given_pairs: list, known_pairs: list, tolerance: int) -> int:
    """By trying every way to pair them."""
    few, many = sorted((given_pairs, known_pairs), key=len)
    tries = (zip(few, order, strict=False) for order in permutations(many, len(few)))
    fits = [sum(abs(a[0] - b[0]) <= tolerance and a[1] == b[1] for a, b in pairing) for pairing in tries]
    return max(fits, default=0)


def test_nothing_given_and_nothing_known() -> None:
    assert math.isnan(Score().f1) and math.isnan(Score(known=2).precision) and Score(known=2).recall == 0
    assert Score(1, 2, 1) + Score(3, 0, 0) == Score(4, 2, 1)


def test_every_so_manieth_episode_is_for_quality() -> None:
    history: list[str] = [TRAINING, TRAINING]
    for _ in range(12):
        history.append(purpose_due(history, every=4))
    assert history[2:] == ["", "", "", QUALITY] * 3
    assert purpose_due(["", "", ""], every=0) == "" and purpose_due([], every=1) == QUALITY
