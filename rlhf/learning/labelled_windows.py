"""Windows of recorded play that are desirable or not, and their draws for one update."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

NO_REQUEST = -1  # number of the request of a window before the first request


class WindowRows(NamedTuple):
    """Rows of K windows side by side, with the play before them."""

    rows: np.ndarray  # int64 [T, K]
    resets: np.ndarray  # bool [T, K], where the memory is emptied
    inside: np.ndarray  # bool [T, K], steps of the windows; the others are play before them


@dataclass(frozen=True, eq=False)
class LabelledWindows:
    """K windows of consecutive steps, each inside one episode.

    Args:
      begin: int64 [K], row of the first step.
      end: int64 [K], the row after the last.
      first: int64 [K], first row of the episode.
      desirable: bool [K].
      request: int64 [K], equal numbers for windows that end under the same request, or ``NO_REQUEST``.
    """

    begin: np.ndarray
    end: np.ndarray
    first: np.ndarray
    desirable: np.ndarray
    request: np.ndarray

    def __len__(self) -> int:
        return len(self.begin)

    @cached_property
    def _paired(self) -> np.ndarray:
        """Windows for which there is one of the other kind under the same request: int64 [P]."""
        good, bad = (set(self.request[self.desirable == kind].tolist()) - {NO_REQUEST} for kind in (True, False))
        return np.flatnonzero(np.isin(self.request, list(good & bad)))

    @property
    def pairable(self) -> int:
        """Number of windows for which there is one of the other kind under the same request."""
        return len(self._paired)

    def draw(self, count: int, rng: np.random.Generator) -> np.ndarray:
        """Draw windows, as many desirable as undesirable ones, the desirable ones first: int64 [count].

        Args:
          count: number of windows; of an odd number one more is desirable.

        Raises:
          ValueError: if there are none of one kind.
        """
        kinds = (np.flatnonzero(self.desirable), np.flatnonzero(~self.desirable))
        sizes = ((count + 1) // 2, count // 2)
        return np.concatenate([rng.choice(kind, size) for kind, size in zip(kinds, sizes, strict=True)])

    def draw_pairs(self, count: int, rng: np.random.Generator) -> np.ndarray:
        """Draw pairs of a desirable and an undesirable window under the same request: int64 [2, count].

        One of a pair is drawn from all windows that have a partner, the other from its partners.

        Raises:
          ValueError: if no two windows make a pair.
        """
        pairs = np.empty((2, count), dtype=np.int64)
        for place, one in enumerate(rng.choice(self._paired, count).tolist()):
            others = (self.request == self.request[one]) & (self.desirable != self.desirable[one])
            other = int(rng.choice(np.flatnonzero(others)))
            pairs[:, place] = (one, other) if self.desirable[one] else (other, one)
        return pairs

    def rows(self, chosen: np.ndarray, context: int, longest: np.ndarray | None = None) -> WindowRows:
        """Return the rows of some windows, whose last steps are side by side, after the play before them.

        Columns with less play before them repeat their first step with an empty memory until it is their turn.

        Args:
          chosen: int64 [K], numbers of the windows.
          context: steps of play before a window, at most to its episode's beginning.
          longest: int64 [K], number of last steps of each window that are in it; None: all.
        """
        begin, end = self.begin[chosen], self.end[chosen]
        if longest is not None:
            begin = np.maximum(begin, end - longest)
        start = np.maximum(begin - context, self.first[chosen])
        steps = np.arange(-int((end - start).max()), 0)[:, None] + end
        return WindowRows(np.maximum(steps, start), steps <= start, steps >= begin)

    def common_lengths(self, pairs: np.ndarray) -> np.ndarray:
        """Length of the shorter window of each of ``pairs`` [2, K]: int64 [K]."""
        return (self.end - self.begin)[pairs].min(axis=0)
