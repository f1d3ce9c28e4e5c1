"""Pictures to PNG and back, several times faster than a general library.

A rendered frame is flat shapes, so zlib at level 1 with PNG's filter "none" is both the smallest and the
fastest of the cheap choices; for a textured picture filter "sub" is smaller, so each episode takes whichever
suits its first frame. Any reader opens these files. Ours undoes exactly what ours wrote and leaves every
other PNG to Pillow.
"""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Sequence

import numpy as np

LEVEL = 1  # higher levels save a quarter of the bytes for twice the time
NONE, SUB = 0, 1  # PNG's numbers for the two row filters in use

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_HEADER_BYTES = 33  # signature and IHDR chunk
_IDAT = b"IDAT"
_COLOUR = {1: 0, 2: 4, 3: 2, 4: 6}  # PNG's number of the colour type, by channels
_MODES = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}  # Pillow's name of it
_PIXELS_A_BYTE = 8 * 1032  # zlib makes at most 1032 bytes of one, a PNG file at most 8 pixels of a byte
_ADLER_BEFORE_END = 20  # checksum of the unpacked data, then the chunk's own and the IEND chunk


def encode_frames(frames: np.ndarray) -> list[bytes]:
    """PNG files of ``frames``, uint8 [T, H, W, channels].

    Of more than four channels, which PNG does not have, a file shows each in grey beside the one before.
    """
    frames = _shown(frames)
    header = _header(*frames.shape[1:])
    end = _chunk(b"IEND", b"")
    kind = min((NONE, SUB), key=lambda kind: len(_deflated(frames[0], kind)))
    return [b"".join((header, _chunk(_IDAT, _deflated(frame, kind)), end)) for frame in frames]


def decode_frames(files: Sequence[bytes], channels: int = 3) -> np.ndarray:
    """Pictures of PNG ``files`` that are all of one size: uint8 [T, H, W, channels].

    Args:
      files: one or more.
      channels: of the pictures that :func:`encode_frames` was given.

    Raises:
      ValueError: if a file is no readable picture or its size differs from the first one's.
    """
    header = bytes(files[0][:_HEADER_BYTES])
    width, height = struct.unpack(">II", header[16:24].ljust(8, b"\0"))
    if width * height > _PIXELS_A_BYTE * len(files[0]):
        raise ValueError(f"a frame claims {height}x{width} pixels, more than its {len(files[0])} bytes can hold")
    shown = channels if channels in _COLOUR else 1
    if header != _header(height, width, shown):
        return _from_shown(_decode_with_pillow(files, shown), channels)
    rows = np.empty((len(files), height, shown * width), np.uint8)
    kinds = np.empty((len(files), height), np.uint8)
    size = height * (1 + shown * width)
    try:
        for index, file in enumerate(files):
            lines = np.frombuffer(_inflated(file, header, size), np.uint8).reshape(height, -1)
            kinds[index], rows[index] = lines[:, 0], lines[:, 1:]
    except _Foreign:
        return _from_shown(_decode_with_pillow(files, shown), channels)
    except zlib.error as error:
        raise ValueError(f"a frame is damaged ({error})") from error
    if kinds.max() > SUB:
        return _from_shown(_decode_with_pillow(files, shown), channels)
    frames = rows.reshape(len(files), height, width, shown)
    if kinds.any():
        sub = kinds == SUB
        frames[sub] = np.cumsum(frames[sub], axis=1, dtype=np.uint8)
    return _from_shown(frames, channels)


def _shown(frames: np.ndarray) -> np.ndarray:
    """``frames`` [T, H, W, channels] as pictures that PNG has: beyond four channels, one beside the other in grey."""
    steps, height, width, channels = frames.shape
    if channels in _COLOUR:
        return frames
    return frames.transpose(0, 1, 3, 2).reshape(steps, height, channels * width, 1)


def _from_shown(pictures: np.ndarray, channels: int) -> np.ndarray:
    """Return the frames that :func:`_shown` made ``pictures`` of. Raises ValueError if it did not."""
    if channels in _COLOUR:
        return pictures
    steps, height, width, _ = pictures.shape
    if width % channels:
        raise ValueError(f"a frame is {width} pixels wide, which are not {channels} channels side by side")
    return np.ascontiguousarray(pictures.reshape(steps, height, channels, -1).transpose(0, 1, 3, 2))


def frame_checksums(frames: np.ndarray) -> np.ndarray:
    """Checksums of the pixels of each of ``frames``, uint8 [T, H, W, channels]: uint32 [T].

    They are those that zlib appends to the data of a PNG file with filter "none".
    """
    frames = _shown(frames)
    steps, height, width, channels = frames.shape
    lines = np.zeros((height, 1 + channels * width), np.uint8)
    checksums = np.empty(steps, np.uint32)
    for step, frame in enumerate(frames):
        lines[:, 1:] = frame.reshape(height, -1)
        checksums[step] = zlib.adler32(lines.data)
    return checksums


def stored_checksums(files: Sequence[bytes], channels: int = 3) -> np.ndarray:
    """The same of the pictures in PNG ``files`` of one episode, undrawn where they were written with filter "none".

    Args:
      files: one or more.

    Raises:
      ValueError: as ``decode_frames``, for files that have to be drawn.
    """
    if not _unfiltered(files[0], channels if channels in _COLOUR else 1):
        return frame_checksums(decode_frames(files, channels))
    checksums = b"".join(file[-_ADLER_BEFORE_END : 4 - _ADLER_BEFORE_END] for file in files)
    return np.frombuffer(checksums, ">u4").astype(np.uint32)


def _unfiltered(file: bytes, shown: int) -> bool:
    """Return whether ``file`` and its neighbours are pictures as ``encode_frames`` writes them, with filter "none"."""
    begin = _HEADER_BYTES + 8
    width, height = struct.unpack(">II", file[16:24].ljust(8, b"\0"))
    if not file.startswith(_header(height, width, shown)) or file[begin - 4 : begin] != _IDAT:
        return False
    try:
        return zlib.decompressobj().decompress(file[begin:], 1) == bytes([NONE])
    except zlib.error:
        return False


class _Foreign(Exception):
    """A PNG that is laid out otherwise than ours."""


def _header(height: int, width: int, channels: int) -> bytes:
    """Signature and IHDR: 8 bits a channel, not interlaced."""
    return _SIGNATURE + _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, _COLOUR[channels], 0, 0, 0))


def _chunk(kind: bytes, data: bytes) -> bytes:
    return b"".join((struct.pack(">I", len(data)), kind, data, struct.pack(">I", zlib.crc32(data, zlib.crc32(kind)))))


def _deflated(frame: np.ndarray, kind: int) -> bytes:
    """The data of an IDAT chunk: each row behind its filter's number, for SUB less its left neighbours."""
    height, width, channels = frame.shape
    rows = frame.reshape(height, channels * width)
    lines = np.empty((height, 1 + channels * width), np.uint8)
    lines[:, 0] = kind
    lines[:, 1:] = rows
    if kind == SUB:
        lines[:, 1 + channels :] -= rows[:, :-channels]
    return zlib.compress(lines.data, LEVEL)


def _inflated(file: bytes, header: bytes, size: int) -> bytes:
    """The ``size`` bytes of filtered rows in ``file``.

    Raises:
      _Foreign: if the file is not ``header``, one IDAT chunk and the end.
      zlib.error: if its data are damaged.
    """
    start = _HEADER_BYTES + 8
    (length,) = struct.unpack(">I", file[_HEADER_BYTES : _HEADER_BYTES + 4].ljust(4, b"\0"))
    whole = start + length + 4 + 12  # data, its checksum, the IEND chunk
    if not file.startswith(header) or file[start - 4 : start] != _IDAT or len(file) != whole:
        raise _Foreign
    lines = zlib.decompress(memoryview(file)[start : start + length], bufsize=size)
    if len(lines) != size:
        raise _Foreign
    return lines


def _decode_with_pillow(files: Sequence[bytes], shown: int) -> np.ndarray:
    """Pictures of ``files`` in one to four channels: uint8 [T, H, W, shown]."""
    from PIL import Image

    frames = []
    for index, file in enumerate(files):
        try:
            frames.append(np.asarray(Image.open(io.BytesIO(file)).convert(_MODES[shown])))
        except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
            raise ValueError(f"frame {index} is not a readable picture") from error
    if len({frame.shape for frame in frames}) > 1:
        raise ValueError("its frames are not all of one size")
    pictures = np.stack(frames)
    return pictures[..., None] if shown == 1 else pictures
