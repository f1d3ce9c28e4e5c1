"""Agreement on whether to mark and on the sign, each against its level of chance."""

from __future__ import annotations

import numpy as np
import pytest

from annotation.agreement.clip_agreement import clip_agreement
from annotation.agreement.dashboard import group_by_episode
from annotation.agreement.rater_agreement import agreement
from annotation.agreement.submission import Submission
from rlhf.records.marks import Mark

STEPS, MARKS, EPISODES, TOLERANCE = 1125, 14, 40, 4


def submission(rater: str, episode: str, places: np.ndarray, signs: np.ndarray) -> Submission:
    marks = [Mark(episode, rater, int(step), int(sign), False) for step, sign in zip(places, signs, strict=True)]
    return Submission(rater, episode, STEPS, tuple(marks))


def two_raters(same_places: bool, same_signs: bool) -> list[list[Submission]]:
    """Forty episodes of five minutes, 14 marks of each of two raters."""
    rng = np.random.default_rng(0)
    found = []
    for number in range(EPISODES):
        places = [np.sort(rng.choice(STEPS, MARKS, replace=False)) for _ in range(2)]
        signs = [np.where(rng.random(MARKS) < 0.5, 1, -1) for _ in range(2)]
        found += [
            submission("ann", f"e{number}", places[0], signs[0]),
            submission("bob", f"e{number}", places[0 if same_places else 1], signs[0 if same_signs else 1]),
        ]
    return group_by_episode(found)


def test_signs_at_random_look_good_to_alpha_and_like_chance_beside_it() -> None:
    found = agreement(two_raters(same_places=True, same_signs=False), TOLERANCE)
    assert found["alpha"]["value"] > 0.7  # as nobody marks anything between the moments
    assert found["whether"]["value"] == 1.0 and found["whether"]["chance"] < 0.1
    assert found["sign"]["low"] < found["sign"]["chance"] < found["sign"]["high"]
    assert found["sign"]["chance"] == pytest.approx(0.5, abs=0.01)
    (pair,) = found["pairs"]
    assert pair["episodes"] == EPISODES and pair["sign"] == found["sign"]


def test_marks_at_random_meet_as_often_as_chance_says() -> None:
    found = agreement(two_raters(same_places=False, same_signs=False), TOLERANCE)
    for name in ("whether", "overall"):
        assert found[name]["low"] < found[name]["chance"] < found[name]["high"]
    assert 0.02 < found["whether"]["chance"] < 0.15 and 0.01 < found["alpha"]["value"] < 0.06, (
        "units are laid around marks, which favours agreement a little, as docs/agreement.md says"
    )


def test_raters_who_agree_are_far_from_chance() -> None:
    found = agreement(two_raters(same_places=True, same_signs=True), TOLERANCE)
    assert found["alpha"]["value"] == found["whether"]["value"] == found["sign"]["value"] == 1.0
    assert found["sign"]["chance"] == pytest.approx(0.5, abs=0.01) and found["overall"]["chance"] < 0.1


def test_without_marks_there_is_nothing_to_say() -> None:
    empty = [submission(rater, "e", np.array([]), np.array([])) for rater in ("ann", "bob")]
    found = agreement([empty], TOLERANCE)
    nothing = {"value": None, "low": None, "high": None, "chance": None}
    assert found["whether"] == found["sign"] == found["overall"] == nothing and found["alpha"]["value"] is None
    assert agreement([], TOLERANCE)["pairs"] == []


# ---- pairs of clips


def test_the_share_is_over_two_raters_of_one_pair_at_a_time() -> None:
    found = clip_agreement({"p": ["a", "a"], "q": ["b", "same"], "r": ["same", "b", "b"], "s": ["b"]})
    assert found["pairs"] == 3 and found["value"] == pytest.approx((1 + 0 + 1) / (1 + 1 + 3))
    assert found["low"] == 0.0 and found["high"] == 1.0
    assert found["chance"] == pytest.approx((3**2 + 2**2 + 2**2) / 7**2, abs=1e-6)  # three b, two a, two the same


def test_answers_that_leave_it_open_do_not_count() -> None:
    assert clip_agreement({"p": ["a", "cannot tell"], "q": ["cannot tell", "cannot tell"]})["pairs"] == 0


def test_a_few_equal_answers_are_no_certainty() -> None:
    found = clip_agreement({str(number): ["a", "a"] for number in range(4)})
    assert found["value"] == 1.0 == found["high"] and found["low"] is not None and found["low"] < 0.6
    assert clip_agreement({"p": ["a", "a"]}) == {"value": 1.0, "low": None, "high": None, "chance": 1.0, "pairs": 1}
    assert clip_agreement({}) == {"value": None, "low": None, "high": None, "chance": None, "pairs": 0}
