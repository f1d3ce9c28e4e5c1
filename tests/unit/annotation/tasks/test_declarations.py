"""What every declaration of a rater task keeps to, without a server."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from annotation.tasks import COMPARING, INFERRING, JUDGING, MARKING, TASKS
from annotation.tasks.comparing import swapped
from annotation.tasks.contract import Item, RaterTask, Shown, Submission
from rlhf.records.marks import Judgement, Mark
from rlhf.records.preferences import ClipPair, InferredGoal, RequestVerdict
from worlds.household.tasks.sets import PREDICATES

ITEMS = {
    "marking": Item("item", ("e",), (12,), None, {}),
    "judging": Item("item", ("e",), (12,), None, {"step": 6, "request_step": 5, "request": "lift it"}),
    "comparing": Item("item", ("e", "f"), (12, 9), None, {"steps": 4, "begins": [1, 3], "requests": ["lift it", ""]}),
    "inferring": Item("item", ("e",), (12,), "household", {}),
}
SAID: list[tuple[RaterTask, list[dict[str, Any]], list[Any]]] = [
    (
        MARKING,
        [{"step": 3, "sign": 1}, {"step": 4, "sign": -1, "deleted": True}, {"step": 11, "sign": -1}],
        [Mark("e", "p", 3, 1, False), Mark("e", "p", 11, -1, False)],
    ),
    (
        MARKING,
        [{"step": 2, "until": 12, "sign": -1}, {"step": 2, "sign": 1}, {"step": 0, "until": 2, "sign": 1}],
        [
            Mark("e", "p", 2, 1, False),
            RequestVerdict("e", 2, 12, "failure", "p", False),
            RequestVerdict("e", 0, 2, "success", "p", False),
        ],
    ),
    (MARKING, [], []),
    (JUDGING, [{"success": True, "step": 6}], [Judgement("e", "p", True, 6, False)]),
    (JUDGING, [{"success": None, "left_out": "cannot tell"}], [Judgement("e", "p", False, None, False, "cannot tell")]),
    (
        INFERRING,
        [{"goal": {"sit_sofa": 1, "on_plate_kitchentable": 0}}],
        [InferredGoal("e", 0, 12, '{"sit_sofa":1}', "p", 2.5, False)],
    ),
    (INFERRING, [{"goal": {}}], [InferredGoal("e", 0, 12, "{}", "p", 2.5, False)]),
]


@pytest.mark.parametrize(("task", "said", "expected"), SAID)
def test_what_is_said_is_what_is_recorded(task: RaterTask, said: list[dict[str, Any]], expected: list[Any]) -> None:
    item = ITEMS[task.kind]
    answers = [task.Answer(**task.Answer(**one).model_dump()) for one in said]  # as the database keeps them
    for answer in answers:
        task.check(answer, item)
    given = tuple(answer for answer in answers if not answer.empty)
    assert task.records(Submission(item, "r", "p", given, 2.5)) == expected


@pytest.mark.parametrize("left_is_b", [False, True])
def test_clips_are_shown_by_side_and_recorded_by_clip(left_is_b: bool) -> None:
    item = ITEMS["comparing"]
    rater = next(name for name in map(str, range(100)) if swapped(item.id, name) is left_is_b)
    sides = {"left": "ab"[left_is_b], "right": "ba"[left_is_b], "same": "same", "cannot tell": "cannot tell"}
    for said, answer in sides.items():
        (pair,) = COMPARING.records(Submission(item, rater, "p", (COMPARING.Answer(**{"answer": said}),), 2.5))
        assert pair == ClipPair("e", 1, 5, "f", 3, 7, answer, "p", 2.5, False)
    words = ((0, "setter", "hi"), (2, "setter", "lift it"), (2, "solver", "yes"), (4, "solver", "so"))
    shown = {"a": Shown(b"", words), "b": Shown(None, words, actions=tuple(f"go {step}" for step in range(9)))}
    since_the_request = {  # which is shown already
        "a": [(1, "setter", "lift it"), (1, "solver", "yes"), (3, "solver", "so")],
        "b": [(-1, "solver", "yes"), (1, "solver", "so")],
    }
    order = [sides["left"], sides["right"]]
    page = COMPARING.page(item, rater, [shown[side] for side in order])
    assert page["pictured"] is False
    for side, clip in zip(order, page["clips"], strict=True):
        assert clip["request"] == {"a": "lift it", "b": ""}[side]
        assert [tuple(said.values()) for said in clip["words"]] == since_the_request[side]
        assert clip.get("actions") == {"a": None, "b": ("go 3", "go 4", "go 5", "go 6")}[side]
    assert [clip.episode_id for clip in COMPARING.clips(item, rater)] == [{"a": "e", "b": "f"}[side] for side in order]


def test_sides_are_random_for_each_rater_and_pair() -> None:
    for pair in ("a", "b"):
        assert 80 < sum(swapped(pair, f"rater {number}") for number in range(200)) < 120
    assert 80 < sum(swapped(f"pair {number}", "ann") for number in range(200)) < 120


def test_goals_are_inferred_among_all_predicates_of_the_world() -> None:
    choices = INFERRING.page(ITEMS["inferring"], "r", [Shown(None, ())])["choices"]
    names = [choice["name"] for group in choices for choice in group["choices"]]
    assert sorted(names) == sorted(PREDICATES)
    assert choices[0]["choices"][0] == {"name": "on_plate_kitchentable", "words": "plates", "most": 4}


@pytest.mark.parametrize(("task", "taken_back"), [(JUDGING, {"success": None}), (COMPARING, {"answer": ""})])
def test_an_answer_that_was_taken_back_is_no_record(task: RaterTask, taken_back: dict[str, Any]) -> None:
    assert task.Answer(**taken_back).empty
    with pytest.raises(ValueError, match="it is no"):
        task.records(Submission(ITEMS[task.kind], "r", "p", (), 2.5))


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_only_declared_fields_are_taken(task: RaterTask) -> None:
    for model in (task.Answer, task.Settings):
        with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
            model(player="agent")  # type: ignore[call-arg]
    clips = task.clips(ITEMS[task.kind], "r")
    assert {clip.episode_id for clip in clips} == set(ITEMS[task.kind].episodes)
