"""A dataset that takes in another: all of its episodes with what was said of them, or none."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from rlhf.records.marks import Mark
from rlhf.store import ParquetStore, open_store, same_episode
from rlhf.store.synthetic import synthetic_episode, synthetic_play
from tests.unit.rlhf.declared_spaces import GRID
from tests.unit.rlhf.store.killed import killed
from worlds.errors import UserError

MARK = Mark("e1", "ann", 2, 1, scripted=False)


def made(folder: Path, *seeds: int) -> ParquetStore:
    """A dataset of these episodes, of which the first is in a file of its own, and the others in a common one."""
    store = open_store(folder, create=True)
    episodes = [synthetic_episode(seed, steps=6, height=4, width=5, episode_id=f"e{seed}") for seed in seeds]
    store.write(episodes[0])
    store.write_group(episodes[1:])
    return store


def test_episodes_and_marks_are_taken_and_those_that_are_there_are_kept(tmp_path: Path) -> None:
    store, other = made(tmp_path / "data", 0, 1), made(tmp_path / "other", 2, 1, 3)
    store.write_marks([MARK])
    other.write_marks([MARK, Mark("e1", "bo", 3, -1, scripted=False), Mark("e3", "bo", 1, 1, scripted=False)])
    store.take(other)
    shutil.rmtree(tmp_path / "other")
    store = open_store(tmp_path / "data")
    assert store.ids() == ["e0", "e1", "e2", "e3"] and store.verify() == []
    expected = synthetic_episode(3, steps=6, height=4, width=5, episode_id="e3")
    assert same_episode(store.read("e3"), expected)
    assert [(mark.episode_id, mark.rater) for mark in store.marks()] == [("e1", "ann"), ("e1", "bo"), ("e3", "bo")]
    store.drop(["e2", "e3"])
    assert store.ids() == ["e0", "e1"] and store.verify() == []


def test_episodes_of_other_spaces_are_refused_and_nothing_is_left(tmp_path: Path) -> None:
    store = made(tmp_path / "data", 0, 1)
    other = open_store(tmp_path / "other", create=True)
    other.write(synthetic_play(1, GRID, 4, "grid"))
    before = sorted((tmp_path / "data" / "steps").iterdir())
    with pytest.raises(UserError, match="record it elsewhere"):
        store.take(other)
    assert store.ids() == ["e0", "e1"] and sorted((tmp_path / "data" / "steps").iterdir()) == before


def test_a_kill_at_any_step_leaves_all_episodes_or_none(tmp_path: Path) -> None:
    made(tmp_path / "data", 0, 1)
    made(tmp_path / "other", 1, 2, 3).write_marks([MARK])
    moment, seen = 0, set[int]()
    while True:
        moment += 1
        place = tmp_path / str(moment)
        for name in ("data", "other"):
            shutil.copytree(tmp_path / name, place / name)
        other = place / "other"
        was_killed = killed(place / "data", lambda store, other=other: store.take(open_store(other)), moment)
        store = open_store(place / "data")
        assert len(store) in (2, 4) and store.verify() == []
        seen.add(len(store))
        if not was_killed:
            break
        store.take(made(place / "again", 1, 2, 3))
        assert len(store) == 4 and store.verify() == []
        shutil.rmtree(place)
    assert moment > 20 and seen == {2, 4}
