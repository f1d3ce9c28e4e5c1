"""A dataset after a kill, on a full disk, after Ctrl-C, and while another process writes."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from rlhf.store import ParquetStore, open_store, rebuild_index, same_episode
from rlhf.store.files import durable
from tests.unit.rlhf.store.crashes import Change, at_call, full_disks, kills
from tests.unit.rlhf.store.small_datasets import (
    DAMAGE,
    TWO,
    compacted_apart,
    files,
    make_dataset,
    mark,
    small,
    whole,
)
from worlds.errors import UserError


def drop_and_compact(store: ParquetStore) -> None:
    store.drop(["e0", "e2"])
    store.compact()


def take(store: ParquetStore) -> None:
    """Take what a copy of the dataset ``other`` beside it holds."""
    store.take(open_store(shutil.copytree(store.folder.parent / "other", f"{store.folder}-other")))


EPISODES: dict[str, Change] = {
    "write": lambda store: store.write(small(5)),
    "write a group": lambda store: store.write_group([small(5), small(6), small(7)]),
    "drop": lambda store: store.drop(["e0", "e2"]),
    "drop and compact": drop_and_compact,
    "take": take,
    "compact": lambda store: store.compact(),
    "compact apart": lambda store: compacted_apart(store.folder, TWO),
}
MARKS: dict[str, Change] = {
    "write": lambda store: store.write_marks([mark("e3", rater="eve")]),
    "forget": lambda store: store.forget("ann"),
    "compact": lambda store: store.compact(),
}


@pytest.fixture
def said(tmp_path: Path) -> ParquetStore:
    """A dataset with a file of four marks and one of one."""
    store = open_store(make_dataset(tmp_path / "data", [0, 2, 3]))
    store.write_marks([mark("e0", step, rater=rater) for rater in ("ann", "bo") for step in range(2)])
    store.write_marks([mark("e2", rater="ann")])
    return store


def laid_out(folder: Path, layout: str) -> Sequence[int]:
    """Make a dataset whose files are laid out so; return its episodes."""
    if layout == "five":
        make_dataset(folder, range(5))
        return range(5)
    if layout == "older":  # files of many as older versions left them, a recorded group and a single episode
        compacted_apart(make_dataset(folder, range(5)), TWO)
        open_store(folder).write_group([small(5), small(6)])
        open_store(folder).write(small(7))
        return range(8)
    make_dataset(folder, grouped="group" in layout)
    if "packed" in layout:
        open_store(folder).compact()
    return range(3)


# Kills


@pytest.mark.parametrize(
    ("change", "layout", "every", "after", "calls"),
    [
        ("write", "single", 2, (0, 1, 2, 5), 7),
        ("drop", "single", 2, (1,), 7),
        ("drop", "packed", 2, (1,), 7),
        ("write a group", "grouped", 1, (0, 1, 2, 5, 6, 7), 8),
        ("drop and compact", "grouped", 3, (1,), 15),
        ("drop and compact", "packed group", 3, (1,), 15),
        ("take", "single", 1, (0, 1, 2, 8, 9), 10),
        ("compact apart", "five", 1, range(5), 40),
        ("compact", "older", 1, range(8), 15),
    ],
)
def test_a_kill_before_any_call_leaves_the_old_episodes_or_the_new(
    tmp_path: Path, change: str, layout: str, every: int, after: Sequence[int], calls: int
) -> None:
    folder = tmp_path / "data"
    before = laid_out(folder, layout)
    make_dataset(tmp_path / "other", [1, 8])
    open_store(tmp_path / "other").write_group([small(9)])
    states, counts = [], set()
    for number, copy in enumerate(kills(folder, EPISODES[change], every)):
        states.append(after if open_store(copy).ids() == [f"e{seed}" for seed in after] else before)
        assert whole(copy, states[-1])
        counts.add(len(files(copy)))
        if number % 3 == 0:  # whoever comes next can write and gather
            open_store(copy).write(small(11))
            open_store(copy).compact()
            assert whole(copy, (*states[-1], 11)) and len(files(copy)) == 1
    assert states[-1] == after and states[0] == before and len(states) > calls // every
    assert change != "compact apart" or counts == {5, 4, 3}  # the first file is there, the second is not


@pytest.mark.parametrize(("change", "after"), [("write", 6), ("forget", 2), ("compact", 5)])
def test_a_kill_while_marks_change_is_no_loss(said: ParquetStore, change: str, after: int) -> None:
    found = []
    for copy in kills(said.folder, MARKS[change]):
        opened = open_store(copy)
        assert opened.verify() == []
        found.append(len(opened.marks()))
    assert set(found) <= set(range(min(5, after), max(5, after) + 1)) and found[-1] == after and len(found) > 5


@pytest.mark.parametrize(
    ("lost", "after"),
    [(None, (0, 1, 2, 3)), ("steps/e3.parquet", (0, 1, 2)), ("episodes/e3.parquet", None)],
    ids=["the line", "the line and the steps", "the line and the row"],
)
def test_an_episode_whose_writer_died_before_its_line_is_taken_in_if_it_is_whole(
    folder: Path, lost: str | None, after: Sequence[int] | None
) -> None:
    before = (folder / "index.jsonl").read_bytes()
    open_store(folder).write(small(3))
    (folder / "index.jsonl").write_bytes(before)
    if lost:
        (folder / lost).unlink()
    if after:
        assert whole(folder, after) and (3 in after or not list(folder.rglob("e3.*")))
    else:  # steps that lost their row are never removed
        rebuild_index(folder)
        assert [problem.file for problem in open_store(folder).verify()] == ["steps/e3.parquet"]


@pytest.mark.parametrize("share", (0.1, 0.5, 0.99))
def test_a_line_that_a_failing_machine_cut_brings_the_whole_group_back(store: ParquetStore, share: float) -> None:
    """The files are there, so that opening the dataset completes what the line did not."""
    store.write_group([small(3), small(5)])
    path = store.folder / "index.jsonl"
    *others, line = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(others) + line[: int(share * len(line))])
    assert whole(store.folder, (0, 1, 2, 3, 5))


def test_leftovers_are_ignorable_and_go_away(folder: Path) -> None:
    for name in ("steps/e3.parquet.part", "marks/0.parquet.part", "index.jsonl.part", "dataset.json.part"):
        (folder / name).write_bytes(b"half")
    store = ParquetStore(folder)
    for name in ("steps/e4.parquet.part", "episodes/e4.parquet.part"):
        (folder / name).write_bytes(b"half")
    assert len(store.verify()) == 2 and all(problem.ignorable for problem in store.verify())
    assert whole(folder) and not list(folder.rglob("*.part"))


def test_an_unlisted_episode_is_removed_only_if_its_equal_is_held(folder: Path) -> None:
    other = open_store(folder.parent / "other", create=True)
    for episode in (small(0), replace(small(1), notes={"another": True}), small(2)):
        other.write(episode)
        for table in ("episodes", "steps"):
            name = episode.episode_id
            shutil.copy(other.folder / table / f"{name}.parquet", folder / table / f"copied-{name}.parquet")
    DAMAGE["cut"](folder / "steps" / "e2.parquet")
    expected = ["*/e2.parquet", "steps/copied-e1.parquet", "steps/copied-e2.parquet"]
    for _ in range(2):
        problems = open_store(folder).verify()
        assert [problem.file for problem in problems] == expected
        assert not any(problem.ignorable for problem in problems)
    assert not (folder / "steps" / "copied-e0.parquet").exists()


@pytest.mark.parametrize("packed", [False, True])
def test_rebuilding_after_a_kill_brings_no_dropped_episode_back(
    store: ParquetStore, monkeypatch: pytest.MonkeyPatch, packed: bool
) -> None:
    """The writer dies when the new index is there and the files of the dropped episodes still are."""
    folder = store.folder
    if packed:
        store.compact()

    def die(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Path, "unlink", lambda path, missing_ok=False: die() if path.suffix == ".parquet" else None)
        store.drop(["e0"])
    left = {path.name for path in (folder / "episodes").iterdir()}
    assert len(left) == (2 if packed else 3)
    assert rebuild_index(folder) == 2
    assert left == {path.name for path in (folder / "episodes").iterdir()}  # it removes nothing itself
    assert rebuild_index(folder) == 2  # and has carried over what is to be removed
    assert whole(folder, (1, 2))


# Full disks, interruptions, permissions and locks


@pytest.mark.parametrize(
    ("change", "after"),
    [
        (EPISODES["write"], (0, 1, 2, 5)),
        (EPISODES["write a group"], (0, 1, 2, 5, 6, 7)),
        (EPISODES["drop"], (1,)),
        (EPISODES["take"], (0, 1, 2, 8)),
        (lambda store: store.compact(TWO), (0, 1, 2)),
        (lambda store: store.write_marks([mark("e1", 2)]), (0, 1, 2)),
        (lambda store: open_store(store.folder / "new", create=True), (0, 1, 2)),
    ],
    ids=["write", "write a group", "drop", "take", "compact", "write marks", "create"],
)
def test_a_full_disk_at_any_write_loses_nothing(folder: Path, change: Change, after: Sequence[int]) -> None:
    make_dataset(folder.parent / "other", [1, 8])
    messages = []
    for copy, message in full_disks(folder, change):
        shutil.rmtree(copy / "new", ignore_errors=True)
        assert not list(copy.rglob("*.part")) and whole(copy, range(3) if message else after)
        messages.append(message)
    assert len(messages) > 1
    assert all("no space is left" in message and "\n" not in message for message in messages[:-1])


def test_a_full_disk_adds_all_marks_or_none(said: ParquetStore) -> None:
    """Also where the file is written and its line in the index is not."""
    counts = []
    for copy, message in full_disks(said.folder, MARKS["write"]):
        assert open_store(copy).verify() == []
        counts.append(len(open_store(copy).marks("e3")))
        assert counts[-1] == (not message)
    assert len(counts) > 2


def test_ctrl_c_leaves_no_trace_or_the_whole_episode(folder: Path) -> None:
    """Pressed in each of the moments in which something has just been synchronised or closed."""

    def press() -> None:
        raise KeyboardInterrupt

    outcomes = []
    for moment in range(1, 40):
        copy = folder.parent / f"interrupted-{moment}"
        shutil.copytree(folder, copy)
        store = open_store(copy)
        with at_call(moment, ("fsync", "close"), press, after=True) as calls, suppress(KeyboardInterrupt):
            store.write(small(3))
        outcomes.append("e3" in store)
        assert store.verify() == [] and whole(copy, range(4 if outcomes[-1] else 3))
        if len(calls) < moment:
            break
    assert outcomes.count(False) > 4 and outcomes.count(True) > 2  # before and after the line was written


def test_a_refusal_of_permission_is_one_line(store: ParquetStore, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> int:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(UserError, match="no permission to write episode e3 to .*; change its permissions"):
        store.write(small(3))


def test_a_writer_that_never_ends_is_reported(folder: Path) -> None:
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
    assert whole(folder, range(4))
