"""`verify` reports marks and judgements that were deleted outside the store, and none that the store removed."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from pipelines.cli.main import main
from rlhf.records.marks import Judgement, Mark
from rlhf.store import ParquetStore, Problem, open_store, rebuild_index, share_play
from rlhf.store.synthetic import synthetic_episode
from tests.unit.rlhf.store.killed import killed
from worlds.errors import UserError

SAID = {
    "marks": [Mark("e1", rater, step, 1, scripted=False) for rater in ("ann", "bo") for step in range(3)],
    "judgements": [Judgement(f"e{number}", "cy", True, None, scripted=False) for number in range(6)],
}
TABLES = tuple(SAID)


@pytest.fixture
def store(tmp_path: Path) -> ParquetStore:
    """A dataset of six episodes with a file of five marks and one of one, and as many judgements."""
    made = open_store(tmp_path / "data", create=True)
    for seed in range(6):
        made.write(synthetic_episode(seed, steps=6, height=4, width=5, episode_id=f"e{seed}"))
    for part in (slice(0, 5), slice(5, 6)):
        made.write_marks(SAID["marks"][part])
        made.write_judgements(SAID["judgements"][part])
    assert made.verify() == []
    return made


def largest(store: ParquetStore, table: str) -> Path:
    """The file of five."""
    return max(
        (store.folder / table).iterdir(), key=lambda path: open_store(store.folder)._index.counts(table)[path.name]
    )


def problems(store: ParquetStore) -> list[Problem]:
    """What a fresh look finds, which is never ignorable."""
    found = open_store(store.folder).verify()
    assert not any(problem.ignorable for problem in found)
    return found


@pytest.mark.parametrize("table", TABLES)
def test_a_file_that_is_gone_is_missed_until_its_loss_is_accepted(
    store: ParquetStore, table: str, capsys: pytest.CaptureFixture[str]
) -> None:
    gone = largest(store, table)
    kept = gone.read_bytes()
    gone.unlink()
    (problem,) = problems(store)
    assert problem.file == f"{table}/"
    assert problem.what == f"the file {gone.name} with 5 {table} in the index is missing"
    assert main(["episodes", "verify", str(store.folder)]) == 1 and f"5 {table}" in capsys.readouterr().out
    gone.write_bytes(kept)
    assert problems(store) == []
    gone.unlink()
    assert main(["episodes", "verify", str(store.folder), "--rebuild"]) == 0
    assert problems(store) == [] and len(getattr(store, table)()) == 1


@pytest.mark.parametrize("table", TABLES)
def test_an_older_copy_in_its_place_is_noticed(store: ParquetStore, table: str) -> None:
    files = sorted((store.folder / table).iterdir(), key=lambda path: path != largest(store, table))
    shutil.copy(files[1], files[0])
    (problem,) = problems(store)
    assert problem.file == f"{table}/{files[0].name}" and problem.what == f"it holds 1 of the 5 {table} in the index"
    assert "put back a copy" in problem.hint and "--rebuild" in problem.hint


def test_files_removed_by_the_store_are_not_missing(store: ParquetStore, tmp_path: Path) -> None:
    store.drop(["e0"])
    assert problems(store) == [] and len(store.judgements()) == 5
    assert store.forget("ann") == 3
    assert problems(store) == [] and len(store.marks()) == 3
    store.compact()
    assert problems(store) == [] and [len(list((store.folder / table).iterdir())) for table in TABLES] == [1, 1]
    share_play(store.folder, tmp_path / "second")
    assert open_store(tmp_path / "second").verify() == []
    other = open_store(tmp_path / "other", create=True)
    other.merge(store)
    assert problems(other) == [] and other.marks() == store.marks()
    rebuild_index(store.folder)
    assert problems(store) == []
    largest(store, "marks").unlink()
    assert len(problems(store)) == 1  # the new index counts as well
    store.drop(["e1"])


@pytest.mark.parametrize("counts", [[], {"x.parquet": "5"}, {"x.parquet": -1}, {"../x": 1}, {"x": True}, 5])
def test_a_line_that_counts_nothing_is_damage(store: ParquetStore, counts: object) -> None:
    with open(store.folder / "index.jsonl", "a") as file:
        file.write(json.dumps({"marks": counts}) + "\n")
    with pytest.raises(UserError, match=r"counts what are no rows of files; .* --rebuild"):
        open_store(store.folder)


def test_a_full_disk_adds_all_marks_or_none(store: ParquetStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the file is written and its line in the index is not."""
    write, outcomes = os.write, []
    for room in range(0, 9_000, 300):
        left = room

        def write_until_full(descriptor: int, data: memoryview) -> int:
            nonlocal left
            if left == 0:
                raise OSError(28, "full")
            left -= (done := write(descriptor, data[: min(left, len(data))]))
            return done

        with monkeypatch.context() as patch:
            patch.setattr(os, "write", write_until_full)
            try:
                store.write_marks([Mark("e3", "eve", 0, 1, scripted=False)])
                outcomes.append(True)
            except UserError as error:
                assert "no space is left" in str(error)
                outcomes.append(False)
        assert len(store.marks("e3")) == outcomes[-1] and problems(store) == []
        if outcomes[-1]:
            break
    assert outcomes.count(False) > 4 and outcomes[-1]


ACTIONS: dict[str, Callable[[ParquetStore], object]] = {
    "write": lambda store: store.write_marks([Mark("e3", "eve", 0, 1, False)]),
    "forget": lambda store: store.forget("ann"),
    "compact": lambda store: store.compact(),
}


@pytest.mark.parametrize(("action", "after"), [("write", 7), ("forget", 3), ("compact", 6)])
def test_a_kill_in_between_is_no_loss(store: ParquetStore, action: str, after: int) -> None:
    for moment in range(1, 200):
        copy = store.folder.parent / f"killed-{moment}"
        shutil.copytree(store.folder, copy)
        interrupted = killed(copy, ACTIONS[action], moment)
        opened = open_store(copy)
        assert opened.verify() == []
        assert min(6, after) <= len(opened.marks()) <= max(6, after)
        if not interrupted:
            break
    assert moment > 5 and len(opened.marks()) == after
