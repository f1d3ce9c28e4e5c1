"""Turns of a turn-based world: a step waits until who moves the solver presses a key, or a player says something."""

from __future__ import annotations

from collections.abc import Sequence

from annotation.games.live_world import LiveWorld
from annotation.games.pace import Pace
from annotation.games.players import Players
from annotation.games.screen import SpokenLine
from annotation.session.states import Role
from worlds.contract import WindingDown


class Turns:
    """The turns of one game; guarded by the game's lock.

    Args:
      patience_sec: seconds for which a turn is waited for.
    """

    def __init__(self, world: LiveWorld, players: Players, pace: Pace, patience_sec: float) -> None:
        self._world, self._players, self._pace, self._patience_sec = world, players, pace, patience_sec
        self._since = pace.now()

    def taken(self, in_control: Role, dialogue: Sequence[SpokenLine]) -> bool:
        """Return True if the next step can be played.

        Until a stand-in has made its first request, and once the world has ended the task, nobody is waited for.
        """
        scripted = Role.SETTER in self._players.stand_ins
        asked = not scripted or any(line.role is Role.SETTER for line in dialogue)
        world = self._world.world
        ended = isinstance(world, WindingDown) and world.ended
        waits = self._world.turn_based and asked and not ended
        if waits and self._players.idle(in_control):
            return False
        self._since = self._pace.now()
        return True

    @property
    def given_up(self) -> bool:
        """True once a turn has been waited for too long."""
        return self._pace.now() - self._since > self._patience_sec
