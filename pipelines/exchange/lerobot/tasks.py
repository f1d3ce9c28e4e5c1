"""What the episodes of a LeRobot dataset ask for: the texts of ``meta/tasks.parquet``.

Which of its columns has them differs: LeRobot writes "task", or the index of a data frame without a name, and others
have added columns, such as a language or translations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.json

from pipelines.exchange.arrow_columns import is_text, to_numpy
from pipelines.exchange.lerobot.layout import TASKS
from pipelines.exchange.lerobot.reader import explained, read_table
from pipelines.exchange.source_files import regular
from worlds.errors import UserError

_NUMBER, _KNOWN = "task_index", ("task", "__index_level_0__")
_OPTION = "--lerobot.instruction-column"
_LINES = "meta/tasks.jsonl"  # of earlier versions, which some tools leave in place


@dataclass(frozen=True)
class Tasks:
    """The texts of all tasks.

    Args:
      texts: by the task's number; None where there is none.
    """

    path: Path
    texts: Mapping[int, str | None]
    column: str
    others: Sequence[str]

    @classmethod
    def read(cls, folder: Path, column: str | None = None) -> Tasks:
        """Read the tasks of the dataset in ``folder``.

        Args:
          column: that has the texts; None takes the first known one that has any, or the only one of texts.

        Raises UserError if the file is missing or damaged, or a column has to be named.
        """
        path = folder / TASKS
        is_lines = not path.exists() and (folder / _LINES).exists()
        path = folder / _LINES if is_lines else path
        table = _lines(path) if is_lines else read_table(path, None)
        there = {name: table[name] for name in table.column_names if is_text(table[name].type)}
        if _NUMBER not in table.column_names or not there:
            raise UserError(f"{path} has no columns {_NUMBER} and task; it has {', '.join(table.column_names)}")
        chosen = _chosen(path, {name: texts.to_pylist() for name, texts in there.items()}, column)
        with explained(path, _NUMBER):
            numbers = to_numpy(table[_NUMBER], (1,)).reshape(-1).tolist()
        texts: dict[int, str | None] = {}
        for number, text in zip(numbers, there[chosen].to_pylist(), strict=True):
            if texts.setdefault(number, text) != text:
                raise UserError(f"{path} has several texts {chosen} for task {number}; keep one row for each task")
        return cls(path, texts, chosen, [name for name in there if name != chosen])

    def of(self, numbers: Sequence[int], episode: str) -> tuple[str, ...]:
        """Return the texts of tasks. Raises UserError if there is no such task."""
        unknown = next((number for number in numbers if self.texts.get(number) is None), None)
        if unknown is not None:
            raise UserError(f"{self.path} has no task {unknown}, which {episode} has")
        return tuple(self.texts[number] or "" for number in numbers)

    def notes(self) -> list[str]:
        """Return a line about the choice of the column, if there was one."""
        if not self.others:
            return []
        return [f"requests are the column {self.column}, not {', '.join(self.others)}; {_OPTION} takes another"]


def _chosen(path: Path, columns: Mapping[str, Sequence[str | None]], named: str | None) -> str:
    """Return the name of the column of texts. Raises UserError if it has to be named, or is not there."""
    if named is not None:
        if named not in columns:
            raise UserError(f"{path} has no column of texts {named}; it has {', '.join(columns)}")
        return named
    known = [name for name in _KNOWN if name in columns]
    full = (name for name in known if any(text and text.strip() for text in columns[name]))
    found = next(full, known[0] if known else None) or (next(iter(columns)) if len(columns) == 1 else None)
    if found is None:
        raise UserError(f"{path} has several columns of texts, {', '.join(columns)}; name one with {_OPTION}")
    return found


def _lines(path: Path) -> pa.Table:
    """Read a file of JSON lines. Raises UserError if it is none."""
    try:
        return pyarrow.json.read_json(regular(path))
    except (pa.ArrowException, OSError) as error:
        raise UserError(f"{path} is damaged or cannot be read ({' '.join(str(error).split())})") from error
