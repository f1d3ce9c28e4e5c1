"""Files of marks from elsewhere: a file with any error changes nothing, a correct one is imported whole."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.robustness.commands import fault, rlhf
from benchmarks.robustness.material import STEPS, Material
from benchmarks.robustness.outside import digest, make_outside, touched
from benchmarks.robustness.trial import Group, Trial
from rlhf.records.marks import Mark
from rlhf.store import open_store

GOOD: dict[str, Any] = {"episode_id": "e0", "rater": "eve", "step": 3, "sign": 1, "scripted": False}
MARK = Mark(**GOOD)
ZOE = "Zo\u00eb \U0001f9ab\u202e"
Write = Callable[[Path], object]


def trials(material: Material, rng: random.Random) -> list[Trial]:
    """Files that are to be refused, and files that are to be taken."""
    refused = [Trial(f"refused: {name}", _imported(material, suffix, write, None)) for name, suffix, write in _bad(rng)]
    taken = [Trial(f"taken: {name}", _imported(material, suffix, write, got)) for name, suffix, write, got in _good()]
    return [*refused, *taken]


def _imported(material: Material, suffix: str, write: Write, got: set[Mark] | None) -> Callable[[Path], str | None]:
    """The trial of a file: ``got`` are the marks that are new afterwards, None if it has to be refused."""

    def run(folder: Path) -> str | None:
        data, file = material.copy("data", folder), folder / f"file{suffix}"
        before = digest(make_outside(folder / "outside"))
        known = set(open_store(data).marks())
        write(file)
        ended = rlhf(folder, "marks", "import", file, data)
        if broke := fault(ended, must_fail=got is None):
            return broke
        now = set(open_store(data).marks())
        if got is None:
            return "marks were written" if now != known else touched(before, folder / "outside")
        if ended.status != 0:
            return f"refused: {ended.err[-200:]}"
        if now != known | got:
            return f"{len(now - known)} marks are new, not {len(got)}"
        return touched(before, folder / "outside")

    return run


def _lines(*records: Any) -> Write:
    """JSON Lines of the records; texts and bytes are lines as they are."""

    def write(path: Path) -> None:
        lines = [
            r if isinstance(r, bytes) else r.encode() if isinstance(r, str) else json.dumps(r).encode() for r in records
        ]
        path.write_bytes(b"".join(line + b"\n" for line in lines))

    return write


def _rows(*records: dict[str, Any], **columns: Any) -> Write:
    """Parquet of the records, with some of the columns replaced."""

    def write(path: Path) -> None:
        table = pa.Table.from_pylist(list(records))
        for name, values in columns.items():
            table = table.set_column(table.schema.get_field_index(name), name, values)
        pq.write_table(table, path)

    return write


def _bad(rng: random.Random) -> Iterator[tuple[str, str, Write]]:
    """Name, suffix and writer of files with something wrong after a good line."""
    other = GOOD | {"step": 4}
    values: dict[str, dict[str, Any]] = {
        "episode_id": {"unknown": "e99", "a number": 7, "null": None, "a list": ["e0"], "empty": "", "a path": "../e0"},
        "rater": {"a number": 7, "null": None, "empty": "", "an object": {"name": "x"}},
        "step": {
            "a fraction": 2.5, "true": True, "a text": "3", "minus one": -1, "null": None,
            "the end": STEPS, "2^31": 2**31, "2^63": 2**63, "10^400": 10**400, "a list": [3],
        },
        "sign": {"zero": 0, "two": 2, "a text": "+1", "a fraction": 0.5, "true": True, "null": None, "10^30": 10**30},
        "scripted": {"a number": 0, "a text": "false", "null": None},
    }  # fmt: skip
    for field, cases in values.items():
        for what, value in cases.items():
            yield f"{field} is {what}", ".jsonl", _lines(GOOD, other | {field: value})
        yield f"{field} missing", ".jsonl", _lines(GOOD, {name: v for name, v in other.items() if name != field})
    for name, line in {
        "a field too many": other | {"seconds": 1},
        "a list": [1],
        "a number": 7,
        "null": None,
        "cut short": '{"episode_id": "e0", "rat',
        "a name twice": '{"step": 1, "step": 2}',
        "NaN": '{"episode_id": "e0", "rater": "x", "step": NaN, "sign": 1, "scripted": false}',
        "Infinity": '{"episode_id": "e0", "rater": "x", "step": Infinity, "sign": 1, "scripted": false}',
        "nested deep": "[" * 100_000,
        "nested deep and closed": "[" * 100_000 + "]" * 100_000,
        "a deep object": '{"a":' * 50_000 + "1" + "}" * 50_000,
        "a value nested deep": other | {"rater": [[[[]]]]},
        "a NUL": b"\0",
        "no UTF-8": b'{"episode_id": "\xff"}',
        "UTF-16": json.dumps(other).encode("utf-16"),
        "a number of 10,000 digits": '{"step": ' + "1" * 10_000 + "}",
        "the same mark again": GOOD,
        "half a surrogate": '{"episode_id": "e0", "rater": "\\ud800", "step": 4, "sign": 1, "scripted": false}',
        "two objects": json.dumps(other) + json.dumps(other),
        "a comment": "# marks",
        "single quotes": str(other),
    }.items():
        yield f"a line is {name}", ".jsonl", _lines(GOOD, line)
    yield "no lines", ".jsonl", _lines()
    yield "empty lines", ".jsonl", _lines("", "  ", "")
    yield "random bytes", ".jsonl", _bytes(rng.randbytes(10_000))
    yield "a list of marks", ".jsonl", lambda path: path.write_text(json.dumps([GOOD, other], indent=1))
    yield (
        "100,000 marks and one wrong",
        ".jsonl",
        _lines(*(json.dumps(GOOD | {"rater": f"r{n}"}) for n in range(100_000)), other | {"sign": 3}),
    )
    yield "no file", ".jsonl", lambda path: None
    yield "a folder", ".jsonl", lambda path: path.mkdir()
    yield "a device", ".jsonl", lambda path: path.symlink_to("/dev/zero")
    yield "another ending", ".csv", _lines(GOOD)
    yield "text with that ending", ".parquet", _lines(GOOD)
    yield (
        "random bytes between its magic",
        ".parquet",
        _bytes(b"PAR1" + rng.randbytes(5_000) + b"PAR1"),
    )
    yield "a Parquet file cut short", ".parquet", _cut(_rows(GOOD, other))
    yield (
        "a Parquet file without rows",
        ".parquet",
        lambda path: pq.write_table(pa.Table.from_pylist([GOOD]).slice(0, 0), path),
    )
    yield "steps as text", ".parquet", _rows(GOOD, step=pa.array(["3"]))
    yield "steps as fractions", ".parquet", _rows(GOOD, step=pa.array([3.5]))
    yield "a null", ".parquet", _rows(GOOD, other | {"rater": None})
    yield "raters as bytes", ".parquet", _rows(GOOD, rater=pa.array([b"eve"]))
    yield "signs as dates", ".parquet", _rows(GOOD, sign=pa.array([1], pa.timestamp("s")))
    yield "a row twice", ".parquet", _rows(GOOD, GOOD)
    yield "a row of an unknown episode", ".parquet", _rows(GOOD, other | {"episode_id": "e99"})


def _bytes(content: bytes) -> Write:
    return lambda path: path.write_bytes(content)


def _cut(write: Write) -> Write:
    def cut(path: Path) -> None:
        write(path)
        path.write_bytes(path.read_bytes()[:-20])

    return cut


def _good() -> Iterator[tuple[str, str, Write, set[Mark]]]:
    """Yield name, suffix and writer of files that look odd and are right, and the marks in them."""
    one, other = MARK, replace(MARK, step=4)
    text, more = json.dumps(GOOD), json.dumps(GOOD | {"step": 4})
    yield "a byte order mark", ".jsonl", lambda p: p.write_bytes(b"\xef\xbb\xbf" + text.encode() + b"\n"), {one}
    yield "CR LF", ".jsonl", lambda p: p.write_bytes(f"{text}\r\n{more}\r\n".encode()), {one, other}
    yield "no newline at its end", ".jsonl", lambda p: p.write_text(f"{text}\n{more}"), {one, other}
    yield "empty lines between", ".jsonl", _lines("", GOOD, "", GOOD | {"step": 4}, ""), {one, other}
    yield "spaces around", ".jsonl", _lines(f"  {text}\t"), {one}
    yield "names in another order", ".jsonl", _lines(dict(reversed(GOOD.items()))), {one}
    yield "a name of other letters", ".jsonl", _lines(GOOD | {"rater": ZOE}), {replace(MARK, rater=ZOE)}
    yield "whole numbers as fractions", ".jsonl", _lines(GOOD | {"step": 3.0, "sign": 1.0}), {one}
    yield "a name with a new line", ".jsonl", _lines(GOOD | {"rater": "a\nb"}), {replace(MARK, rater="a b")}
    yield (
        "a name of line separators",
        ".jsonl",
        lambda p: p.write_text(
            json.dumps(GOOD | {"rater": "a\u2028b\u0085c"}, ensure_ascii=False) + "\n", encoding="utf-8"
        ),
        {replace(MARK, rater="a b c")},
    )
    yield "a name with a NUL", ".jsonl", _lines(GOOD | {"rater": "a\0b"}), {replace(MARK, rater="a\0b")}
    yield (
        "a name of 100,000 letters",
        ".jsonl",
        _lines(GOOD | {"rater": "x" * 10**5}),
        {replace(MARK, rater="x" * 10**5)},
    )
    yield "both signs at one step", ".jsonl", _lines(GOOD, GOOD | {"sign": -1}), {one, replace(MARK, sign=-1)}
    yield (
        "marks that are there already",
        ".jsonl",
        _lines({"episode_id": "e1", "rater": "bob", "step": 2, "sign": 1, "scripted": False}),
        set(),
    )
    yield (
        "20,000 marks",
        ".jsonl",
        _lines(*(GOOD | {"rater": f"r{n}"} for n in range(20_000))),
        {replace(MARK, rater=f"r{n}") for n in range(20_000)},
    )
    yield "Parquet of another program", ".parquet", _rows(GOOD, GOOD | {"step": 4}), {one, other}
    yield "Parquet with coded text", ".parquet", _rows(GOOD, rater=pa.array(["eve"]).dictionary_encode()), {one}
    yield "Parquet of small numbers", ".parquet", _rows(GOOD, sign=pa.array([1], pa.int8())), {one}


GROUP = Group(
    name="marks-files",
    tried="a file of marks (JSON Lines or Parquet) with one thing wrong in it, or odd and right, is imported",
    expectation="a wrong one is refused in one line and changes nothing; a right one is imported completely",
    promises=(
        "`rlhf marks import` takes all marks of a file or none, and names the first line that is wrong.",
        "No file of marks ends it in a traceback or changes anything but the marks of the dataset that is named.",
    ),
    trials=trials,
)
