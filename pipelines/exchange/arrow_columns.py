"""Columns of other programs' Arrow tables, as arrays and texts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc


def to_numpy(column: Any, shape: Sequence[int]) -> np.ndarray:
    """Return a column of numbers as a new array [T, *shape].

    Raises ValueError if it has nulls, no numbers, or other shapes.
    """
    values: Any = plain(column)
    steps, wanted, sides = len(values), tuple(shape), list[int]()
    for _ in shape:
        if isinstance(values.type, pa.BaseExtensionType):
            values = values.storage
        if pa.types.is_nested(values.type):
            is_record = pa.types.is_struct(values.type) or pa.types.is_map(values.type)
            if values.null_count or not hasattr(values, "flatten") or is_record:
                raise ValueError(f"it has values that are no lists of numbers, but {column.type}")
            sides.append(_length(values, wanted))
            values = values.flatten()
    numeric = pa.types.is_integer(values.type) or pa.types.is_floating(values.type) or pa.types.is_boolean(values.type)
    if not numeric or values.null_count:
        raise ValueError("it has nulls" if numeric else f"it has {values.type} values, not numbers")
    array = values.to_numpy(zero_copy_only=False)
    flat = (math.prod(wanted),)  # rows of several dimensions may lie in one list
    if tuple(sides) not in (wanted, flat) and (sides or flat != (1,)):
        raise ValueError(f"it has {array.size} numbers in {steps} rows, not {list(shape)} in each")
    return array.reshape(steps, *shape).copy()


def is_text(kind: pa.DataType) -> bool:
    """Return whether columns of a type hold texts, dictionary-encoded ones included."""
    if pa.types.is_dictionary(kind):
        return is_text(kind.value_type)
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)


def to_texts(column: Any) -> tuple[str, ...]:
    """Return a column of texts. Raises ValueError if it holds anything else."""
    values = column.to_pylist()
    if not all(isinstance(value, str) for value in values):
        raise ValueError("it has values that are no texts")
    return tuple(values)


def _length(lists: Any, shape: Sequence[int]) -> int:
    """Length of each of ``lists``, 0 where there is none. Raises ValueError if they differ."""
    found = pc.call_function("list_value_length", [lists]).unique().to_pylist()
    if len(found) > 1:
        raise ValueError(f"it has lists of {found[0]} and of {found[1]} values, not {list(shape)} in each row")
    return found[0] if found else 0


def plain(column: Any) -> Any:
    """Return ``column`` as one Arrow array of one of Arrow's own types, not dictionary-encoded."""
    values = column
    if isinstance(column, pa.ChunkedArray):
        values = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    values = values.storage if isinstance(values.type, pa.BaseExtensionType) else values
    return values.dictionary_decode() if pa.types.is_dictionary(values.type) else values
