"""Records as Arrow tables and back: the columns of the dataset's Parquet files.

``docs/dataset-format.md`` describes every column. The schemas carry the features that Hugging Face ``datasets``
looks for, so that ``load_dataset("parquet", ...)`` shows frames as pictures.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pyarrow as pa

from rlhf.records.episode import CO_PILOT, Episode, Request
from rlhf.records.fields import check_requests
from rlhf.records.marks import Judgement, Mark
from rlhf.records.preferences import Preference
from rlhf.store.compressed import CompressedEpisode
from rlhf.store.json_text import from_json, to_json
from rlhf.store.png import decode_frames, encode_frames
from rlhf.store.preference_columns import PREFERENCE_COLUMNS
from rlhf.store.transcript import EpisodeTranscript
from worlds.contract import MOVEMENT, TICKS_PER_STEP, Event, TaskSpec
from worlds.errors import UserError

SCHEMA_VERSION = 1
_OURS = b"interactive-rlhf"  # key of the schema metadata that says whose file and which version

_INT8, _UINT8, _INT32, _INT64 = pa.int8(), pa.uint8(), pa.int32(), pa.int64()
_BOOL, _TEXT = pa.bool_(), pa.string()
_IMAGE = pa.struct([("bytes", pa.binary()), ("path", _TEXT)])
TEXTS = ("setter_text", "solver_text", "utterance", "setter_utterance")
_MOVEMENT = pa.list_(pa.list_(_INT8, len(MOVEMENT)), TICKS_PER_STEP)


def _feature(kind: pa.DataType) -> dict[str, Any]:
    """Return the name of an Arrow type in ``datasets``."""
    if kind == _IMAGE:
        return {"_type": "Image"}
    if pa.types.is_fixed_size_list(kind):
        return {"feature": _feature(kind.value_type), "length": kind.list_size, "_type": "List"}
    if pa.types.is_list(kind):
        return {"feature": _feature(kind.value_type), "_type": "List"}
    return {"dtype": "float64" if kind == pa.float64() else str(kind), "_type": "Value"}


def _schema(table: str, columns: dict[str, pa.DataType]) -> pa.Schema:
    features = {name: _feature(kind) for name, kind in columns.items()}
    return pa.schema(columns.items()).with_metadata(
        {
            b"huggingface": json.dumps({"info": {"features": features}}).encode(),
            _OURS: json.dumps({"table": table, "schema_version": SCHEMA_VERSION}).encode(),
        }
    )


EPISODES = _schema(
    "episodes",
    {
        "episode_id": _TEXT,
        "world": _TEXT,
        "config": _TEXT,
        "setter": _TEXT,
        "solver": _TEXT,
        "seed": _INT64,
        "created": _TEXT,
        "split": _TEXT,
        "steps": _INT32,
        "requests": _TEXT,
        "truth": _TEXT,
        "success_step": pa.list_(_INT32),
        "notes": _TEXT,
    },
)
STEPS = _schema(
    "steps",
    {
        "episode_id": _TEXT,
        "step": _INT32,
        "image": _IMAGE,
        "setter_text": _TEXT,
        "solver_text": _TEXT,
        "movement": _MOVEMENT,
        "utterance": _TEXT,
        "setter_movement": _MOVEMENT,
        "setter_utterance": _TEXT,
        "controller": _UINT8,
    },
)
MARKS = _schema("marks", {"episode_id": _TEXT, "rater": _TEXT, "step": _INT32, "sign": _INT8, "scripted": _BOOL})
JUDGEMENTS = _schema(
    "judgements",
    {
        "episode_id": _TEXT,
        "judge": _TEXT,
        "success": _BOOL,
        "step": _INT32,
        "scripted": _BOOL,
        "left_out": _TEXT,
    },
)
SCHEMAS = {"episodes": EPISODES, "steps": STEPS, "marks": MARKS, "judgements": JUDGEMENTS}
SCHEMAS |= {table: _schema(table, columns) for table, columns in PREFERENCE_COLUMNS.items()}


def table_name(schema: pa.Schema) -> str | None:
    """Which table of ours a file with this schema holds; None if it is foreign or of another version."""
    try:
        ours = from_json((schema.metadata or {}).get(_OURS, b"{}"))
    except ValueError:
        return None
    return ours.get("table") if ours.get("schema_version") == SCHEMA_VERSION else None


def to_tables(episode: Episode) -> tuple[pa.Table, pa.Table]:
    """The one row and the T rows of ``episode``.

    Raises:
      UserError: if a field is not what it should be, or cannot be written, e.g. ``notes`` that are not JSON.
    """
    with _recordable(episode):
        return episode_table(episode), _steps_table(episode)


def check_recordable(episode: Episode) -> None:
    """See that ``to_tables`` would take ``episode``, without compressing its frames.

    Raises:
      UserError: as ``to_tables``.
    """
    with _recordable(episode):
        episode_table(episode)
        for name in TEXTS:
            pa.array(getattr(episode, name), _TEXT)


@contextmanager
def _recordable(episode: Episode) -> Iterator[None]:
    """Check the fields of ``episode``, and turn whatever else keeps it from being written into one line."""
    try:
        episode.check()
        if episode.spaces is not None:
            raise ValueError("declared spaces are not written yet")
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
    return CompressedEpisode(
        episode_id=row["episode_id"],
        solver=row["solver"],
        frames=tuple(values_of(steps["image"]).field("bytes").to_pylist()),
        movement=movement_of(steps["movement"]),
        controller=values_of(steps["controller"]).to_numpy().copy(),
        **texts,
    )


TRANSCRIPT_COLUMNS = ("episode_id", "step", *TEXTS, "controller")


def to_transcript(about: pa.Table, steps: pa.Table) -> EpisodeTranscript:
    """As ``to_episode``, of steps with ``TRANSCRIPT_COLUMNS`` alone, and only what its transcript has."""
    row, texts = _row_and_texts(about, steps)
    notes, requests, success_step = from_json(row["notes"]), _requests(row["requests"]), tuple(row["success_step"])
    if not isinstance(notes, dict):
        raise ValueError("its notes are no object")
    check_requests(requests, success_step, len(steps))
    return EpisodeTranscript(
        episode_id=row["episode_id"],
        setter=row["setter"],
        solver=row["solver"],
        notes=notes,
        requests=requests,
        success_step=success_step,
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
    return Episode(
        episode_id=row["episode_id"],
        world=row["world"],
        config=from_json(row["config"]),
        setter=row["setter"],
        solver=row["solver"],
        image=_decoded(steps["image"]),
        movement=movement_of(steps["movement"]),
        setter_movement=movement_of(steps["setter_movement"]),
        controller=values_of(steps["controller"]).to_numpy().copy(),
        requests=_requests(row["requests"]),
        truth=tuple(Event(**event) for event in from_json(row["truth"])),
        success_step=tuple(row["success_step"]),
        seed=row["seed"],
        created=row["created"],
        split=row["split"],
        notes=from_json(row["notes"]),
        **texts,
    )


def _requests(text: str) -> tuple[Request, ...]:
    return tuple(Request(one["step"], TaskSpec(**one["task"])) for one in from_json(text))


def marks_table(marks: Iterable[Mark]) -> pa.Table:
    """One row a mark."""
    return pa.Table.from_pylist([vars(mark) for mark in marks], schema=MARKS)


def judgements_table(judgements: Iterable[Judgement]) -> pa.Table:
    """One row a judgement."""
    return pa.Table.from_pylist([vars(judgement) for judgement in judgements], schema=JUDGEMENTS)


def preferences_table(table: str, preferences: Iterable[Preference]) -> pa.Table:
    """One row a record of ``table``, one of ``PREFERENCES``."""
    return pa.Table.from_pylist([vars(preference) for preference in preferences], schema=SCHEMAS[table])


def episode_table(episode: Episode) -> pa.Table:
    """The row of ``episode``. Raises as ``to_tables``."""
    row = {
        "episode_id": episode.episode_id,
        "world": episode.world,
        "config": to_json(episode.config),
        "setter": episode.setter,
        "solver": episode.solver,
        "seed": episode.seed,
        "created": episode.created,
        "split": episode.split,
        "steps": len(episode),
        "requests": to_json(episode.requests),
        "truth": to_json(episode.truth),
        "success_step": list(episode.success_step),
        "notes": to_json(episode.notes),
    }
    return pa.Table.from_pylist([row], schema=EPISODES)


def _steps_table(episode: Episode) -> pa.Table:
    steps = len(episode)
    columns = {
        "episode_id": pa.array([episode.episode_id] * steps, _TEXT),
        "step": pa.array(np.arange(steps, dtype=np.int32)),
        "image": pa.StructArray.from_arrays(
            [pa.array(encode_frames(episode.pictures()), pa.binary()), pa.nulls(steps, _TEXT)], fields=list(_IMAGE)
        ),
        "setter_text": pa.array(episode.setter_text, _TEXT),
        "solver_text": pa.array(episode.solver_text, _TEXT),
        "movement": _movement_array(episode.movement),
        "utterance": pa.array(episode.utterance, _TEXT),
        "setter_movement": _movement_array(episode.setter_movement),
        "setter_utterance": pa.array(episode.setter_utterance, _TEXT),
        "controller": pa.array(np.ascontiguousarray(episode.controller)),
    }
    return pa.table([columns[name] for name in STEPS.names], schema=STEPS)


def _movement_array(movement: np.ndarray) -> pa.Array:
    """int8 [T, 8, components] as nested lists, without copying each number."""
    bins = pa.array(np.ascontiguousarray(movement).reshape(-1))
    ticks = pa.FixedSizeListArray.from_arrays(bins, type=_MOVEMENT.value_type)
    return pa.FixedSizeListArray.from_arrays(ticks, type=_MOVEMENT)


def movement_of(column: pa.ChunkedArray) -> np.ndarray:
    """int8 [T, 8, components], the caller's own."""
    return values_of(column).flatten().flatten().to_numpy().reshape(len(column), TICKS_PER_STEP, len(MOVEMENT)).copy()


def _decoded(column: pa.ChunkedArray) -> np.ndarray:
    return decode_frames(values_of(column).field("bytes").to_pylist())


def values_of(column: pa.ChunkedArray) -> Any:
    """``column`` as one Arrow array."""
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
