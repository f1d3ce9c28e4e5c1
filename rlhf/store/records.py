"""A folder of Parquet files with marks or judgements: one file each time some are written, merged when compacted."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from threading import RLock
from typing import Generic
from uuid import uuid4

import pyarrow as pa

from rlhf.errors import UserError
from rlhf.store.contract import Record, in_order
from rlhf.store.durable import sync_folder, write_file
from rlhf.store.parquet_files import Damaged, read_all, to_bytes

_TRIES = 5  # to list a folder and then read its files before somebody replaces one of them


class RecordFolder(Generic[Record]):
    """What raters said, as a set of records. Only the holder of the dataset's lock may change it.

    Args:
      folder: where the files lie; its name is the table's.
      kind: the records' class. make_table: makes a table of them.
    """

    def __init__(self, folder: Path, kind: type[Record], make_table: Callable[[Iterable[Record]], pa.Table]) -> None:
        self.folder = folder
        self._kind = kind
        self._make_table = make_table
        self._lock = RLock()
        self._known: dict[str, tuple[tuple[int, int, int], list[Record]]] = {}  # by file name: its version and contents
        self._by_episode: dict[str, set[Record]] = {}

    def files(self) -> list[Path]:
        """The files, sorted by name."""
        return sorted(self.folder.glob("*.parquet"))

    def all(self) -> list[Record]:
        """Every record, sorted."""
        with self._lock:
            self._refresh()
            return in_order(record for records in self._by_episode.values() for record in records)

    def of(self, episode_id: str) -> list[Record]:
        """The records of one episode, sorted."""
        with self._lock:
            self._refresh()
            return in_order(self._by_episode.get(episode_id, set()))

    def append(self, records: Iterable[Record]) -> None:
        """Add records in a file of their own."""
        records = in_order(set(records))
        if records:
            write_file(self.folder / f"{uuid4().hex}.parquet", to_bytes([self._make_table(records)]))

    def counts(self) -> dict[str, int]:
        """How many records there are of each episode that has some."""
        with self._lock:
            self._refresh()
            return {episode_id: len(records) for episode_id, records in self._by_episode.items()}

    def drop(self, episode_ids: Iterable[str]) -> None:
        """Remove the records of these episodes, file by file."""
        gone = set(episode_ids)
        self.remove(lambda record: record.episode_id in gone)

    def remove(self, unwanted: Callable[[Record], bool]) -> int:
        """Remove the unwanted records, file by file; how many there were. Interrupted, it can be done again."""
        with self._lock:
            self._refresh()
            files = {name: records for name, (_, records) in self._known.items()}
        removed = 0
        for name, records in files.items():
            kept = [record for record in records if not unwanted(record)]
            removed += len(records) - len(kept)
            if kept and len(kept) < len(records):
                write_file(self.folder / name, to_bytes([self._make_table(kept)]))
            elif not kept:
                (self.folder / name).unlink()
        sync_folder(self.folder)
        return removed

    def compact(self) -> None:
        """Put all records into one file. A crash in between leaves some said twice, which says them once."""
        files = self.files()
        if len(files) > 1:
            self.append(self.all())
            for file in files:
                file.unlink()
            sync_folder(self.folder)

    def read_file(self, path: Path) -> list[Record]:
        """The records in one file.

        Raises:
          UserError: if it is damaged or holds something else.
        """
        try:
            return [self._kind(**row) for row in read_all(path, self.folder.name).to_pylist()]
        except (Damaged, TypeError, ValueError) as error:
            raise UserError(
                f"{path} is damaged ({error}); move it out of the dataset, or put back a copy; "
                "`rlhf episodes verify` lists whatever else is"
            ) from error

    def _refresh(self) -> None:
        """Read the files that are new or changed since the last time; files never change but by being replaced."""
        for _ in range(_TRIES):
            try:
                files = [entry for entry in os.scandir(self.folder) if entry.name.endswith(".parquet")]
                found = {entry.name: _version(entry) for entry in files}
                if {name: version for name, (version, _) in self._known.items()} == found:
                    return
                self._take(found)
                return
            except FileNotFoundError as error:  # another process has just replaced it
                missing = error
        raise UserError(
            f"{missing.filename} is missing; put back a copy, or an empty folder of that name if it was one"
        )

    def _take(self, found: dict[str, tuple[int, int, int]]) -> None:
        """Make the contents of the files in ``found``, versions by name, what is known."""
        known = self._known
        self._known = {
            name: known[name]
            if name in known and known[name][0] == version
            else (version, self.read_file(self.folder / name))
            for name, version in found.items()
        }
        self._by_episode = {}
        for _, records in self._known.values():
            for record in records:
                self._by_episode.setdefault(record.episode_id, set()).add(record)


def _version(entry: os.DirEntry[str]) -> tuple[int, int, int]:
    stat = entry.stat()
    return stat.st_ino, stat.st_size, stat.st_mtime_ns
