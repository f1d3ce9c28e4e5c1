"""Records as Arrow tables and back: the columns of the dataset's Parquet files.

``docs/dataset-format.md`` describes every column.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any

import numpy as np
import pyarrow as pa

from rlhf.records.episode import CO_PILOT, Episode, Request
from rlhf.records.fields import check_requests
from rlhf.records.marks import Judgement, Mark
from rlhf.records.preferences import STATEMENTS, Statement
from rlhf.records.spaces import EpisodeSpaces
from rlhf.store.columns.compressed import CompressedEpisode
from rlhf.store.columns.json_text import from_json, to_json
from rlhf.store.columns.png import decode_frames
from rlhf.store.columns.schemas import BOOL, INT8, INT32, INT64, TEXT, spaces_of, table_schema
from rlhf.store.columns.schemas import table_name as table_name
from rlhf.store.columns.steps import TEXTS, play_fields, steps_table, values_of
from rlhf.store.columns.transcript import EpisodeTranscript
from worlds.contract import Event, TaskSpec
from worlds.errors import UserError


@dataclass(frozen=True)
class EpisodeColumn:
    """A column of the table ``episodes``.

    Args:
      type: Arrow type of its values.
      write: returns an episode's value.
      read: returns the field of the same name from a value; None where the episode has no such field.
      in_fingerprint: whether the value is part of an episode's fingerprint.
    """

    type: pa.DataType
    write: Callable[[Episode], Any]
    read: Callable[[Any], Any] | None
    in_fingerprint: bool = True


def _plain(name: str, type: pa.DataType = TEXT, in_fingerprint: bool = True) -> EpisodeColumn:
    return EpisodeColumn(type, attrgetter(name), lambda value: value, in_fingerprint)


def _as_json(name: str, read: Callable[[Any], Any] = lambda data: data) -> EpisodeColumn:
    return EpisodeColumn(TEXT, lambda episode: to_json(getattr(episode, name)), lambda text: read(from_json(text)))


# Datasets that were written before a column existed are read with the field's default.
EPISODE_COLUMNS: Mapping[str, EpisodeColumn] = {
    "episode_id": _plain("episode_id"),
    "world": _plain("world"),
    "config": _as_json("config"),
    "setter": _plain("setter"),
    "solver": _plain("solver"),
    "seed": EpisodeColumn(INT64, lambda episode: int(episode.seed), lambda seed: seed),
    "created": _plain("created", in_fingerprint=False),  # the same play, recorded again, has the same fingerprint
    "split": _plain("split"),
    "steps": EpisodeColumn(INT32, len, None),
    "requests": _as_json("requests", lambda data: tuple(Request(one["step"], TaskSpec(**one["task"])) for one in data)),
    "truth": _as_json("truth", lambda data: tuple(Event(**event) for event in data)),
    "success_step": EpisodeColumn(
        pa.list_(INT32),
        lambda episode: [None if step is None else int(step) for step in episode.success_step],
        tuple,
    ),
    "notes": _as_json("notes"),
}
EPISODES = table_schema("episodes", {name: column.type for name, column in EPISODE_COLUMNS.items()})
_TYPES_BY_ANNOTATION = {
    "str": TEXT,
    "int": INT32,
    "int | None": INT32,
    "float": pa.float64(),
    "float | None": pa.float64(),
    "bool": BOOL,
}


def _columns(kind: type, **others: pa.DataType) -> dict[str, pa.DataType]:
    """Return a column for each field of a record, with other types for some."""
    return {one.name: others.get(one.name) or _TYPES_BY_ANNOTATION[str(one.type)] for one in fields(kind)}


MARKS = table_schema("marks", _columns(Mark, sign=INT8))
JUDGEMENTS = table_schema("judgements", _columns(Judgement))
PREFERENCE_COLUMNS = {table: _columns(kind) for table, kind in STATEMENTS.items()}
TABLE_NAMES = ("episodes", "steps", "marks", "judgements", *PREFERENCE_COLUMNS)
SCHEMAS = {"episodes": EPISODES, "marks": MARKS, "judgements": JUDGEMENTS}  # of ``steps``, each dataset's own
SCHEMAS |= {table: table_schema(table, columns) for table, columns in PREFERENCE_COLUMNS.items()}


def to_tables(episodes: Sequence[Episode]) -> tuple[pa.Table, pa.Table]:
    """Return a row for each of ``episodes``, and their steps, one episode after the other.

    Raises:
      UserError: if a field is not what it should be, or cannot be written, e.g. ``notes`` that are not JSON.
    """
    rows, steps = [], []
    for episode in episodes:
        with _recordable(episode):
            rows.append(episode_row(episode))
            steps.append(steps_table(episode))
            if len(episodes) == 1:
                return episode_table(rows), steps[0]
    try:
        about = episode_table(rows)
    except (TypeError, ValueError, OverflowError):
        for episode, row in zip(episodes, rows, strict=True):
            with _recordable(episode):
                episode_table([row])
        raise
    return about, pa.concat_tables(steps).combine_chunks()


def check_recordable(episode: Episode) -> None:
    """See that ``to_tables`` would take ``episode``, without compressing its frames.

    Raises:
      UserError: as ``to_tables``.
    """
    with _recordable(episode):
        episode_table([episode_row(episode)])
        for texts in (*(getattr(episode, name) for name in TEXTS), *episode.texts.values()):
            pa.array(texts, TEXT)


@contextmanager
def _recordable(episode: Episode) -> Iterator[None]:
    """Check the fields of ``episode``, and turn whatever else keeps it from being written into one line."""
    try:
        episode.check()
        yield
    except (TypeError, ValueError, OverflowError) as error:  # pyarrow's errors are ValueErrors
        why = " ".join(str(error).split()).removeprefix(f"episode {episode.episode_id}: ")
        raise UserError(f"episode {episode.episode_id} cannot be recorded: {why}") from error
    except RecursionError as error:
        raise UserError(f"episode {episode.episode_id} cannot be recorded: its JSON is nested too deeply") from error


def _row_and_texts(about: pa.Table, steps: pa.Table) -> tuple[dict[str, Any], dict[str, Any]]:
    """An episode's row, and its columns of text; raises as ``to_episode``."""
    (row,) = about.to_pylist()
    texts = {name: tuple(steps[name].to_pylist()) for name in TEXTS}
    if row["steps"] != len(steps) or steps["step"].to_pylist() != list(range(len(steps))):
        raise ValueError(f"its steps are not numbered 0 to {row['steps'] - 1}")
    if set(steps["episode_id"].to_pylist()) != {row["episode_id"]}:
        raise ValueError("its steps are another episode's")
    return row, texts


def to_compressed(about: pa.Table, steps: pa.Table) -> CompressedEpisode:
    """As ``to_episode``, with the frames as they are stored, and only the fields that learning needs."""
    row, texts = _row_and_texts(about, steps)
    spaces = spaces_of(steps.schema)
    return CompressedEpisode(
        episode_id=row["episode_id"],
        solver=row["solver"],
        frames=None if spaces.solver.observation.image is None else tuple(files_of(steps)),
        **play_fields(steps, spaces, setter=False),
        **texts,
    )


TRANSCRIPT_COLUMNS = ("episode_id", "step", *TEXTS, "controller")
_TRANSCRIPT_FIELDS = ("episode_id", "setter", "solver", "config", "notes", "requests", "success_step", "seed")


def to_transcript(about: pa.Table, steps: pa.Table) -> EpisodeTranscript:
    """As ``to_episode``, of steps with ``TRANSCRIPT_COLUMNS`` alone, and only what its transcript has."""
    row, texts = _row_and_texts(about, steps)
    known = fields_of_row(row, *_TRANSCRIPT_FIELDS)
    if not isinstance(known["notes"], dict):
        raise ValueError("its notes are no object")
    check_requests(known["requests"], known["success_step"], len(steps))
    return EpisodeTranscript(
        **known,
        setter_text=texts["setter_text"],
        setter_utterance=texts["setter_utterance"],
        utterance=texts["utterance"],
        taken_over=bool((values_of(steps["controller"]).to_numpy() == CO_PILOT).any()),
    )


def to_episode(about: pa.Table, steps: pa.Table) -> Episode:
    """The episode of which ``to_tables`` made these tables.

    Raises:
      ValueError, TypeError or KeyError: if they are not such tables.
    """
    row, texts = _row_and_texts(about, steps)
    spaces = spaces_of(steps.schema)
    return Episode(image=_drawn(steps, spaces), **fields_of_row(row), **play_fields(steps, spaces), **texts)


def fields_of_row(row: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Return fields of an episode, by default all, from its row of the table ``episodes``."""
    columns = {name: EPISODE_COLUMNS[name] for name in names or EPISODE_COLUMNS if name in row}
    return {name: column.read(row[name]) for name, column in columns.items() if column.read is not None}


def marks_table(marks: Iterable[Mark]) -> pa.Table:
    """One row a mark."""
    return pa.Table.from_pylist([vars(mark) for mark in marks], schema=MARKS)


def judgements_table(judgements: Iterable[Judgement]) -> pa.Table:
    """One row a judgement."""
    return pa.Table.from_pylist([vars(judgement) for judgement in judgements], schema=JUDGEMENTS)


def preferences_table(table: str, preferences: Iterable[Statement]) -> pa.Table:
    """One row a record of ``table``, one of ``STATEMENTS``."""
    schema = SCHEMAS[table]
    floats = [field.name for field in schema if pa.types.is_floating(field.type)]
    rows = [dict(vars(preference)) for preference in preferences]
    for row in rows:  # pyarrow makes no floats of integers that they cannot hold exactly
        row.update((name, float(row[name])) for name in floats if row[name] is not None)
    return pa.Table.from_pylist(rows, schema=schema)


def episode_table(rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Return the table of rows. Raises ValueError, TypeError or OverflowError for what a column cannot hold."""
    return pa.Table.from_pylist(rows, schema=EPISODES)  # type: ignore[arg-type]


def episode_row(episode: Episode) -> dict[str, Any]:
    """Return the columns of the row of ``episode``. Raises ValueError or TypeError for what is no JSON."""
    return {name: column.write(episode) for name, column in EPISODE_COLUMNS.items()}


def files_of(steps: pa.Table) -> list[bytes]:
    """Return the PNG files of the frames."""
    return values_of(steps["image"]).field("bytes").to_pylist()


def _drawn(steps: pa.Table, spaces: EpisodeSpaces) -> np.ndarray | None:
    """Frames of an episode; None where its spaces have none."""
    image = spaces.solver.observation.image
    return None if image is None else decode_frames(files_of(steps), image.channels)
