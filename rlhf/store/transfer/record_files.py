"""Marks, preferences or inferred goals as files for other programs, see :mod:`rlhf.store.transfer.rows`.

One record a line, e.g. a mark: ``{"episode_id": "e7", "rater": "ann", "step": 12, "sign": 1, "scripted": false}``. An
empty cell of a field that may be null is null. If a line is wrong, its number is reported and nothing of the file is
used. A rater has one spelling in a dataset and one opinion of a thing: the same again is counted once, another is
refused.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

import pyarrow as pa

from rlhf.records.judged import opinion, subject
from rlhf.records.marks import Mark, rater_key, rater_name
from rlhf.records.preferences import (
    NOUNS,
    STATEMENTS,
    ClipPair,
    HelperRating,
    InferredGoal,
    RequestVerdict,
    Statement,
    StretchScore,
    TakeOver,
)
from rlhf.store import EpisodeStore
from rlhf.store.columns.tables import marks_table, preferences_table
from rlhf.store.contract import Kind, moments_of
from rlhf.store.files.durable import write_file
from rlhf.store.files.parquet_files import to_bytes
from rlhf.store.transfer.rows import SEPARATORS, as_shown, check_format, rows_of
from worlds.errors import UserError

Judged = TypeVar("Judged", bound=Mark | Statement)
_WANTED = {  # by annotation: types, and the words for them
    "str": ((str,), "text"),
    "int": ((int,), "a whole number"),
    "float": ((float,), "a number"),
    "float | None": ((float, type(None)), "a number or null"),
    "bool": ((bool,), "true or false"),
}
_MOMENTS = ("step", "begin", "end")  # fields that count steps, also with the suffix of a clip


@dataclass(frozen=True)
class RecordKind(Generic[Judged]):
    """One kind of record as files have it.

    Args:
      record: its class, whose fields are the columns.
      table: makes a table of records.
      noun: for one record, in messages.
      nouns: for several.
      wanted: words for what a field should be, where its type says too little.
    """

    record: type[Judged]
    table: Callable[[Iterable[Judged]], pa.Table]
    noun: str
    nouns: str
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
    return RecordKind(record, partial(preferences_table, table), noun, NOUNS[table], {})


MARK_FILES = RecordKind(Mark, marks_table, "mark", "marks", {"sign": "+1 or -1"})
PREFERENCE_FILES: Mapping[str, RecordKind[Any]] = {
    "clip_pairs": _preferences("clip_pairs", ClipPair, "clip pair"),
    "verdicts": _preferences("verdicts", RequestVerdict, "verdict"),
    "take_overs": _preferences("take_overs", TakeOver, "take-over"),
    "scores": _preferences("scores", StretchScore, "score"),
    "inferred_goals": _preferences("inferred_goals", InferredGoal, "inferred goal"),
    "helper_ratings": _preferences("helper_ratings", HelperRating, "rating of a helper"),
}


def read_records(
    store: EpisodeStore, path: Path, kind: RecordKind[Judged], rate: float | None = None
) -> tuple[list[Judged], int]:
    """Return the records in the file ``path`` that ``store`` lacks, and the number of those that it has.

    Args:
      rate: steps per second, if the file names moments in seconds since the episode began; the nearest step is taken.
        None: it names steps.

    Raises:
      UserError: naming the first line that is wrong: it is no such record, or one of an unknown episode or of a step
        outside its episode, or the same as an earlier line, or contradicts another opinion of its rater.
    """
    episodes = {row.episode_id: row.steps for row in store.rows()}
    types = kind.types if rate is None else {name: _in_seconds(name, of) for name, of in kind.types.items()}
    held: dict[tuple[Any, ...], set[tuple[Any, ...]]] = {}
    for record in _records_in(store, kind):
        held.setdefault(subject(record), set()).add(opinion(record))
    spellings = _spellings(store)
    lines: dict[tuple[Any, ...], tuple[str, tuple[Any, ...]]] = {}
    new: list[Judged] = []
    for where, values in rows_of(path, types):
        record = _record(values, where, kind, rate)
        _check_moments(record, where, episodes, store)
        record = replace(record, rater=spellings.setdefault(rater_key(record.rater), record.rater))
        about, says = subject(record), opinion(record)
        if about in lines:
            line, said = lines[about]
            same = f"the same {kind.noun} as" if said == says else f"{record.rater} says otherwise of the same in"
            raise UserError(f"{where}: {same} {line}; remove one of them")
        lines[about] = where.removeprefix(f"{path}, "), says
        if about in held and says not in held[about]:
            raise UserError(
                f"{where}: {record.rater} says otherwise of the same in {store}; remove the line, or that {kind.noun} "
                "from the dataset"
            )
        if about not in held:
            new.append(record)
    if not lines:
        raise UserError(f"{path} holds no {kind.nouns}")
    return new, len(lines) - len(new)


def _records_in(store: EpisodeStore, kind: RecordKind[Judged]) -> Iterable[Judged]:
    return store.marks() if kind.record is Mark else store.preferences(kind.record)  # type: ignore[return-value]


def _spellings(store: EpisodeStore) -> dict[str, str]:
    """Return how the names of the dataset's raters are spelled, by ``rater_key``."""
    every = [*store.marks(), *(one for kind in STATEMENTS.values() for one in store.preferences(kind))]
    return {rater_key(name): name for name in sorted({one.rater for one in every})}


def _check_moments(record: Mark | Statement, where: str, episodes: Mapping[str, int], store: EpisodeStore) -> None:
    """Raise UserError if ``record`` is of an unknown episode, of a step outside it, or of one clip only."""
    for episode_id, step in moments_of(record):
        steps = episodes.get(episode_id)
        if steps is None:
            raise UserError(f"{where}: no episode {episode_id} in {store}; `rlhf episodes list` shows those there are")
        if step >= steps:
            raise UserError(f"{where}: episode {episode_id} has steps 0 to {steps - 1}, not {step}")
    if isinstance(record, ClipPair) and record.stretches[0] == record.stretches[1]:
        raise UserError(f"{where}: clip A and clip B are the same; remove the line")


def import_records(
    store: EpisodeStore, path: Path, kind: RecordKind[Any], rate: float | None = None
) -> tuple[int, int]:
    """Add the records in the file ``path`` to ``store``, all of them or, if one is wrong, none.

    Args:
      store, path, kind, rate: as in :func:`read_records`.

    Returns:
      Number of new records, and number of those that the store had already.

    Raises:
      UserError: as :func:`read_records`.
    """
    new, known = read_records(store, path, kind, rate)
    write = store.write_marks if kind.record is Mark else store.write_preferences
    write(new)
    return len(new), known


def export_records(records: Sequence[Judged], path: Path, kind: RecordKind[Judged]) -> None:
    """Write ``records`` to the file ``path``, in their order; a reader sees the whole file or none.

    Raises:
      UserError: if there is such a file already, or its name ends in no format.
    """
    suffix = check_format(path)
    if path.exists():
        raise UserError(f"{path} exists already; name another file")
    path.parent.mkdir(parents=True, exist_ok=True)
    if suffix == ".parquet":
        contents = to_bytes([kind.table(records)])
    elif suffix in SEPARATORS:
        contents = _as_csv(records, kind, SEPARATORS[suffix]).encode()
    else:
        contents = "".join(json.dumps(asdict(record), ensure_ascii=False) + "\n" for record in records).encode()
    write_file(path, contents)


def _as_csv(records: Iterable[Judged], kind: RecordKind[Judged], separator: str) -> str:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    writer.writerow(kind.columns)
    words = {True: "true", False: "false", None: ""}
    for record in records:
        values = asdict(record).values()
        writer.writerow([words[value] if isinstance(value, bool) or value is None else value for value in values])
    return text.getvalue()


def _in_seconds(name: str, annotation: str) -> str:
    return "float" if name.partition("_")[0] in _MOMENTS else annotation


def _record(values: dict[str, Any], where: str, kind: RecordKind[Judged], rate: float | None) -> Judged:
    """Return the record with ``values``. Raises UserError, beginning with ``where``, if it is none."""
    columns = ", ".join(kind.columns)
    if isinstance(values.get("rater"), str):
        values = values | {"rater": rater_name(values["rater"])}
    for name, annotation in kind.types.items():
        if name not in values:
            if not annotation.endswith("| None"):
                hint = "; add that column, false where people judged" if annotation == "bool" else ""
                raise UserError(f"{where}: {name} is missing{hint}")
            values = values | {name: None}
    for name, value in values.items():
        if name not in kind.types:
            raise UserError(f"{where}: a {kind.noun} has no {name}; it has {columns}; rename or remove that column")
        annotation = kind.types[name] if rate is None else _in_seconds(name, kind.types[name])
        types, wanted = _WANTED[annotation]
        if type(value) not in types or value == "":
            of_seconds = " (--unit seconds reads seconds)" if annotation == "int" and type(value) is float else ""
            raise UserError(f"{where}: {name} is {as_shown(value)}, not {kind.wanted.get(name, wanted)}{of_seconds}")
        if annotation != kind.types[name]:
            values = values | {name: _nearest_step(value, rate or 1.0, f"{where}: {name}")}
    try:
        return kind.record(**values)
    except ValueError as error:
        raise UserError(f"{where}: {error}") from None


def _nearest_step(seconds: float, rate: float, what: str) -> int:
    if not math.isfinite(seconds):
        raise UserError(f"{what} is {seconds}, not a number of seconds")
    return math.floor(seconds * rate + 0.5)
