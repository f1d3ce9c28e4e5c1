"""A dataset on disk after a crash."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from rlhf.store import ParquetStore, open_store, rebuild_index
from tests.unit.rlhf.store.killed import killed
from tests.unit.rlhf.store.upkeep.damage.small_dataset import DAMAGE, small, whole


def test_leftovers_are_ignorable_and_go_away(folder: Path) -> None:
    for name in ("steps/e3.parquet.part", "marks/0.parquet.part", "index.jsonl.part", "dataset.json.part"):
        (folder / name).write_bytes(b"half")
    store = ParquetStore(folder)
    for name in ("steps/e4.parquet.part", "episodes/e4.parquet.part"):
        (folder / name).write_bytes(b"half")
    assert len(store.verify()) == 2 and all(problem.ignorable for problem in store.verify())
    assert whole(folder) and not list(folder.rglob("*.part"))


def test_an_episode_whose_writer_died_before_its_line_is_taken_in(folder: Path) -> None:
    path = folder / "index.jsonl"
    before = path.read_bytes()
    open_store(folder).write(small(3))
    path.write_bytes(before)
    assert whole(folder, (0, 1, 2, 3))


def test_a_row_whose_writer_died_before_its_steps_goes_away(folder: Path) -> None:
    before = (folder / "index.jsonl").read_bytes()
    open_store(folder).write(small(3))
    (folder / "index.jsonl").write_bytes(before)
    (folder / "steps" / "e3.parquet").unlink()
    assert whole(folder) and not (folder / "episodes" / "e3.parquet").exists()


def test_an_unlisted_episode_is_removed_only_if_its_equal_is_held(folder: Path) -> None:
    other = open_store(folder.parent / "other", create=True)
    other.write(small(0))
    other.write(replace(small(1), notes={"another": True}))
    other.write(small(2))
    for seed in range(3):
        for table in ("episodes", "steps"):
            shutil.copy(other.folder / table / f"e{seed}.parquet", folder / table / f"copied-{seed}.parquet")
    DAMAGE["cut"](folder / "steps" / "e2.parquet")
    for _ in range(2):
        problems = open_store(folder).verify()
        assert [problem.file for problem in problems] == [
            "*/e2.parquet",
            "steps/copied-1.parquet",
            "steps/copied-2.parquet",
        ]
        assert not any(problem.ignorable for problem in problems)
    assert not (folder / "steps" / "copied-0.parquet").exists()


def test_steps_that_lost_their_row_are_never_removed(folder: Path) -> None:
    open_store(folder).write(small(3))
    (folder / "episodes" / "e3.parquet").unlink()
    (folder / "index.jsonl").unlink()
    rebuild_index(folder)
    assert [problem.file for problem in open_store(folder).verify()] == ["steps/e3.parquet"]
    assert (folder / "steps" / "e3.parquet").exists()


CHANGES: dict[str, Callable[[ParquetStore], object]] = {
    "write": lambda store: store.write(small(3)),
    "drop": lambda store: store.drop(["e0", "e2"]),
}


@pytest.mark.parametrize(
    ("action", "packed", "after"),
    [
        ("write", False, (0, 1, 2, 3)),
        ("drop", False, (1,)),
        ("drop", True, (1,)),
    ],
)
def test_a_kill_in_the_middle_of_a_change(folder: Path, action: str, packed: bool, after: tuple[int, ...]) -> None:
    """Killed before each few of its system calls, the dataset has all of the old state or all of the new one."""
    if packed:
        open_store(folder).compact()
    moment = 1
    while True:
        copy = folder.parent / f"killed-{moment}"
        shutil.copytree(folder, copy)
        interrupted = killed(copy, CHANGES[action], moment)
        store = open_store(copy)
        now = after if store.ids() == [f"e{seed}" for seed in after] else (0, 1, 2)
        assert whole(copy, now)
        open_store(copy).write(small(5))
        assert whole(copy, (*now, 5))
        if not interrupted:
            assert now == after
            break
        moment += 2
    assert moment > 7
