"""Marks of setters' next requests, and a limit on marks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from annotation.next_requests import NEXT_REQUEST, marks_before_requests
from pipelines.stages.mark import MarkConfig, mark
from rlhf.records.episode import Episode, Request
from rlhf.store import open_store
from rlhf.store.synthetic import synthetic_episode
from worlds.contract import Event, TaskSpec
from worlds.errors import UserError


def asked_at(*steps: int, seed: int = 0, recorded: bool = True) -> Episode:
    """Return 30 steps of play with a request at each of ``steps``, recorded as such or only as words."""
    words = tuple(f"request {steps.index(step)}" if step in steps else "" for step in range(30))
    requests = tuple(Request(step, TaskSpec("lift", words[step], {}, 9)) for step in steps)
    made = synthetic_episode(seed, steps=30, height=8, width=8)
    return replace(
        made,
        setter_utterance=words,
        requests=requests if recorded else (),
        success_step=(None,) * len(requests) * recorded,
    )


def test_a_setter_who_goes_on_marks_the_step_before() -> None:
    for recorded in (True, False):
        marks = marks_before_requests(asked_at(2, 11, 20, recorded=recorded))
        assert [(mark.step, mark.sign, mark.rater, mark.scripted) for mark in marks] == [
            (10, 1, NEXT_REQUEST, True),
            (19, 1, NEXT_REQUEST, True),
        ]
    assert marks_before_requests(asked_at(4)) == marks_before_requests(asked_at()) == []


def test_marks_of_requests_lie_beside_those_of_raters(tmp_path: Path) -> None:
    store = open_store(tmp_path, create=True)
    store.write(asked_at(1, 9, 15))
    mark(MarkConfig(data=tmp_path))
    rated = set(store.marks())
    assert [given.step for given in mark(MarkConfig(data=tmp_path, from_="requests"))] == [8, 14]
    assert mark(MarkConfig(data=tmp_path, from_="requests")) == []
    assert rated < set(open_store(tmp_path).marks())


def test_a_rater_stops_at_the_most_marks_in_all_splits_alike(tmp_path: Path) -> None:
    store = open_store(tmp_path, create=True)
    for seed in range(20):
        made = replace(asked_at(1, seed=seed), truth=(Event(5, 1, "near"), Event(9, -1, "away")))
        store.write(replace(made, split="train" if seed < 15 else "held_out"))
    config = MarkConfig(data=tmp_path, most=16, delay=0.0, delay_sd=0.0, miss=0.0)
    given = mark(config)
    held_out = {row.episode_id for row in store.rows(split="held_out")}
    assert len(given) == 16 and sum(each.episode_id in held_out for each in given) == 4
    assert mark(config) == []
    more = mark(replace(config, most=20))
    assert len(more) == 4 and len(store.marks()) == 20


def test_settings_of_raters_do_not_apply_to_marks_from_requests() -> None:
    with pytest.raises(UserError, match="leave out miss"):
        MarkConfig(from_="requests", miss=0.5)
