"""A play session with its clock: the present state, and the time that it has lasted."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from annotation.session.states import Kind, PlaySession, Role, SessionEvent, State, TimeLimits, TransitionRefused
from annotation.session.transitions import transition


class TimedSession:
    """The session of a game, with its time limits. Guarded by the game's lock.

    Args:
      now: returns seconds that never run backwards.
    """

    def __init__(self, kind: Kind, limits: TimeLimits, now: Callable[[], float]) -> None:
        self.session = PlaySession(kind)
        self._limits, self._now = limits, now
        self._since, self._paused_sec = now(), 0.0

    @property
    def state(self) -> State:
        """The session's state."""
        return self.session.state

    def happens(self, event: SessionEvent, role: Role | None = None) -> None:
        """Handle an event. Raises TransitionRefused if it is not allowed now."""
        before, self.session = self.state, transition(self.session, event, role)
        if self.state is not before:
            now = self._now()
            if before is State.PAUSED:
                self._paused_sec += now - self._since
            self._since = now

    def happens_if(self, event: SessionEvent, condition: bool) -> None:
        """Handle ``event`` if ``condition`` holds and the session still allows it."""
        if condition:
            with suppress(TransitionRefused):
                self.happens(event)

    def limit_sec(self) -> float | None:
        """Return the seconds until the present state times out; None where it has no limit."""
        limit = self._limits.of(self.state)
        if limit is None:
            return None
        spent = self._paused_sec if self.state is State.PAUSED else 0.0
        return max(limit - spent - (self._now() - self._since), 0.0)

    def time_is_up(self) -> bool:
        """Return True if the present state has reached its time limit."""
        return self.limit_sec() == 0.0
