"""Records of preferences refuse what they cannot be, in one line."""

from __future__ import annotations

import re
from typing import Any

import pytest

from rlhf.records.preferences import (
    STATEMENTS,
    ClipPair,
    HelperRating,
    InferredGoal,
    RequestVerdict,
    Stretch,
    StretchScore,
    TakeOver,
    goal_text,
)

PAIR = ("e1", 0, 3, "e2", 2, 5)
HUGE = float("inf")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ClipPair(*PAIR, "c", "ann", None, False), "is 'a', 'b', 'same' or 'cannot tell', not 'c'"),
        (lambda: ClipPair(*PAIR, "a", "ann", -1.0, False), "seconds of a clip pair is -1.0, not a number from 0 on"),
        (lambda: ClipPair("e1", 0, 3, "e2", 5, 5, "a", "ann", None, False), "greater than begin 5, not 5"),
        (lambda: ClipPair(*PAIR, "a", 5, None, False), "rater is 5, not text"),  # type: ignore[arg-type]
        (lambda: ClipPair(*PAIR, "a", "ann", HUGE, False), "seconds of a clip pair is inf, not a number from 0 on"),
        (lambda: ClipPair(*PAIR, "a", "ann", None, 1), "scripted of a clip pair is 1, not True or False"),  # type: ignore[arg-type]
        (lambda: StretchScore("e1", 0, 5, True, 0.0, 1.0, "ann", False), "score of a score is True"),
        (lambda: RequestVerdict("e1", 1, 4, "maybe", "ann", False), "'no request' or 'cannot tell', not 'maybe'"),
        (lambda: RequestVerdict("e1", -1, 4, "success", "ann", False), "begin of a verdict counts from 0, not -1"),
        (lambda: TakeOver("e1", 1.0, 4, "ann", False), "begin and end of a take-over are whole numbers, not 1.0 and 4"),  # type: ignore[arg-type]
        (lambda: StretchScore("e1", 0, 5, 6.0, 1.0, 5.0, "ann", False), "is from 1.0 to 5.0 as its scale, not 6.0"),
        (lambda: StretchScore("e1", 0, 5, 1.0, 1.0, 1.0, "ann", False), "rises from low to high, not from 1.0 to 1.0"),
        (lambda: InferredGoal("e1", 0, 5, "plates", "ann", None, False), "counts from 1 up, not 'plates'"),
        (lambda: InferredGoal("e1", 0, 5, '{"b":1,"a":1}', "ann", None, False), "sorted names and without spaces"),
        (
            lambda: HelperRating("e1", 0, 5, 8, 1, 1, "ann", False),
            "knew_goal of a rating is 8, no whole number",
        ),
        (lambda: InferredGoal("e1", 0, 5, "{}", "ann", -1.0, False), "seconds of an inferred goal is -1.0"),
    ],
)
def test_a_record_of_wrong_values_is_not_made(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        make()
    assert "\n" not in str(caught.value)


def test_each_record_names_its_stretches() -> None:
    assert ClipPair(*PAIR, "a", "ann", 2, False).stretches == (Stretch("e1", 0, 3), Stretch("e2", 2, 5))
    for made in (
        RequestVerdict("e1", 1, 4, "success", "ann", False),
        TakeOver("e1", 1, 4, "ann", False),
        StretchScore("e1", 1, 4, 2, 0, 5, "ann", False),
        InferredGoal("e1", 1, 4, "{}", "ann", None, False),
        HelperRating("e1", 1, 4, 1, 7, 4, "ann", False),
    ):
        assert made.stretches == (Stretch("e1", 1, 4),) and type(made) in STATEMENTS.values()


def test_a_goal_has_one_text() -> None:
    counts = {"on_plate_kitchentable": 2, "inside_apple_fridge": 1, "sit_sofa": 0}
    text = goal_text(counts)
    assert text == '{"inside_apple_fridge":1,"on_plate_kitchentable":2}'
    assert InferredGoal("e1", 0, 5, text, "ann", None, False).counts == {name: c for name, c in counts.items() if c}
    assert goal_text({}) == "{}"
