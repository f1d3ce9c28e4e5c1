"""Files of a source, which are trusted in nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rlhf.store.columns.json_text import from_json
from worlds.errors import UserError


def regular(path: Path) -> Path:
    """Return ``path``. Raises UserError if it is a pipe, a device or a folder: reading a pipe may never end."""
    if path.exists() and not path.is_file():
        kind = "a folder" if path.is_dir() else "a pipe or a device"
        raise UserError(f"{path} is {kind}, not a file; put a copy of the file in its place")
    return path


def read_json(path: Path, missing: str) -> dict[str, Any]:
    """Return the object that a file of JSON holds.

    Args:
      missing: the message if there is no such file.

    Raises UserError if the file is missing, or holds no object.
    """
    try:
        found = from_json(regular(path).read_bytes())
    except FileNotFoundError:
        raise UserError(missing) from None
    except (OSError, ValueError) as error:
        raise UserError(f"{path} is damaged or cannot be read ({' '.join(str(error).split())})") from error
    if not isinstance(found, dict):
        raise UserError(f"{path} holds no JSON object; it is damaged")
    return found
