"""Records as JSON text that reads back equal."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any


def to_json(value: Any) -> str:
    """Strict JSON of plain data, mappings and dataclasses, keys in the given order.

    Floats keep every bit. Raises ``TypeError`` or ``ValueError`` for what JSON cannot say (NaN included).
    """
    return json.dumps(value, default=_plain, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def from_json(text: str | bytes, pairs: Callable[[list[tuple[str, Any]]], Any] | None = None) -> Any:
    """Return the value of the JSON ``text``.

    Args:
      pairs: makes an object of its names and values; None: a dict.

    Raises:
      ValueError: if it is not JSON, nested more deeply than can be read, or has text that no file can hold.
    """
    try:
        found = json.loads(text, object_pairs_hook=pairs)
        is_escaped = b"\\u" in text if isinstance(text, bytes) else "\\u" in text
        if (is_escaped or not text.isascii()) and _SURROGATE.search(
            text if isinstance(text, str) else text.decode(errors="surrogatepass")
        ):
            json.dumps(found, ensure_ascii=False).encode()
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except UnicodeEncodeError:
        raise ValueError("it holds half of a character") from None
    return found


_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")  # half a character, escaped or as it is; pairs are fine


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"a {type(value).__name__} has no JSON form")
