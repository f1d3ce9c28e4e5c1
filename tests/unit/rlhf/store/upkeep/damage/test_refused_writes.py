"""A dataset on a full disk, in a read-only folder, and while another process writes."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from rlhf.records.marks import Mark
from rlhf.store import open_store, same_episode
from rlhf.store.files import durable
from tests.unit.rlhf.store.upkeep.damage.small_dataset import small, whole
from worlds.errors import UserError


def test_a_full_disk_loses_nothing_recorded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever write fails, from the first byte to the line of the index, the dataset is as it was."""
    write = os.write
    rooms = range(0, 40_000, 1_000)
    refused = 0
    for room in rooms:
        left = room

        def write_until_full(descriptor: int, data: memoryview) -> int:
            nonlocal left
            if left == 0:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            left -= (done := write(descriptor, data[: min(left, len(data))]))
            return done

        store = open_store(folder)
        monkeypatch.setattr(os, "write", write_until_full)
        try:
            store.write(small(3))
        except UserError as error:
            refused += 1
            assert "no space is left" in str(error) and str(folder) in str(error) and "e3" in str(error)
        monkeypatch.setattr(os, "write", write)
        if left > 0:
            break
        assert not list(folder.rglob("*.part")) and len(list(folder.rglob("*.parquet"))) == 8
        assert whole(folder)
    assert refused > 4
    assert whole(folder, (0, 1, 2, 3))


@pytest.mark.parametrize("action", ("write_marks", "drop", "compact", "create"))
def test_a_full_disk_is_one_line_for_every_change(folder: Path, monkeypatch: pytest.MonkeyPatch, action: str) -> None:
    def full(descriptor: int, data: memoryview) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    write = os.write
    store = open_store(folder)
    monkeypatch.setattr(os, "write", full)
    with pytest.raises(UserError, match="no space is left"):
        if action == "write_marks":
            store.write_marks([Mark("e2", "ann", 0, 1, False)])
        elif action == "drop":
            store.drop(["e2"])
        elif action == "compact":
            store.compact()
        else:
            open_store(folder.parent / "new", create=True)
    monkeypatch.setattr(os, "write", write)
    assert whole(folder)


def test_ctrl_c_leaves_no_trace_or_the_whole_episode(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pressed in each of the moments in which something has just been synchronised or closed."""
    outcomes = []
    for moment in range(1, 40):
        copy = folder.parent / f"interrupted-{moment}"
        shutil.copytree(folder, copy)
        store = open_store(copy)
        calls = 0
        with monkeypatch.context() as patch:

            def pressing(real: Callable[[int], None], moment: int = moment) -> Callable[[int], None]:
                def call(descriptor: int) -> None:
                    nonlocal calls
                    real(descriptor)
                    calls += 1
                    if calls == moment:
                        raise KeyboardInterrupt

                return call

            for name in ("fsync", "close"):
                patch.setattr(os, name, pressing(getattr(os, name)))
            try:
                store.write(small(3))
            except KeyboardInterrupt:
                pass
        outcomes.append("e3" in store)
        assert store.verify() == [] and whole(copy, (0, 1, 2, 3) if outcomes[-1] else (0, 1, 2))
        if calls < moment:
            break
    assert (
        outcomes.count(False) > 4 and outcomes.count(True) > 2
    )  # it was pressed before and after the line was written


def test_a_refusal_of_permission_is_one_line(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> int:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    store = open_store(folder)
    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(UserError, match="no permission to write episode e3 to .*; change its permissions"):
        store.write(small(3))


def test_a_writer_that_never_ends_is_reported(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = open_store(folder)
    with open(folder / durable.LOCK_FILE, "w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with (
            pytest.raises(UserError, match="another process has been writing"),
            durable.only_writer(folder, wait_sec=0.05),
        ):
            pass
        (folder / "steps" / "e9.parquet.part").write_text("being written")
        assert same_episode(open_store(folder).read("e1"), small(1))  # reading does not wait
        assert (folder / "steps" / "e9.parquet.part").exists()  # nor is another's work tidied away
    store.write(small(3))
    assert whole(folder, (0, 1, 2, 3))
