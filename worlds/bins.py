"""The check of a movement's bins, compiled: every step of every world makes it."""

from __future__ import annotations

import numpy as np
from numba import njit

# Numba's cache on disk notices changes of this file only; existing recordings fix the contract's bins.
from worlds.contract import MOVEMENT_BINS

_COUNTS = MOVEMENT_BINS.copy()


@njit(nogil=True, cache=True)
def find_bad_bin(movement: np.ndarray) -> tuple[int, int, int]:
    """Return the first (player, tick, component) whose bin does not exist; (-1, -1, -1) if all do.

    Args:
      movement: int64 [players, ticks, components].
    """
    for player in range(movement.shape[0]):
        for tick in range(movement.shape[1]):
            for component in range(movement.shape[2]):
                if not 0 <= movement[player, tick, component] < _COUNTS[component]:
                    return player, tick, component
    return -1, -1, -1
