"""Records as JSON text that reads back equal."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any


def to_json(value: Any) -> str:
    """Strict JSON of plain data, mappings and dataclasses, keys in the given order.

    Floats keep every bit. Raises ``TypeError`` or ``ValueError`` for what JSON cannot say (NaN included).
    """
    return json.dumps(value, default=_plain, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"a {type(value).__name__} has no JSON form")
