"""Columns of numbers and texts between NumPy and Arrow, in the shapes in which LeRobot reads and writes them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipelines.exchange.lerobot.layout import Feature

IMAGE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])


def arrow_type(feature: Feature) -> pa.DataType:
    """Return the type of a column of numbers, lists of numbers, texts or pictures."""
    if feature.dtype == "image":
        return IMAGE
    kind = pa.string() if feature.dtype == "string" else pa.from_numpy_dtype(np.dtype(feature.dtype))
    return kind if feature.shape == (1,) else pa.list_(kind, feature.shape[0])


def to_arrow(values: Any, feature: Feature) -> pa.Array:
    """Return a column of ``values``: an array [T, *shape], texts [T], or PNG files [T]."""
    kind = arrow_type(feature)
    if feature.dtype == "image":
        files = pa.array(values, pa.binary())
        return pa.StructArray.from_arrays([files, pa.nulls(len(files), pa.string())], fields=list(IMAGE))
    if feature.dtype == "string":
        return pa.array(values, kind)
    column: Any = pa.array(np.ascontiguousarray(values, np.dtype(feature.dtype)).reshape(-1))
    return column if feature.shape == (1,) else pa.FixedSizeListArray.from_arrays(column, type=kind)


def to_numpy(column: pa.ChunkedArray, shape: Sequence[int]) -> np.ndarray:
    """Return a column of numbers as an array [T, *shape], the caller's own.

    Raises:
      ValueError: it has nulls, no numbers, or other shapes.
    """
    values: Any = _plain(column)
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
    """Return whether columns of a type have texts, also where each text lies there once and rows have its number."""
    if pa.types.is_dictionary(kind):
        return is_text(kind.value_type)
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)


def to_texts(column: pa.ChunkedArray) -> tuple[str, ...]:
    """Return a column of texts. Raises ValueError if it has others."""
    values = column.to_pylist()
    if not all(isinstance(value, str) for value in values):
        raise ValueError("it has values that are no texts")
    return tuple(values)


def files_of(column: pa.ChunkedArray) -> list[bytes]:
    """Return the files of a column of pictures.

    Raises:
      ValueError: a picture is not in the column; a path to elsewhere is never followed.
    """
    if not pa.types.is_struct(column.type) or column.type.get_field_index("bytes") < 0:
        raise ValueError(f"it has {column.type} values, not pictures")
    files = _plain(column).field("bytes").to_pylist()
    if not all(isinstance(file, bytes) and file for file in files):
        raise ValueError("it has pictures that are not in the file itself")
    return files


def _length(lists: Any, shape: Sequence[int]) -> int:
    """Length of each of ``lists``, 0 where there is none. Raises ValueError if they differ."""
    found = pc.call_function("list_value_length", [lists]).unique().to_pylist()
    if len(found) > 1:
        raise ValueError(f"it has lists of {found[0]} and of {found[1]} values, not {list(shape)} in each row")
    return found[0] if found else 0


def _plain(column: pa.ChunkedArray) -> Any:
    """``column`` as one Arrow array of a type that Arrow itself knows, without numbers that stand for values."""
    values: Any = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    values = values.storage if isinstance(values.type, pa.BaseExtensionType) else values
    return values.dictionary_decode() if pa.types.is_dictionary(values.type) else values
