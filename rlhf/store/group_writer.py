"""Recording of short episodes several at a time: a file of its own for each would take longer than its play."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import Any

from rlhf.records.episode import Episode

LONG = 64  # steps of an episode that is written by itself
MOST_STEPS = 512  # of a group
MOST_BYTES = 2**22  # of the observations of a group, before compression
MOST_SEC = 5.0  # for which a group is gathered
_SLOW_SEC = 1.0  # from one episode to the next, in which nothing is gathered


class GroupWriter:
    """Gathers short episodes that end one shortly after the other, and writes each group at once.

    Episodes of ``LONG`` steps, and those that took more than a second, are written when they end, with what was
    gathered before. A killed process loses at most one group: less than ``MOST_STEPS`` + ``LONG`` steps, and no more
    than ``MOST_SEC`` seconds of play before the last episode ended. When the body of ``with`` ends, also by an error,
    everything is written.

    Args:
      write: records a group, e.g. ``store.write_group``; called with the episodes in the order of :meth:`add`.
      now: returns the time in seconds.
    """

    def __init__(self, write: Callable[[list[Episode]], Any], now: Callable[[], float] = time.monotonic) -> None:
        self._write, self._now = write, now
        self._episodes: list[Episode] = []
        self._steps = self._bytes = 0
        self._first = self._last = now()

    def add(self, episode: Episode) -> None:
        """Record ``episode``, at once or with those that follow."""
        now = self._now()
        is_slow, self._last = now - self._last > _SLOW_SEC, now
        if len(episode) >= LONG:
            self.flush()
        if not self._episodes:
            self._first = now
        self._episodes.append(episode)
        self._steps += len(episode)
        self._bytes += _size(episode)
        is_full = self._steps >= MOST_STEPS or self._bytes >= MOST_BYTES or now - self._first > MOST_SEC
        if is_full or is_slow or len(episode) >= LONG:
            self.flush()

    def flush(self) -> None:
        """Write what is gathered; it is durable when this returns."""
        episodes, self._episodes = self._episodes, []
        self._steps = self._bytes = 0
        if episodes:
            self._write(episodes)

    def __enter__(self) -> GroupWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.flush()


def _size(episode: Episode) -> int:
    """Return the bytes of the observations."""
    pictures = 0 if episode.image is None else episode.image.nbytes
    return pictures + sum(array.nbytes for array in episode.seen.values())
