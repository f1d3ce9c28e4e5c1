"""The share of raters' answers to pairs of clips that agree."""

from __future__ import annotations

import pytest

from annotation.agreement.clip_agreement import clip_agreement


def test_the_share_is_over_two_raters_of_one_pair_at_a_time() -> None:
    found = clip_agreement({"p": ["a", "a"], "q": ["b", "same"], "r": ["same", "b", "b"], "s": ["b"]})
    assert found["pairs"] == 3 and found["value"] == pytest.approx((1 + 0 + 1) / (1 + 1 + 3))
    assert found["low"] == 0.0 and found["high"] == 1.0
    assert found["chance"] == pytest.approx((3**2 + 2**2 + 2**2) / 7**2, abs=1e-6)  # three b, two a, two the same


def test_open_answers_do_not_count() -> None:
    assert clip_agreement({"p": ["a", "cannot tell"], "q": ["cannot tell", "cannot tell"]})["pairs"] == 0


def test_a_few_equal_answers_are_no_certainty() -> None:
    found = clip_agreement({str(number): ["a", "a"] for number in range(4)})
    assert found["value"] == 1.0 == found["high"] and found["low"] is not None and found["low"] < 0.6
    assert clip_agreement({"p": ["a", "a"]}) == {"value": 1.0, "low": None, "high": None, "chance": 1.0, "pairs": 1}
    assert clip_agreement({}) == {"value": None, "low": None, "high": None, "chance": None, "pairs": 0}
