"""Outcomes of a game: from the ground truth for a scripted setter's requests, from a person's verdicts and ratings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotation.games.stand_ins import ScriptedPlayer
from annotation.session import ratings, verdicts
from annotation.session.states import Kind, PlaySession, Refusal, Role, State, TransitionRefused
from rlhf.replay.referee import Referee
from worlds.contract import SETTER, SOLVER, World
from worlds.registry import WorldEntry

AFTER_JUDGING = (State.SAVING, State.ENDED, State.ABANDONED)


class ScriptedRequests:
    """Checks a scripted setter's requests, as recordings of scripted play do."""

    def __init__(self, entry: WorldEntry, setter: ScriptedPlayer) -> None:
        self.referee, self._setter, self._task = Referee(entry), setter, None

    def step(self, world: World, step: int, said: Mapping[str, str]) -> None:
        """Note a request of this step, and check all requests."""
        task = getattr(self._setter.player, "task", None)
        if said[SETTER] and task is not None and task is not self._task:
            self.referee.ask(step, task.spec, task)
            self._task = task
        self.referee.look(world, step, said[SOLVER])


class Judgements:
    """What the setter says of a game: verdicts on requests, or ratings of the helper. Guarded by the game's lock.

    Attributes:
      ratings: of the helper; None before they are given.
    """

    def __init__(self, kind: Kind) -> None:
        self._kind = kind
        self.asked: tuple[verdicts.SetterLine, ...] = ()
        self.ratings: ratings.HelperRatings | None = None

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

    def rate(self, session: PlaySession, role: Role, given: ratings.HelperRatings) -> None:
        """Note the ratings of the helper. Raises TransitionRefused if ``role`` does not rate it, or not now."""
        if role is not Role.SETTER or session.kind is not Kind.HELPED:
            raise TransitionRefused(Refusal.NOT_YOURS)
        if session.state is not State.JUDGING:
            raise TransitionRefused(Refusal.IS_OVER if session.state in AFTER_JUDGING else Refusal.STILL_OPEN)
        self.ratings = given

    @property
    def done(self) -> bool:
        """True once every line of an evaluation has a verdict, or the helper its ratings."""
        return self.ratings is not None if self._kind is Kind.HELPED else not verdicts.without_verdict(self.asked)

    def note(self) -> dict[str, Any]:
        """Return them for the notes of the episode."""
        if self._kind is Kind.HELPED:
            return ratings.note(self.ratings)
        return verdicts.note(self.asked) if self._kind is Kind.EVALUATION else {}
