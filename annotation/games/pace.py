"""Real time: one tick after another, never two at once."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from worlds.contract import TICKS_PER_SECOND

MOST_BEHIND_SEC = 0.1  # a delay that ticks make up for; what is more slows the game down
RECENT_TICKS = 60


class Pace:
    """Waits for the next tick, by a monotonic clock.

    A short delay is made up for. After a long one (a busy or a suspended machine) play continues from where it was. No
    tick is skipped and none comes early, so on a machine that is too slow the game runs slowly.

    Args:
      tick_sec: seconds of a tick.
      clock: returns seconds that never run backwards.
    """

    def __init__(
        self,
        tick_sec: float = 1.0 / TICKS_PER_SECOND,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.tick_sec = tick_sec
        self._clock, self._sleep = clock, sleep
        self.resume()

    def now(self) -> float:
        """Seconds since some moment."""
        return self._clock()

    def resume(self) -> None:
        """Begin, or resume after a pause: the next tick is due now."""
        self._due = self._clock()
        self.forget()

    def forget(self) -> None:
        """Measure the speed from the next tick on; the time since the last one was no delay."""
        self._ticked: deque[float] = deque(maxlen=RECENT_TICKS)

    def wait(self) -> None:
        """Wait until the next tick is due."""
        left = self._due - self._clock()
        if left > 0:
            self._sleep(min(left, self.tick_sec))  # never more: a clock that went back would stop the game
        now = self._clock()
        if not -self.tick_sec <= now - self._due <= MOST_BEHIND_SEC:
            self._due = now
        self._due += self.tick_sec
        self._ticked.append(now)

    @property
    def speed(self) -> float:
        """The game's recent speed as a share of real time, 1 where it keeps up."""
        if len(self._ticked) < RECENT_TICKS // 2:
            return 1.0
        passed = self._ticked[-1] - self._ticked[0]
        meant = (len(self._ticked) - 1) * self.tick_sec
        return 1.0 if passed <= meant else meant / passed
