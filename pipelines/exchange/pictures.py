"""Pictures as files: in Minari datasets that were made with ``jpeg_encoding``, and in RLDS datasets."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from PIL import Image

from worlds.errors import UserError

NOT_PLAIN = "has pixels of 16 bits a channel, or in CMYK; only grey and RGB of 8 bits are read"
_LEAST_SIDE = 32  # pixels: smaller pictures are never encoded
_PLAIN = ("L", "LA", "RGB", "RGBA")
_PNG, _BITS = b"\x89PNG", slice(24, 25)  # how a PNG file begins, and where it says how many bits a channel has


def decoded(rows: Any, space: spaces.Space, where: str) -> Any:
    """Return the rows of a leaf, with encoded pictures as arrays uint8 [rows, ...].

    Args:
      rows: array, list of texts, or of the bytes of files.

    Raises UserError if a file is no picture of the shape that the space has.
    """
    shape = space.shape or ()
    encoded = isinstance(rows, list) and any(isinstance(row, bytes) for row in rows)
    padded = isinstance(rows, np.ndarray) and rows.dtype == np.uint8 and rows.ndim == 2 and rows.shape[1:] != shape
    if not (encoded or (padded and may_be_encoded(space))):
        return rows
    return np.stack([picture(bytes(row), shape, f"{where}, row {number}") for number, row in enumerate(rows)])


def may_be_encoded(space: spaces.Space) -> bool:
    """Return True for the spaces whose values Minari takes for pictures."""
    if not isinstance(space, spaces.Box) or space.dtype != np.uint8 or len(space.shape) not in (2, 3):
        return False
    return min(space.shape[:2]) >= _LEAST_SIDE and not space.low.any() and bool((space.high == 255).all())


def plain_mode(opened: Image.Image, file: bytes) -> str | None:
    """Return the mode among "L", "LA", "RGB" and "RGBA" that keeps every pixel of a picture; None if none does.

    Args:
      file: its bytes, as Pillow opens also RGB of 16 bits as "RGB".
    """
    mode = {"1": "L", "P": "RGBA" if opened.has_transparency_data else "RGB"}.get(opened.mode, opened.mode)
    deep = file.startswith(_PNG) and file[_BITS] > b"\x08"
    return mode if mode in _PLAIN and not deep else None


def picture(file: bytes, shape: Sequence[int], where: str) -> np.ndarray:
    """Return the picture in a JPEG or PNG file: uint8 [height, width] or [height, width, channels].

    Args:
      file: its bytes; what follows the picture is not read.

    Raises UserError if it is none, or of another shape, or has more than 8 bits a channel.
    """
    try:
        with Image.open(io.BytesIO(file), formats=("JPEG", "PNG")) as opened:
            mode = plain_mode(opened, file)
            if mode is None:
                raise UserError(f"{where} {NOT_PLAIN}")
            bands = len(mode)
            if (opened.height, opened.width, *shape[2:]) != tuple(shape) or bands != (*shape, 1)[2]:
                found = f"{opened.height}x{opened.width} pixels in {bands} channels"
                raise UserError(f"{where} is a picture of {found}, not {list(shape)}")
            return np.asarray(opened.convert(mode), np.uint8).reshape(shape)
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        if isinstance(error, UserError):
            raise
        raise UserError(f"{where} is no picture that can be read") from error
