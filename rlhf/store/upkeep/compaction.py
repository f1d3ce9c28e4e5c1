"""Gathering episodes of small files into files of many episodes, which other programs open faster.

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
from pathlib import Path
from uuid import uuid4

import pyarrow as pa

from rlhf.store.files.durable import explained, sync
from rlhf.store.files.pack_file import PackFile
from rlhf.store.files.parquet_files import Damaged, ids_by_group, read_part, spans_of
from rlhf.store.folder.index import TABLES, Entry, EpisodeIndex, moved
from rlhf.store.upkeep.recovery import data_file
from worlds.errors import UserError

FILE_MB = 128.0
_MB = 1e6
_WHAT = "a file of many episodes"

Writing = Callable[[str], AbstractContextManager[None]]


class Missing(UserError):
    """A file of an episode is gone.

    Args:
      message: what is wrong, and the fix.
      entry: of the episode.
    """

    def __init__(self, message: str, entry: Entry) -> None:
        super().__init__(message)
        self.entry = entry


class OtherColumns(Exception):
    """An episode has other columns than those that it is to be put together with."""


class Pack:
    """A new pair of files of many episodes, ``episodes/<stem>.parquet`` and ``steps/<stem>.parquet``.

    Args:
      folder: of the dataset, whose lock the caller holds.

    Raises:
      OSError: from every method, if the system refuses.
    """

    def __init__(self, folder: Path) -> None:
        self.stem = f"pack-{uuid4().hex}"
        self.sources: list[Entry] = []
        self.entries: list[Entry] = []  # of the same episodes, here
        self._folder = folder
        self._files: dict[str, PackFile] = {}
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
        for part in self._parts(sources):
            read = {table: self._read(part, table) for table in TABLES}
            if not all(self._files[table].takes(rows) for table, (rows, _) in read.items()):
                raise OtherColumns
            spans = {table: self._files[table].add(rows, single) for table, (rows, single) in read.items()}
            self.sources += part
            self.entries += [moved(source, self.stem, spans) for source in part]

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


def compact(
    folder: Path, index: EpisodeIndex, file_mb: float, writing: Writing, gathered: Callable[[], object]
) -> None:
    """Put the episodes of files of less than ``file_mb`` together in files of at least that, and one of the rest.

    Episodes with different columns are not put together.

    Args:
      folder: of the dataset.
      index: of the dataset.
      file_mb: megabytes (10^6 bytes) of steps from which on a file is left as it is.
      writing: holds the dataset's lock while it is entered.
      gathered: called after each episode.

    Raises:
      UserError: if a file is damaged or cannot be written; the dataset is whole.
    """
    enough = file_mb * _MB
    files = _small_files(folder, index, enough)
    while len(files) > 1:
        if not _gather(folder, index, files, enough, writing, gathered):
            files = _small_files(folder, index, enough)


def repack(
    folder: Path, index: EpisodeIndex, entries: Mapping[str, Entry], groups: Sequence[Sequence[str]], replaced: set[str]
) -> None:
    """Make ``entries`` the dataset's, by episode id. The caller holds the lock.

    Args:
      groups: ids of the episodes of each new file.
      replaced: stems of the files that no episode needs any more.
    """
    packs: list[Pack] = []
    with _kept_if_listed(packs, index):
        for ids in groups:
            packs.append(Pack(folder))
            packs[-1].add([entries[episode_id] for episode_id in ids])
            packs[-1].finish()
        _replace(folder, index, entries, packs, replaced)


def damage(path: Path, why: object, episode_id: str) -> str:
    """Return the message for a damaged file of an episode."""
    return f"{path} is damaged ({why}); put back a copy of it, or remove episode {episode_id} with `rlhf episodes drop`"


def _small_files(folder: Path, index: EpisodeIndex, enough: float) -> deque[list[Entry]]:
    """Return the episodes of each file whose steps take less than ``enough`` bytes, in the order of recording.

    A file that holds others, too, is left: they were damaged when the index was recreated.
    """
    files: dict[str, list[Entry]] = {}
    for entry in index.entries().values():
        files.setdefault(entry.file, []).append(entry)
    small = deque()
    for stem, entries in files.items():
        path = data_file(folder, "steps", stem)
        parts = {entry.span("steps") for entry in entries}
        if _size(path) < enough and (None in parts or _count(path) in (None, len(parts))):
            small.append(entries)
    return small


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
) -> bool:
    """Take ``files`` from the left into a new one until it has ``enough`` bytes; False if they changed meanwhile."""
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
            return False
        replaced = {source.file for source in pack.sources}
        if len(replaced) == 1:
            pack.discard()  # there is none to put it together with
            return True
        pack.finish()
        with writing(_WHAT):
            entries = index.entries()
            if any(entries.get(source.row.episode_id) != source for source in pack.sources):
                pack.discard()
                return False
            _replace(folder, index, entries, packs, replaced)
    return True


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
    index.rewrite(current.values(), remove=[*gone, *still_there])
    for name in gone:
        (folder / name).unlink(missing_ok=True)
    for table in TABLES:
        sync(folder / table)
