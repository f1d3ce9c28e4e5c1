"""What every declaration of a rater task keeps to, without a server."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from annotation.server.errors import Refused
from annotation.tasks import COMPARING, INFERRING, JUDGING, MARKING, TASKS
from annotation.tasks.comparing import swapped
from annotation.tasks.contract import Item, RaterTask, Submission
from rlhf.records.marks import Judgement, Mark
from rlhf.records.preferences import ClipPair, InferredGoal

ITEMS = {
    "marking": Item("item", ("e",), (12,), None, {}),
    "judging": Item("item", ("e",), (12,), None, {"step": 6, "request_step": 5, "request": "lift it"}),
    "comparing": Item("item", ("e", "f"), (12, 9), None, {"steps": 4, "begins": [1, 3], "requests": ["lift it", ""]}),
    "inferring": Item("item", ("e",), (12,), "household", {}),
}
RIGHT_IS_A = swapped("item", "r")
SAID: list[tuple[RaterTask, list[dict[str, Any]], list[Any]]] = [
    (
        MARKING,
        [{"step": 3, "sign": 1}, {"step": 4, "sign": -1, "deleted": True}, {"step": 11, "sign": -1}],
        [Mark("e", "p", 3, 1, False), Mark("e", "p", 11, -1, False)],
    ),
    (MARKING, [], []),
    (JUDGING, [{"success": True, "step": 6}], [Judgement("e", "p", True, 6, False)]),
    (JUDGING, [{"success": None, "left_out": "cannot tell"}], [Judgement("e", "p", False, None, False, "cannot tell")]),
    (COMPARING, [{"answer": "same"}], [ClipPair("e", 1, 5, "f", 3, 7, "same", "p", 2.5, False)]),
    (COMPARING, [{"answer": "left"}], [ClipPair("e", 1, 5, "f", 3, 7, "ab"[RIGHT_IS_A], "p", 2.5, False)]),
    (INFERRING, [{"goal": {"sit_sofa": 1}}], [InferredGoal("e", 0, 12, '{"sit_sofa":1}', "p", 2.5, False)]),
    (INFERRING, [{"goal": {}}], [InferredGoal("e", 0, 12, "{}", "p", 2.5, False)]),
]


@pytest.mark.parametrize(("task", "said", "expected"), SAID)
def test_what_is_said_is_what_is_recorded(task: RaterTask, said: list[dict[str, Any]], expected: list[Any]) -> None:
    item, answers = ITEMS[task.kind], [task.Answer(**one) for one in said]
    for answer in answers:
        task.check(answer, item)
        assert task.Answer(**answer.model_dump()) == answer  # as the database keeps it
    given = tuple(answer for answer in answers if not answer.empty)
    assert task.records(Submission(item, "r", "p", given, 2.5)) == expected


@pytest.mark.parametrize(("task", "taken_back"), [(JUDGING, {"success": None}), (COMPARING, {"answer": ""})])
def test_an_answer_that_was_taken_back_is_no_record(task: RaterTask, taken_back: dict[str, Any]) -> None:
    assert task.Answer(**taken_back).empty
    with pytest.raises(ValueError, match="it is no"):
        task.records(Submission(ITEMS[task.kind], "r", "p", (), 2.5))


@pytest.mark.parametrize(
    ("task", "said"),
    [
        (MARKING, {"step": 12, "sign": 1}), (JUDGING, {"success": True, "step": 5}), (JUDGING, {"success": True}),
        (JUDGING, {"success": False, "step": 7}), (JUDGING, {"success": False, "left_out": "no request"}),
        (INFERRING, {"goal": {"fly": 1}}),
    ],
)  # fmt: skip
def test_an_answer_that_its_item_does_not_allow_is_refused(task: RaterTask, said: dict[str, Any]) -> None:
    with pytest.raises(Refused) as refused:
        task.check(task.Answer(**said), ITEMS[task.kind])
    assert refused.value.status == 422


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_only_declared_fields_are_taken(task: RaterTask) -> None:
    for model in (task.Answer, task.Settings):
        with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
            model(player="agent")  # type: ignore[call-arg]
    assert task.Settings().order in ("breadth", "shuffled")
    clips = task.clips(ITEMS[task.kind], "r")
    assert {clip.episode_id for clip in clips} == set(ITEMS[task.kind].episodes)
