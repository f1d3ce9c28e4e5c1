"""Datasets that share files of play: two with marks of their own, and one that takes in all of another or nothing."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import pytest

from rlhf.store import ParquetStore, open_store, same_episode
from rlhf.store.synthetic import synthetic_play
from rlhf.store.transfer.shared_play import share_play
from tests.contracts.stores.small_records import mark, small
from tests.unit.rlhf.declared_spaces import GRID
from tests.unit.rlhf.store.small_datasets import files, whole
from worlds.errors import UserError


@pytest.mark.parametrize("links", (True, False))
def test_the_play_is_the_same_and_the_marks_are_not(
    store: ParquetStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    def no_links(*_: object) -> None:
        raise OSError(errno.EXDEV, "Invalid cross-device link")

    if not links:
        monkeypatch.setattr(os, "link", no_links)
    assert share_play(store.folder, tmp_path / "other") == 3
    other = open_store(tmp_path / "other")
    assert other.ids() == store.ids() and other.description == store.description and other.verify() == []
    assert all(same_episode(other.read(name), store.read(name)) for name in store.ids())
    shared = [(tmp_path / name / "steps" / "e1.parquet").stat().st_ino for name in ("data", "other")]
    assert (shared[0] == shared[1]) == links
    assert other.marks() == []
    other.write_marks([mark("e2", rater="bo")])
    assert [mark.rater for mark in open_store(store.folder).marks()] == ["ann"]


def test_it_is_there_as_a_whole_or_not_at_all(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = []

    def dies(*files: object) -> None:
        done.append(files)
        if len(done) == 3:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "link", dies)
        with pytest.raises(KeyboardInterrupt):
            share_play(folder, tmp_path / "other")
    assert not (tmp_path / "other").exists()
    share_play(folder, tmp_path / "other")
    assert len(open_store(tmp_path / "other")) == 3
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "other"]
    with pytest.raises(UserError, match="something at .*other already"):
        share_play(folder, tmp_path / "other")
    with pytest.raises(UserError, match="no dataset at"):
        share_play(tmp_path / "nowhere", tmp_path / "third")
    assert not (tmp_path / "third").exists()


def test_episodes_and_marks_are_taken_and_those_that_are_there_are_kept(store: ParquetStore, tmp_path: Path) -> None:
    other = open_store(tmp_path / "other", create=True)
    other.write(small(5))
    other.write_group([small(1), small(3)])
    other.write_marks([*store.marks(), mark("e1", 3, -1, "bo"), mark("e3", 1, rater="bo")])
    store.take(other)
    shutil.rmtree(tmp_path / "other")
    store = open_store(tmp_path / "data")
    assert store.ids() == ["e0", "e1", "e2", "e5", "e3"] and store.verify() == []
    assert same_episode(store.read("e3"), small(3))
    assert [(mark.episode_id, mark.rater) for mark in store.marks()] == [("e1", "ann"), ("e1", "bo"), ("e3", "bo")]
    store.drop(["e3", "e5"])
    assert store.ids() == ["e0", "e1", "e2"] and store.verify() == []


def test_episodes_of_other_spaces_are_not_taken_and_nothing_is_left(store: ParquetStore, tmp_path: Path) -> None:
    other, before = open_store(tmp_path / "other", create=True), files(store.folder)
    other.write(synthetic_play(1, GRID, 4, "grid"))
    with pytest.raises(UserError, match="record it elsewhere"):
        store.take(other)
    assert files(store.folder) == before and whole(store.folder)
