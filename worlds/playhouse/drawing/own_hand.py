"""A player's own hand in its picture, closed, while it holds something.

What a player holds hides its hand, and looks the same after it was let go where it is. Without the hand nobody who
sees the picture can separate the two: neither the player, nor a rater, nor a reward model.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from worlds.playhouse.house.parts import PAINTS

CENTRE = (0.90, 0.82)  # shares of the height and of the width
RADIUS = 0.13  # share of the height
_EDGE = 0.82  # share of the radius at which the outline begins
_FINGERS = (-0.4, 0.0, 0.4)  # of the radius: the gaps between the fingers, left and right of the middle
_GAP = 0.07  # of the radius: half the width of a gap
_SKIN = np.round(255.0 * np.array(PAINTS["skin"])).astype(np.uint8)
_DARK = (0.35 * _SKIN).astype(np.uint8)


def draw_own_hand(image: NDArray[np.uint8]) -> None:
    """Draw a closed hand into the lower right of a picture.

    Args:
      image: uint8 [height, width, 3], changed in place.
    """
    skin, dark = _cells(*image.shape[:2])
    image[skin] = _SKIN
    image[dark] = _DARK


@cache
def _cells(height: int, width: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return the pixels of the hand and those of its outline and of the gaps between its fingers: [height, width]."""
    radius = RADIUS * height
    down = ((np.arange(height) + 0.5 - CENTRE[0] * height) / radius)[:, None]
    right = ((np.arange(width) + 0.5 - CENTRE[1] * width) / radius)[None, :]
    away = np.sqrt(down**2 + right**2)
    gap = np.any([np.abs(right - at) < _GAP for at in _FINGERS], axis=0) & (down < 0.0)
    return away <= 1.0, (away <= 1.0) & ((away > _EDGE) | gap)
