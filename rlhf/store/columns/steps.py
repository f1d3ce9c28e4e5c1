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

from rlhf.records.episode import Episode
from rlhf.records.spaces import EpisodeSpaces
from rlhf.store.columns.png import encode_frames
from rlhf.store.columns.schemas import IMAGE, INT32, TEXT, UINT8, table_schema
from worlds.spaces.action import ActionSpec
from worlds.spaces.observation import PlayerSpec
from worlds.spaces.steps import ENTITIES, ENTITY_COUNTS, step_arrays

TEXTS = ("setter_text", "solver_text", "utterance", "setter_utterance")
_FURTHER_TEXT = "text_{}"  # the column of a further text
_Array = tuple[np.dtype, tuple[int, ...]]  # type of the numbers, shape of a step or, of entities, of a row


@lru_cache(maxsize=16)
def steps_schema(spaces: EpisodeSpaces) -> pa.Schema:
    """Return the schema of ``steps`` for episodes of ``spaces``."""
    solver = spaces.solver
    seen, did, asked = _seen_arrays(solver), _moves("", solver.action), _moves("setter_", spaces.setter)
    columns = {"episode_id": TEXT, "step": INT32}
    columns |= {} if solver.observation.image is None else {"image": IMAGE}
    columns |= {name: _nested_type(*array, rows=name in ENTITIES) for name, array in seen.items() if 0 not in array[1]}
    columns |= {"setter_text": TEXT, "solver_text": TEXT}
    columns |= {_FURTHER_TEXT.format(name): TEXT for name in solver.observation.texts}
    for arrays, said in ((did, "utterance"), (asked, "setter_utterance")):
        columns |= {name: _nested_type(*array) for name, array in arrays.items() if 0 not in array[1]}
        columns |= {said: TEXT}
    return table_schema("steps", columns | {"controller": UINT8}, spaces)


def _seen_arrays(player: PlayerSpec) -> dict[str, _Array]:
    """Arrays of observations that have columns of numbers."""
    return {
        name: (dtype, tuple(side for side in shape if side is not None))
        for name, (dtype, shape) in player.arrays.items()
        if name != "image"
    }


def _moves(player: str, action: ActionSpec) -> dict[str, _Array]:
    return {f"{player}{name}": array for name, array in action.arrays.items()}  # type: ignore[misc]


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
                _entity_lists(array, episode.seen[ENTITY_COUNTS], kind) if name in ENTITIES else _nested(array, kind)
            )
    return pa.table([columns[name] for name in schema.names], schema=schema)


def play_fields(steps: pa.Table, spaces: EpisodeSpaces, setter: bool = True) -> dict[str, Any]:
    """Return the fields of an episode that ``steps`` have, but for frames and the four texts; arrays are the caller's.

    Args:
      setter: whether the setter's movement is wanted.

    Raises:
      ValueError or KeyError: the columns are not those of ``spaces``.
    """
    moves = _moves("", spaces.solver.action) | (_moves("setter_", spaces.setter) if setter else {})
    return {
        "controller": values_of(steps["controller"]).to_numpy().copy(),
        **{name: _unnested(name, steps, *array) for name, array in moves.items()},
        "spaces": spaces,
        "seen": _seen(steps, spaces.solver),
        "texts": {
            name: tuple(steps[_FURTHER_TEXT.format(name)].to_pylist()) for name in spaces.solver.observation.texts
        },
    }


def _seen(steps: pa.Table, player: PlayerSpec) -> dict[str, np.ndarray]:
    """Arrays of observations, in the order of their names."""
    arrays, found = _seen_arrays(player), dict[str, np.ndarray]()
    stored = {name: values_of(steps[name]) for name in ENTITIES if name in arrays and 0 not in arrays[name][1]}
    for name in step_arrays(player):
        if name == ENTITY_COUNTS:
            found[name] = _entity_counts(stored)
        elif name in ENTITIES:
            dtype, shape = arrays[name]
            size = (int(found[ENTITY_COUNTS].sum()), *shape)
            found[name] = _numbers(name, stored[name].flatten(), size) if name in stored else np.zeros(size, dtype)
        elif name != "image":
            found[name] = _unnested(name, steps, *arrays[name])
    return found


def _nested_type(dtype: np.dtype, shape: Sequence[int], rows: bool = False) -> pa.DataType:
    """Return the type of a step's array; with ``rows``, of as many such arrays as there are entities."""
    kind = pa.from_numpy_dtype(dtype)
    for size in reversed(shape):
        kind = pa.list_(kind, size)
    return pa.list_(kind) if rows else kind


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


def _unnested(name: str, steps: pa.Table, dtype: np.dtype, shape: tuple[int, ...]) -> np.ndarray:
    """Return a column as an array [T, *shape]; what has no numbers has no column. Raises as :func:`_numbers`."""
    if 0 in shape:
        return np.zeros((len(steps), *shape), dtype)
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
