"""Marks go out to a file and come back the same; a file with anything wrong in it changes nothing."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipelines.cli.main import main
from rlhf.records.marks import Mark
from rlhf.store import ParquetStore, open_store
from rlhf.store.synthetic import synthetic_episode
from rlhf.store.transfer.marks_file import export_marks, import_marks
from worlds.errors import UserError

GOOD = {"episode_id": "e0", "rater": "ann", "step": 3, "sign": 1, "scripted": False}


@pytest.fixture
def store(tmp_path: Path) -> ParquetStore:
    made = open_store(tmp_path / "data", create=True)
    for number in range(2):
        made.write(synthetic_episode(number, steps=8, height=6, width=8, episode_id=f"e{number}"))
    return made


def lines(path: Path, *records: Any) -> Path:
    path.write_text("".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in records), encoding="utf-8")
    return path


@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".parquet"])
def test_exported_marks_are_imported_unchanged(store: ParquetStore, tmp_path: Path, suffix: str) -> None:
    marks = [Mark("e0", "ann", 0, 1, False), Mark("e0", "ann", 0, -1, False), Mark("e1", "Zoë\n", 7, -1, True)]
    store.write_marks(marks)
    file = tmp_path / f"marks{suffix}"
    export_marks(store.marks(), file)
    other = open_store(tmp_path / "other", create=True)
    for episode in store.stream(store.ids()):
        other.write(episode)
    assert import_marks(other, file) == (3, 0)
    assert other.marks() == store.marks()
    assert import_marks(other, file) == (0, 3)  # the same again says nothing new
    assert other.marks() == store.marks()
    with pytest.raises(UserError, match="exists already"):
        export_marks(marks, file)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (GOOD | {"episode_id": "e9"}, "no episode e9 in"),
        (GOOD | {"step": 8}, "episode e0 has steps 0 to 7, not 8"),
        (GOOD | {"step": -1}, "step counts from 0, not -1"),
        (GOOD | {"step": 2.0}, "step is 2.0, not a whole number"),
        (GOOD | {"step": True}, "step is true, not a whole number"),
        (GOOD | {"sign": 0}, "sign is +1 or -1, not 0"),
        (GOOD | {"sign": "+1"}, 'sign is "+1", not +1 or -1'),
        (GOOD | {"scripted": 0}, "scripted is 0, not true or false"),
        (GOOD | {"scripted": None}, "scripted is null, not true or false"),
        (GOOD | {"rater": ""}, 'rater is "", not text'),
        (GOOD | {"seconds": 1}, "a mark has no seconds; it has episode_id, rater, step, sign, scripted"),
        ({name: value for name, value in GOOD.items() if name != "scripted"}, "scripted is missing"),
        (GOOD, "the same mark as in line 1"),
        ([1], "a mark is an object with episode_id"),
        ('{"episode_id": "e0"', "not JSON (Expecting"),
        ('{"step": 1, "step": 2}', "not JSON (a name is there twice)"),
    ],
)
def test_one_wrong_line_is_named_and_nothing_is_written(
    store: ParquetStore, tmp_path: Path, record: Any, message: str
) -> None:
    file = lines(tmp_path / "marks.jsonl", GOOD, "", record, GOOD | {"step": 4})
    with pytest.raises(UserError) as caught:
        import_marks(store, file)
    assert str(caught.value).startswith(f"{file}, line 3: ") and message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert store.marks() == []


def test_rows_of_foreign_parquet_files_are_counted(store: ParquetStore, tmp_path: Path) -> None:
    file = tmp_path / "marks.parquet"
    pq.write_table(pa.Table.from_pylist([GOOD, GOOD | {"step": 4}]), file)
    assert import_marks(store, file) == (2, 0)
    pq.write_table(pa.Table.from_pylist([GOOD, GOOD | {"step": 9}]), file)
    with pytest.raises(UserError, match=r"marks.parquet, row 2: episode e0 has steps 0 to 7, not 9"):
        import_marks(store, file)
    file.write_bytes(b"PAR1 no")
    with pytest.raises(UserError, match="not a Parquet file that can be read") as caught:
        import_marks(store, file)
    assert "\n" not in str(caught.value)


def test_files_that_are_none(store: ParquetStore, tmp_path: Path) -> None:
    for path, message in (
        (tmp_path / "nowhere.jsonl", "is no file"),
        (lines(tmp_path / "empty.jsonl", ""), "holds no marks"),
        (lines(tmp_path / "marks.txt", "a,b"), "end in .jsonl, .csv or .parquet"),
    ):
        with pytest.raises(UserError, match=message):
            import_marks(store, path)
    (tmp_path / "latin.jsonl").write_bytes(b'{"episode_id": "\xe9"}\n')
    with pytest.raises(UserError, match="line 1: not JSON"):
        import_marks(store, tmp_path / "latin.jsonl")


def test_the_verbs(store: ParquetStore, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = lines(tmp_path / "in.jsonl", GOOD)
    assert main(["marks", "import", str(file), str(store.folder)]) == 0
    assert main(["marks", "import", str(file), str(store.folder)]) == 0
    assert main(["marks", "export", str(store.folder), str(tmp_path / "out.jsonl")]) == 0
    assert [asdict(mark) for mark in store.marks()] == [GOOD]
    assert (tmp_path / "out.jsonl").read_text() == file.read_text()
    assert [line.partition(" ")[2].split()[0] for line in capsys.readouterr().err.splitlines()] == ["new", "new", "1"]
    lines(file, GOOD | {"episode_id": "e7"})
    assert main(["marks", "import", str(file), str(store.folder)]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line == f"error: {file}, line 1: no episode e7 in {store.folder}"
