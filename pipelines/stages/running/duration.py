"""Duration of a training on this machine, measured in its first updates and announced if it is over an hour."""

from __future__ import annotations

import time
from collections.abc import Callable

from rlhf.run.progress import announce, duration

LONG_SEC = 3600.0
_MEASURED = 3  # updates after the first, which compiles and fills caches


class DurationCheck:
    """Announcement, after a few updates, that a training takes more than an hour, with a smaller choice.

    Args:
      setting: the setting of the number of updates, as typed, e.g. "--training.updates".
      done: number of updates made before.
      share: share of the training made before, from 0 to 1.
      smaller: another choice that takes less time, named beside fewer updates.
      clock: returns the time in seconds.
    """

    def __init__(
        self,
        setting: str,
        done: int,
        share: float,
        smaller: str = "--preset demo",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._setting, self._first, self._begun_at = setting, done, share
        self._smaller, self._clock = smaller, clock
        self._start: tuple[float, int, float] | None = None  # time, updates and share after the first update
        self._over = False

    def update(self, done: int, share: float) -> None:
        """Record that ``done`` updates have been made in all, which is ``share`` of the training."""
        if self._over or done <= self._first:
            return
        if self._start is None:
            self._start = (self._clock(), done, share)
            return
        began, first, before = self._start
        if done < first + _MEASURED or share <= before:
            return
        self._over = True
        gone = self._clock() - began
        left = gone * (1.0 - share) / (share - before)
        if left > LONG_SEC:
            fits = _rounded(int(LONG_SEC * (done - first) / gone))
            announce(
                f"this takes about {duration(left)} on this machine ({gone / (done - first):.1f} s an update); for an "
                f"hour of training set {self._setting} {fits}, or {self._smaller} for a small one"
            )


def _rounded(count: int) -> int:
    """``count`` rounded down to two digits, at least 1."""
    digits = max(0, len(str(count)) - 2)
    return max(1, count // 10**digits * 10**digits)
