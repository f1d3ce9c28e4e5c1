"""Columns of an agent's inputs and actions, as its declared spaces have them.

Inside agents an action is whole numbers, one row a tick: the discrete and pointer components of the action space, then
its continuous ones, discretised into equal bins (as in Brohan et al., 2022, "RT-1", section 5.3). So imitation,
importance weights and entropies are those of one kind of distribution.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from worlds.spaces.action import ActionSpec, Pointer
from worlds.spaces.observation import Grid

_MOST_TOKENS = 64  # of a map; a larger one is halved until it has no more
_MOST_OF_INT8 = 128  # values 0 to 127
_ROWS = 16  # entities are computed in such steps, so that there are few different shapes


@dataclass(frozen=True)
class ActionColumns:
    """The whole numbers that an action is inside an agent: [ticks, columns].

    Args:
      spec: the action space.
      continuous_bins: bins of every continuous component.
    """

    spec: ActionSpec
    continuous_bins: int

    @cached_property
    def counts(self) -> np.ndarray:
        """Number of values of every column: int64 [columns]."""
        continuous = np.full(len(self.spec.continuous), self.continuous_bins, np.int64)
        return np.concatenate([self.spec.counts, continuous])

    @cached_property
    def pointers(self) -> np.ndarray:
        """True for columns that point at an entity: bool [columns]."""
        return np.array(
            [isinstance(each, Pointer) for each in self.spec.discrete] + [False] * len(self.spec.continuous), np.bool_
        )

    @cached_property
    def dtype(self) -> type[np.int8] | type[np.int16]:
        """Type of the numbers: the smallest that has all values."""
        return np.int8 if self.counts.max(initial=0) <= _MOST_OF_INT8 else np.int16

    @cached_property
    def rest(self) -> np.ndarray:
        """The last tick of the action that does nothing: [columns]."""
        return self.neutral()[-1].copy()

    @property
    def ticks(self) -> int:
        """Rows of an action."""
        return self.spec.ticks

    @cached_property
    def _bounds(self) -> tuple[np.ndarray, np.ndarray]:
        low = np.array([each.low for each in self.spec.continuous], np.float32)
        high = np.array([each.high for each in self.spec.continuous], np.float32)
        return low, (high - low) / self.continuous_bins

    def neutral(self) -> np.ndarray:
        """Return the action that does nothing: [ticks, columns]."""
        spec = self.spec
        return self.encode(spec.neutral_movement(), spec.neutral_continuous() if spec.continuous else None)

    def encode(self, movement: np.ndarray, continuous: np.ndarray | None = None) -> np.ndarray:
        """Return actions of the world as columns, [..., ticks, columns].

        Args:
          movement: integers [..., ticks, discrete and pointer components].
          continuous: float32 [..., ticks, continuous components]; None where the space has none.
        """
        if continuous is None:
            return movement.astype(self.dtype, copy=False)
        low, width = self._bounds
        bins = np.clip(np.floor((continuous - low) / width), 0, self.continuous_bins - 1)
        return np.concatenate([movement.astype(self.dtype, copy=False), bins.astype(self.dtype)], axis=-1)

    def decode(self, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """Return what :meth:`encode` takes; continuous values are the middles of their bins.

        Args:
          columns: integers [..., ticks, columns].
        """
        discrete = len(self.spec.discrete)
        movement = columns[..., :discrete].astype(self.spec.dtype, copy=False)
        if not self.spec.continuous:
            return movement, None
        low, width = self._bounds
        return movement, (low + (columns[..., discrete:] + np.float32(0.5)) * width).astype(np.float32)


def computed_rows(entities: int, most: int) -> int:
    """Return the rows that are computed for frames of which the one with most entities has ``entities``.

    What is seen is usually far less than what a space allows, and attention costs E squared.

    Args:
      entities: of the frame with most of them.
    """
    return min(most, max(1, -(-entities // _ROWS)) * _ROWS)


def grid_sides(grid: Grid) -> tuple[int, int]:
    """Height and width of the tokens of a map."""
    halved = 2 ** halvings(grid)
    return -(-grid.height // halved), -(-grid.width // halved)


def halvings(grid: Grid) -> int:
    """How often a map is halved until it has no more tokens than the most."""
    count = 0
    while -(-grid.height // 2**count) * -(-grid.width // 2**count) > _MOST_TOKENS:
        count += 1
    return count
