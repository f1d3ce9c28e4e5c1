"""Who plays the roles of a game: people by their hands, and their stand-ins."""

from __future__ import annotations

import logging
from collections.abc import Mapping

import numpy as np

from annotation.games.inputs import Hands
from annotation.games.stand_ins import GONE, STARTING, StandIn
from annotation.session.states import Kind, PlaySession, Role
from worlds.contract import SETTER, SOLVER, Action, Observation, World

AVATAR = {Role.SETTER: SETTER, Role.SOLVER: SOLVER, Role.CO_PILOT: SOLVER}
BLIND = "the agent cannot go on; whoever runs the study finds the reason in the server's log"
LOST_AGENT = "the solver stands still from now on unless somebody takes over"
LATE_AGENT = "the agent did not answer in time and did nothing"
_log = logging.getLogger(__name__)


class Players:
    """Everybody who plays in one game. People's hands are guarded by the game's lock.

    Args:
      session: of the game. stand_ins: by role. game_id: for the log.
    """

    def __init__(self, session: PlaySession, stand_ins: Mapping[Role, StandIn], game_id: str) -> None:
        self.stand_ins, self._kind, self._game_id = stand_ins, session.kind, game_id
        self.hands = {role: Hands() for role in session.cast}
        self._logged = False

    @property
    def starting(self) -> bool:
        """Whether an agent is being loaded."""
        return any(stand_in.state == STARTING for stand_in in self.stand_ins.values())

    def begin(self, world: World, seed: int) -> None:
        """The episode begins in ``world``."""
        for number, stand_in in enumerate(self.stand_ins.values()):
            stand_in.begin(world, seed + number)

    def ask(self, step: int, seen: Mapping[str, Observation]) -> None:
        """Show the stand-ins what they see at ``step``; returns at once."""
        for role, stand_in in self.stand_ins.items():
            stand_in.ask(step, seen[AVATAR[role]])

    def action(self, step: int, role: Role, timeout_sec: float) -> Action | Role | None:
        """What a stand-in does in this step, None if it does not say so in time; a person's role itself."""
        stand_in = self.stand_ins.get(role)
        return role if stand_in is None else stand_in.answer(step, timeout_sec)

    def row(self, tick: int, action: Action | Role) -> np.ndarray:
        """The movement of one player in this tick: int8 [components]. A person steers it tick by tick."""
        return self.hands[action].tick() if isinstance(action, Role) else action["movement"][tick]

    def line(self, action: Action | Role) -> str:
        """What one player says in this step."""
        return self.hands[action].line() if isinstance(action, Role) else action["utterance"]

    def gone(self) -> str:
        """What people hear of a stand-in that is gone, "" if none is; nobody who judges an agent hears which it is."""
        gone = next((stand_in for stand_in in self.stand_ins.values() if stand_in.state == GONE), None)
        if gone is None:
            return ""
        if not self._logged:
            _log.error("game %s: %s", self._game_id, gone.trouble)
            self._logged = True
        return BLIND if self._kind is Kind.EVALUATION else gone.trouble

    def close(self) -> None:
        """The stand-ins play no more."""
        for stand_in in self.stand_ins.values():
            stand_in.close()
