"""Marks as a file that other programs write and read, see :mod:`rlhf.store.transfer.record_files`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rlhf.records.marks import Mark
from rlhf.store import EpisodeStore
from rlhf.store.transfer.record_files import FORMATS, MARK_FILES, export_records, read_records

__all__ = ["FORMATS", "export_marks", "import_marks"]


def import_marks(store: EpisodeStore, path: Path) -> tuple[int, int]:
    """Add the marks in the file ``path`` to ``store``, all of them or, if one is wrong, none.

    Returns:
      Number of new marks, and number of marks that the store had already.

    Raises:
      UserError: naming the first line that is wrong: it is no mark, or one of an unknown episode or of a step outside
        its episode, or the same as an earlier line.
    """
    marks, known = read_records(store, path, MARK_FILES), set(store.marks())
    new = [mark for mark in marks if mark not in known]
    store.write_marks(new)
    return len(new), len(marks) - len(new)


def export_marks(marks: Sequence[Mark], path: Path) -> None:
    """Write ``marks`` to the file ``path``, in their order; a reader sees the whole file or none.

    Raises:
      UserError: if there is such a file already, or its name ends in no format.
    """
    export_records(marks, path, MARK_FILES)
