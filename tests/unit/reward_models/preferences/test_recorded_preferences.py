"""Verdicts and take-overs that recordings have in their notes, judgements and columns."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reward_models.preferences.recorded import recorded_take_overs, recorded_verdicts
from rlhf.records.marks import CANNOT_TELL, Judgement
from rlhf.records.preferences import RequestVerdict, TakeOver
from rlhf.store.columns.transcript import transcript
from rlhf.store.synthetic import synthetic_episode

EPISODE = synthetic_episode(1, steps=10, height=4, width=5, episode_id="e1")


def test_judgements_of_a_continuation_are_about_its_request() -> None:
    continued = transcript(replace(EPISODE, notes={"scenario": {"request_step": 3, "step": 4}}))
    said = [
        Judgement("e1", "ann", True, 7, False),
        Judgement("e1", "bo", False, None, False),
        Judgement("e1", "cy", False, None, True, CANNOT_TELL),
    ]
    assert list(recorded_verdicts(continued, said)) == [
        RequestVerdict("e1", 4, 8, "success", "ann", False),
        RequestVerdict("e1", 4, 10, "failure", "bo", False),
        RequestVerdict("e1", 4, 10, "cannot tell", "cy", True),
    ]
    assert list(recorded_verdicts(transcript(EPISODE), said)) == []  # about which request?


def test_a_setters_verdicts_reach_from_the_request_to_the_verdict() -> None:
    given = [
        {"step": 6, "request_step": 2, "request": "lift it", "success": True},
        {"step": 10, "request_step": 7, "request": "drop it", "success": False},
        {"step": 9, "request_step": 9, "request": "now", "success": False},  # not heard before the verdict
    ]
    played = transcript(replace(EPISODE, setter="human:ann", notes={"verdicts": given}))
    assert list(recorded_verdicts(played, [])) == [
        RequestVerdict("e1", 3, 7, "success", "ann", False),
        RequestVerdict("e1", 8, 10, "failure", "ann", False),
    ]


def test_each_stretch_of_a_co_pilot_is_a_take_over() -> None:
    controller = np.array([0, 1, 1, 0, 0, 1], dtype=np.uint8)
    assert list(recorded_take_overs("e1", "agent:bc+human:bo", controller)) == [
        TakeOver("e1", 1, 3, "bo", False),
        TakeOver("e1", 5, 6, "bo", False),
    ]
    assert [one.rater for one in recorded_take_overs("e1", "agent:bc+scripted", controller)] == ["scripted"] * 2
    assert list(recorded_take_overs("e1", "agent:bc", np.zeros(4, np.uint8))) == []
