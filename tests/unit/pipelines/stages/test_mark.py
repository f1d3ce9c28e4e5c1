"""Scripted raters mark a dataset once, say so, and are refused impossible settings."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pipelines.cli.main import main
from pipelines.stages.mark import MarkConfig, mark
from rlhf.records.episode import Request
from rlhf.records.marks import Mark
from rlhf.records.preferences import FAILURE, SUCCESS, RequestVerdict
from rlhf.store import ParquetStore, open_store
from rlhf.store.synthetic import synthetic_episode
from worlds.contract import Event
from worlds.errors import UserError


@pytest.mark.parametrize(
    ("wrong", "name"),
    [
        ({"raters": 0}, "raters"),
        ({"delay": float("inf")}, "delay"),
        ({"mistake": float("nan")}, "mistake"),
        ({"per_five_minutes": 0.0}, "per_five_minutes"),
        ({"raters": 2, "misses": (0.1,)}, "misses has 1 numbers for 2 raters"),
        ({"raters": 2, "mistakes": (0.1, 1.2)}, "mistakes\\[1\\]"),
    ],
)
def test_impossible_raters_are_refused(wrong: dict, name: str) -> None:
    with pytest.raises(UserError, match=f"^{name}") as caught:
        MarkConfig(**wrong)
    assert "\n" not in str(caught.value)


def dataset(folder: Path, episodes: int, steps: int = 30) -> ParquetStore:
    store = open_store(folder, create=True)
    for seed in range(episodes):
        store.write(synthetic_episode(seed, steps=steps, height=8, width=8))
    return store


def test_marks_are_written_once_and_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = dataset(tmp_path, 3)
    config = MarkConfig(data=tmp_path, raters=2, miss=0.0)
    marks = mark(config)
    there = f"{len(marks)} marks on {len({mark.episode_id for mark in marks})} episodes"
    assert marks and all(mark.scripted for mark in marks) and set(marks) == set(store.marks())
    density = f"{len(marks) / (2 * 3 * 30) * 1125:.1f} marks per five minutes and rater"
    assert f"wrote {there} of {tmp_path}; {density}" in capsys.readouterr().err
    assert mark(config) == [] and len(store.marks()) == len(marks)
    assert f"wrote no new marks of {tmp_path}; {there} were there already" in capsys.readouterr().err
    store.write(synthetic_episode(3, steps=30, height=8, width=8))
    assert {mark.episode_id for mark in mark(config)} == {"synthetic-000003"}


def test_two_events_of_one_step_are_one_mark(tmp_path: Path) -> None:
    store = open_store(tmp_path, create=True)
    made = synthetic_episode(0, steps=30, height=8, width=8)
    store.write(replace(made, truth=(Event(5, 1, "near"), Event(5, 1, "there"), Event(9, -1, "away"))))
    config = MarkConfig(data=tmp_path, delay=0.0, delay_sd=0.0, miss=0.0, mistake=0.0)
    assert len(mark(config)) == len(open_store(tmp_path).marks()) == 2


def test_a_solver_who_did_not_play_is_refused_with_those_who_did(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="holds no episodes; record some with `rlhf record"):
        mark(MarkConfig(data=open_store(tmp_path, create=True).folder))
    store = open_store(tmp_path)
    for seed, solver in enumerate(("scripted", "agent:bc", "agent:bc")):
        store.write(replace(synthetic_episode(seed, steps=9, height=8, width=8), solver=solver))
    with pytest.raises(UserError, match="solver is typo, but .* has episodes only of agent:bc, scripted; name one of"):
        mark(MarkConfig(data=tmp_path, solver="typo"))
    assert main(["mark", f"--data={tmp_path}", "--solver=typo"]) == 1 and store.marks() == []
    assert main(["mark", f"--data={tmp_path}", "--solver=agent"]) == 0
    assert {mark.episode_id for mark in store.marks()} <= {"synthetic-000001", "synthetic-000002"}


def test_raters_may_differ(tmp_path: Path) -> None:
    store = dataset(tmp_path, 6, steps=60)
    mark(MarkConfig(data=tmp_path, raters=3, delay_sd=0.0, longest_delay=6, delays=(0, 0, 6), misses=(0, 1, 0)))
    firsts: list[dict[str, int]] = [{}, {}, {}]
    for given in sorted(store.marks(), key=lambda given: given.step):
        firsts[int(given.rater[-1])].setdefault(given.episode_id, given.step)
    good, blind, slow = firsts
    assert len(good) > 3 and len(blind) <= 2  # but for marks without a reason
    assert max(slow[name] - good[name] for name in good.keys() & slow.keys()) == 6


def test_a_share_is_spread_over_every_solver_and_split(tmp_path: Path) -> None:
    store = open_store(tmp_path, create=True)
    for seed in range(24):
        episode = synthetic_episode(seed, steps=30, height=8, width=8)
        solver, split = ("scripted", "train") if seed < 16 else ("agent:a", "train" if seed < 20 else "held_out")
        store.write(replace(episode, solver=solver, split=split))
    config = MarkConfig(data=tmp_path, raters=2, miss=0.0, mistake=0.0, share=0.25)
    mark(config)
    given = open_store(tmp_path).marks()
    for rater in ("scripted-rater-0", "scripted-rater-1"):
        marked = sorted({int(m.episode_id.rpartition("-")[2]) for m in given if m.rater == rater})
        assert marked == [0, 4, 8, 12, 16, 20]
    assert mark(config) == []  # the same episodes again
    mark(replace(config, share=1.0))
    everything = open_store(tmp_path).marks()
    assert set(given) < set(everything) and len({m.episode_id for m in everything}) == 24


def test_raters_mark_as_densely_as_they_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of 600 events in 6,000 steps, 112 in five minutes, 14 are marked: a subset of what would be marked otherwise."""
    store = open_store(tmp_path, create=True)
    for seed in range(20):
        made = synthetic_episode(seed, steps=300, height=8, width=8)
        store.write(replace(made, truth=tuple(Event(10 * number, 1, "near") for number in range(30))))
    usual = {mark for name in store.ids() for mark in MarkConfig().rater(0).mark(name, 300, store.read(name).truth)}
    marks = mark(MarkConfig(data=tmp_path, per_five_minutes=14.0))
    assert len(marks) / 6000 * 1125 == pytest.approx(14.0, rel=0.25) and len(usual) > 5 * len(marks)
    assert f"; {len(marks) / 6000 * 1125:.1f} marks per five minutes\n" in capsys.readouterr().err
    given = {(one.episode_id, one.step) for one in marks if isinstance(one, Mark)}
    assert given <= {(one.episode_id, one.step) for one in usual}
    mark(MarkConfig(data=tmp_path, per_five_minutes=1000.0, seed=9))
    assert "(1000 were wanted; play has too few events for more)" in capsys.readouterr().err


def test_verdicts_say_of_each_request_whether_it_was_carried_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A request said at a step is heard at the next, and judged until the next one is heard."""
    store = open_store(tmp_path, create=True)
    made = synthetic_episode(0, steps=30, height=8, width=8)
    task = made.requests[0].task
    asked = tuple(Request(step, task) for step in (2, 11, 29))  # the last is not heard any more
    store.write(replace(made, requests=asked, success_step=(7, None, None)))
    config = MarkConfig(data=tmp_path, from_="outcomes", miss=0.0, mistake=0.0)
    mark(config)
    judged = [(one.begin, one.end, one.answer, one.scripted) for one in store.preferences(RequestVerdict)]
    assert judged == [(3, 12, SUCCESS, True), (12, 30, FAILURE, True)] and store.marks() == []
    assert f"wrote 2 verdicts on 1 episode of {tmp_path}\n" in capsys.readouterr().err
    store.write(replace(synthetic_episode(1, steps=30, height=8, width=8), requests=(), success_step=()))
    assert mark(config) == []


def test_verdicts_are_missed_and_mistaken_as_often_as_marks() -> None:
    play = [synthetic_episode(seed, steps=6, height=2, width=2) for seed in range(1000)]
    failed = [replace(episode, success_step=(None,)) for episode in play if episode.requests[0].step < 5]
    rater = MarkConfig(miss=0.3, mistake=0.2).rater(0)
    answers = [one.answer for episode in failed for one in rater.judge(episode)]
    assert len(answers) / len(failed) == pytest.approx(0.7, abs=0.06)
    assert answers.count(SUCCESS) / len(answers) == pytest.approx(0.2, abs=0.06)


def test_a_rater_stops_after_so_many_verdicts(tmp_path: Path) -> None:
    dataset(tmp_path, 6)
    config = MarkConfig(data=tmp_path, from_="outcomes", miss=0.0, most=4)
    assert len(mark(config)) == 4 and mark(config) == []
