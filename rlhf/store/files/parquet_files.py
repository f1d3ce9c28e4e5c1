"""Parquet files of ours: to bytes, and back by episode id."""

from __future__ import annotations

import errno
import mmap
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from rlhf.store.columns.tables import table_name
from rlhf.store.files.checksums import ChecksumMismatch, FileChecksums, Span, read_checksums, with_checksums
from rlhf.store.files.row_groups import RecentGroups, RowGroup
from worlds.errors import UserError

_FRAMES = "image.bytes"  # compressed already; everything else is dictionary-coded and compressed
_MORE = "close other programs, or raise the limit (ulimit -n)"
_NOT_ALLOWED = {  # remedies, by the system's number of what is no damage
    errno.EACCES: "change its permissions",
    errno.EPERM: "change its permissions",
    errno.EMFILE: _MORE,
    errno.ENFILE: _MORE,
}
_SEARCHED = ["episode_id"]  # has statistics; those of the other columns would double the size of an episode's row


class Damaged(Exception):
    """A file that cannot be read, or is not what its place says. The message says what is wrong, not where."""


def damage(path: Path, why: object, episode_id: str) -> str:
    """Return the message for a damaged file of an episode."""
    return f"{path} is damaged ({why}); put back a copy of it, or remove episode {episode_id} with `rlhf episodes drop`"


def to_bytes(tables: Sequence[pa.Table]) -> bytes:
    """One Parquet file, with checksums, of ``tables``, which share a schema: a row group each."""
    sink = pa.BufferOutputStream()
    ends = []
    with new_writer(sink, tables[0].schema) as writer:
        for table in tables:
            writer.write_table(table, row_group_size=max(1, len(table)))
            ends.append(sink.tell())
    return with_checksums(memoryview(sink.getvalue()), ends)


def new_writer(sink: Any, schema: pa.Schema) -> pq.ParquetWriter:
    """Return a writer of rows of ``schema`` to ``sink``, an output stream of pyarrow."""
    columns = [path for field in schema for path in _leaves(field)]
    return pq.ParquetWriter(
        sink,
        schema,
        compression={path: "NONE" if path == _FRAMES else "SNAPPY" for path in columns},  # type: ignore[arg-type]
        use_dictionary=[path for path in columns if path != _FRAMES],  # type: ignore[arg-type]
        write_statistics=_SEARCHED,  # type: ignore[arg-type]
    )


def read_all(path: Path, table: str, span: Span | None = None) -> pa.Table:
    """Every row of a file that holds rows of ``table``.

    Args:
      span: of the file that is one of several in ``path``; None: the whole.

    Raises:
      Damaged: if the file is damaged or something else.
      FileNotFoundError: if there is none.
    """
    with _opened(path, table, span) as (file, checksums):
        for group in range(file.num_row_groups):
            checksums.check(group)
        return file.read(use_threads=False)


def read_rows(
    path: Path,
    table: str,
    episode_id: str,
    columns: Sequence[str] | None = None,
    span: Span | None = None,
    recent: RecentGroups | None = None,
) -> pa.Table:
    """Return the rows of one episode in a file whose row groups hold one episode or several short ones each.

    Args:
      columns: to read, "episode_id" among them; None: all.
      span: of the file that is one of several in ``path``; None: the whole, which is searched for the episode.
      recent: keeps groups of short episodes for the next call; None keeps nothing.

    Raises:
      Damaged: if the file is damaged, something else, or lacks the episode.
      FileNotFoundError: if there is none.
    """
    key = (path, span, columns and tuple(columns))
    if recent is not None and (rows := recent.rows_of(episode_id, key)) is not None:
        return rows
    with _opened(path, table, span) as (file, checksums):
        group = _group_of(file, checksums, episode_id, columns)
    if recent is not None and len(group.places) > 1:
        recent.keep(group, key)
    return group.rows_of(episode_id)


def read_part(path: Path, table: str, episode_ids: Sequence[str], span: Span | None = None) -> tuple[pa.Table, bytes]:
    """Return the rows of episodes that share a row group, and a file that holds only them.

    Args:
      episode_ids: of the episodes, in the order of their rows.
      span: as in ``read_rows``.

    Raises:
      As ``read_rows``.
    """
    with _opened(path, table, span) as (file, checksums):
        group = _group_of(file, checksums, episode_ids[0])
        if file.num_row_groups == 1 and list(group.places) == list(episode_ids):
            return group.rows, bytes(checksums.file)
        rows = pa.concat_tables([group.rows_of(episode_id) for episode_id in episode_ids]).combine_chunks()
        return rows, to_bytes([rows])


def _group_of(
    file: pq.ParquetFile, checksums: FileChecksums, episode_id: str, columns: Sequence[str] | None = None
) -> RowGroup:
    """Return the row group that holds an episode. Raises Damaged if none does, or ChecksumMismatch."""
    for number in range(file.num_row_groups):
        if _may_hold(file.metadata.row_group(number).column(0), episode_id):
            checksums.check(number)
            group = RowGroup.of(file.read_row_group(number, columns and list(columns), use_threads=False))
            if episode_id in group.places:
                return group
    raise Damaged(f"it does not hold episode {episode_id}")


def spans_of(path: Path, table: str) -> list[Span]:
    """Return the spans of the files, one for each episode, of which ``path`` is made; none if it is not of such.

    Raises:
      As ``read_all``.
    """
    with _opened(path, table) as (_, checksums):
        spans = [(begin, end) for begin, end, _ in checksums.parts]
        # One whole file is enough: the others may be damaged.
        return spans if any(_is_whole(checksums.file[begin:end]) for begin, end in spans) else []


def _is_whole(file: memoryview) -> bool:
    """Return whether ``file`` is a whole file of ours, by its footer."""
    try:
        read_checksums(file)
    except ChecksumMismatch:
        return False
    return True


def ids_in(path: Path, table: str, span: Span | None = None) -> list[str]:
    """Return the ids of the episodes in a file of ``table``, or in its part ``span``. Raises as ``read_all``."""
    return read_all(path, table, span)["episode_id"].unique().to_pylist()


def ids_by_group(path: Path, table: str) -> list[list[str]]:
    """Return the ids of the episodes in each row group of a file of ``table``. Raises as ``read_all``."""
    with _opened(path, table) as (file, _):
        groups = range(file.num_row_groups)
        return [file.read_row_group(group, ["episode_id"])["episode_id"].unique().to_pylist() for group in groups]


def files_in(folder: Path) -> list[Path]:
    """Return the Parquet files in ``folder``, sorted by name; none if there is no folder.

    Raises:
      OSError: if it cannot be listed. (``Path.glob`` finds nothing there.)
    """
    try:
        return sorted(folder / name for name in os.listdir(folder) if name.endswith(".parquet"))
    except FileNotFoundError:
        return []


def row_counts(folder: Path) -> dict[str, int]:
    """Return how many rows each file in ``folder``, which is named as its table, has; damaged files are left out."""
    counts = {}
    for path in files_in(folder):
        try:
            counts[path.name] = read_all(path, folder.name).num_rows
        except (Damaged, FileNotFoundError):
            continue
    return counts


@contextmanager
def _opened(path: Path, table: str, span: Span | None = None) -> Iterator[tuple[pq.ParquetFile, FileChecksums]]:
    """The file, or the one at ``span`` in it, open, and its checksums; errors inside are reported as damage."""
    try:
        contents = _contents(path, span)
        checksums = read_checksums(memoryview(contents))
        file = pq.ParquetFile(pa.BufferReader(contents))
        if table_name(file.schema_arrow) != table:
            raise Damaged(f"it is a Parquet file, but not one of {table} in this version of the format")
        yield file, checksums
    except FileNotFoundError:
        raise
    except (pa.ArrowException, OSError, ValueError) as error:  # ChecksumMismatch is a ValueError
        raise Damaged(" ".join(str(error).split()).rstrip(".")) from error


def _contents(path: Path, span: Span | None) -> pa.Buffer:
    """Return the bytes of a file, or those at ``span``; the system is asked to fetch no others from the disk."""
    try:
        with open(path, "rb") as file:  # Arrow's own opening takes no names but those in UTF-8
            contents = pa.py_buffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except OSError as error:
        if error.errno in _NOT_ALLOWED:
            raise UserError(f"{path} cannot be read ({error.strerror}); {_NOT_ALLOWED[error.errno]}") from error
        raise
    if span is None:
        return contents
    begin, end = span
    if end > contents.size:
        raise Damaged("it is cut short")
    return contents.slice(begin, end - begin)


def _may_hold(column: pq.ColumnChunkMetaData, episode_id: str) -> bool:
    """Return whether a row group may hold an episode, by the statistics of its id column. Without them, it may."""
    if not column.is_stats_set or not column.statistics.has_min_max:
        return True
    return column.statistics.min <= episode_id <= column.statistics.max


def _leaves(field: pa.Field, prefix: str = "") -> list[str]:
    """Paths of the columns that Parquet makes of an Arrow field."""
    path = prefix + field.name
    if pa.types.is_struct(field.type):
        return [leaf for child in field.type for leaf in _leaves(child, f"{path}.")]
    if pa.types.is_list(field.type) or pa.types.is_fixed_size_list(field.type):
        return _leaves(pa.field("element", field.type.value_type), f"{path}.list.")
    return [path]
