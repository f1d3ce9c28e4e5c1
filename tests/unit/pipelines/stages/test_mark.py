"""Scripted raters mark a dataset once, say so, and are refused impossible settings."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from annotation.scripted_rater import ScriptedRater
from pipelines.cli.main import main
from pipelines.stages.mark import MarkConfig, mark
from rlhf.store import open_store
from rlhf.store.synthetic import synthetic_episode
from worlds.contract import Event
from worlds.errors import UserError


@pytest.mark.parametrize(
    "wrong",
    [{"raters": 0}, {"delay": -1.0}, {"delay": float("inf")}, {"delay_sd": -0.1}, {"delay_sd": float("nan")}]
    + [{"miss": -0.1}, {"miss": 1.5}, {"mistake": 1.01}, {"mistake": float("nan")}],
)
def test_impossible_raters_are_refused(wrong: dict) -> None:
    (name,) = wrong
    with pytest.raises(UserError, match=f"^{name} is .*, not ") as caught:
        MarkConfig(**wrong)
    assert "\n" not in str(caught.value)


def test_marks_are_counted_aloud_and_written_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = open_store(tmp_path, create=True)
    for seed in range(3):
        store.write(synthetic_episode(seed, steps=30, height=8, width=8))
    config = MarkConfig(data=tmp_path, raters=2, miss=0.0)
    written = len(mark(config))
    marks = open_store(tmp_path).marks()
    there = f"{len(marks)} marks on {len({mark.episode_id for mark in marks})} episodes"
    assert written == len(marks) > 0 and all(mark.scripted for mark in marks)
    said = capsys.readouterr().err.splitlines()
    assert said[0].startswith("scripted-rater-0 marks: 3/3 episodes")
    density = f"; {len(marks) / (2 * 3 * 30) * 1125:.1f} marks per five minutes and rater"
    assert said[-1] == f"wrote {there} of {tmp_path}{density}"
    assert mark(config) == [] and len(open_store(tmp_path).marks()) == len(marks)
    again = f"wrote no new marks of {tmp_path}; {there} were there already{density}"
    assert capsys.readouterr().err.splitlines()[-1] == again
    store.write(synthetic_episode(3, steps=30, height=8, width=8))
    more = len(mark(config))
    assert more == len(open_store(tmp_path).marks()) - len(marks) > 0
    said = capsys.readouterr().err.splitlines()
    assert said[-1].startswith(f"wrote {more} marks on 1 episode of {tmp_path}; {there} were there already; ")


def test_a_mark_that_a_rater_gives_twice_counts_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two events of one step are one mark."""
    store = open_store(tmp_path, create=True)
    made = synthetic_episode(0, steps=30, height=8, width=8)
    store.write(replace(made, truth=(Event(5, 1, "near"), Event(5, 1, "there"), Event(9, -1, "away"))))
    config = MarkConfig(data=tmp_path, delay=0.0, delay_sd=0.0, miss=0.0, mistake=0.0)
    assert len(mark(config)) == len(open_store(tmp_path).marks()) == 2
    density = f"{2 / 30 * 1125:.1f} marks per five minutes"
    assert capsys.readouterr().err.splitlines()[-1] == f"wrote 2 marks on 1 episode of {tmp_path}; {density}"


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
    store = open_store(tmp_path, create=True)
    for seed in range(6):
        store.write(synthetic_episode(seed, steps=60, height=8, width=8))
    mark(MarkConfig(data=tmp_path, raters=3, delay_sd=0.0, longest_delay=6, delays=(0, 0, 6), misses=(0, 1, 0)))
    by_rater = {name: [] for name in ("scripted-rater-0", "scripted-rater-1", "scripted-rater-2")}
    for given in open_store(tmp_path).marks():
        by_rater[given.rater].append(given)
    good, blind, slow = by_rater.values()
    assert len(good) > 5 and len(blind) <= 2  # but for marks without a reason

    def first_steps(marks):
        return {m.episode_id: min(o.step for o in marks if o.episode_id == m.episode_id) for m in marks}

    late = [first_steps(slow)[e] - first_steps(good)[e] for e in first_steps(good) if e in first_steps(slow)]
    assert max(late) == 6


def test_one_rater_has_the_settings_and_a_seed_of_its_own() -> None:
    assert MarkConfig(seed=4).rater(2) == ScriptedRater(
        "scripted-rater-2", (1.0, 0.7), longest_delay=3, miss=0.1, mistake=0.05, seed=6
    )


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ({"raters": 2, "misses": (0.1,)}, "misses has 1 numbers for 2 raters"),
        ({"raters": 2, "mistakes": (0.1, 1.2)}, "mistakes is a share from 0 to 1, not 1.2"),
        ({"delays": (-1.0,)}, "delays is a number of steps"),
        ({"longest_delay": -1}, "longest_delay is a number of steps"),
    ],
)
def test_raters_that_differ_impossibly_are_refused(wrong: dict, complaint: str) -> None:
    with pytest.raises(UserError, match=complaint):
        MarkConfig(**wrong)


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
    assert {(one.episode_id, one.step) for one in marks} <= {(one.episode_id, one.step) for one in usual}


def test_more_marks_than_there_are_events_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    open_store(tmp_path, create=True).write(synthetic_episode(0, steps=300, height=8, width=8))
    mark(MarkConfig(data=tmp_path, per_five_minutes=1000.0))
    assert "(1000 were wanted; play has too few events for more)" in capsys.readouterr().err
    with pytest.raises(UserError, match="^per_five_minutes is .*, not 0"):
        MarkConfig(per_five_minutes=0.0)
