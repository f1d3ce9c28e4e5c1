"""Arrow schemas of the dataset's tables: types, and what the files say of themselves.

The schemas carry the features that Hugging Face ``datasets`` looks for, so that ``load_dataset("parquet", ...)`` shows
frames as pictures.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import pyarrow as pa

from rlhf.records.spaces import EpisodeSpaces
from rlhf.store.columns.json_text import from_json

FORMAT = 2  # version of the dataset format; 1 declared no spaces
_SAME_TABLES = (1, FORMAT)  # versions in the files of tables: those of tables but `steps` are the same in both
_OURS = b"interactive-rlhf"  # key of the schema metadata that says whose file and which version

INT8, UINT8, INT32, INT64 = pa.int8(), pa.uint8(), pa.int32(), pa.int64()
BOOL, TEXT = pa.bool_(), pa.string()
IMAGE = pa.struct([("bytes", pa.binary()), ("path", TEXT)])
_NAMES = {pa.float32(): "float32", pa.float64(): "float64"}  # where `datasets` has others than Arrow


def table_schema(table: str, columns: Mapping[str, pa.DataType], spaces: EpisodeSpaces | None = None) -> pa.Schema:
    """Return the schema of ``table`` with ``columns``, types by name; ``spaces`` are those of ``steps``."""
    features = {name: _feature(kind) for name, kind in columns.items()}
    ours: dict[str, Any] = {"table": table, "schema_version": FORMAT}
    ours |= {} if spaces is None else {"spaces": spaces.to_json()}
    return pa.schema(columns.items()).with_metadata(
        {b"huggingface": json.dumps({"info": {"features": features}}).encode(), _OURS: json.dumps(ours).encode()}
    )


def _feature(kind: pa.DataType) -> dict[str, Any]:
    """Return the name of an Arrow type in ``datasets``."""
    if kind == IMAGE:
        return {"_type": "Image"}
    if pa.types.is_fixed_size_list(kind):
        return {"feature": _feature(kind.value_type), "length": kind.list_size, "_type": "List"}
    if pa.types.is_list(kind):
        return {"feature": _feature(kind.value_type), "_type": "List"}
    return {"dtype": _NAMES.get(kind, str(kind)), "_type": "Value"}


def table_name(schema: pa.Schema) -> str | None:
    """Which table of ours a file with this schema holds; None if it is foreign or of another version."""
    ours = _about(schema)
    return ours.get("table") if ours.get("schema_version") in _SAME_TABLES else None


def spaces_of(schema: pa.Schema) -> EpisodeSpaces:
    """Return the spaces that the episodes in a file of ``steps`` declare.

    Raises:
      ValueError: it names none, or some that cannot be.
    """
    return _spaces_in((schema.metadata or {}).get(_OURS, b"{}"))


@lru_cache(maxsize=16)
def _spaces_in(about: bytes) -> EpisodeSpaces:
    found = from_json(about)
    if "spaces" not in found:
        raise ValueError(f"it declares no spaces: it is of format {found.get('schema_version')}, not {FORMAT}")
    return EpisodeSpaces.from_json(found["spaces"])


def _about(schema: pa.Schema) -> dict[str, Any]:
    try:
        found = from_json((schema.metadata or {}).get(_OURS, b"{}"))
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
