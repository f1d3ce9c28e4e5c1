"""Checksums that a Parquet file of ours carries, so that damage is noticed before the file is parsed.

Parquet can protect the contents of its pages, but not their headers nor the footer, and readers may crash over
a damaged footer. They find everything by the offsets in it, so bytes between the last row group and the footer
disturb no reader. The checksums lie there, little-endian:

    for each part: where it ends in the file (8 bytes), CRC-32 from the end of the one before to there (4)
    the number of parts (4), CRC-32 of the lines above, this number and the footer (4), "RLHFSEAL" (8)

A part is a row group, with what lies between it and the row group before.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

Span = tuple[int, int]  # begin and end of a part of a file, in bytes

_PART = struct.Struct("<QI")
_END = struct.Struct("<II8s")
_FOOTER_END = struct.Struct("<I4s")  # Parquet's own: the footer's length and "PAR1"
_OURS, _PARQUET = b"RLHFSEAL", b"PAR1"


class ChecksumMismatch(ValueError):
    """The bytes of a file are not those of its checksums."""


@dataclass(frozen=True)
class FileChecksums:
    """Checksums of a file whose footer is as it was written.

    Args:
      file: the whole file.
      parts: begin, end and checksum of every part, one for each row group.
    """

    file: memoryview
    parts: tuple[tuple[int, int, int], ...]

    def check(self, row_group: int) -> None:
        """Raise ChecksumMismatch unless the row group is as it was written."""
        begin, end, checksum = self.parts[row_group]
        if zlib.crc32(self.file[begin:end]) != checksum:
            raise ChecksumMismatch("its contents have changed since they were written")


def with_checksums(file: memoryview, ends: Sequence[int]) -> bytes:
    """Return the Parquet ``file``, whose row groups end at ``ends``, with checksums."""
    footer = _footer_begin(file)
    parts = [(end, zlib.crc32(file[begin:end])) for begin, end in zip((0, *ends[:-1]), ends, strict=True)]
    return b"".join((file[:footer], end_of_file(parts, file[footer:])))


def end_of_file(parts: Sequence[tuple[int, int]], footer: bytes | memoryview) -> bytes:
    """Return what follows the last row group of a file.

    Args:
      parts: end and checksum of every part.
      footer: Parquet's, with its length and "PAR1".
    """
    lines = b"".join(_PART.pack(end, checksum) for end, checksum in parts)
    return b"".join((lines, _END.pack(len(parts), _checksum(lines, len(parts), footer), _OURS), footer))


def read_checksums(file: memoryview) -> FileChecksums:
    """Return the checksums in ``file``.

    Raises:
      ChecksumMismatch: if it has none, or its footer or checksums have changed since they were written.
    """
    footer = _footer_begin(file)
    if footer < _END.size:
        raise ChecksumMismatch("it is cut short")
    count, checksum, ours = _END.unpack(file[footer - _END.size : footer])
    begin = footer - _END.size - count * _PART.size
    if ours != _OURS or begin < 0:
        raise ChecksumMismatch("it is a Parquet file, but not one that this program wrote, or it is damaged")
    lines = file[begin : footer - _END.size]
    if _checksum(lines, count, file[footer:]) != checksum:
        raise ChecksumMismatch("its footer has changed since it was written")
    ends = [(end, crc) for end, crc in _PART.iter_unpack(lines)]
    begins = [0, *(end for end, _ in ends)]
    return FileChecksums(file, tuple((begin, end, crc) for begin, (end, crc) in zip(begins, ends, strict=False)))


def _checksum(lines: bytes | memoryview, count: int, footer: bytes | memoryview) -> int:
    return zlib.crc32(footer, zlib.crc32(struct.pack("<I", count), zlib.crc32(lines)))


def _footer_begin(file: memoryview) -> int:
    """Return where Parquet's footer begins. Raises ChecksumMismatch if there is none."""
    if len(file) < _FOOTER_END.size:
        raise ChecksumMismatch("it is empty or cut short")
    length, parquet = _FOOTER_END.unpack(file[-_FOOTER_END.size :])
    begin = len(file) - _FOOTER_END.size - length
    if parquet != _PARQUET or begin < 0:
        raise ChecksumMismatch("it is no Parquet file, or cut short")
    return begin
