"""``index.jsonl``: which episodes a dataset has. An episode is recorded once its line is here.

The first line carries a token that changes whenever the file is rewritten, so that another process which has
read the file knows whether it only grew. A line of an episode is its listing row and the name of the file that
holds it; a line with ``episodes`` is a list of such objects, so that episodes that are recorded at once are listed at
once. A line with ``remove`` names files that were replaced or dropped, or are about to be added, and may lie about
after a crash; ``dropped`` in it has the ids of episodes that were dropped, so that a drop can be repeated. A line with
``marks``, ``judgements`` or a table of preferences says how many of them there are at least in which file, so that a
loss is noticed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from threading import RLock
from typing import Any, get_type_hints
from uuid import uuid4

from rlhf.records.preferences import STATEMENTS
from rlhf.store.columns.json_text import from_json, to_json
from rlhf.store.contract import EpisodeRow
from rlhf.store.files.checksums import Span
from rlhf.store.files.durable import open_own, write_all, write_file
from worlds.errors import UserError

INDEX_FILE = "index.jsonl"
TABLES = ("episodes", "steps")  # in the order of writing: where there are steps, the episode's row is complete
COUNTED = ("marks", "judgements", *STATEMENTS)  # tables whose files are no episodes'
_TYPES = get_type_hints(EpisodeRow)
_SEVERAL = "episodes"  # key of a line about several


@dataclass(frozen=True)
class Entry:
    """Location of an episode: ``episodes/<file>.parquet`` and ``steps/<file>.parquet``.

    Args:
      fingerprint: of the episode, see ``rlhf.store.columns.fingerprint``; None in a line that an older version wrote.
      spans: where the episode, or the group of short ones that it was recorded with, lies in files of many, by table;
        None: the files are searched for it.
    """

    row: EpisodeRow
    file: str
    fingerprint: str | None = None
    spans: Mapping[str, Span] | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the entry as the object of its line in the file."""
        values = {**asdict(self.row), "file": self.file}
        if self.spans is not None:
            values["bytes"] = self.spans
        if self.fingerprint is not None:
            values["fingerprint"] = self.fingerprint
        return values

    def span(self, table: str) -> Span | None:
        """Return where the episode lies in its file of ``table``; None: the file is searched for it."""
        return None if self.spans is None else self.spans[table]


class EpisodeIndex:
    """The entries of one ``index.jsonl``, kept up to date with what other processes write.

    Only the holder of the dataset's lock may append or rewrite.

    Raises:
      UserError: from every method, if the file is missing or damaged.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / INDEX_FILE
        self._lock = RLock()
        self._forget()

    @staticmethod
    def create(folder: Path) -> None:
        """Begin an index without episodes."""
        write_file(folder / INDEX_FILE, _header())

    def entries(self) -> Mapping[str, Entry]:
        """Entries by episode id, in the order of recording, as of now. Later changes make a new mapping."""
        with self._lock:
            self._refresh()
            return self._entries

    def rows(self) -> Mapping[str, EpisodeRow]:
        """The same as listing rows."""
        with self._lock:
            self._refresh()
            return self._rows

    def removed(self) -> set[str]:
        """Names, relative to the dataset, of files that no episode needs any more."""
        with self._lock:
            self._refresh()
            return self._removed

    def dropped(self) -> set[str]:
        """Ids of episodes that were dropped, those that were recorded again left out."""
        with self._lock:
            self._refresh()
            return self._dropped - self._entries.keys()

    def counts(self, table: str) -> Mapping[str, int]:
        """Return how many rows of ``table``, one of ``COUNTED``, there are at least in each of its files, by name."""
        with self._lock:
            self._refresh()
            return {name: count for name, count in self._counts[table].items() if count}

    def append(self, entries: Iterable[Entry]) -> None:
        """Add entries at the end; on disk when this returns. A crash leaves all of them or none."""
        values = [entry.to_json() for entry in entries]
        if values:
            self._append(_line(values[0] if len(values) == 1 else {_SEVERAL: values}))

    def expect(self, files: Iterable[str]) -> None:
        """Note the names, relative to the dataset, of files that are added next: a crash leaves none without a line."""
        self._append(_line({"remove": sorted(files)}))

    def count(self, table: str, counts: Mapping[str, int]) -> None:
        """Have other numbers in ``counts(table)``, for the files in ``counts``; on disk when this returns.

        The number is recorded after rows were added and before some are removed: it is never more than there are.
        """
        if counts:
            self._append(_line({table: dict(counts)}))

    def _append(self, lines: bytes) -> None:
        with self._lock:
            self._refresh()
            descriptor = open_own(self.path)
            try:
                os.ftruncate(descriptor, self._offset)  # a line that a crash left half-written
                os.lseek(descriptor, self._offset, os.SEEK_SET)
                try:
                    write_all(descriptor, lines)
                    os.fsync(descriptor)
                except BaseException:
                    os.ftruncate(descriptor, self._offset)
                    raise
            finally:
                os.close(descriptor)

    def rewrite(
        self,
        entries: Iterable[Entry],
        remove: Iterable[str] = (),
        counts: Mapping[str, Mapping[str, int]] | None = None,
        dropped: Iterable[str] = (),
    ) -> None:
        """Replace everything at once: a crash leaves either the old index or the new one.

        Args:
          remove: names of files that no episode needs any more.
          counts: of rows by file, for each of ``COUNTED``; None: as they were when the index was last read.
          dropped: ids of episodes that are dropped, beside those that were before.
        """
        lines = [_header(), *(_line(entry.to_json()) for entry in entries)]
        for table, known in (self._counts if counts is None else counts).items():
            if listed := {name: count for name, count in known.items() if count}:
                lines.append(_line({table: listed}))
        remove, dropped = sorted(remove), sorted(self._dropped.union(dropped))
        if remove or dropped:
            lines.append(_line({"remove": remove} | ({"dropped": dropped} if dropped else {})))
        write_file(self.path, b"".join(lines))

    def _forget(self) -> None:
        self._first: bytes | None = None
        self._offset = 0
        self._lines = 0
        self._entries: dict[str, Entry] = {}
        self._rows: dict[str, EpisodeRow] = {}
        self._removed: set[str] = set()
        self._dropped: set[str] = set()
        self._counts: dict[str, dict[str, int]] = {table: {} for table in COUNTED}

    def _refresh(self) -> None:
        """Read what was added since the last time, or all of it if the file was rewritten."""
        try:
            with open(self.path, "rb") as file:
                first = file.readline()
                if first != self._first or os.fstat(file.fileno()).st_size < self._offset:
                    self._forget()
                    self._start(first)
                file.seek(self._offset)
                whole, newline, _ = file.read().rpartition(b"\n")
        except FileNotFoundError as error:
            raise UserError(f"{self.path} is missing; {REBUILD}") from error
        if newline:
            try:
                self._take(whole.split(b"\n"))
            except UserError:
                self._forget()  # the next call counts the lines from the first one again
                raise
            self._offset += len(whole) + 1

    def _start(self, first: bytes) -> None:
        if "index" not in self._parsed(first):
            raise UserError(f"{self.path} does not begin as an index does; {REBUILD}")
        self._first, self._offset, self._lines = first, len(first), 1

    def _take(self, lines: list[bytes]) -> None:
        """Add what ``lines`` say, in new mappings, so that readers may keep the old ones."""
        new: dict[str, Entry] = {}
        for line in lines:
            self._lines += 1
            values = self._parsed(line)
            if "remove" in values:
                self._removed = self._removed | self._names(values["remove"])
                self._dropped = self._dropped | self._names(values.get("dropped", []))
                continue
            if tables := [table for table in COUNTED if table in values]:
                for table in tables:
                    self._counts[table].update(self._numbers(values[table]))
                continue
            try:
                entries = [_entry(each) for each in _listed(values)]
            except ValueError as error:
                raise UserError(f"line {self._lines} of {self.path} {error}; {REBUILD}") from error
            new.update((entry.row.episode_id, entry) for entry in entries)
        self._entries = {**self._entries, **new}
        self._rows = {**self._rows, **{episode_id: entry.row for episode_id, entry in new.items()}}

    def _names(self, remove: Any) -> set[str]:
        if not isinstance(remove, list) or not all(isinstance(name, str) for name in remove):
            raise UserError(f"line {self._lines} of {self.path} removes what are no names of files; {REBUILD}")
        return set(remove)

    def _numbers(self, counts: Any) -> dict[str, int]:
        if not isinstance(counts, dict) or not all(
            _is_plain(name) and type(count) is int and count >= 0 for name, count in counts.items()
        ):
            raise UserError(f"line {self._lines} of {self.path} counts what are no rows of files; {REBUILD}")
        return counts

    def _parsed(self, line: bytes) -> dict[str, Any]:
        try:
            values = from_json(line)
        except ValueError:
            values = None
        if not isinstance(values, dict):
            raise UserError(f"line {self._lines or 1} of {self.path} is damaged; {REBUILD}")
        return values


def _listed(values: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the objects of the episodes of a line. Raises ValueError, saying what the line does, if they are none."""
    several = values.get(_SEVERAL, [values])
    if not isinstance(several, list) or not all(isinstance(each, dict) for each in several):
        raise ValueError(f"lists no episodes: {_SEVERAL} is {to_json(several)[:40]}")
    return several


def _entry(values: dict[str, Any]) -> Entry:
    """The entry that a line's ``values`` are. Raises ValueError, saying what the line does, if they are none."""
    for name, kind in _TYPES.items():
        if name not in values:
            raise ValueError(f"is not an episode's: {name} is missing")
        value = values[name]
        if type(value) is not kind or (kind is int and value < 0):
            wanted = "text" if kind is str else "a whole number from 0 on"
            raise ValueError(f"is not an episode's: {name} is {to_json(value)[:40]}, not {wanted}")
    fingerprint = values.get("fingerprint")
    if not isinstance(fingerprint, str | None):
        raise ValueError("is not an episode's: fingerprint is no text")
    if not _is_plain(values.get("file")):
        raise ValueError("names no file of the dataset")
    row = EpisodeRow(**{name: values[name] for name in _TYPES})
    return Entry(row, values["file"], fingerprint, _spans(values.get("bytes")))


def _spans(values: Any) -> dict[str, Span] | None:
    """Return the spans that an entry's ``bytes`` are. Raises ValueError, saying what is wrong with its line."""
    if values is None:
        return None
    if not isinstance(values, dict) or values.keys() != set(TABLES):
        raise ValueError(f"names no bytes of both {' and '.join(TABLES)}")
    for table, span in values.items():
        whole = isinstance(span, list) and [type(place) for place in span] == [int, int]
        if not whole or not 0 <= span[0] < span[1]:
            raise ValueError(f"names no bytes of {table}: {to_json(span)[:40]} is no begin and end")
    return {table: (begin, end) for table, (begin, end) in values.items()}


REBUILD = "recreate it from the recorded files with `rlhf episodes verify --rebuild`"


def moved(entry: Entry, file: str, spans: Mapping[str, Span]) -> Entry:
    """The same episode in a file of many episodes."""
    return replace(entry, file=file, spans=spans)


def _is_plain(name: object) -> bool:
    """Return whether ``name`` stays in the folder that it is joined to: datasets come from others, too."""
    return isinstance(name, str) and name not in ("", ".", "..") and not any(one in name for one in "/\\\0")


def _header() -> bytes:
    return _line({"index": 1, "token": uuid4().hex})


def _line(values: dict[str, Any]) -> bytes:
    return json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
