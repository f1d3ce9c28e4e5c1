"""Pictures end to end in one file, behind an index: the form in which a browser gets an episode's frames.

The file begins with "RLF1", the number of pictures, the place of each and the place where the last ends. Numbers are
unsigned, 32 bits, little-endian; places count from the first byte of the file. Each picture is a file itself, PNG or
WebP.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

_MAGIC = b"RLF1"
_HEADER_BYTES = len(_MAGIC) + 4


def pack_frames(frames: Sequence[bytes]) -> bytes:
    """Return the pictures as one file."""
    places = [_HEADER_BYTES + 4 * (len(frames) + 1)]
    for frame in frames:
        places.append(places[-1] + len(frame))
    return b"".join((_MAGIC, struct.pack(f"<{len(places) + 1}I", len(frames), *places), *frames))


def unpack_frames(file: bytes, begin: int = 0, count: int | None = None) -> list[bytes]:
    """Return pictures of a file that :func:`pack_frames` has made.

    Args:
      count: pictures that are returned at most; None returns all from ``begin`` on.
    """
    (number,) = struct.unpack_from("<I", file, len(_MAGIC))
    places = struct.unpack_from(f"<{number + 1}I", file, _HEADER_BYTES)
    end = number if count is None else min(begin + count, number)
    return [file[places[i] : places[i + 1]] for i in range(begin, end)]
