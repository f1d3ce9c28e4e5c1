"""Two datasets of the same play: each has its own marks, and what happens to one does not touch the other."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from rlhf.records.marks import Mark
from rlhf.store import ParquetStore, open_store, same_episode, share_play
from rlhf.store.synthetic import synthetic_episode
from worlds.errors import UserError


@pytest.fixture
def store(tmp_path: Path) -> ParquetStore:
    store = open_store(tmp_path / "data", create=True)
    for seed in range(4):
        store.write(synthetic_episode(seed, steps=6, height=4, width=5, episode_id=f"e{seed}"))
    store.write_marks([Mark("e1", "ann", 2, 1, scripted=False)])
    return store


@pytest.mark.parametrize("links", (True, False))
def test_the_play_is_the_same_and_the_marks_are_not(
    store: ParquetStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    def no_links(*_: object) -> None:
        raise OSError(errno.EXDEV, "Invalid cross-device link")

    if not links:
        monkeypatch.setattr(os, "link", no_links)
    assert share_play(store.folder, tmp_path / "other") == 4
    other = open_store(tmp_path / "other")
    assert other.ids() == store.ids() and other.description == store.description and other.verify() == []
    assert all(same_episode(other.read(name), store.read(name)) for name in store.ids())
    shared = [(tmp_path / name / "steps" / "e1.parquet").stat().st_ino for name in ("data", "other")]
    assert (shared[0] == shared[1]) == links
    assert other.marks() == []
    other.write_marks([Mark("e2", "bo", 1, -1, scripted=True)])
    assert [mark.rater for mark in open_store(store.folder).marks()] == ["ann"]


def test_it_is_there_as_a_whole_or_not_at_all(
    store: ParquetStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = []

    def dies(*files: object) -> None:
        done.append(files)
        if len(done) == 3:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "link", dies)
        with pytest.raises(KeyboardInterrupt):
            share_play(store.folder, tmp_path / "other")
    assert not (tmp_path / "other").exists()
    share_play(store.folder, tmp_path / "other")
    assert len(open_store(tmp_path / "other")) == 4
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "other"]
    with pytest.raises(UserError, match="something at .*other already"):
        share_play(store.folder, tmp_path / "other")
    with pytest.raises(UserError, match="no dataset at"):
        share_play(tmp_path / "nowhere", tmp_path / "third")
    assert not (tmp_path / "third").exists()
