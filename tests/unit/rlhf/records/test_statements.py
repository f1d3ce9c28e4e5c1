"""Marks, judgements and preferences refuse what they cannot be, in one line, and name their stretches."""

from __future__ import annotations

from typing import Any

import pytest

from rlhf.records.marks import Judgement, Mark
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
BY_ANN = ("ann", False)


@pytest.mark.parametrize(
    ("kind", "values", "message"),
    [
        (Mark, ("e1", 5, 1, 1, False), "rater is 5, not text"),
        (Mark, ("e1", "\ud800", 1, 1, False), "rater is '\\ud800', not text of Unicode"),
        (Mark, ("e1", "ann", 1.0, 1, False), "step and sign are whole numbers, not 1.0 and 1"),
        (Mark, ("e1", "ann", 1, True, False), "step and sign are whole numbers, not 1 and True"),
        (Mark, ("e1", "ann", 1, 1, None), "scripted of a mark is None, not True or False"),
        (Judgement, ("e1", "bo", 1, None, False), "success of a judgement is 1"),
        (Judgement, (None, "bo", True, None, False), "episode_id is None, not text"),
        (Judgement, ("e1", "bo", True, 3, False, "no request"), "left out has neither success nor step"),
        (Judgement, ("e1", "bo", False, None, False, "late"), "left out as 'no request' or 'cannot tell'"),
        (Judgement, ("e1", "bo", True, "end", False), "step is a whole number or None, not 'end'"),
        (ClipPair, (*PAIR, "c", "ann", None, False), "is 'a', 'b', 'same' or 'cannot tell', not 'c'"),
        (ClipPair, (*PAIR, "a", "ann", -1.0, False), "seconds of a clip pair is -1.0"),
        (ClipPair, (*PAIR, "a", "ann", float("inf"), False), "seconds of a clip pair is inf"),
        (ClipPair, ("e1", 0, 3, "e2", 5, 5, "a", "ann", None, False), "greater than begin 5, not 5"),
        (ClipPair, (*PAIR, "a", 5, None, False), "rater is 5, not text"),
        (ClipPair, (*PAIR, "a", "ann", None, 1), "scripted of a clip pair is 1, not True or False"),
        (StretchScore, ("e1", 0, 5, True, 0.0, 1.0, *BY_ANN), "score of a score is True"),
        (StretchScore, ("e1", 0, 5, 6.0, 1.0, 5.0, *BY_ANN), "is from 1.0 to 5.0 as its scale, not 6.0"),
        (StretchScore, ("e1", 0, 5, 1.0, 1.0, 1.0, *BY_ANN), "rises from low to high, not from 1.0 to 1.0"),
        (RequestVerdict, ("e1", 1, 4, "maybe", *BY_ANN), "'no request' or 'cannot tell', not 'maybe'"),
        (RequestVerdict, ("e1", -1, 4, "success", *BY_ANN), "begin of a verdict counts from 0, not -1"),
        (TakeOver, ("e1", 1.0, 4, *BY_ANN), "begin and end of a take-over are whole numbers, not 1.0 and 4"),
        (InferredGoal, ("e1", 0, 5, "plates", "ann", None, False), "counts from 1 up, not 'plates'"),
        (InferredGoal, ("e1", 0, 5, '{"b":1,"a":1}', "ann", None, False), "sorted names and without spaces"),
        (InferredGoal, ("e1", 0, 5, "{}", "ann", -1.0, False), "seconds of an inferred goal is -1.0"),
        (HelperRating, ("e1", 0, 5, 8, 1, 1, *BY_ANN), "knew_goal of a rating is 8, no whole number"),
    ],
)
def test_a_record_of_wrong_values_is_not_made(kind: Any, values: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ValueError) as caught:
        kind(*values)
    assert message in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "made",
    [
        RequestVerdict("e1", 1, 4, "success", *BY_ANN),
        TakeOver("e1", 1, 4, *BY_ANN),
        StretchScore("e1", 1, 4, 2, 0, 5, *BY_ANN),
        InferredGoal("e1", 1, 4, "{}", "ann", None, False),
        HelperRating("e1", 1, 4, 1, 7, 4, *BY_ANN),
    ],
)
def test_each_record_names_its_stretches(made: Any) -> None:
    assert made.stretches == (Stretch("e1", 1, 4),) and type(made) in STATEMENTS.values()
    pair = ClipPair(*PAIR, "a", "ann", 2, False)
    assert pair.stretches == (Stretch("e1", 0, 3), Stretch("e2", 2, 5))


def test_a_goal_has_one_text() -> None:
    counts = {"on_plate_kitchentable": 2, "inside_apple_fridge": 1, "sit_sofa": 0}
    text = goal_text(counts)
    assert text == '{"inside_apple_fridge":1,"on_plate_kitchentable":2}'
    assert InferredGoal("e1", 0, 5, text, "ann", None, False).counts == {name: c for name, c in counts.items() if c}
    assert goal_text({}) == "{}"
