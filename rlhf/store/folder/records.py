"""A folder of Parquet files with one kind of record: one file each time some are written, merged when compacted."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from threading import RLock
from typing import Generic
from uuid import uuid4

import pyarrow as pa

from rlhf.records.preferences import STATEMENTS
from rlhf.store.contract import Record, episodes_of, in_order
from rlhf.store.files.durable import sync, write_file
from rlhf.store.files.parquet_files import Damaged, files_in, read_all, to_bytes
from rlhf.store.folder.index import EpisodeIndex
from worlds.errors import UserError

_TRIES = 5  # to list a folder and then read its files before another process replaces one of them


class RecordFolder(Generic[Record]):
    """A set of marks, of judgements, of inferred goals or of one kind of preference.

    Only the holder of the dataset's lock may change it.

    Args:
      folder: where the files lie; its name is the table's.
      index: of the dataset, which notes how many records each file has, so that a loss is noticed.
    """

    def __init__(
        self, folder: Path, kind: type[Record], make_table: Callable[[Iterable[Record]], pa.Table], index: EpisodeIndex
    ) -> None:
        self.folder = folder
        self._index = index
        self._kind = kind
        self._make_table = make_table
        self._lock = RLock()
        self._known: dict[str, tuple[tuple[int, int, int], list[Record]]] = {}  # by file name: its version and contents
        self._by_episode: dict[str, set[Record]] = {}

    def files(self) -> list[Path]:
        """The files, sorted by name."""
        return files_in(self.folder)

    def all(self) -> list[Record]:
        """Every record, sorted."""
        with self._lock:
            self._refresh()
            return in_order(set[Record]().union(*self._by_episode.values()))

    def of(self, episode_id: str) -> list[Record]:
        """The records of one episode, sorted."""
        with self._lock:
            self._refresh()
            return in_order(self._by_episode.get(episode_id, set()))

    def append(self, records: Iterable[Record]) -> None:
        """Add records in a file of their own."""
        records = in_order(set(records))
        if not records:
            return
        counts = self._uncounted()
        path = self.folder / f"{uuid4().hex}.parquet"
        self.folder.mkdir(exist_ok=True)  # older datasets lack the tables of preferences
        try:
            write_file(path, to_bytes([self._make_table(records)]))
            self._index.count(self.folder.name, {**counts, path.name: len(records)})
        except BaseException:
            if path.name not in self.counted():
                path.unlink(missing_ok=True)
            raise

    def counted(self) -> Mapping[str, int]:
        """Return the number of records that the index notes for each file; none for files of older versions."""
        return self._index.counts(self.folder.name)

    def counts(self) -> dict[str, int]:
        """Return how many records there are of each episode that has some."""
        with self._lock:
            self._refresh()
            return {episode_id: len(records) for episode_id, records in self._by_episode.items()}

    def drop(self, episode_ids: Iterable[str]) -> None:
        """Remove the records of these episodes, file by file."""
        gone = set(episode_ids)
        self.remove(lambda record: not gone.isdisjoint(episodes_of(record)))

    def remove(self, unwanted: Callable[[Record], bool]) -> int:
        """Remove the unwanted records, file by file; how many there were. Interrupted, it can be done again."""
        with self._lock:
            self._refresh()
            files = {name: records for name, (_, records) in self._known.items()}
        kept = {name: [record for record in records if not unwanted(record)] for name, records in files.items()}
        fewer = [name for name in files if not kept[name] or len(kept[name]) < len(files[name])]
        counted = self.counted()
        self._index.count(self.folder.name, {name: len(kept[name]) for name in fewer if name in counted})
        for name in fewer:
            if kept[name]:
                write_file(self.folder / name, to_bytes([self._make_table(kept[name])]))
            else:
                (self.folder / name).unlink()
        if fewer:
            sync(self.folder)
        return sum(len(files[name]) - len(kept[name]) for name in fewer)

    def compact(self) -> None:
        """Put all records into one file. After a crash in between some are in two files; they are read once."""
        files = self.files()
        if len(files) > 1:
            self.append(self.all())
            counted = self.counted()
            self._index.count(self.folder.name, {file.name: 0 for file in files if file.name in counted})
            for file in files:
                file.unlink()
            sync(self.folder)

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

    def _uncounted(self) -> dict[str, int]:
        """Numbers of records in the files that the index does not note yet; damaged files are left out."""
        found, counted = {}, self.counted()
        for path in self.files():
            if path.name not in counted:
                try:
                    found[path.name] = len(self.read_file(path))
                except (UserError, FileNotFoundError):
                    continue
        return found

    def _refresh(self) -> None:
        """Read the files that are new or changed since the last time; files never change but by being replaced."""
        for _ in range(_TRIES):
            try:
                if self._is_missing_in_older_dataset():
                    return
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

    def _is_missing_in_older_dataset(self) -> bool:
        """Return whether the folder was never there: its table is younger than the dataset."""
        return self.folder.name in STATEMENTS and not self.folder.exists() and not self.counted()

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
                for episode_id in episodes_of(record):
                    self._by_episode.setdefault(episode_id, set()).add(record)


def _version(entry: os.DirEntry[str]) -> tuple[int, int, int]:
    stat = entry.stat()
    return stat.st_ino, stat.st_size, stat.st_mtime_ns
