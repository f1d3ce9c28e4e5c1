"""Wait for people's marks on a round's play, in the round's dataset or in a file beside it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from rlhf.records.preferences import RequestVerdict
from rlhf.run.progress import announce
from rlhf.store import ParquetStore, open_store
from rlhf.store.transfer.record_files import MARK_FILES, import_records
from rlhf.store.transfer.rows import FORMATS
from worlds.errors import UserError

POLL_EVERY_SEC = 2.0


class MarksMissing(Exception):
    """A round needs marks of people before it resumes. The message is one line: episodes to mark, and how to resume."""


def wait_for_marks(data: Path, folder: Path, number: int, least: int, wait: bool, others: Sequence[Path] = ()) -> int:
    """Return the number of marks and verdicts on a round's play, once there are enough.

    Any process may write marks into the dataset (``store.write_marks``, ``rlhf marks import``). A file ``marks.jsonl``
    or ``marks.parquet`` in ``folder`` is imported.

    Args:
      data: dataset with the play.
      folder: folder of the round.
      number: number of the round, for messages.
      least: number of marks and verdicts that are needed.
      wait: poll until there are enough; False checks once.
      others: datasets with other play of the round, whose marks and verdicts count, too.

    Raises:
      MarksMissing: if there are too few and ``wait`` is False.
      UserError: if the file cannot be imported and ``wait`` is False. While waiting, that is announced, and the file is
        read again when it has changed.
    """
    store, imported, announced = open_store(data), None, None
    stores = [store, *map(open_store, others)]
    while True:
        version = _version(folder)
        if version != imported:
            imported = version
            _import(folder, store, wait)
        count = sum(len(one.marks()) + len(one.preferences(RequestVerdict)) for one in stores)
        if count >= least:
            announce(f"round {number} has {count} marks")
            return count
        missing = _missing(folder, number, store, count, least)
        if not wait:
            raise MarksMissing(f"{missing}, then run the same command again (--wait waits, --least-marks needs fewer)")
        if count != announced:
            announce(f"{missing}; waiting for them")
            announced = count
        time.sleep(POLL_EVERY_SEC)


def _import(folder: Path, store: ParquetStore, wait: bool) -> None:
    """Import the files of marks in ``folder``."""
    for path in _files(folder):
        try:
            new, _ = import_records(store, path, MARK_FILES)
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
    """Return names, times and sizes of the files of marks, which change when one is added or replaced."""
    return [(path.name, path.stat().st_mtime_ns, path.stat().st_size) for path in _files(folder)]


def _missing(folder: Path, number: int, store: ParquetStore, count: int, least: int) -> str:
    return (
        f"round {number} waits for people to mark the {len(store)} episodes in {store}: {count} of {least} marks are "
        f"there; write marks into that dataset, or put them into {folder / 'marks.jsonl'}"
    )
