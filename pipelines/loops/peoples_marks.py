"""Marks that people give to a round's play, waited for: in the round's dataset, or as a file beside it."""

from __future__ import annotations

import time
from pathlib import Path

from rlhf.run.progress import announce
from rlhf.store import ParquetStore, open_store
from rlhf.store.marks_file import FORMATS, import_marks
from worlds.errors import UserError

POLL_EVERY_SEC = 2.0


class MarksMissing(Exception):
    """A round cannot go on before people have marked its play. The message is one line: what to mark, how to go on."""


def wait_for_marks(folder: Path, number: int, least: int, wait: bool) -> int:
    """See that the play in ``folder/data`` of round ``number`` has ``least`` marks; how many it has.

    Marks come into that dataset by any process (``store.write_marks``, ``rlhf marks import``), or from the file
    ``marks.jsonl`` or ``marks.parquet`` in ``folder``, which is imported when it is there.

    Args:
      wait: look for them again and again; otherwise look once.

    Raises:
      MarksMissing: if there are too few and ``wait`` is not set.
      UserError: if the file is not what it should be; while waiting, that is said and the file looked at again when it
        has changed.
    """
    store, looked_at, said = open_store(folder / "data"), None, None
    while True:
        version = _version(folder)
        if version != looked_at:
            looked_at = version
            _take(folder, store, wait)
        count = len(store.marks())
        if count >= least:
            announce(f"round {number} has {count} marks")
            return count
        told = _told(folder, number, store, count, least)
        if not wait:
            raise MarksMissing(f"{told}, then run the same command again (--wait stays, --least-marks asks for fewer)")
        if count != said:
            announce(f"{told}; waiting for them")
            said = count
        time.sleep(POLL_EVERY_SEC)


def _take(folder: Path, store: ParquetStore, wait: bool) -> None:
    """Import the files of marks that lie in ``folder``."""
    for path in _files(folder):
        try:
            new, _ = import_marks(store, path)
        except UserError as error:
            if not wait:
                raise
            announce(f"{error}; nothing of it was used")
        else:
            if new:
                announce(f"{new} marks from {path}")


def _files(folder: Path) -> list[Path]:
    return [path for suffix in FORMATS if (path := folder / f"marks{suffix}").is_file()]


def _version(folder: Path) -> list[tuple[str, int, int]]:
    """Changes when a file of marks comes or is replaced."""
    return [(path.name, path.stat().st_mtime_ns, path.stat().st_size) for path in _files(folder)]


def _told(folder: Path, number: int, store: ParquetStore, count: int, least: int) -> str:
    return (
        f"round {number} waits for people to mark the {len(store)} episodes in {store}: {count} of {least} marks are "
        f"there; write marks into that dataset, or put them into {folder / 'marks.jsonl'}"
    )
