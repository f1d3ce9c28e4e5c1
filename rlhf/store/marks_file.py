"""Marks as a file that other programs write and read: JSON Lines, or Parquet with the same columns.

One mark a line: ``{"episode_id": "e7", "rater": "ann", "step": 12, "sign": 1, "scripted": false}``. Reading is strict:
if a line is wrong, its number is reported and nothing of the file is used.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from rlhf.records.marks import Mark
from rlhf.store import EpisodeStore
from rlhf.store.durable import write_file
from rlhf.store.json_text import from_json
from rlhf.store.parquet_files import to_bytes
from rlhf.store.tables import marks_table
from worlds.errors import UserError

FORMATS = (".jsonl", ".parquet")
_FIELDS = tuple(field.name for field in fields(Mark))
_KINDS = {"episode_id": (str, "text"), "rater": (str, "text"), "step": (int, "a whole number")}
_KINDS |= {"sign": (int, "+1 or -1"), "scripted": (bool, "true or false")}


def import_marks(store: EpisodeStore, path: Path) -> tuple[int, int]:
    """Add the marks in the file ``path`` to ``store``, all of them or, if one is wrong, none.

    Returns:
      Number of new marks, and number of marks that the store had already.

    Raises:
      UserError: naming the first line that is wrong: it is no mark, or one of an unknown episode or of a step outside
        its episode, or the same as an earlier line.
    """
    place = _place(path)
    episodes = {row.episode_id: row.steps for row in store.rows()}
    lines: dict[Mark, int] = {}
    for number, record in _records(path):
        where = f"{path}, {place} {number}"
        mark = _mark(record, where)
        steps = episodes.get(mark.episode_id)
        if steps is None:
            raise UserError(f"{where}: no episode {mark.episode_id} in {store}")
        if mark.step >= steps:
            raise UserError(f"{where}: episode {mark.episode_id} has steps 0 to {steps - 1}, not {mark.step}")
        if mark in lines:
            raise UserError(f"{where}: the same mark as in {place} {lines[mark]}; remove one of them")
        lines[mark] = number
    if not lines:
        raise UserError(f"{path} holds no marks")
    known = set(store.marks())
    new = [mark for mark in lines if mark not in known]
    store.write_marks(new)
    return len(new), len(lines) - len(new)


def export_marks(marks: Sequence[Mark], path: Path) -> None:
    """Write ``marks`` to the file ``path``, in their order; a reader sees the whole file or none.

    Raises:
      UserError: if there is such a file already, or its name ends in no format.
    """
    _place(path)
    if path.exists():
        raise UserError(f"{path} exists already; name another file")
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".parquet":
        write_file(path, to_bytes([marks_table(marks)]))
    else:
        write_file(path, "".join(json.dumps(asdict(mark), ensure_ascii=False) + "\n" for mark in marks).encode())


def _place(path: Path) -> str:
    """Return the name of a mark's place in the file for messages. Raises UserError if its name ends in no format."""
    if path.suffix not in FORMATS:
        raise UserError(f"{path}: marks are kept in files whose names end in {' or '.join(FORMATS)}")
    return "line" if path.suffix == ".jsonl" else "row"


def _records(path: Path) -> Iterable[tuple[int, Any]]:
    """Number, from 1 on, and content of every line or row. Raises UserError if the file cannot be read."""
    if not path.is_file():
        raise UserError(f"{path} is no file; `rlhf marks export` writes one")
    return _lines(path) if path.suffix == ".jsonl" else _rows(path)


def _lines(path: Path) -> Iterator[tuple[int, Any]]:
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


def _rows(path: Path) -> Iterable[tuple[int, Any]]:
    try:
        return enumerate(pq.read_table(path, use_threads=False).to_pylist(), start=1)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise UserError(f"{path} is not a Parquet file that can be read ({_first_line(error)})") from None


def _mark(record: Any, where: str) -> Mark:
    """Return the mark in ``record``. Raises UserError, beginning with ``where``, if it is none."""
    if not isinstance(record, dict):
        raise UserError(f"{where}: a mark is an object with {', '.join(_FIELDS)}")
    for name in _FIELDS:
        if name not in record:
            raise UserError(f"{where}: {name} is missing")
    for name, value in record.items():
        if name not in _KINDS:
            raise UserError(f"{where}: a mark has no {name}; it has {', '.join(_FIELDS)}")
        kind, wanted = _KINDS[name]
        if type(value) is not kind or value == "":
            raise UserError(f"{where}: {name} is {json.dumps(value, ensure_ascii=False, default=str)}, not {wanted}")
    try:
        return Mark(**record)
    except ValueError as error:
        raise UserError(f"{where}: {error}") from None


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
