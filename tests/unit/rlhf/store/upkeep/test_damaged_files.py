"""Files of episodes and marks that are missing, damaged, foreign or may not be read are named, and cost no others."""

from __future__ import annotations

import os
import shutil
import struct
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from rlhf.store import ParquetStore, open_store, rebuild_index, same_episode
from rlhf.store.columns.png import encode_frames
from rlhf.store.files.parquet_files import to_bytes
from tests.unit.rlhf.store.foreign_play import overwrite
from tests.unit.rlhf.store.small_datasets import (
    DAMAGE,
    TWO,
    compacted_apart,
    files,
    flip,
    make_dataset,
    mark,
    one_line,
    small,
    spans,
    whole,
)
from worlds.errors import UserError

# Episodes with files of their own


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
    assert problem.file == "*/e1.parquet" and str(path) in problem.what and not problem.ignorable
    assert "episodes drop" in problem.hint and same_episode(store.read("e2"), small(2))
    with pytest.raises(UserError, match=r"e1.parquet is damaged|does not hold"):
        store.compact()
    assert not list(folder.rglob("*.part"))
    store.drop(["e1"])
    store.compact()
    assert whole(folder, (0, 2))


@pytest.mark.parametrize("table", ("episodes", "steps"))
def test_no_changed_byte_goes_unnoticed(folder: Path, table: str) -> None:
    """Pages, headers and footer: a reader of Parquet that trusts a damaged footer may crash."""
    path = folder / table / "e1.parquet"
    data = path.read_bytes()
    store = open_store(folder)
    flipped = (*range(0, len(data) - 24, 31), *range(len(data) - 24, len(data)))
    changed = [data[:place] + bytes([data[place] ^ 0x11]) + data[place + 1 :] for place in flipped]
    for other in (*changed, *(data[:length] for length in range(0, len(data), 97))):
        path.write_bytes(other)
        with pytest.raises(UserError, match="is damaged"):
            store.read("e1")


def test_files_of_another_episode_or_without_some_steps(folder: Path) -> None:
    path = folder / "steps" / "e1.parquet"
    path.write_bytes(to_bytes([pq.read_table(path).slice(1)]))
    with pytest.raises(UserError, match="not numbered 0 to 5"):
        open_store(folder).read("e1")
    shutil.copy(folder / "steps" / "e0.parquet", path)
    with pytest.raises(UserError, match="does not hold episode e1"):
        open_store(folder).read("e1")


def test_a_foreign_file_is_reported_and_not_changed(folder: Path) -> None:
    path = folder / "steps" / "mine.parquet"
    DAMAGE["foreign"](path)
    for _ in range(2):
        (problem,) = open_store(folder).verify()
        assert problem.file == "steps/mine.parquet" and not problem.ignorable
    assert path.exists()


NESTED = "[" * 100_000


@pytest.mark.parametrize(
    ("column", "text"),
    [
        ("config", NESTED),
        ("config", "[]"),
        ("notes", "5"),
        ("requests", '[{"step": 0}]'),
        ("requests", "{}x"),
        ("truth", '[{"step": "now", "sign": 1, "reason": ""}]'),
        ("truth", '[{"when": 0}]'),
        ("split", "test"),
    ],
)
def test_an_episode_with_wrong_values_costs_no_other(folder: Path, column: str, text: str) -> None:
    overwrite(folder, small(1), **{column: [text]})
    store = open_store(folder)
    with pytest.raises(UserError, match="e1.*rlhf episodes drop") as caught:
        store.read("e1")
    assert len(one_line(caught)) < 500
    assert [problem.file for problem in store.verify()] == ["*/e1.parquet"]
    assert store.read("e0").episode_id == "e0"
    if column in ("notes", "requests"):
        with pytest.raises(UserError, match=r"e1.*; .*rlhf episodes drop"):
            store.read_transcript("e1")


@pytest.mark.parametrize("side", [30_000, 2**31 - 1])
def test_a_picture_too_large_to_be_one(folder: Path, side: int) -> None:
    """Its header claims more than its bytes can hold; nobody tries to make room for that."""
    header = struct.pack(">II", side, side)
    frames = [file[:16] + header + file[24:] for file in encode_frames(small(1).pictures())]
    overwrite(folder, small(1), image=[{"bytes": frame, "path": None} for frame in frames])
    with pytest.raises(UserError, match=f"a frame claims {side}x{side} pixels, more than its .* bytes can hold.*drop"):
        open_store(folder).read("e1")
    assert [problem.file for problem in open_store(folder).verify()] == ["*/e1.parquet"]


# Episodes in files of many


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """A dataset of the episodes e0 to e4, compacted in one file; each has a row group of its own."""
    return compacted_apart(make_dataset(tmp_path / "data", range(5)))


@pytest.mark.parametrize("place", (0.3, 0.5, 0.98))
@pytest.mark.parametrize("table", ("episodes", "steps"))
def test_one_damaged_episode_costs_no_other_of_its_file(pack: Path, table: str, place: float) -> None:
    """Whether its columns are damaged, or the footer that it has of its own."""
    begin, end = spans(pack, "e1")[table]
    (path,) = (pack / table).iterdir()
    flip(path, begin + int(place * (end - begin)))
    store, others = open_store(pack), [0, 2, 3, 4]
    with pytest.raises(UserError, match="is damaged .* remove episode e1 with `rlhf episodes drop`"):
        store.read("e1")
    assert all(same_episode(store.read(f"e{seed}"), small(seed)) for seed in others)
    (pack / "index.jsonl").unlink()
    assert rebuild_index(pack) == 4
    store = open_store(pack)
    assert sorted(store.ids()) == [f"e{seed}" for seed in others] and same_episode(store.read("e2"), small(2))
    found = [(problem.file, problem.what) for problem in store.verify()]
    assert (f"steps/{path.name}", "1 of its episodes is not in the index") in found
    store.write(small(5))
    store.compact()
    assert path.exists()  # so that a copy of the damaged episode may still be made out of it


def test_damage_to_the_common_footer_is_reported_and_costs_no_episode(pack: Path) -> None:
    (path,) = (pack / "steps").iterdir()
    flip(path, -20)
    store = open_store(pack)
    assert all(same_episode(store.read(f"e{seed}"), small(seed)) for seed in range(5))
    (problem,) = store.verify()
    assert problem.file == f"steps/{path.name}" and "other programs cannot read it" in problem.what
    store.write(small(5))
    store.compact()
    assert whole(pack, range(6))


def test_a_damaged_episode_stops_gathering_and_keeps_what_is_gathered(tmp_path: Path) -> None:
    folder = make_dataset(tmp_path / "data", range(5))
    DAMAGE["cut"](folder / "steps" / "e3.parquet")
    with pytest.raises(UserError, match=r"e3.parquet is damaged .* remove episode e3 with `rlhf episodes drop`"):
        compacted_apart(folder, TWO)
    assert len(files(folder)) == 4 and not list(folder.rglob("*.part"))  # two in one file, and three single ones


# Marks and judgements


@pytest.mark.parametrize("table", ("marks", "judgements"))
@pytest.mark.parametrize("kind", ("cut", "empty", "text", "foreign"))
def test_a_damaged_file_of_marks(store: ParquetStore, table: str, kind: str) -> None:
    assert getattr(store, table)() != []
    (path,) = (store.folder / table).iterdir()
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
    other.write_marks([mark("e9")])
    (path,) = (other.folder / "marks").iterdir()
    shutil.copy(path, folder / "marks")
    (problem,) = open_store(folder).verify()
    assert problem.file == f"marks/{path.name}" and "no episode e9" in problem.what


# What may not be read


@pytest.fixture
def shared(folder: Path) -> Iterator[Path]:
    """The dataset in a place that every user of the system can reach."""
    place = Path(tempfile.mkdtemp())
    place.chmod(0o755)
    shutil.copytree(folder, place / "data")
    assert whole(place / "data")  # all code that reads is imported while root may read it
    yield place / "data"
    shutil.rmtree(place)


@contextmanager
def locked(path: Path, nobody: int = 65534) -> Iterator[None]:
    """While inside, this process may not read ``path``, also if it is root's."""
    mode, user = path.stat().st_mode, os.geteuid()
    path.chmod(0)
    if user == 0:
        for each in (path.parent.parent, *path.parent.parent.rglob("*")):
            os.chown(each, nobody, -1)
        os.seteuid(nobody)
    try:
        yield
    finally:
        os.seteuid(user)
        path.chmod(mode)


@pytest.mark.parametrize("name", ["episodes", "steps", "episodes/e1.parquet", "steps/e1.parquet"])
def test_what_may_not_be_read_is_no_damage(shared: Path, name: str) -> None:
    index = (shared / "index.jsonl").read_bytes()
    with locked(shared / name):
        with pytest.raises(UserError, match="cannot be read .*; change its permissions") as caught:
            open_store(shared).read("e1")
        assert "damaged" not in str(caught.value)
        problems = open_store(shared).verify()
        assert problems and {problem.hint for problem in problems} == {"change its permissions"}
        with pytest.raises((UserError, PermissionError)):
            rebuild_index(shared)
    assert (shared / "index.jsonl").read_bytes() == index and whole(shared)
