"""Players of a game: people, by their inputs, and stand-ins."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np

from annotation.games.body_keys import BodyHands
from annotation.games.choosing import ChoosingHands
from annotation.games.inputs import Hands
from annotation.games.stand_ins import AT_WORK, GONE, STARTING, StandIn
from annotation.session.states import JUDGED_BY_SETTER, PlaySession, Role, SessionEvent
from worlds.contract import BODIES, BODY, SETTER, SOLVER, Action, Observation, World
from worlds.contract.live_play import Board
from worlds.spaces.action import ActionSpec

AVATAR = {Role.SETTER: SETTER, Role.SOLVER: SOLVER, Role.CO_PILOT: SOLVER}
BLIND = "the agent cannot continue; the study's leader finds the reason in the server's log"
LOST_AGENT = "the solver stands still from now on unless a co-pilot takes over"
LATE_AGENT = "the agent did not answer in time and did nothing"
_log = logging.getLogger(__name__)


class Players:
    """The players of one game. The hands of people are guarded by the game's lock.

    Args:
      boards: by player of the world, what it can do now, where people choose among that; it follows the play.

    Attributes:
      late: whether a stand-in has not answered in time in the present step.
    """

    def __init__(
        self,
        session: PlaySession,
        stand_ins: Mapping[Role, StandIn],
        game_id: str,
        bodies: Mapping[str, ActionSpec] | None = None,
        boards: Mapping[str, Board] | None = None,
    ) -> None:
        self.stand_ins, self._kind, self._game_id = stand_ins, session.kind, game_id
        self._bodies = bodies or {SETTER: BODY, SOLVER: BODY}
        self._chooses = bool(boards)
        self.hands = {role: self._hands_of(AVATAR[role], boards) for role in session.cast}
        self._logged = False
        self.late, self.late_steps = False, 0

    def _hands_of(self, player: str, boards: Mapping[str, Board] | None) -> Hands | BodyHands | ChoosingHands:
        body = self._bodies[player]
        if boards:
            return ChoosingHands(body, partial(boards.__getitem__, player))
        declared = any(each not in BODIES for each in self._bodies.values())
        return BodyHands(body) if declared else Hands(body)

    def arrivals(self, session: PlaySession) -> Iterator[tuple[SessionEvent, Role | None]]:
        """Yield the events that stand-ins cause before play: they join, are ready once loaded, or have died."""
        for role, stand_in in self.stand_ins.items():
            if role not in session.here:
                yield SessionEvent.JOIN, role
            if stand_in.state == AT_WORK and role not in session.ready:
                yield SessionEvent.READY, role
            if stand_in.state == GONE:
                yield SessionEvent.FAIL, None
                return

    @property
    def starting(self) -> bool:
        """True while an agent is being loaded."""
        return any(stand_in.state == STARTING for stand_in in self.stand_ins.values())

    def begin(self, world: World, seed: int) -> None:
        """Begin the episode in ``world``."""
        for number, stand_in in enumerate(self.stand_ins.values()):
            stand_in.begin(world, seed + number)

    def ask(self, step: int, seen: Mapping[str, Observation]) -> None:
        """Show the stand-ins what they see at ``step``; returns at once."""
        self.late = False
        for role, stand_in in self.stand_ins.items():
            stand_in.ask(step, seen[AVATAR[role]])

    def actions(self, step: int, in_control: Role, timeout_sec: float) -> dict[str, Action | Role]:
        """Return what setter and solver do in a step.

        Args:
          timeout_sec: seconds in which a stand-in may still answer; a late one does nothing, and that is counted.

        Returns:
          By player a stand-in's action, or the role of a person.
        """
        return {
            SETTER: self._action(step, Role.SETTER, timeout_sec),
            SOLVER: self._action(step, in_control, timeout_sec),
        }

    def _action(self, step: int, role: Role, timeout_sec: float) -> Action | Role:
        stand_in = self.stand_ins.get(role)
        if stand_in is None:
            return role
        action = stand_in.answer(step, timeout_sec)
        if action is None:
            self.late, self.late_steps = True, self.late_steps + 1
            return self._bodies[AVATAR[role]].silent()
        return action

    def row(self, tick: int, action: Action | Role) -> np.ndarray:
        """Return the movement of one player in this tick: integers [components]."""
        if isinstance(action, Role):
            return self.hands[action].tick()
        return action["movement"][min(tick, len(action["movement"]) - 1)]  # a setter may have fewer ticks

    def line(self, action: Action | Role) -> str:
        """Return what one player says in this step."""
        return self.hands[action].line() if isinstance(action, Role) else action["utterance"]

    def idle(self, in_control: Role) -> bool:
        """Return True while a turn-based world waits.

        That is while the person who moves the solver presses no key and nobody has a line to say; where people choose
        their actions, while one of those who act has not chosen.
        """
        if self._chooses:
            acting = {Role.SETTER, in_control} - self.stand_ins.keys()
            return any(self.hands[role].idle for role in acting)
        return in_control not in self.stand_ins and all(
            hands.silent and (role != in_control or hands.idle) for role, hands in self.hands.items()
        )

    def gone(self) -> str:
        """Return a message about a stand-in that has died, "" if none has; in an evaluation it names no agent."""
        gone = next((stand_in for stand_in in self.stand_ins.values() if stand_in.state == GONE), None)
        if gone is None:
            return ""
        if not self._logged:
            _log.error("game %s: %s", self._game_id, gone.trouble)
            self._logged = True
        return BLIND if self._kind in JUDGED_BY_SETTER else gone.trouble

    def close(self) -> None:
        """Close the stand-ins."""
        for stand_in in self.stand_ins.values():
            stand_in.close()
