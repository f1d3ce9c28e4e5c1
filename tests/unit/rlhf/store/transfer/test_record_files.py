"""Marks and preferences go out to a file and come back the same; a file with anything wrong in it changes nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from pipelines.cli.main import main
from pipelines.stages.chosen_marks import choose_marks
from rlhf.records.marks import Mark
from rlhf.records.preferences import (
    STATEMENTS,
    ClipPair,
    HelperRating,
    InferredGoal,
    RequestVerdict,
    StretchScore,
    TakeOver,
)
from rlhf.store import MemoryStore, ParquetStore, open_store
from rlhf.store.synthetic import synthetic_episode
from rlhf.store.transfer.record_files import MARK_FILES, PREFERENCE_FILES, export_records, import_records
from rlhf.store.transfer.rows import FORMATS
from worlds.errors import UserError

KINDS = {"marks": MARK_FILES, **PREFERENCE_FILES}
GIVEN: dict[str, list[Any]] = {
    "marks": [Mark("e0", "ann", 0, 1, False), Mark("e0", "ann", 0, -1, False), Mark("e1", "Zoë", 7, -1, True)],
    "clip_pairs": [
        ClipPair("e0", 0, 3, "e1", 2, 8, "same", 'Zoë, "the first"', 0.1 + 0.2, False),
        ClipPair("e0", 0, 3, "e0", 3, 6, "a", "ann", None, True),
    ],
    "verdicts": [RequestVerdict("e1", 1, 8, "no request", "ann", False)],
    "take_overs": [TakeOver("e1", 3, 5, "ann", False)],
    "scores": [StretchScore("e0", 0, 8, 2.5, 1.0, 5.0, "7", False)],
    "helper_ratings": [HelperRating("e0", 0, 8, 1, 7, 4, "ann", False), HelperRating("e1", 0, 8, 2, 2, 2, "bob", True)],
    "inferred_goals": [
        InferredGoal("e0", 0, 8, '{"inside_apple_fridge":1,"on_plate_kitchentable":2}', "ann", 61.5, False),
        InferredGoal("e1", 0, 8, "{}", "ann", None, True),
    ],
}
MARK = {"episode_id": "e0", "rater": "ann", "step": 3, "sign": 1, "scripted": False}
PAIR = {"episode_a": "e0", "begin_a": 0, "end_a": 3, "episode_b": "e1", "begin_b": 2, "end_b": 5}
PAIR |= {"answer": "a", "rater": "ann", "seconds": 4, "scripted": False}
SWAPPED = PAIR | {"episode_a": "e1", "begin_a": 2, "end_a": 5, "episode_b": "e0", "begin_b": 0, "end_b": 3}
SCORE, VERDICT, GOAL, RATING = (
    asdict(GIVEN[kind][0]) for kind in ("scores", "verdicts", "inferred_goals", "helper_ratings")
)


@pytest.fixture
def store(tmp_path: Path) -> ParquetStore:
    made = open_store(tmp_path / "data", create=True)
    for number in range(2):
        made.write(synthetic_episode(number, steps=8, height=6, width=8, episode_id=f"e{number}"))
    return made


def lines(path: Path, *records: Any) -> Path:
    path.write_text("".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in records), encoding="utf-8")
    return path


def statements(store: ParquetStore | MemoryStore, kind: str) -> list[Any]:
    return store.marks() if kind == "marks" else list(store.preferences(STATEMENTS[kind]))


def everything(store: ParquetStore) -> list[Any]:
    return [each for kind in KINDS for each in statements(store, kind)]


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("kind", KINDS)
def test_exported_records_are_imported_unchanged(store: ParquetStore, tmp_path: Path, kind: str, suffix: str) -> None:
    file = tmp_path / f"given{suffix}"
    assert kind == "marks" or KINDS[kind].record is STATEMENTS[kind]
    export_records(GIVEN[kind], file, KINDS[kind])
    assert import_records(store, file, KINDS[kind]) == (len(GIVEN[kind]), 0)
    assert set(statements(store, kind)) == set(GIVEN[kind])
    assert import_records(store, file, KINDS[kind]) == (0, len(GIVEN[kind]))  # the same again says nothing new
    assert set(statements(store, kind)) == set(GIVEN[kind])
    with pytest.raises(UserError, match="exists already"):
        export_records(GIVEN[kind], file, KINDS[kind])


@pytest.mark.parametrize(
    ("kind", "first", "record", "message"),
    [
        ("marks", MARK, MARK | {"episode_id": "e9"}, "no episode e9 in"),
        ("marks", MARK, MARK | {"step": 8}, "episode e0 has steps 0 to 7, not 8"),
        ("marks", MARK, MARK | {"step": -1}, "step counts from 0"),
        ("marks", MARK, MARK | {"step": 2.5}, "step is 2.5, not a whole number"),
        ("marks", MARK, MARK | {"step": True}, "step is true"),
        ("marks", MARK, MARK | {"sign": 0}, "sign is +1 or -1"),
        ("marks", MARK, MARK | {"sign": "+1"}, 'sign is "+1", not +1 or -1'),
        ("marks", MARK, MARK | {"scripted": 0}, "scripted is 0"),
        ("marks", MARK, MARK | {"scripted": None}, "scripted is null"),
        ("marks", MARK, MARK | {"rater": ""}, 'rater is "", not text'),
        ("marks", MARK, MARK | {"seconds": 1}, "a mark has no seconds; it has episode_id"),
        ("marks", MARK, {name: value for name, value in MARK.items() if name != "scripted"}, "scripted is missing"),
        ("marks", MARK, MARK, "the same mark as line 1"),
        ("marks", MARK, [1], "it is no object; write one a line, with episode_id"),
        ("marks", MARK, '{"episode_id": "e0"', "not JSON (Expecting"),
        ("marks", MARK, '{"step": 1, "step": 2}', "not JSON (a name is there twice)"),
        ("clip_pairs", PAIR, PAIR | {"answer": "c"}, "not 'c'"),
        ("clip_pairs", PAIR, PAIR | {"end_b": 9}, "episode e1 has steps 0 to 7, not 8"),
        ("clip_pairs", PAIR, PAIR | {"begin_a": 3}, "greater than begin 3, not 3"),
        ("clip_pairs", PAIR, PAIR | {"begin_a": 0.5}, "begin_a is 0.5, not a whole number (--unit seconds"),
        ("clip_pairs", PAIR, PAIR | {"seconds": 10**400}, "seconds is 1000"),
        ("clip_pairs", PAIR, PAIR | {"seconds": "long"}, 'seconds is "long", not a number or null'),
        ("clip_pairs", PAIR, PAIR | {"begin_b": 0, "end_b": 3, "episode_b": "e0"}, "clip A and clip B are the same"),
        ("clip_pairs", PAIR, PAIR | {"seconds": 4.25}, "the same clip pair as line 1; remove one of them"),
        ("clip_pairs", PAIR, PAIR | {"rater": " Ann"}, "the same clip pair as line 1"),
        ("clip_pairs", PAIR, SWAPPED | {"answer": "b"}, "the same clip pair as line 1"),
        ("clip_pairs", PAIR, PAIR | {"answer": "b"}, "ann says otherwise of the same in line 1"),
        ("clip_pairs", PAIR, SWAPPED, "ann says otherwise of the same in line 1"),
        ("scores", SCORE, SCORE | {"score": 4.0}, "says otherwise of the same in line 1"),
        ("verdicts", VERDICT, VERDICT | {"answer": "failure"}, "says otherwise of the same in line 1"),
        ("inferred_goals", GOAL, GOAL | {"goal": '{"a":2}'}, "says otherwise of the same in line 1"),
        ("helper_ratings", RATING, RATING | {"trusted": 1}, "says otherwise of the same in line 1"),
        ("scores", SCORE, SCORE | {"rater": "8", "score": 10**400}, "score"),
        ("scores", SCORE, SCORE | {"rater": "8", "score": float("nan")}, "score"),
        ("scores", SCORE, SCORE | {"rater": "8", "high": 10**400}, "high"),
        ("scores", SCORE, SCORE | {"rater": "8", "begin": 2**63}, "begin"),
        ("scores", SCORE, SCORE | {"rater": "8", "end": 10**400}, "steps 0 to 7"),
    ],
)
def test_one_wrong_line_is_named_and_nothing_is_written(
    store: ParquetStore, tmp_path: Path, kind: str, first: Any, record: Any, message: str
) -> None:
    file = lines(tmp_path / "given.jsonl", first, "", record)
    with pytest.raises(UserError) as caught:
        import_records(store, file, KINDS[kind])
    text = str(caught.value)
    assert text.startswith(f"{file}, line 3: ") and message in text and "\n" not in text and len(text) < 1000
    assert everything(store) == []


@pytest.mark.parametrize(
    ("record", "new"),
    [
        (PAIR | {"seconds": 4.00001}, 0),
        (PAIR | {"rater": "Ann "}, 0),
        (SWAPPED | {"answer": "b", "seconds": None}, 0),
        (PAIR | {"end_a": 4}, 1),
        (PAIR | {"rater": "bob", "answer": "b"}, 1),
    ],
)
def test_a_rater_has_one_opinion_of_a_pair(store: ParquetStore, tmp_path: Path, record: Any, new: int) -> None:
    import_records(store, lines(tmp_path / "first.jsonl", PAIR), KINDS["clip_pairs"])
    assert import_records(store, lines(tmp_path / "then.jsonl", record), KINDS["clip_pairs"]) == (new, 1 - new)
    for other in (PAIR | {"answer": "b"}, SWAPPED):
        with pytest.raises(UserError, match="ann says otherwise of the same in"):
            import_records(store, lines(tmp_path / "otherwise.jsonl", other), KINDS["clip_pairs"])
    assert len(store.preferences(ClipPair)) == 1 + new


def test_all_spellings_of_a_name_are_one_rater(store: ParquetStore, tmp_path: Path) -> None:
    store.write_preferences([TakeOver("e0", 0, 3, "Zo\u00eb Ng", False)])
    spelled = ["Zoe\u0308 Ng", " zo\u00eb ng", "ZO\u00cb\tNG ", "Zo\u00eb  Ng"]
    marks = [MARK | {"rater": name, "step": step} for step, name in enumerate(spelled)]
    assert import_records(store, lines(tmp_path / "marks.jsonl", *marks), MARK_FILES) == (4, 0)
    assert {mark.rater for mark in store.marks()} == {"Zo\u00eb Ng"}
    again = lines(tmp_path / "again.jsonl", MARK | {"rater": "zo\u00eb NG", "step": 0})
    assert import_records(store, again, MARK_FILES) == (0, 1)
    assert choose_marks(store.marks(), ["zoe\u0308 ng"]) == store.marks()
    assert store.forget("zo\u00eb ng") == 5


def test_moments_in_seconds_become_the_nearest_steps(store: ParquetStore, tmp_path: Path) -> None:
    rate = store.description.steps_per_second
    long, short = (lines(tmp_path / f"{n}.jsonl", MARK | {"step": round(3 / rate, n)}) for n in (5, 2))
    assert main(["marks", "import", str(long), str(store.folder), "--unit", "seconds"]) == 0
    assert [mark.step for mark in store.marks()] == [3]
    assert import_records(store, short, MARK_FILES, rate) == (0, 1)
    for step, message in ((8 / rate, "steps 0 to 7, not"), (float("inf"), "step is inf")):
        with pytest.raises(UserError, match=message):
            import_records(store, lines(tmp_path / "late.jsonl", MARK | {"step": step}), MARK_FILES, rate)


# Tables and lines of other programs

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
        ("twice.csv", f",Unnamed: 0,index,{HEAD}0,0,0,e0,ann,3,1,False\n", "utf-8"),
        ("r.csv", '"","episode_id","rater","step","sign","scripted"\n"1","e0","ann",3,1,FALSE\n', "utf-8"),
        ("columns_too_many.csv", "episode_id,rater,step,sign,scripted,,\ne0,ann,3,1,0,,\n", "utf-8"),
        ("lines.ndjson", json.dumps(MARK | {"step": 3.0, "sign": 1.0}) + "\r\n", "utf-8-sig"),
        ("lines.jsonl", json.dumps({"index": 0} | MARK) + "\n", "utf-16"),
        ("name.csv", HEAD + "e0, ann\u00a0,3,1,false\n", "utf-8"),
        ("zero_width.csv", HEAD + "e0,ann\u200b,3,1,false\n", "utf-8"),
    ],
)
def test_what_other_programs_write_is_read(
    store: ParquetStore, tmp_path: Path, name: str, text: str, encoding: str
) -> None:
    (tmp_path / name).write_bytes(text.encode(encoding))
    assert import_records(store, tmp_path / name, MARK_FILES) == (1, 0)
    assert store.marks() == [Mark(**MARK)]


TAKEN = "episode_id,begin,end,rater,scripted\n"


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        ("marks", (HEAD + "e0,J\u00f6rg,3,1,false\n").encode("cp1252"), "line 2: not text in utf-8; save"),
        ("marks", (HEAD + "e0,ann,3,1,false\n").encode("utf-16-le"), "line 1 names none of the columns"),
        ("marks", "e0,ann,3,1,false\n", "line 1 names none of the columns episode_id, rater"),
        ("marks", "x" + HEAD[10:] + "0,ann,3,1,false\n", "line 2: episode_id is missing"),
        ("marks", HEAD + "1,e0,ann,3,1,false\n", "line 2: 6 cells, but line 1 names 5 columns"),
        ("marks", "," + HEAD + "note,e0,ann,3,1,false\n", "line 2: a mark has no column 1 without a name"),
        ("marks", "step," + HEAD + "4,e0,ann,3,1,false\n", "line 1: a column is there twice"),
        ("marks", HEAD + "e0,ann,9999999999999999999,1,false\n", "line 2: episode e0 has steps 0 to 7, not 1"),
        ("marks", HEAD + "e0,ann,1.234,1,false\n", "line 2: step is 1.234, not a whole number"),
        ("marks", HEAD + "e0,ann,1e999,1,false\n", "line 2: step is Infinity"),
        ("marks", HEAD + "e0, \u200b ,3,1,false\n", 'line 2: rater is "'),
        ("take_overs", TAKEN + "e0,1,3,ann,false\ne0,1.5,3,ann,false\n", "line 3: begin is 1.5"),
        ("take_overs", TAKEN + 'e0,1,3,"ann\nbell",false\n\ne0,2,9,ann,false\n', "line 5: episode e0 has steps 0 to 7"),
        ("take_overs", TAKEN + "e0,1,3,ann\n", "line 2: 4 cells, but line 1 names 5 columns"),
        ("take_overs", TAKEN + "e0,1,3,ann,maybe\n", 'line 2: scripted is "maybe", not true or false'),
        ("take_overs", "episode_id,begin,rater,scripted\ne0,1,ann,false\n", "line 2: end is missing"),
        ("take_overs", TAKEN, "holds no take-overs"),
        ("take_overs", TAKEN + 'e0,1,3,"ann,false\n', "is not CSV that can be read"),
    ],
)
def test_a_table_that_cannot_be_read_is_refused(
    store: ParquetStore, tmp_path: Path, kind: str, text: str | bytes, message: str
) -> None:
    file = tmp_path / "given.csv"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    with pytest.raises(UserError) as caught:
        import_records(store, file, KINDS[kind])
    assert message in str(caught.value) and "\n" not in str(caught.value) and everything(store) == []


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda folder: folder / "nowhere.jsonl", "is no file"),
        (lambda folder: lines(folder / "empty.jsonl", ""), "holds no marks"),
        (lambda folder: lines(folder / "marks.txt", "a,b"), "end in .jsonl, .ndjson, .csv, .tsv or .parquet"),
    ],
)
def test_files_that_are_none(store: ParquetStore, tmp_path: Path, make: Callable[[Path], Path], message: str) -> None:
    with pytest.raises(UserError, match=message):
        import_records(store, make(tmp_path), MARK_FILES)
