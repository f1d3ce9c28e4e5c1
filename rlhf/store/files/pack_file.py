"""Files of many episodes, made of the files of single ones and of groups of short ones.

These files follow one another unchanged, each with its own footer and checksums, and a footer for all of them comes
last. So other programs read one Parquet file with a row group for each, and this one reads an episode as before, in one
piece, from where the index says.
"""

from __future__ import annotations

import io
import zlib
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from rlhf.store.files.checksums import Span, end_of_file
from rlhf.store.files.durable import GrowingFile
from rlhf.store.files.parquet_files import new_writer, to_bytes

_MAGIC = b"PAR1"  # with which every Parquet file begins


class PackFile:
    """A new file of many episodes, with the columns of the first. It takes the memory of one, and of the footer.

    Args:
      path: of the file, at which there is none.

    Raises:
      OSError: from every method, if the system refuses.
    """

    def __init__(self, path: Path) -> None:
        self._file = GrowingFile(path)
        self._parts: list[tuple[int, int]] = []  # end and checksum of each
        # Parquet's writer is given all that the file gets, in order, so that it notes the right places in the footer.
        self._collected = io.BytesIO()
        self._sink = pa.PythonFile(self._collected, "w")
        self._writer: pq.ParquetWriter | None = None

    @property
    def size(self) -> int:
        """Bytes written."""
        return self._file.size

    def add(self, rows: pa.Table, single: bytes) -> Span:
        """Add an episode or a group; return where it lies."""
        begin = self.size
        if self._writer is None:
            self._writer = new_writer(self._sink, rows.schema)  # it writes the first magic bytes itself
        else:
            self._sink.write(_MAGIC)
        self._writer.write_table(rows, row_group_size=max(1, len(rows)))
        head = self._take()
        if not single.startswith(head):  # as another version of pyarrow wrote it
            single = to_bytes([rows])
        if not single.startswith(head):
            raise RuntimeError(f"two Parquet files of the same rows differ: {self._file.path}")
        self._sink.write(single[len(head) :])
        self._take()
        self._file.write(single)
        self._parts.append((self.size, zlib.crc32(single)))
        return begin, self.size

    def finish(self) -> None:
        """Write the common footer, and put everything on disk; there is an episode at least."""
        if self._writer is not None:
            self._writer.close()
        self._file.write(end_of_file(self._parts, self._take()))
        self._file.finish()

    def publish(self) -> None:
        """Give the file its own name; the name is on disk when its folder is synchronised."""
        self._file.publish()

    def discard(self) -> None:
        """Remove the file, whether it was published or not."""
        self._file.discard()

    def _take(self) -> bytes:
        """Return what the writer has written since the last call."""
        written = self._collected.getvalue()
        self._collected.seek(0)
        self._collected.truncate()
        return written
