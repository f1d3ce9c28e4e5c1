"""Gathering episodes of small files into files of many episodes, which other programs open faster.

Short episodes that have a row group each, as those that were recorded one by one, are put together in row groups of
several, as `rlhf record` does: they take less space, and are opened and read faster.

A new file is written beside the old ones, without the dataset's lock: files of play never change, so recording and
reading continue. Then, under the lock, it gets its name, the index is replaced, and the old files are removed. A
process that dies before the new index is there has changed nothing, and one that dies later has done its work but for
the removal, which the next one to open the dataset completes. A reader that finds a file gone looks the episode up
again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pyarrow as pa

from rlhf.store.files.durable import explained, sync
from rlhf.store.files.pack_file import PackFile
from rlhf.store.files.parquet_files import Damaged, damage, ids_by_group, read_part, spans_of, to_bytes
from rlhf.store.folder.index import TABLES, Entry, EpisodeIndex, moved
from rlhf.store.upkeep.recovery import data_file
from worlds.errors import UserError

_MB = 1e6
LONG = 16  # steps of a row group that is left as it is; reading single episodes at random would become slower
MOST_STEPS = 128  # of a row group that is put together of several
_MOST_BYTES = 2**22  # of the row groups that are put together in one
_WHAT = "a file of many episodes"

Writing = Callable[[str], AbstractContextManager[None]]


class Missing(UserError):
    """A file of an episode is gone."""

    def __init__(self, message: str, entry: Entry) -> None:
        super().__init__(message)
        self.entry = entry


class OtherColumns(Exception):
    """An episode has other columns than those that it is to be put together with."""


@dataclass(frozen=True)
class _Part:
    """A row group of each table, with the episodes that share it.

    Args:
      sources: the episodes, in the order of their rows, where they are now.
      read: by table, the rows and a file of them.
    """

    sources: list[Entry]
    read: Mapping[str, tuple[pa.Table, bytes]]

    @property
    def steps(self) -> int:
        """Number of rows of the table ``steps``."""
        return len(self.read["steps"][0])

    @property
    def bytes(self) -> int:
        """Bytes of a file of the rows of the table ``steps``."""
        return len(self.read["steps"][1])


class Pack:
    """A new pair of files of many episodes, ``episodes/<stem>.parquet`` and ``steps/<stem>.parquet``.

    Raises:
      OSError: from every method, if the system refuses.
    """

    def __init__(self, folder: Path) -> None:
        self.stem = f"pack-{uuid4().hex}"
        self.sources: list[Entry] = []
        self.entries: list[Entry] = []  # of the same episodes, here
        self.joined = 0  # row groups that were put together with others
        self._folder = folder
        self._files: dict[str, PackFile] = {}
        self._schemas: dict[str, pa.Schema] = {}
        self._small: list[_Part] = []  # not written yet
        try:
            for table in TABLES:
                self._files[table] = PackFile(data_file(folder, table, self.stem))
        except BaseException:
            self.discard()
            raise

    @property
    def size(self) -> int:
        """Bytes of the steps."""
        return self._files["steps"].size

    def add(self, sources: Sequence[Entry]) -> None:
        """Add episodes of one file of the dataset; those that share a row group are kept together.

        Raises:
          OtherColumns: if they cannot be put together with those that are here.
          Missing: if their file is gone.
          UserError: if it is damaged.
        """
        for own in self._parts(sources):
            part = _Part(own, {table: self._read(own, table) for table in TABLES})
            schemas = {table: rows.schema for table, (rows, _) in part.read.items()}
            known = self._schemas or schemas
            if not all(known[table].equals(schema, check_metadata=True) for table, schema in schemas.items()):
                raise OtherColumns
            self._schemas = known
            if _is_small(part.steps, part.bytes):
                self._add_small(part)
            else:
                self._write([part])

    def _add_small(self, part: _Part) -> None:
        """Keep a small part until there are enough for a row group."""
        if sum(each.bytes for each in self._small) + part.bytes > _MOST_BYTES:
            self._write_small()
        self._small.append(part)
        if sum(each.steps for each in self._small) >= MOST_STEPS:
            self._write_small()

    def _write_small(self) -> None:
        """Write what is kept as one row group."""
        parts, self._small = self._small, []
        if parts:
            self._write(parts)

    def _write(self, parts: Sequence[_Part]) -> None:
        """Write ``parts`` as one row group of each table."""
        spans = {}
        for table, file in self._files.items():
            rows, single = parts[0].read[table]
            if len(parts) > 1:
                rows = pa.concat_tables([part.read[table][0] for part in parts]).combine_chunks()
                single = to_bytes([rows])
            spans[table] = file.add(rows, single)
        self.joined += len(parts) - 1
        for part in parts:
            self.sources += part.sources
            self.entries += [moved(source, self.stem, spans) for source in part.sources]

    def _parts(self, sources: Sequence[Entry]) -> list[list[Entry]]:
        """Return the episodes of each row group."""
        if len(sources) == 1:
            return [list(sources)]
        parts: dict[Hashable, list[Entry]] = {}
        groups: dict[str, int] = {}
        if any(source.spans is None for source in sources):
            with self._readable(sources[0], "episodes") as path:
                ids = ids_by_group(path, "episodes")
            groups = {episode_id: group for group, own in enumerate(ids) for episode_id in own}
        for source in sources:
            part = groups.get(source.row.episode_id) if source.spans is None else source.span("episodes")
            parts.setdefault(part, []).append(source)
        return list(parts.values())

    def _read(self, part: Sequence[Entry], table: str) -> tuple[pa.Table, bytes]:
        """Return the rows of episodes that share a row group, and a file of them."""
        with self._readable(part[0], table) as path:
            return read_part(path, table, [source.row.episode_id for source in part], part[0].span(table))

    @contextmanager
    def _readable(self, source: Entry, table: str) -> Iterator[Path]:
        """Turn the errors of reading the file of ``source`` into those of ``add``."""
        path = data_file(self._folder, table, source.file)
        try:
            yield path
        except FileNotFoundError as error:
            raise Missing(damage(path, "it is missing", source.row.episode_id), source) from error
        except Damaged as error:
            raise UserError(damage(path, error, source.row.episode_id)) from error

    def finish(self) -> None:
        """Put the two files on disk, still without their names."""
        self._write_small()
        for file in self._files.values():
            file.finish()

    def publish(self) -> None:
        """Give the two files their names."""
        for table, file in self._files.items():
            file.publish()
            sync(self._folder / table)

    def discard(self) -> None:
        """Remove the two files."""
        for file in self._files.values():
            file.discard()


def compact(folder: Path, index: EpisodeIndex, file_mb: float, writing: Writing, gathered: Callable[[], object]) -> int:
    """Put the episodes of files of less than ``file_mb`` together in files of at least that, and one of the rest.

    A larger file is written again only if most of its row groups are of few steps. Episodes with different columns are
    not put together.

    Args:
      file_mb: megabytes (10^6 bytes) of steps from which on a file is left as it is.
      gathered: called after each episode.

    Returns:
      How many files of steps fewer there are because of it.

    Raises:
      UserError: if a file is damaged or cannot be written; the dataset is whole.
    """
    enough, fewer = file_mb * _MB, 0
    files = _files_to_gather(folder, index, enough)
    while len(files) > 1 or any(map(_is_in_small_groups, files)):
        saved = _gather(folder, index, files, enough, writing, gathered)
        fewer += saved or 0
        if saved is None:
            files = _files_to_gather(folder, index, enough)
    return fewer


def repack(
    folder: Path, index: EpisodeIndex, entries: Mapping[str, Entry], groups: Sequence[Sequence[str]], replaced: set[str]
) -> None:
    """Make ``entries`` the dataset's, by episode id. The caller holds the lock.

    Args:
      replaced: stems of the files that no episode needs any more.
    """
    packs: list[Pack] = []
    with _kept_if_listed(packs, index):
        for ids in groups:
            packs.append(Pack(folder))
            packs[-1].add([entries[episode_id] for episode_id in ids])
            packs[-1].finish()
        _replace(folder, index, entries, packs, replaced)


def _files_to_gather(folder: Path, index: EpisodeIndex, enough: float) -> deque[list[Entry]]:
    """Return the episodes of each file that is to be put together with others, in the order of recording.

    Its steps take less than ``enough`` bytes, or it has row groups that are to be put together. A file that holds
    others, too, is left: they were damaged when the index was recreated.
    """
    files: dict[str, list[Entry]] = {}
    for entry in index.entries().values():
        files.setdefault(entry.file, []).append(entry)
    found = deque()
    for stem, entries in files.items():
        path = data_file(folder, "steps", stem)
        parts = {entry.span("steps") for entry in entries}
        is_wanted = _size(path) < enough or _is_in_small_groups(entries)
        if is_wanted and (None in parts or _count(path) in (None, len(parts))):
            found.append(entries)
    return found


def _is_in_small_groups(entries: Sequence[Entry]) -> bool:
    """Return whether most row groups of a file, and more than one, have few steps.

    Args:
      entries: of its episodes. Where a line does not say where its episode lies, the row group is the episode's own.
    """
    steps: dict[Hashable, int] = {}
    size: dict[Hashable, int] = {}
    for number, entry in enumerate(entries):
        span = entry.span("steps")
        group = number if span is None else span
        steps[group] = steps.get(group, 0) + entry.row.steps
        size[group] = 0 if span is None else span[1] - span[0]
    small = sum(_is_small(steps[group], size[group]) for group in steps)
    return small > 1 and 2 * small > len(steps)


def _is_small(steps: int, size: int) -> bool:
    """Return whether a row group is to be put together with others like it.

    Args:
      steps: number of its steps.
      size: bytes of a file of them.
    """
    return steps < LONG and 2 * size <= _MOST_BYTES


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:  # it is missing or was just replaced, which its reader finds out
        return 0


def _count(path: Path) -> int | None:
    """Return how many parts a file of steps of many episodes has; None if it cannot be read."""
    try:
        return len(spans_of(path, "steps"))
    except (Damaged, FileNotFoundError):
        return None


def _gather(
    folder: Path,
    index: EpisodeIndex,
    files: deque[list[Entry]],
    enough: float,
    writing: Writing,
    gathered: Callable[[], object],
) -> int | None:
    """Take from the left into a file of ``enough`` bytes; return how many files fewer there are, None on a change."""
    packs: list[Pack] = []
    with explained(_WHAT, folder), _kept_if_listed(packs, index):
        with writing(_WHAT):  # until its files are locked, they look like those of a killed process
            packs.append(pack := Pack(folder))
        try:
            _fill(pack, files, enough, gathered)
        except Missing as missing:
            if index.entries().get(missing.entry.row.episode_id) == missing.entry:
                raise
            pack.discard()
            return None
        pack.finish()
        replaced = {source.file for source in pack.sources}
        if len(replaced) == 1 and not pack.joined:
            pack.discard()  # there is nothing to put together
            return 0
        with writing(_WHAT):
            entries = index.entries()
            if any(entries.get(source.row.episode_id) != source for source in pack.sources):
                pack.discard()
                return None
            _replace(folder, index, entries, packs, replaced)
    return len(replaced) - 1


def _fill(pack: Pack, files: deque[list[Entry]], enough: float, gathered: Callable[[], object]) -> None:
    """Take ``files`` from the left into ``pack`` until it has ``enough`` bytes; those with other columns are left."""
    others = []
    while files and pack.size < enough:
        entries = files.popleft()
        try:
            pack.add(entries)
            for _ in entries:
                gathered()
        except OtherColumns:
            others.append(entries)
    files.extendleft(reversed(others))


@contextmanager
def _kept_if_listed(packs: list[Pack], index: EpisodeIndex) -> Iterator[None]:
    """On an error (or Ctrl-C), remove those of ``packs`` that did not get into the index."""
    try:
        yield
    except BaseException:
        used = {entry.file for entry in index.entries().values()}
        for pack in packs:
            if pack.stem not in used:
                pack.discard()
        raise


def _replace(
    folder: Path, index: EpisodeIndex, entries: Mapping[str, Entry], packs: Iterable[Pack], replaced: set[str]
) -> None:
    """Publish ``packs``, make ``entries``, moved to them, the index, and remove the files of the stems ``replaced``."""
    current = dict(entries)
    for pack in packs:
        pack.publish()
        current.update({entry.row.episode_id: entry for entry in pack.entries})
    gone = [f"{table}/{stem}.parquet" for stem in replaced for table in TABLES]
    still_there = [name for name in index.removed() if (folder / name).exists()]
    dropped = index.entries().keys() - current.keys()
    index.rewrite(current.values(), remove=[*gone, *still_there], dropped=dropped)
    for name in gone:
        (folder / name).unlink(missing_ok=True)
    for table in TABLES:
        sync(folder / table)
