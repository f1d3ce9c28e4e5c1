"""Outcomes of the requests in a game: from the ground truth for a scripted setter, from verdicts for a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotation.games.stand_ins import ScriptedPlayer
from annotation.session import verdicts
from annotation.session.states import Kind, PlaySession, Refusal, Role, State, TransitionRefused
from rlhf.replay.referee import Referee
from worlds.contract import SETTER, SOLVER, World
from worlds.registry import WorldEntry


class ScriptedRequests:
    """Checks a scripted setter's requests, as recordings of scripted play do.

    Args:
      entry: entry of the world in the registry.
      setter: the scripted setter.
    """

    def __init__(self, entry: WorldEntry, setter: ScriptedPlayer) -> None:
        self.referee, self._setter, self._task = Referee(entry), setter, None

    def step(self, world: World, step: int, said: Mapping[str, str]) -> None:
        """Note a request of this step, and check all requests."""
        task = getattr(self._setter.player, "task", None)
        if said[SETTER] and task is not None and task is not self._task:
            self.referee.ask(step, task.spec, task)
            self._task = task
        self.referee.look(world, step, said[SOLVER])


class JudgedRequests:
    """A person's requests in an evaluation, with their verdicts. Guarded by the game's lock."""

    def __init__(self) -> None:
        self.asked: tuple[verdicts.SetterLine, ...] = ()

    def hear(self, step: int, words: str) -> None:
        """Note a line of the setter."""
        self.asked += (verdicts.SetterLine(step, words),)

    def judge(self, session: PlaySession, role: Role, request_step: int, said: verdicts.LineVerdict, step: int) -> None:
        """Note a verdict on the line of ``request_step``. Raises TransitionRefused if ``role`` does not judge it."""
        if role is not Role.SETTER or session.kind is not Kind.EVALUATION:
            raise TransitionRefused(Refusal.NOT_YOURS)
        if session.state not in (State.PLAYING, State.PAUSED, State.JUDGING):
            raise TransitionRefused(Refusal.IS_OVER)
        try:
            self.asked = verdicts.with_verdict(self.asked, request_step, said, step)
        except KeyError:
            raise TransitionRefused(Refusal.NO_SUCH_REQUEST) from None

    @property
    def done(self) -> bool:
        """True once every line has a verdict."""
        return not verdicts.without_verdict(self.asked)

    def note(self, kind: Kind) -> dict[str, Any]:
        """Return the verdicts for the notes of an episode of ``kind``."""
        return verdicts.note(self.asked) if kind is Kind.EVALUATION else {}
