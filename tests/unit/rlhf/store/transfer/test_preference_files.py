"""Preferences go out to a file and come back the same; a file with anything wrong in it changes nothing."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from rlhf.records.preferences import (
    STATEMENTS,
    ClipPair,
    HelperRating,
    InferredGoal,
    RequestVerdict,
    Statement,
    StretchScore,
    TakeOver,
)
from rlhf.store import ParquetStore, open_store
from rlhf.store.synthetic import synthetic_episode
from rlhf.store.transfer.record_files import PREFERENCE_FILES, export_records, import_records
from rlhf.store.transfer.rows import FORMATS
from worlds.errors import UserError

GIVEN: dict[str, list[Statement]] = {
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
PAIR = {"episode_a": "e0", "begin_a": 0, "end_a": 3, "episode_b": "e1", "begin_b": 2, "end_b": 5}
PAIR |= {"answer": "a", "rater": "ann", "seconds": 4, "scripted": False}
SWAPPED = PAIR | {"episode_a": "e1", "begin_a": 2, "end_a": 5, "episode_b": "e0", "begin_b": 0, "end_b": 3}


@pytest.fixture
def store(tmp_path: Path) -> ParquetStore:
    made = open_store(tmp_path / "data", create=True)
    for number in range(2):
        made.write(synthetic_episode(number, steps=8, height=6, width=8, episode_id=f"e{number}"))
    return made


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("table", STATEMENTS)
def test_exported_preferences_are_imported_unchanged(
    store: ParquetStore, tmp_path: Path, table: str, suffix: str
) -> None:
    kind, file = PREFERENCE_FILES[table], tmp_path / f"given{suffix}"
    assert kind.record is STATEMENTS[table]
    export_records(GIVEN[table], file, kind)
    assert import_records(store, file, kind) == (len(GIVEN[table]), 0)
    assert set(store.preferences(STATEMENTS[table])) == set(GIVEN[table])
    assert import_records(store, file, kind) == (0, len(GIVEN[table]))
    with pytest.raises(UserError, match="exists already"):
        export_records(GIVEN[table], file, kind)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (PAIR | {"answer": "c"}, "is 'a', 'b', 'same' or 'cannot tell', not 'c'"),
        (PAIR | {"episode_b": "e9"}, "no episode e9 in"),
        (PAIR | {"end_b": 9}, "episode e1 has steps 0 to 7, not 8"),
        (PAIR | {"begin_a": 3}, "greater than begin 3, not 3"),
        (PAIR | {"begin_a": 0.5}, "begin_a is 0.5, not a whole number (--unit seconds reads seconds)"),
        (PAIR | {"seconds": 10**400}, "seconds is 1000"),
        (PAIR | {"begin_b": 0, "end_b": 3, "episode_b": "e0"}, "clip A and clip B are the same"),
        (PAIR | {"seconds": "long"}, 'seconds is "long", not a number or null'),
        (PAIR | {"judge": "ann"}, "a clip pair has no judge; it has episode_a, begin_a"),
        (PAIR, "the same clip pair as line 1; remove one of them"),
        (PAIR | {"seconds": 4.25}, "the same clip pair as line 1"),
        (PAIR | {"rater": " Ann"}, "the same clip pair as line 1"),
        (PAIR | {"answer": "b"}, "ann says otherwise of the same in line 1"),
        (SWAPPED | {"answer": "b"}, "the same clip pair as line 1"),
        (SWAPPED | {"answer": "a"}, "ann says otherwise of the same in line 1"),
        ([1], "it is no object; write one a line, with episode_a"),
    ],
)
def test_one_wrong_line_is_named_and_nothing_is_written(
    store: ParquetStore, tmp_path: Path, record: Any, message: str
) -> None:
    file = tmp_path / "pairs.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in (PAIR, record, PAIR | {"end_a": 4})))
    with pytest.raises(UserError) as caught:
        import_records(store, file, PREFERENCE_FILES["clip_pairs"])
    assert str(caught.value).startswith(f"{file}, line 2: ") and message in str(caught.value)
    assert "\n" not in str(caught.value) and store.preferences(ClipPair) == []


@pytest.mark.parametrize(
    ("record", "kept"),
    [
        (PAIR | {"seconds": 4.00001}, 1),
        (PAIR | {"rater": "Ann "}, 1),
        (SWAPPED | {"answer": "b", "seconds": None}, 1),
        (PAIR | {"end_a": 4}, 2),
        (PAIR | {"rater": "bob", "answer": "b"}, 2),
        (PAIR | {"answer": "b"}, None),
        (SWAPPED, None),
    ],
)
def test_a_rater_has_one_opinion_of_a_pair(
    store: ParquetStore, tmp_path: Path, record: dict[str, Any], kept: int | None
) -> None:
    (tmp_path / "first.jsonl").write_text(json.dumps(PAIR))
    (tmp_path / "then.jsonl").write_text(json.dumps(record))
    import_records(store, tmp_path / "first.jsonl", PREFERENCE_FILES["clip_pairs"])
    if kept is None:
        with pytest.raises(UserError, match="ann says otherwise of the same in"):
            import_records(store, tmp_path / "then.jsonl", PREFERENCE_FILES["clip_pairs"])
    else:
        import_records(store, tmp_path / "then.jsonl", PREFERENCE_FILES["clip_pairs"])
    assert len(store.preferences(ClipPair)) == (kept or 1)


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("verdicts", {"answer": "failure"}),
        ("scores", {"score": 4.0}),
        ("inferred_goals", {"goal": '{"a":2}'}),
        ("helper_ratings", {"trusted": 1}),
    ],
)
def test_contradictions_name_both_lines(store: ParquetStore, tmp_path: Path, kind: str, change: dict[str, Any]) -> None:
    record = asdict(GIVEN[kind][0])
    (tmp_path / "given.jsonl").write_text(f"{json.dumps(record)}\n{json.dumps(record | change)}\n")
    with pytest.raises(UserError, match="line 2: .* says otherwise of the same in line 1"):
        import_records(store, tmp_path / "given.jsonl", PREFERENCE_FILES[kind])


@pytest.mark.parametrize(
    "change",
    [
        {"score": 10**400},
        {"score": 2**63},
        {"high": 10**400},
        {"score": float("nan")},
        {"begin": 2**63},
        {"end": 10**400},
    ],
)
def test_numbers_beyond_all_columns_are_refused(store: ParquetStore, tmp_path: Path, change: dict[str, Any]) -> None:
    record = asdict(GIVEN["scores"][0]) | change
    (tmp_path / "scores.jsonl").write_text(json.dumps(record))
    with pytest.raises(UserError, match="line 1: ") as caught:
        import_records(store, tmp_path / "scores.jsonl", PREFERENCE_FILES["scores"])
    assert len(str(caught.value)) < 1000


HEAD = "episode_id,begin,end,rater,scripted\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD + "e0,1,3,ann,false\ne0,1.5,3,ann,false\n", "line 3: begin is 1.5, not a whole number"),
        (HEAD + 'e0,1,3,"ann\nbell",false\n\ne0,2,9,ann,false\n', "line 5: episode e0 has steps 0 to 7, not 8"),
        (HEAD + "e0,1,3,ann\n", "line 2: 4 cells, but line 1 names 5 columns"),
        (HEAD + "e0,1,3,ann,maybe\n", 'line 2: scripted is "maybe", not true or false'),
        (HEAD + "e0,1,3,,false\n", 'line 2: rater is "", not text'),
        ("episode_id,begin,begin,rater,scripted\n", "line 1: a column is there twice"),
        ("episode_id,begin,rater,scripted\ne0,1,ann,false\n", "line 2: end is missing"),
        (HEAD, "holds no take-overs"),
        (HEAD + 'e0,1,3,"ann,false\n', "is not CSV that can be read"),
    ],
)
def test_a_wrong_line_of_csv_is_named(store: ParquetStore, tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "given.csv"
    file.write_text(text)
    with pytest.raises(UserError) as caught:
        import_records(store, file, PREFERENCE_FILES["take_overs"])
    assert message in str(caught.value) and "\n" not in str(caught.value) and store.preferences(TakeOver) == []
