"""Tables in JSON files beside the code: each entry becomes a value or a frozen dataclass, checked by its annotations.

TOML would have room for comments, but Python reads the kinds of the Playhouse from it in 30 ms, from JSON in 2 ms.
"""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, TypeVar

from worlds.errors import UserError
from worlds.settings import BadValue, validated

Entry = TypeVar("Entry")


def read_entries(file: Path, kind: type[Entry], named: str = "name") -> dict[str, Entry]:
    """Return the entries of a file by their names, in the order of the file.

    Args:
      file: a JSON object of entries.
      kind: annotation of each entry. Entries of a dataclass may leave out fields with defaults.
      named: the field, if the dataclass has it, that is the name of the entry.

    Raises:
      UserError: the file is no such object, or an entry does not fit; the line names the file, the entry and the field.
    """
    found = {}
    has_name = is_dataclass(kind) and named in {field.name for field in fields(kind)}
    for name, data in _load(file).items():
        try:
            if has_name and isinstance(data, dict):
                if named in data:
                    raise BadValue(f"no field named {named!r}: that is the name of the entry")
                data = {named: name, **data}
            found[name] = validated(kind, data)
        except ValueError as error:
            raise UserError(f"{file.name}: {name}: {error}") from error
    return found


def _load(file: Path) -> dict[str, Any]:
    try:
        data = json.loads(file.read_text(encoding="utf-8"), object_pairs_hook=_once)
    except ValueError as error:
        raise UserError(f"{file.name}: {error}") from error
    if not isinstance(data, dict):
        raise UserError(f"{file.name}: {data!r:.80} is no JSON object of entries by name")
    return data


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise BadValue(f"{next(name for name in names if names.count(name) > 1)!r} is there twice")
    return found
