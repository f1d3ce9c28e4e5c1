"""Records as Arrow tables and back: the columns of the dataset's Parquet files.

``docs/dataset-format.md`` describes every column.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pyarrow as pa

from rlhf.records.episode import CO_PILOT, Episode, Request
from rlhf.records.fields import check_requests
from rlhf.records.marks import Judgement, Mark
from rlhf.records.preferences import Statement
from rlhf.records.spaces import EpisodeSpaces
from rlhf.store.columns.compressed import CompressedEpisode
from rlhf.store.columns.json_text import from_json, to_json
from rlhf.store.columns.png import decode_frames
from rlhf.store.columns.preferences import PREFERENCE_COLUMNS
from rlhf.store.columns.schemas import BOOL, INT8, INT32, INT64, TEXT, spaces_of, table_schema
from rlhf.store.columns.schemas import SCHEMA_VERSION as SCHEMA_VERSION
from rlhf.store.columns.schemas import table_name as table_name
from rlhf.store.columns.steps import TEXTS, play_fields, steps_schema, steps_table, values_of
from rlhf.store.columns.transcript import EpisodeTranscript
from worlds.contract import Event, TaskSpec
from worlds.errors import UserError

EPISODES = table_schema(
    "episodes",
    {
        "episode_id": TEXT,
        "world": TEXT,
        "config": TEXT,
        "setter": TEXT,
        "solver": TEXT,
        "seed": INT64,
        "created": TEXT,
        "split": TEXT,
        "steps": INT32,
        "requests": TEXT,
        "truth": TEXT,
        "success_step": pa.list_(INT32),
        "notes": TEXT,
    },
)
STEPS = steps_schema(None)
MARKS = table_schema("marks", {"episode_id": TEXT, "rater": TEXT, "step": INT32, "sign": INT8, "scripted": BOOL})
JUDGEMENTS = table_schema(
    "judgements",
    {
        "episode_id": TEXT,
        "judge": TEXT,
        "success": BOOL,
        "step": INT32,
        "scripted": BOOL,
        "left_out": TEXT,
    },
)
SCHEMAS = {"episodes": EPISODES, "steps": STEPS, "marks": MARKS, "judgements": JUDGEMENTS}
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
    pictured = spaces is None or spaces.solver.observation.image is not None
    return CompressedEpisode(
        episode_id=row["episode_id"],
        solver=row["solver"],
        frames=tuple(files_of(steps)) if pictured else None,
        **play_fields(steps, spaces, setter=False),
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
    return Episode(
        episode_id=row["episode_id"],
        world=row["world"],
        config=from_json(row["config"]),
        setter=row["setter"],
        solver=row["solver"],
        image=_drawn(steps, spaces),
        requests=_requests(row["requests"]),
        truth=tuple(Event(**event) for event in from_json(row["truth"])),
        success_step=tuple(row["success_step"]),
        seed=row["seed"],
        created=row["created"],
        split=row["split"],
        notes=from_json(row["notes"]),
        **play_fields(steps, spaces),
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
    return {
        "episode_id": episode.episode_id,
        "world": episode.world,
        "config": to_json(episode.config),
        "setter": episode.setter,
        "solver": episode.solver,
        "seed": int(episode.seed),
        "created": episode.created,
        "split": episode.split,
        "steps": len(episode),
        "requests": to_json(episode.requests),
        "truth": to_json(episode.truth),
        "success_step": [None if step is None else int(step) for step in episode.success_step],
        "notes": to_json(episode.notes),
    }


def files_of(steps: pa.Table) -> list[bytes]:
    """Return the PNG files of the frames."""
    return values_of(steps["image"]).field("bytes").to_pylist()


def _drawn(steps: pa.Table, spaces: EpisodeSpaces | None) -> np.ndarray | None:
    """Frames of an episode; None where its spaces have none."""
    if spaces is None:
        return decode_frames(files_of(steps))
    image = spaces.solver.observation.image
    return None if image is None else decode_frames(files_of(steps), image.channels)
