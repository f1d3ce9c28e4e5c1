"""The play session: who plays what, the states that it is in one after the other, and what may happen.

Pure: no clock, no world, no connection. This is what a session consists of; ``transitions`` has the table
itself, and says what an event leads to.

    waiting   not everybody has come yet
    ready     all are here; each reads the introduction and says when to begin
    playing   the episode runs
    paused    somebody's connection is lost; the episode stands still until they are back or their time is up
    judging   of an evaluation: the episode is over, and the setter says of what is left whether it succeeded
    saving    the episode is over and being written
    ended     it is written: durable
    abandoned it never began, or not enough of it was played to be worth keeping
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """What somebody does in a session."""

    SETTER = "setter"
    SOLVER = "solver"
    CO_PILOT = "co_pilot"


class Player(StrEnum):
    """What kind of somebody plays a role."""

    PERSON = "person"
    AGENT = "agent"
    SCRIPTED = "scripted"


class Kind(StrEnum):
    """What kinds of session there are."""

    HUMAN_HUMAN = "human-human"
    HUMAN_AGENT = "human-agent"
    HUMAN_AGENT_HUMAN = "human-agent-human"
    EVALUATION = "evaluation"  # as human-agent, and the setter says whether each request succeeded
    PRACTICE_SETTING = "practice-setting"
    PRACTICE_SOLVING = "practice-solving"


CAST: Mapping[Kind, Mapping[Role, Player]] = {
    Kind.HUMAN_HUMAN: {Role.SETTER: Player.PERSON, Role.SOLVER: Player.PERSON},
    Kind.HUMAN_AGENT: {Role.SETTER: Player.PERSON, Role.SOLVER: Player.AGENT},
    Kind.HUMAN_AGENT_HUMAN: {Role.SETTER: Player.PERSON, Role.SOLVER: Player.AGENT, Role.CO_PILOT: Player.PERSON},
    Kind.EVALUATION: {Role.SETTER: Player.PERSON, Role.SOLVER: Player.AGENT},
    Kind.PRACTICE_SETTING: {Role.SETTER: Player.PERSON, Role.SOLVER: Player.SCRIPTED},
    Kind.PRACTICE_SOLVING: {Role.SETTER: Player.SCRIPTED, Role.SOLVER: Player.PERSON},
}


class State(StrEnum):
    """Where a session is; see the module."""

    WAITING = "waiting"
    READY = "ready"
    PLAYING = "playing"
    PAUSED = "paused"
    JUDGING = "judging"
    SAVING = "saving"
    ENDED = "ended"
    ABANDONED = "abandoned"


OVER = frozenset({State.ENDED, State.ABANDONED})


class SessionEvent(StrEnum):
    """What may happen. Those of :data:`OF_PLAYERS` are somebody's doing; the others come from the game itself."""

    JOIN = "join"
    READY = "ready"
    LOST = "lost"  # the connection
    BACK = "back"
    LEAVE = "leave"  # for good
    TAKE_OVER = "take_over"
    HAND_BACK = "hand_back"
    END = "end"  # the episode, before its time is up
    TIMEOUT = "timeout"  # the time that this state may last
    FINISH = "finish"  # all steps have been played
    JUDGED = "judged"  # every request has been
    FAIL = "fail"  # the world or a stand-in cannot go on
    STOP = "stop"  # the server stops
    SAVED = "saved"
    EMPTY = "empty"  # there is nothing worth keeping


OF_PLAYERS: Mapping[SessionEvent, frozenset[Role]] = {
    SessionEvent.JOIN: frozenset(Role),
    SessionEvent.READY: frozenset(Role),
    SessionEvent.LOST: frozenset(Role),
    SessionEvent.BACK: frozenset(Role),
    SessionEvent.LEAVE: frozenset(Role),
    SessionEvent.TAKE_OVER: frozenset({Role.CO_PILOT}),
    SessionEvent.HAND_BACK: frozenset({Role.CO_PILOT}),
    SessionEvent.END: frozenset({Role.SETTER, Role.SOLVER}),
}


class Refusal(StrEnum):
    """Why an event leads nowhere, in words for the person who caused it."""

    NO_SUCH_ROLE = "nobody plays this role in this kind of session"
    NOT_YOURS = "this is not for your role to do"
    TAKEN = "somebody is playing this role already"
    NOT_HERE = "you have not joined this session"
    NOT_LOST = "your connection was not lost"
    NOT_YET = "the episode has not begun"
    STANDS_STILL = "the episode stands still until everybody is back"
    BEGUN = "the episode has begun"
    IS_OVER = "the episode is over"
    IN_CONTROL = "you are in control already"
    NOT_IN_CONTROL = "you are not in control"
    STILL_OPEN = "the episode is not over yet"
    NO_SUCH_REQUEST = "nothing was said then"
    NOT_TIMED = "this state has no time limit"


class TransitionRefused(ValueError):
    """An event that leads nowhere; ``reason`` says why."""

    def __init__(self, reason: Refusal) -> None:
        super().__init__(reason.value)
        self.reason = reason


@dataclass(frozen=True)
class PlaySession:
    """One session at one moment.

    Args:
      kind: who plays what. state: see the module.
      here: roles that somebody plays; who is lost is still here. ready, lost: those who are.
      taken_over: whether the co-pilot controls the solver, instead of the one who plays it.
      why: what ended it, "" before.
    """

    kind: Kind
    state: State = State.WAITING
    here: frozenset[Role] = frozenset()
    ready: frozenset[Role] = frozenset()
    lost: frozenset[Role] = frozenset()
    taken_over: bool = False
    why: str = ""

    @property
    def cast(self) -> Mapping[Role, Player]:
        """Who plays what."""
        return CAST[self.kind]

    @property
    def in_control(self) -> Role:
        """The one role that moves the solver."""
        return Role.CO_PILOT if self.taken_over else Role.SOLVER

    @property
    def over(self) -> bool:
        """Whether nothing can happen any more."""
        return self.state in OVER


@dataclass(frozen=True)
class TimeLimits:
    """How long, in seconds, a state may last before TIMEOUT."""

    waiting: float = 600.0
    ready: float = 600.0
    paused: float = 60.0  # for all its pauses together
    judging: float = 180.0

    def of(self, state: State) -> float | None:
        """The limit of ``state``; None for the states that end by themselves."""
        return {
            State.WAITING: self.waiting, State.READY: self.ready, State.PAUSED: self.paused,
            State.JUDGING: self.judging,
        }.get(state)  # fmt: skip
