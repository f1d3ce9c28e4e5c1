"""The scripted person of `benchmarks.teaching_hour` marks clips in a real browser as the scripted rater has it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from annotation.scripted_rater import ScriptedRater
from annotation.server.config import ServeConfig
from annotation.server.errors import Refused
from annotation.server.teacher import Taught, TaughtAgent, Teacher
from benchmarks.scripted_teacher import ScriptedTeacher, preferred
from benchmarks.teaching_hour import VIEWPORT, lateness
from pipelines.presets.small import WORLD
from pipelines.stages.record import RecordConfig, record
from rlhf.records.preferences import RequestVerdict
from rlhf.store import ParquetStore, open_store
from tests.e2e.teaching import signed_in
from tests.patience import until

CLIPS = 3
# The clock of the page, by which films run: slower, so that a busy machine keeps up.
SLOWER = "const now = performance.now.bind(performance); performance.now = () => now() / 5;"


class Marking:
    """Teaching while people mark."""

    def state(self, rater: str) -> Taught:
        return Taught(1, "marking", CLIPS, 0, 0, None, None, (), (), "")

    def agent(self) -> TaughtAgent:
        raise Refused(409, "there is none to ask")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run whose agent, a scripted one, has played."""
    data = tmp_path / "run" / "play-1"
    record(RecordConfig(data=data, episodes=CLIPS, steps=40, workers=1, held_out=0.0, world=WORLD))
    return data.parent


@pytest.fixture
def person(run: Path, tmp_path: Path) -> Iterator[ScriptedTeacher]:
    teacher = cast(Teacher, Marking())
    with signed_in(ServeConfig(data=run, port=0), teacher, SLOWER, viewport=VIEWPORT) as visitor:
        visitor.sees("Round 1")
        yield ScriptedTeacher(visitor.page, run, tmp_path)


@pytest.mark.e2e
def test_the_server_gets_the_marks_and_verdicts_of_the_scripted_rater(
    person: ScriptedTeacher, run: Path, tmp_path: Path
) -> None:
    clips = [person.mark() for _ in range(CLIPS) if person.finds_clip()]
    assert len(clips) == CLIPS and not person.finds_clip()
    store = open_store(run / "play-1")
    until(lambda: len(store.preferences(RequestVerdict)) >= CLIPS, "the verdicts in the dataset")
    assert sum(len(clip.meant) for clip in clips) >= CLIPS
    for clip in clips:
        check_marks(store, clip.episode_id, clip.given)
    assert set(lateness(clips)) <= {"0", "1", "2"}
    person.close()
    assert all((tmp_path / f"teach-{name}.png").stat().st_size > 10_000 for name in ("clip", "marks"))


def check_marks(store: ParquetStore, episode_id: str, given: tuple[tuple[int, int], ...]) -> None:
    """Check what the dataset has of an episode: marks as given, each within two steps of the rater's."""
    episode = store.read(episode_id)
    meant = {mark.step: mark.sign for mark in ScriptedRater().mark(episode_id, len(episode), episode.truth)}
    marks = sorted((mark.step, mark.sign) for mark in store.marks(episode_id))
    assert tuple(marks) == given
    assert [sign for _, sign in marks] == [meant[step] for step in sorted(meant)]
    assert all(0 <= step - then <= 2 for (step, _), then in zip(marks, sorted(meant), strict=True))
    verdicts = {(verdict.end, verdict.answer) for verdict in store.preferences(RequestVerdict, episode_id)}
    assert verdicts == {(verdict.end, verdict.answer) for verdict in replace(ScriptedRater(), miss=0.0).judge(episode)}


def test_pairs_are_judged_by_who_carried_out_the_request_with_some_mistakes() -> None:
    rng = np.random.default_rng(0)
    answers = {pair: preferred(pair, 0.0, rng) for pair in ((3, None), (None, 3), (3, 9), (None, None))}
    assert list(answers.values()) == ["1", "2", "0", "0"]
    often = [preferred((None, 5), 0.05, rng) for _ in range(2000)]
    assert 0.03 < often.count("1") / len(often) < 0.07 and "0" not in often
    equal = [preferred((4, 4), 0.05, rng) for _ in range(2000)]
    assert 0.93 < equal.count("0") / len(equal) < 0.97 and {*equal} == {"0", "1", "2"}
