"""A dataset on disk with missing, foreign or damaged files."""

from __future__ import annotations

import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from rlhf.records.marks import Mark
from rlhf.store import open_store, same_episode
from rlhf.store.files.parquet_files import to_bytes
from rlhf.store.upkeep import compaction
from tests.unit.rlhf.store.upkeep.damage.small_dataset import DAMAGE, one_line, small, whole
from worlds.errors import UserError


@pytest.mark.parametrize("table", ("episodes", "steps"))
@pytest.mark.parametrize("kind", DAMAGE)
def test_a_damaged_episode_is_named_with_its_remedy_and_costs_no_other(folder: Path, table: str, kind: str) -> None:
    path = folder / table / "e1.parquet"
    DAMAGE[kind](path)
    store = open_store(folder)
    with pytest.raises(UserError, match="rlhf episodes drop") as caught:
        store.read("e1")
    assert str(path) in one_line(caught)
    (problem,) = store.verify()
    assert (
        problem.file == "*/e1.parquet"
        and str(path) in problem.what
        and "episodes drop" in problem.hint
        and not problem.ignorable
    )
    assert same_episode(store.read("e2"), small(2))
    store.drop(["e1"])
    assert whole(folder, (0, 2))


@pytest.mark.parametrize("table", ("episodes", "steps"))
def test_no_changed_byte_goes_unnoticed(folder: Path, table: str) -> None:
    """Pages, headers and footer: a reader of Parquet that trusts a damaged footer may crash."""
    path = folder / table / "e1.parquet"
    data = path.read_bytes()
    store = open_store(folder)
    for place in (*range(0, len(data) - 24, 31), *range(len(data) - 24, len(data))):
        path.write_bytes(data[:place] + bytes([data[place] ^ 0x11]) + data[place + 1 :])
        with pytest.raises(UserError, match="is damaged"):
            store.read("e1")
    for length in range(0, len(data), 97):
        path.write_bytes(data[:length])
        with pytest.raises(UserError, match="is damaged"):
            store.read("e1")


def test_damage_to_one_episode_of_a_shared_file_spares_the_others(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compaction, "LONG", 1)  # each has a row group of its own, as longer episodes
    store = open_store(folder)
    store.compact()
    (path,) = (folder / "steps").iterdir()
    data = bytearray(path.read_bytes())
    data[data.index(b"IDAT") + 4] ^= 1  # in the first frame of the first episode
    path.write_bytes(data)
    with pytest.raises(UserError, match="contents have changed"):
        store.read("e0")
    assert same_episode(store.read("e1"), small(1)) and [problem.ignorable for problem in store.verify()] == [False]
    store.drop(["e0"])
    assert whole(folder, (1, 2))


def test_a_file_of_another_episode_under_the_name(folder: Path) -> None:
    shutil.copy(folder / "steps" / "e0.parquet", folder / "steps" / "e1.parquet")
    with pytest.raises(UserError, match="does not hold episode e1"):
        open_store(folder).read("e1")


def test_steps_that_are_not_all_there(folder: Path) -> None:
    path = folder / "steps" / "e1.parquet"
    path.write_bytes(to_bytes([pq.read_table(path).slice(1)]))
    with pytest.raises(UserError, match="not numbered 0 to 5"):
        open_store(folder).read("e1")


@pytest.mark.parametrize("table", ("marks", "judgements"))
@pytest.mark.parametrize("kind", ("cut", "empty", "text", "foreign"))
def test_a_damaged_file_of_marks(folder: Path, table: str, kind: str) -> None:
    store = open_store(folder)
    assert getattr(store, table)() != []
    (path,) = (folder / table).iterdir()
    DAMAGE[kind](path)
    with pytest.raises(UserError, match="move it out") as caught:
        getattr(store, table)()
    assert str(path) in one_line(caught)
    assert [problem.file for problem in store.verify()] == [f"{table}/{path.name}"]
    assert same_episode(store.read("e1"), small(1))


@pytest.mark.parametrize("table", ("marks", "judgements"))
def test_a_missing_folder_or_a_dead_link_among_the_marks(folder: Path, table: str) -> None:
    (folder / table / "x.parquet").symlink_to("nowhere")
    with pytest.raises(UserError, match="x.parquet is missing"):
        getattr(open_store(folder), table)()
    shutil.rmtree(folder / table)
    with pytest.raises(UserError, match=f"{table} is missing; put back a copy"):
        getattr(open_store(folder), table)()


def test_marks_of_an_episode_that_is_not_there(folder: Path) -> None:
    other = open_store(folder.parent / "other", create=True)
    other.write(small(9))
    other.write_marks([Mark("e9", "ann", 0, 1, False)])
    (path,) = (other.folder / "marks").iterdir()
    shutil.copy(path, folder / "marks")
    (problem,) = open_store(folder).verify()
    assert problem.file == f"marks/{path.name}" and "no episode e9" in problem.what


def test_a_foreign_file_is_reported_and_not_changed(folder: Path) -> None:
    path = folder / "steps" / "mine.parquet"
    DAMAGE["foreign"](path)
    for _ in range(2):
        (problem,) = open_store(folder).verify()
        assert problem.file == "steps/mine.parquet" and not problem.ignorable
    assert path.exists()
