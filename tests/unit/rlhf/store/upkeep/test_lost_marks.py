"""`verify` reports marks and judgements that were deleted outside the store, and none that the store removed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pipelines.cli.main import main
from rlhf.store import ParquetStore, Problem, open_store, rebuild_index
from rlhf.store.transfer.shared_play import share_play
from tests.contracts.stores.small_records import judgement, mark
from tests.unit.rlhf.store.small_datasets import make_dataset

TABLES = ("marks", "judgements")


@pytest.fixture
def store(tmp_path: Path) -> ParquetStore:
    """A dataset with a file of five marks and one of one, and as many judgements."""
    made = open_store(make_dataset(tmp_path / "data", [0, 2, 3]))
    marks = [mark("e3", step, rater=rater) for rater in ("ann", "bo") for step in range(3)]
    judgements = [judgement(name, judge=judge) for name in ("e0", "e2") for judge in ("ann", "bo", "cy")]
    for part in (slice(0, 5), slice(5, 6)):
        made.write_marks(marks[part])
        made.write_judgements(judgements[part])
    assert made.verify() == []
    return made


def by_size(store: ParquetStore, table: str) -> list[Path]:
    """The files of marks or judgements, of which the last is that of five."""
    counts = open_store(store.folder)._index.counts(table)
    return sorted((store.folder / table).iterdir(), key=lambda path: counts[path.name])


def problems(store: ParquetStore) -> list[Problem]:
    """What a fresh look finds, which is never ignorable."""
    found = open_store(store.folder).verify()
    assert not any(problem.ignorable for problem in found)
    return found


@pytest.mark.parametrize("table", TABLES)
def test_a_file_that_is_gone_is_missed_until_its_loss_is_accepted(
    store: ParquetStore, table: str, capsys: pytest.CaptureFixture[str]
) -> None:
    gone = by_size(store, table)[-1]
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
    shutil.copy(*by_size(store, table))
    (problem,) = problems(store)
    assert problem.what == f"it holds 1 of the 5 {table} in the index"
    assert "put back a copy" in problem.hint and "--rebuild" in problem.hint


def test_files_removed_by_the_store_are_not_missing(store: ParquetStore, tmp_path: Path) -> None:
    store.drop(["e0"])
    assert problems(store) == [] and len(store.judgements()) == 3
    assert store.forget("ann") == 4
    assert problems(store) == [] and len(store.marks()) == 3
    store.compact()
    assert problems(store) == [] and [len(by_size(store, table)) for table in TABLES] == [1, 1]
    share_play(store.folder, tmp_path / "second")
    assert open_store(tmp_path / "second").verify() == []
    other = open_store(tmp_path / "other", create=True)
    other.merge(store)
    assert problems(other) == [] and other.marks() == store.marks()
    rebuild_index(store.folder)
    assert problems(store) == []
    by_size(store, "marks")[-1].unlink()
    assert len(problems(store)) == 1  # the new index counts as well
    store.drop(["e3"])
