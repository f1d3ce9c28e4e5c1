"""The columns of the tables of preferences and inferred goals: the fields of their records, in order."""

from __future__ import annotations

from dataclasses import fields

import pyarrow as pa

from rlhf.records.preferences import STATEMENTS

_TYPES = {  # by annotation
    "str": pa.string(),
    "int": pa.int32(),
    "float": pa.float64(),
    "float | None": pa.float64(),
    "bool": pa.bool_(),
}
PREFERENCE_COLUMNS = {
    table: {field.name: _TYPES[str(field.type)] for field in fields(kind)} for table, kind in STATEMENTS.items()
}
