"""The course of a game: its session from state to state, and how long it has been in the present one."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from annotation.session.states import Kind, PlaySession, Role, SessionEvent, State, TimeLimits, TransitionRefused
from annotation.session.transitions import transition


class TimedSession:
    """Where the session of a game is. Guarded by the game's lock.

    Args:
      kind: of the session. limits: how long a state may last. now: seconds that never run backwards.
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
        """``event`` takes place. Raises Refused if it leads nowhere."""
        before, self.session = self.state, transition(self.session, event, role)
        if self.state is not before:
            now = self._now()
            if before is State.PAUSED:
                self._paused_sec += now - self._since
            self._since = now

    def happens_if(self, event: SessionEvent, condition: bool) -> None:
        """``event``, unless the session has got past it meanwhile."""
        if condition:
            with suppress(TransitionRefused):
                self.happens(event)

    def limit_sec(self) -> float | None:
        """Seconds until the present state ends by itself; None where it does not."""
        limit = self._limits.of(self.state)
        if limit is None:
            return None
        spent = self._paused_sec if self.state is State.PAUSED else 0.0
        return max(limit - spent - (self._now() - self._since), 0.0)

    def time_is_up(self) -> bool:
        """Whether the present state has lasted as long as it may."""
        return self.limit_sec() == 0.0
