"""Files of a run that grow by one line of JSON a row; every row has the ``step`` (the update) that it speaks of.

A crash may cut the last line off, and a resumed run comes by the steps after its checkpoint once more.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rlhf.store.columns import json_text
from rlhf.store.files.durable import write_file
from worlds.errors import UserError

Row = dict[str, Any]


def read_rows(path: Path) -> list[Row]:
    """All rows of the file, in the order written. A last line that was cut off by a crash is left out.

    Raises:
      FileNotFoundError: if there is no such file.
      UserError: if a line before the last is damaged.
    """
    lines = path.read_bytes().splitlines(keepends=True)
    rows = []
    for number, line in enumerate(lines, 1):
        try:
            rows.append(_row(line))
        except ValueError as error:
            if number == len(lines) and not line.endswith(b"\n"):
                break
            raise _damaged(path, number, error) from None
    return rows


def truncate_after(path: Path, resume_step: int | None) -> None:
    """Take away a last line that a crash cut off, and the rows after ``resume_step``.

    Raises:
      UserError: if a line has to be understood for that and is damaged.
    """
    if not path.exists():
        return
    lines = path.read_bytes().splitlines(keepends=True)
    kept = [line for line in lines if line.endswith(b"\n")]
    if resume_step is not None:
        kept = [line for number, line in enumerate(kept, 1) if _step(path, number, line) <= resume_step]
    if len(kept) < len(lines):
        write_file(path, b"".join(kept))


def _row(line: bytes) -> Row:
    row = json_text.from_json(line)
    if not isinstance(row, dict) or not isinstance(row.get("step"), int):
        raise ValueError("it has no step")
    return {name: float(value) if value in ("nan", "inf", "-inf") else value for name, value in row.items()}


def _step(path: Path, number: int, line: bytes) -> int:
    try:
        return _row(line)["step"]
    except ValueError as error:
        raise _damaged(path, number, error) from None


def _damaged(path: Path, number: int, error: ValueError) -> UserError:
    return UserError(f"{path}, line {number}, is damaged ({error}); remove that line")
