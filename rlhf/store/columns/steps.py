"""The columns of the table ``steps``, made from the spaces of the episodes: arrays to Arrow and back.

``docs/dataset-format.md`` describes every column. Arrays of a fixed shape are nested lists of fixed sizes; the entities
of a step are a list of as many rows as there are. What the spaces do not declare has no column.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa

from rlhf.records.declared_fields import ENTITY_COUNTS, seen_names
from rlhf.records.episode import Episode
from rlhf.records.spaces import EpisodeSpaces, playhouse_spaces
from rlhf.store.columns.png import encode_frames
from rlhf.store.columns.schemas import IMAGE, INT32, TEXT, UINT8, table_schema
from worlds.spaces.action import ActionSpec
from worlds.spaces.observation import PlayerSpec

TEXTS = ("setter_text", "solver_text", "utterance", "setter_utterance")
_PLAYHOUSE = playhouse_spaces(1, 1)  # pictures of all sizes have the same columns
_FURTHER_TEXT = "text_{}"  # the column of a further text
_ENTITIES = ("entity_categories", "entity_values")
_Array = tuple[Any, tuple[int, ...]]  # type of the numbers, shape of a step or, of entities, of a row


@lru_cache(maxsize=16)
def steps_schema(spaces: EpisodeSpaces | None) -> pa.Schema:
    """Return the schema of ``steps`` for episodes of ``spaces``; None are those of the Playhouse."""
    declared = spaces or _PLAYHOUSE
    arrays = {
        **_seen_arrays(declared.solver), **_moves("", declared.solver.action), **_moves("setter_", declared.setter)
    }  # fmt: skip
    kinds = {name: _nested_type(*array) for name, array in arrays.items() if 0 not in array[1]}
    kinds |= {name: pa.list_(kinds[name]) for name in _ENTITIES if name in kinds}
    columns = {"episode_id": TEXT, "step": INT32}
    columns |= {"image": IMAGE} if declared.solver.observation.image is not None else {}
    columns |= {name: kinds[name] for name in seen_names(declared.solver) if name in kinds}
    columns |= {"setter_text": TEXT, "solver_text": TEXT}
    columns |= {_FURTHER_TEXT.format(name): TEXT for name in declared.solver.observation.texts}
    columns |= {name: kinds[name] for name in ("movement", "continuous") if name in kinds}
    columns |= {"utterance": TEXT}
    columns |= {name: kinds[name] for name in ("setter_movement", "setter_continuous") if name in kinds}
    columns |= {"setter_utterance": TEXT, "controller": UINT8}
    return table_schema("steps", columns, spaces)


def _seen_arrays(player: PlayerSpec) -> dict[str, _Array]:
    known = player.observation
    found: dict[str, _Array] = {}
    if known.grid is not None:
        found["grid"] = np.int16, known.grid.shape
    if known.entities is not None:
        found["entity_categories"] = np.int16, (len(known.entities.categorical),)
        found["entity_values"] = np.float32, (len(known.entities.real),)
    if known.vector is not None:
        found["vector"] = np.float32, (known.vector.length,)
    if player.action.masked:
        found["legal"] = np.bool_, (int(player.action.counts.sum()),)
    return found


def _moves(player: str, action: ActionSpec) -> dict[str, _Array]:
    return {
        f"{player}movement": (action.dtype, (action.ticks, len(action.discrete))),
        f"{player}continuous": (np.float32, (action.ticks, len(action.continuous))),
    }


def steps_table(episode: Episode) -> pa.Table:
    """Return the rows of ``episode``. Raises ValueError or TypeError for what cannot be written."""
    steps, schema = len(episode), steps_schema(episode.spaces)
    columns = {
        "episode_id": pa.array([episode.episode_id] * steps, TEXT),
        "step": pa.array(np.arange(steps, dtype=np.int32)),
        "controller": pa.array(np.ascontiguousarray(episode.controller)),
    }
    columns |= {name: pa.array(getattr(episode, name), TEXT) for name in TEXTS}
    columns |= {_FURTHER_TEXT.format(name): pa.array(texts, TEXT) for name, texts in episode.texts.items()}
    if episode.image is not None:
        files = pa.array(encode_frames(episode.image), pa.binary())
        columns["image"] = pa.StructArray.from_arrays([files, pa.nulls(steps, TEXT)], fields=list(IMAGE))
    for name in schema.names:
        if name not in columns:
            array = episode.seen[name] if name in episode.seen else getattr(episode, name)
            kind = schema.field(name).type
            columns[name] = (
                _entity_lists(array, episode.seen[ENTITY_COUNTS], kind) if name in _ENTITIES else _nested(array, kind)
            )
    return pa.table([columns[name] for name in schema.names], schema=schema)


def play_fields(steps: pa.Table, spaces: EpisodeSpaces | None, setter: bool = True) -> dict[str, Any]:
    """Return the fields of an episode that ``steps`` have, but for frames and the four texts; arrays are the caller's.

    Args:
      steps: rows of one episode.
      spaces: of the episode.
      setter: whether the setter's movement is wanted.

    Raises:
      ValueError or KeyError: the columns are not those of ``spaces``.
    """
    declared = spaces or _PLAYHOUSE
    fields: dict[str, Any] = {"controller": values_of(steps["controller"]).to_numpy().copy()}
    fields |= _moved(steps, _moves("", declared.solver.action))
    fields |= _moved(steps, _moves("setter_", declared.setter)) if setter else {}
    if spaces is None:
        return fields
    texts = {name: tuple(steps[_FURTHER_TEXT.format(name)].to_pylist()) for name in spaces.solver.observation.texts}
    return fields | {"spaces": spaces, "seen": _seen(steps, spaces.solver), "texts": texts}


def _moved(steps: pa.Table, arrays: Mapping[str, _Array]) -> dict[str, np.ndarray]:
    """Movement, and continuous values where there are some, of one player."""
    found = {}
    for name, (dtype, shape) in arrays.items():
        if 0 not in shape:
            found[name] = _unnested(name, steps, shape)
        elif name.endswith("movement"):  # of a body without such components
            found[name] = np.zeros((len(steps), *shape), dtype)
    return found


def _seen(steps: pa.Table, player: PlayerSpec) -> dict[str, np.ndarray]:
    """Arrays of observations, in the order of their names."""
    arrays = _seen_arrays(player)
    found = {name: _unnested(name, steps, shape) for name, (_, shape) in arrays.items() if name not in _ENTITIES}
    if player.observation.entities is not None:
        stored = {name: values_of(steps[name]) for name in _ENTITIES if 0 not in arrays[name][1]}
        found[ENTITY_COUNTS] = counts = _entity_counts(stored)
        for name in _ENTITIES:
            dtype, shape = arrays[name]
            size = (int(counts.sum()), *shape)
            found[name] = _numbers(name, stored[name].flatten(), size) if name in stored else np.zeros(size, dtype)
    return {name: found[name] for name in seen_names(player)}


def _nested_type(dtype: Any, shape: Sequence[int]) -> pa.DataType:
    kind = pa.from_numpy_dtype(dtype)
    for size in reversed(shape):
        kind = pa.list_(kind, size)
    return kind


def _nested(array: np.ndarray, kind: pa.DataType) -> pa.Array:
    """An array [T, ...] as nested lists, without copying each number."""
    kinds = []
    while pa.types.is_fixed_size_list(kind):
        kinds.append(kind)
        kind = kind.value_type
    values = pa.array(np.ascontiguousarray(array).reshape(-1))
    for each in reversed(kinds):
        values = pa.FixedSizeListArray.from_arrays(values, type=each)
    return values


def _unnested(name: str, steps: pa.Table, shape: tuple[int, ...]) -> np.ndarray:
    """Return a column of ``steps`` as an array [T, *shape]. Raises as :func:`_numbers`."""
    return _numbers(name, values_of(steps[name]), (len(steps), *shape))


def _numbers(name: str, column: Any, shape: tuple[int, ...]) -> np.ndarray:
    """Nested lists as an array of ``shape``, the caller's own. Raises ValueError if they are of another."""
    for _ in shape[1:]:
        if not pa.types.is_nested(column.type):
            raise ValueError(f"{name} is {column.type}, not lists in {len(shape) - 1} levels")
        column = column.flatten()
    if column.null_count:
        raise ValueError(f"{name} holds nulls")
    return column.to_numpy(zero_copy_only=False).reshape(shape).copy()


def _entity_lists(array: np.ndarray, counts: np.ndarray, kind: pa.DataType) -> pa.Array:
    """Rows of entities, end to end, as a list of rows for every step."""
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), _nested(array, kind.value_type), type=kind)


def _entity_counts(columns: Mapping[str, Any]) -> np.ndarray:
    """Number of entities of every step, int32 [T]. Raises ValueError if the columns differ or are no lists."""
    counts = np.zeros(0, np.int32)
    for number, (name, column) in enumerate(columns.items()):
        if not pa.types.is_list(column.type) or column.null_count:
            raise ValueError(f"{name} is {column.type}, not a list of entities for every step")
        found = column.value_lengths().to_numpy().astype(np.int32)
        if number and not np.array_equal(found, counts):
            step = int((found != counts).argmax())
            raise ValueError(
                f"step {step} has {counts[step]} rows of categories of entities, and {found[step]} of values"
            )
        counts = found
    return counts


def values_of(column: pa.ChunkedArray) -> Any:
    """``column`` as one Arrow array."""
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
