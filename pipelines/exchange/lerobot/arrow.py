"""Columns of Arrow tables as LeRobot writes and reads them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from pipelines.exchange.arrow_columns import plain
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


def files_of(column: pa.ChunkedArray) -> list[bytes]:
    """Return the files of a column of pictures.

    Raises ValueError if a picture is not in the column; a path to elsewhere is never followed.
    """
    if not pa.types.is_struct(column.type) or column.type.get_field_index("bytes") < 0:
        raise ValueError(f"it has {column.type} values, not pictures")
    files = plain(column).field("bytes").to_pylist()
    if not all(isinstance(file, bytes) and file for file in files):
        raise ValueError("it has pictures that are not in the file itself")
    return files
