"""Marks go out to a file and come back the same; a file with anything wrong in it changes nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pipelines.cli.main import main
from pipelines.stages.chosen_marks import choose_marks
from rlhf.records.marks import Mark
from rlhf.records.preferences import TakeOver
from rlhf.store import ParquetStore, open_store
from rlhf.store.synthetic import synthetic_episode
from rlhf.store.transfer.record_files import MARK_FILES, export_records, import_records
from worlds.errors import UserError

GOOD = {"episode_id": "e0", "rater": "ann", "step": 3, "sign": 1, "scripted": False}


def import_marks(store: ParquetStore, path: Path, rate: float | None = None) -> tuple[int, int]:
    return import_records(store, path, MARK_FILES, rate)


@pytest.fixture
def store(tmp_path: Path) -> ParquetStore:
    made = open_store(tmp_path / "data", create=True)
    for number in range(2):
        made.write(synthetic_episode(number, steps=8, height=6, width=8, episode_id=f"e{number}"))
    return made


def lines(path: Path, *records: Any) -> Path:
    path.write_text("".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in records), encoding="utf-8")
    return path


@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".tsv", ".parquet"])
def test_exported_marks_are_imported_unchanged(store: ParquetStore, tmp_path: Path, suffix: str) -> None:
    marks = [Mark("e0", "ann", 0, 1, False), Mark("e0", "ann", 0, -1, False), Mark("e1", "Zoë", 7, -1, True)]
    store.write_marks(marks)
    file = tmp_path / f"marks{suffix}"
    export_records(store.marks(), file, MARK_FILES)
    other = open_store(tmp_path / "other", create=True)
    for episode in store.stream(store.ids()):
        other.write(episode)
    assert import_marks(other, file) == (3, 0)
    assert other.marks() == store.marks()
    assert import_marks(other, file) == (0, 3)  # the same again says nothing new
    assert other.marks() == store.marks()
    with pytest.raises(UserError, match="exists already"):
        export_records(marks, file, MARK_FILES)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (GOOD | {"episode_id": "e9"}, "no episode e9 in"),
        (GOOD | {"step": 8}, "episode e0 has steps 0 to 7, not 8"),
        (GOOD | {"step": -1}, "step counts from 0, not -1"),
        (GOOD | {"step": 2.5}, "step is 2.5, not a whole number"),
        (GOOD | {"step": True}, "step is true, not a whole number"),
        (GOOD | {"sign": 0}, "sign is +1 or -1, not 0"),
        (GOOD | {"sign": "+1"}, 'sign is "+1", not +1 or -1'),
        (GOOD | {"scripted": 0}, "scripted is 0, not true or false"),
        (GOOD | {"scripted": None}, "scripted is null, not true or false"),
        (GOOD | {"rater": ""}, 'rater is "", not text'),
        (GOOD | {"seconds": 1}, "a mark has no seconds; it has episode_id, rater, step, sign, scripted"),
        ({name: value for name, value in GOOD.items() if name != "scripted"}, "scripted is missing"),
        (GOOD, "the same mark as line 1"),
        ([1], "it is no object; write one a line, with episode_id"),
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


HEAD = "episode_id,rater,step,sign,scripted\n"


@pytest.mark.parametrize(
    ("name", "text", "encoding"),
    [
        ("semicolons.csv", "episode_id;rater;step;sign;scripted\ne0;ann;3;1;false\n", "utf-8"),
        ("excel.csv", "sep=;\r\nepisode_id;rater;step;sign;scripted\r\ne0;ann;3,0;1;FALSCH\r\n;;;;\r\n", "utf-8-sig"),
        ("tabs.tsv", "episode_id\trater\tstep\tsign\tscripted\ne0\tann\t3\t+1\tfalse\n", "utf-8"),
        ("unicode_text.csv", "episode_id\trater\tstep\tsign\tscripted\r\ne0\tann\t3\t1\tFALSE\r\n", "utf-16"),
        ("capitals.CSV", "Episode_ID, Rater, Step, Sign, Scripted\ne0, ann, 3, 1, no\n", "utf-8"),
        ("pandas.csv", ",episode_id,rater,step,sign,scripted\n0,e0,ann,3.0,1.0,False\n", "utf-8"),
        (
            "pandas_twice.csv",
            ",Unnamed: 0,index,episode_id,rater,step,sign,scripted\n0,0,0,e0,ann,3,1,False\n",
            "utf-8",
        ),
        ("r.csv", '"","episode_id","rater","step","sign","scripted"\n"1","e0","ann",3,1,FALSE\n', "utf-8"),
        ("columns_too_many.csv", "episode_id,rater,step,sign,scripted,,\ne0,ann,3,1,0,,\n", "utf-8"),
        ("lines.ndjson", json.dumps(GOOD | {"step": 3.0, "sign": 1.0}) + "\r\n", "utf-8-sig"),
        ("lines.jsonl", json.dumps({"index": 0} | GOOD) + "\n", "utf-16"),
        ("name.csv", HEAD + "e0, ann\u00a0,3,1,false\n", "utf-8"),
        ("zero_width.csv", HEAD + "e0,ann\u200b,3,1,false\n", "utf-8"),
    ],
)
def test_what_other_programs_write_is_read(
    store: ParquetStore, tmp_path: Path, name: str, text: str, encoding: str
) -> None:
    (tmp_path / name).write_bytes(text.encode(encoding))
    assert import_marks(store, tmp_path / name) == (1, 0)
    assert store.marks() == [Mark(**GOOD)]


@pytest.mark.parametrize(
    ("text", "encoding", "message"),
    [
        (HEAD + "e0,J\u00f6rg,3,1,false\n", "cp1252", "line 2: not text in utf-8; save the file as UTF-8"),
        (HEAD + "e0,ann,3,1,false\n", "utf-16-le", "line 1 names none of the columns episode_id, rater"),
        ("e0,ann,3,1,false\n", "utf-8", "line 1 names none of the columns episode_id, rater"),
        ("x" + HEAD[10:] + "0,ann,3,1,false\n", "utf-8", "line 2: episode_id is missing"),
        (HEAD + "1,e0,ann,3,1,false\n", "utf-8", "line 2: 6 cells, but line 1 names 5 columns"),
        ("," + HEAD + "note,e0,ann,3,1,false\n", "utf-8", "line 2: a mark has no column 1 without a name"),
        ("step," + HEAD + "4,e0,ann,3,1,false\n", "utf-8", "line 1: a column is there twice"),
        (HEAD + "e0,ann,9999999999999999999,1,false\n", "utf-8", "line 2: episode e0 has steps 0 to 7, not 1"),
        (HEAD + "e0,ann,1.234,1,false\n", "utf-8", "line 2: step is 1.234, not a whole number"),
        (HEAD + "e0,ann,1e999,1,false\n", "utf-8", "line 2: step is Infinity"),
        (HEAD + "e0, \u200b ,3,1,false\n", "utf-8", 'line 2: rater is "'),
    ],
)
def test_a_table_that_cannot_be_read_is_refused(
    store: ParquetStore, tmp_path: Path, text: str, encoding: str, message: str
) -> None:
    file = tmp_path / "marks.csv"
    file.write_bytes(text.encode(encoding))
    with pytest.raises(UserError) as caught:
        import_marks(store, file)
    assert message in str(caught.value) and "\n" not in str(caught.value) and store.marks() == []


def test_all_spellings_of_a_name_are_one_rater(store: ParquetStore, tmp_path: Path) -> None:
    store.write_preferences([TakeOver("e0", 0, 3, "Zo\u00eb Ng", False)])
    spelled = ["Zoe\u0308 Ng", " zo\u00eb ng", "ZO\u00cb\tNG ", "Zo\u00eb  Ng"]
    marks = [GOOD | {"rater": name, "step": step} for step, name in enumerate(spelled)]
    assert import_marks(store, lines(tmp_path / "marks.jsonl", *marks)) == (4, 0)
    assert {mark.rater for mark in store.marks()} == {"Zo\u00eb Ng"}
    assert import_marks(store, lines(tmp_path / "again.jsonl", GOOD | {"rater": "zo\u00eb NG", "step": 0})) == (0, 1)
    assert choose_marks(store.marks(), ["zoe\u0308 ng"]) == store.marks()
    assert store.forget("zo\u00eb ng") == 5


def test_moments_in_seconds_become_the_nearest_steps(store: ParquetStore, tmp_path: Path) -> None:
    rate = store.description.steps_per_second
    long, short = (lines(tmp_path / f"{n}.jsonl", GOOD | {"step": round(3 / rate, n)}) for n in (5, 2))
    assert main(["marks", "import", str(long), str(store.folder), "--unit", "seconds"]) == 0
    assert [mark.step for mark in store.marks()] == [3]
    assert import_marks(store, short, rate) == (0, 1)
    with pytest.raises(UserError, match="steps 0 to 7, not"):
        import_marks(store, lines(tmp_path / "late.jsonl", GOOD | {"step": 8 / rate}), rate)
    with pytest.raises(UserError, match="step is inf"):
        import_marks(store, lines(tmp_path / "never.jsonl", GOOD | {"step": float("inf")}), rate)


def test_files_that_are_none(store: ParquetStore, tmp_path: Path) -> None:
    for path, message in (
        (tmp_path / "nowhere.jsonl", "is no file"),
        (lines(tmp_path / "empty.jsonl", ""), "holds no marks"),
        (lines(tmp_path / "marks.txt", "a,b"), "end in .jsonl, .ndjson, .csv, .tsv or .parquet"),
    ):
        with pytest.raises(UserError, match=message):
            import_marks(store, path)
    (tmp_path / "latin.jsonl").write_bytes(b'{"episode_id": "\xe9"}\n')
    with pytest.raises(UserError, match="line 1: not text in utf-8"):
        import_marks(store, tmp_path / "latin.jsonl")
