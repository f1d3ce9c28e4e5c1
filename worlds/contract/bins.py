"""The check of a movement's bins, compiled: every step of every world makes it."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def find_bad_bin(movement: np.ndarray, counts: np.ndarray) -> tuple[int, int, int]:
    """Return the first (player, tick, component) whose bin does not exist; (-1, -1, -1) if all do.

    Args:
      movement: int64 [players, ticks, components].
      counts: int64 [components], numbers of bins.
    """
    for player in range(movement.shape[0]):
        for tick in range(movement.shape[1]):
            for component in range(movement.shape[2]):
                if not 0 <= movement[player, tick, component] < counts[component]:
                    return player, tick, component
    return -1, -1, -1
