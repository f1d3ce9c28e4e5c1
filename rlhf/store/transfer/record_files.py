"""Marks, preferences or inferred goals as a file for other programs: JSON Lines, CSV, or Parquet with the same columns.

One record a line, e.g. a mark: ``{"episode_id": "e7", "rater": "ann", "step": 12, "sign": 1, "scripted": false}``. The
first line of CSV names the columns; an empty cell of a field that may be null is null. Reading is strict: if a line is
wrong, its number is reported and nothing of the file is used.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any, Generic

import pyarrow as pa
import pyarrow.parquet as pq

from rlhf.records.marks import Mark
from rlhf.records.preferences import NOUNS, ClipPair, HelperRating, InferredGoal, RequestVerdict, StretchScore, TakeOver
from rlhf.store import EpisodeStore
from rlhf.store.columns.json_text import from_json
from rlhf.store.columns.tables import marks_table, preferences_table
from rlhf.store.contract import Kind, Record, moments_of
from rlhf.store.files.durable import write_file
from rlhf.store.files.parquet_files import to_bytes
from worlds.errors import UserError

FORMATS = (".jsonl", ".csv", ".parquet")
_SOME_FORMAT = f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}"
_WANTED = {  # by annotation: types, and the words for them
    "str": ((str,), "text"),
    "int": ((int,), "a whole number"),
    "float": ((float, int), "a number"),
    "float | None": ((float, int, type(None)), "a number or null"),
    "bool": ((bool,), "true or false"),
}
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


@dataclass(frozen=True)
class RecordKind(Generic[Record]):
    """One kind of record as files have it.

    Args:
      record: its class, whose fields are the columns.
      table: makes a table of records.
      noun: for one record, in messages.
      nouns: for several.
      command: that exports such a file, for messages.
      wanted: words for what a field should be, where its type says too little.
    """

    record: type[Record]
    table: Callable[[Iterable[Record]], pa.Table]
    noun: str
    nouns: str
    command: str
    wanted: Mapping[str, str]

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the fields."""
        return tuple(field.name for field in fields(self.record))

    @property
    def types(self) -> dict[str, str]:
        """Annotation of each field."""
        return {field.name: str(field.type) for field in fields(self.record)}


def _preferences(table: str, record: type[Kind], noun: str) -> RecordKind[Kind]:
    return RecordKind(record, partial(preferences_table, table), noun, NOUNS[table], "rlhf preferences export", {})


MARK_FILES = RecordKind(Mark, marks_table, "mark", "marks", "rlhf marks export", {"sign": "+1 or -1"})
PREFERENCE_FILES: Mapping[str, RecordKind[Any]] = {
    "clip_pairs": _preferences("clip_pairs", ClipPair, "clip pair"),
    "verdicts": _preferences("verdicts", RequestVerdict, "verdict"),
    "take_overs": _preferences("take_overs", TakeOver, "take-over"),
    "scores": _preferences("scores", StretchScore, "score"),
    "inferred_goals": _preferences("inferred_goals", InferredGoal, "inferred goal"),
    "helper_ratings": _preferences("helper_ratings", HelperRating, "rating of a helper"),
}


def read_records(store: EpisodeStore, path: Path, kind: RecordKind[Record]) -> list[Record]:
    """Read the records in the file ``path``, all of which can be written to ``store``.

    Raises:
      UserError: naming the first line that is wrong: it is no such record, or one of an unknown episode or of a step
        outside its episode, or the same as an earlier line.
    """
    place = _place(path, kind)
    episodes = {row.episode_id: row.steps for row in store.rows()}
    lines: dict[Record, int] = {}
    for number, values in _rows_of(path, kind):
        where = f"{path}, {place} {number}"
        record = _record(values, where, kind)
        for episode_id, step in moments_of(record):
            steps = episodes.get(episode_id)
            if steps is None:
                raise UserError(f"{where}: no episode {episode_id} in {store}")
            if step >= steps:
                raise UserError(f"{where}: episode {episode_id} has steps 0 to {steps - 1}, not {step}")
        if record in lines:
            raise UserError(f"{where}: the same {kind.noun} as in {place} {lines[record]}; remove one of them")
        lines[record] = number
    if not lines:
        raise UserError(f"{path} holds no {kind.nouns}")
    return list(lines)


def import_preferences(store: EpisodeStore, path: Path, kind: RecordKind[Any]) -> tuple[int, int]:
    """Add the preferences in the file ``path`` to ``store``, all of them or, if one is wrong, none.

    Returns:
      Number of new preferences, and number of those that the store had already.

    Raises:
      UserError: as :func:`read_records`.
    """
    records = read_records(store, path, kind)
    known = set(store.preferences(kind.record))
    new = [record for record in records if record not in known]
    store.write_preferences(new)
    return len(new), len(records) - len(new)


def export_records(records: Sequence[Record], path: Path, kind: RecordKind[Record]) -> None:
    """Write ``records`` to the file ``path``, in their order; a reader sees the whole file or none.

    Raises:
      UserError: if there is such a file already, or its name ends in no format.
    """
    _place(path, kind)
    if path.exists():
        raise UserError(f"{path} exists already; name another file")
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".parquet":
        contents = to_bytes([kind.table(records)])
    elif path.suffix == ".csv":
        contents = _as_csv(records, kind).encode()
    else:
        contents = "".join(json.dumps(asdict(record), ensure_ascii=False) + "\n" for record in records).encode()
    write_file(path, contents)


def _as_csv(records: Iterable[Record], kind: RecordKind[Record]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(kind.columns)
    words = {True: "true", False: "false", None: ""}
    for record in records:
        values = asdict(record).values()
        writer.writerow([words[value] if isinstance(value, bool) or value is None else value for value in values])
    return text.getvalue()


def _place(path: Path, kind: RecordKind[Any]) -> str:
    """Return the name of a record's place in the file. Raises UserError if the file's name ends in no format."""
    if path.suffix not in FORMATS:
        raise UserError(f"{path}: {kind.nouns} are kept in files whose names end in {_SOME_FORMAT}")
    return "row" if path.suffix == ".parquet" else "line"


def _rows_of(path: Path, kind: RecordKind[Any]) -> Iterable[tuple[int, Any]]:
    """Number, from 1 on, and content of every line or row. Raises UserError if the file cannot be read."""
    if not path.is_file():
        raise UserError(f"{path} is no file; `{kind.command}` writes one")
    return {".jsonl": _json_lines, ".csv": partial(_csv_lines, kind=kind), ".parquet": _parquet_rows}[path.suffix](path)


def _json_lines(path: Path) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate(path.read_bytes().splitlines(), start=1):
        if not line.strip():
            continue
        try:
            yield number, from_json(line.decode("utf-8-sig"), pairs=_once)
        except ValueError as error:
            raise UserError(f"{path}, line {number}: not JSON ({error})") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose names are all different; others would silently lose something."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name is there twice")
    return found


def _csv_lines(path: Path, kind: RecordKind[Any]) -> Iterator[tuple[int, Any]]:
    try:
        reader = csv.reader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline=""), strict=True)
        columns = next(reader, [])
        if len(set(columns)) < len(columns):
            raise UserError(f"{path}, line 1: a column is there twice")
        begin = reader.line_num + 1
        for cells in reader:
            if cells and len(cells) != len(columns):
                raise UserError(f"{path}, line {begin}: {len(cells)} cells, but line 1 names {len(columns)} columns")
            if cells:
                values = zip(columns, cells, strict=True)
                yield begin, {name: _parsed(cell, kind.types.get(name, "str")) for name, cell in values}
            begin = reader.line_num + 1
    except (UnicodeDecodeError, csv.Error) as error:
        raise UserError(f"{path} is not CSV that can be read ({_first_line(error)})") from None


def _parsed(cell: str, annotation: str) -> Any:
    """Return the value of a CSV cell; the cell itself if it is none of its column's type."""
    if annotation == "float | None" and not cell:
        return None
    if annotation == "int" and re.fullmatch(r"[+-]?\d{1,18}", cell):
        return int(cell)
    if annotation.startswith("float") and _NUMBER.fullmatch(cell):
        return float(cell)
    if annotation == "bool" and cell.lower() in ("true", "false"):
        return cell.lower() == "true"
    return cell


def _parquet_rows(path: Path) -> Iterable[tuple[int, Any]]:
    try:
        return enumerate(pq.read_table(path, use_threads=False).to_pylist(), start=1)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise UserError(f"{path} is not a Parquet file that can be read ({_first_line(error)})") from None


def _record(values: Any, where: str, kind: RecordKind[Record]) -> Record:
    """Return the record with ``values``. Raises UserError, beginning with ``where``, if it is none."""
    columns = ", ".join(kind.columns)
    if not isinstance(values, dict):
        raise UserError(f"{where}: a {kind.noun} is an object with {columns}")
    for name, annotation in kind.types.items():
        if name not in values:
            if not annotation.endswith("| None"):
                raise UserError(f"{where}: {name} is missing")
            values = values | {name: None}
    for name, value in values.items():
        if name not in kind.types:
            raise UserError(f"{where}: a {kind.noun} has no {name}; it has {columns}")
        types, wanted = _WANTED[kind.types[name]]
        if type(value) not in types or value == "":
            shown = json.dumps(value, ensure_ascii=False, default=str)
            raise UserError(f"{where}: {name} is {shown}, not {kind.wanted.get(name, wanted)}")
    try:
        return kind.record(**values)
    except ValueError as error:
        raise UserError(f"{where}: {error}") from None


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
