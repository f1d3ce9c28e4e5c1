"""The play session: its roles, states and events. ``transitions`` has the table of what each event leads to.

Pure: no clock, no world, no connection.

    waiting   not all players have joined yet
    ready     all have joined; each reads the introduction and presses a button when ready
    playing   the episode runs
    paused    a player's connection is lost; the episode waits until they are back or their time is up
    judging   the episode is over, and the setter judges the requests of an evaluation that are left, or the helper
    saving    the episode is over and is being written
    ended     the episode is written: durable
    abandoned the episode never began, or was too short to keep
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """The part that a player has in a session."""

    SETTER = "setter"
    SOLVER = "solver"
    CO_PILOT = "co_pilot"


class Player(StrEnum):
    """Sorts of players: a person, an agent, a scripted player."""

    PERSON = "person"
    AGENT = "agent"
    SCRIPTED = "scripted"


class Kind(StrEnum):
    """Kinds of session."""

    HUMAN_HUMAN = "human-human"
    HUMAN_AGENT = "human-agent"
    HUMAN_AGENT_HUMAN = "human-agent-human"
    EVALUATION = "evaluation"  # as human-agent, and the setter judges each request
    HELPED = "helped"  # the setter acts herself, and the solver helps without being asked
    PRACTICE_SETTING = "practice-setting"
    PRACTICE_SOLVING = "practice-solving"


CAST: Mapping[Kind, Mapping[Role, Player]] = {
    Kind.HUMAN_HUMAN: {Role.SETTER: Player.PERSON, Role.SOLVER: Player.PERSON},
    Kind.HUMAN_AGENT: {Role.SETTER: Player.PERSON, Role.SOLVER: Player.AGENT},
    Kind.HUMAN_AGENT_HUMAN: {Role.SETTER: Player.PERSON, Role.SOLVER: Player.AGENT, Role.CO_PILOT: Player.PERSON},
    Kind.EVALUATION: {Role.SETTER: Player.PERSON, Role.SOLVER: Player.AGENT},
    Kind.HELPED: {Role.SETTER: Player.PERSON, Role.SOLVER: Player.SCRIPTED},
    Kind.PRACTICE_SETTING: {Role.SETTER: Player.PERSON, Role.SOLVER: Player.SCRIPTED},
    Kind.PRACTICE_SOLVING: {Role.SETTER: Player.SCRIPTED, Role.SOLVER: Player.PERSON},
}


JUDGED_BY_SETTER = frozenset({Kind.EVALUATION, Kind.HELPED})  # kinds in which a state of judging follows the play


class State(StrEnum):
    """States of a session; see the module."""

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
    """Events of a session. Players cause those of :data:`OF_PLAYERS`; the others come from the game itself."""

    JOIN = "join"
    READY = "ready"
    LOST = "lost"  # the connection
    BACK = "back"
    LEAVE = "leave"  # not to come back
    TAKE_OVER = "take_over"
    HAND_BACK = "hand_back"
    END = "end"  # the episode, before its time is up
    TIMEOUT = "timeout"  # the state has lasted as long as it may
    FINISH = "finish"  # all steps have been played
    JUDGED = "judged"  # every request, or the helper
    FAIL = "fail"  # the world or a scripted player has failed
    STOP = "stop"  # the server stops
    SAVED = "saved"
    EMPTY = "empty"  # nothing was played that is worth keeping


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
    """Reasons why an event is refused, in words for the person who caused it."""

    NO_SUCH_ROLE = "nobody plays this role in this kind of session"
    NOT_YOURS = "this is not for your role to do"
    TAKEN = "this role is taken"
    NOT_HERE = "you have not joined this session"
    NOT_LOST = "your connection was not lost"
    NOT_YET = "the episode has not begun"
    STANDS_STILL = "the episode is paused until everybody is back"
    BEGUN = "the episode has begun"
    IS_OVER = "the episode is over"
    IN_CONTROL = "you are in control already"
    NOT_IN_CONTROL = "you are not in control"
    STILL_OPEN = "the episode is not over yet"
    NO_SUCH_REQUEST = "nothing was said then"
    NOT_OFFERED = "that is not possible any more; choose again"
    NOT_TIMED = "this state has no time limit"


class TransitionRefused(ValueError):
    """Raised for an event that is refused."""

    def __init__(self, reason: Refusal) -> None:
        super().__init__(reason.value)
        self.reason = reason


@dataclass(frozen=True)
class PlaySession:
    """One session at one moment.

    Args:
      here: roles with a player, those whose connection is lost included.
      lost: roles whose players have lost their connection.
      taken_over: True while the co-pilot controls the solver.
      why: what ended it; "" before.
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
        """Sort of player by role."""
        return CAST[self.kind]

    @property
    def in_control(self) -> Role:
        """The role that controls the solver."""
        return Role.CO_PILOT if self.taken_over else Role.SOLVER

    @property
    def over(self) -> bool:
        """True if the session has ended or was abandoned."""
        return self.state in OVER


@dataclass(frozen=True)
class TimeLimits:
    """Limits of the time, in seconds, that a state may last before TIMEOUT."""

    waiting: float = 600.0
    ready: float = 600.0
    paused: float = 60.0  # for all its pauses together
    judging: float = 180.0

    def of(self, state: State) -> float | None:
        """Return the limit of ``state``; None for the states that end by themselves."""
        return {
            State.WAITING: self.waiting, State.READY: self.ready, State.PAUSED: self.paused,
            State.JUDGING: self.judging,
        }.get(state)  # fmt: skip
