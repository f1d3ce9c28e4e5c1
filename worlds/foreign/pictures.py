"""Pictures of environments at the size that a player observes."""

from __future__ import annotations

from typing import Any

import numpy as np
from PIL import Image as PillowImage

from worlds.contract import WorldError

Picture = np.ndarray
_MOST = 1024  # pixels of a side


def check_side(side: Any) -> int:
    """Return the side of a picture in pixels. Raises WorldError if it is none."""
    if not isinstance(side, int) or isinstance(side, bool) or not 8 <= side <= _MOST:
        raise WorldError(f"setting picture: {side!r} is no side in pixels from 8 to {_MOST}")
    return side


def resized(picture: Any, side: int) -> Picture:
    """Return a picture of ``side`` x ``side`` pixels: uint8 [side, side, channels], each the mean of what it covers."""
    if picture is None:
        raise WorldError("the environment returns no picture")
    array = np.asarray(picture, np.uint8)
    if array.ndim == 2:
        array = array[..., None]
    if array.shape[2] == 3:
        return _scaled(array, side)
    # Pillow would read two or four channels as colours with an opacity, by which it weighs them.
    return np.stack([_scaled(channel, side) for channel in np.moveaxis(array, 2, 0)], axis=2)


def _scaled(picture: Picture, side: int) -> Picture:
    """Return a picture of one or three colours at another size: uint8 [height, width] or [height, width, 3]."""
    return np.array(PillowImage.fromarray(picture).resize((side, side), PillowImage.Resampling.BOX), np.uint8)
