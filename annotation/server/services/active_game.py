"""One game of this server and the people in it: the settings asked for, their seats, and their connections."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from uuid import uuid4

from annotation.games import Game, Inputs
from annotation.games.help_sessions import HelpedTask
from annotation.games.places import Sources
from annotation.games.unfinished import UnfinishedGame
from annotation.server.errors import Refused
from annotation.server.services.agents import Agent
from annotation.session import states as session
from annotation.session.prompts import Prompt, draw
from annotation.session.states import Kind, Player, Role, SessionEvent, State

BEFORE_PLAY = (State.WAITING, State.READY)


@dataclass(frozen=True)
class GameRequest:
    """Settings of a game that a person wants to play.

    Args:
      project_id: project into which it is played; "" for the tutorial.
      dataset: dataset of that project; "" for the tutorial.
      challenge: whether the prompt wants what the solver would struggle with.
      agent: name of the agent; "" draws one by chance, as an evaluation always does.
      task: of the person's session with helpers, in the kind "helped".
      world_of: dataset in whose world the tutorial is played, or another game while its dataset is empty; "" for the
        Playhouse.
      taught: the agent, in a game in which one of those who teach it asks it; None in others.
      places: what the project and the study's other datasets say of the places; agent and dataset are added.
    """

    project_id: str
    dataset: str
    kind: Kind
    prompted: bool = False
    challenge: bool = False
    agent: str = ""
    task: HelpedTask | None = None
    world_of: str = ""
    taught: Agent | None = None
    places: Sources = field(default_factory=Sources)

    def prompt(self, seed: int) -> Prompt | None:
        """Return the setter's prompt in a game with this seed; None in free-form play."""
        return draw(seed, challenge=self.challenge) if self.prompted else None

    @property
    def tutorial(self) -> bool:
        """True for the tutorial, in which people learn the keys."""
        return not self.dataset

    @property
    def recorded(self) -> bool:
        """True if the episode goes into the dataset. The tutorial and practice of asking are not recorded."""
        return not self.tutorial and self.kind is not Kind.PRACTICE_SETTING


@dataclass
class Seat:
    """A person's place in a game.

    Args:
      connection: number of their latest connection, counted from 1; earlier ones have been replaced.
      replaced: notifies the connection that a newer one has replaced it.
    """

    person_id: str
    connection: int = 0
    connected: bool = False
    replaced: Callable[[], None] = field(default=lambda: None)


class ActiveGame:
    """One game and the people in it. Safe for threads.

    Args:
      keeps: folder of the game; None if it is not recorded.
    """

    def __init__(self, request: GameRequest, game: Game, keeps: UnfinishedGame | None = None, places: str = "") -> None:
        self.id, self.request, self.game, self.keeps = uuid4().hex, request, game, keeps
        self.places = places
        self.since = time.monotonic()
        self.over_since: float | None = None
        self.finished = threading.Event()  # what it leaves is for the study to finish
        self._lock = threading.Lock()
        self._seats: dict[Role, Seat] = {}

    @property
    def over(self) -> bool:
        """True once the game has ended."""
        return self.game.session.over or self.over_since is not None

    def role_of(self, person_id: str) -> Role | None:
        """Return the role of a person in this game; None if they are not in it."""
        with self._lock:
            return next((role for role, seat in self._seats.items() if seat.person_id == person_id), None)

    def free(self) -> list[Role]:
        """Return the roles that a person can still join as."""
        now = self.game.session
        wanted = [role for role, player in now.cast.items() if player is Player.PERSON and role not in now.here]
        return wanted if now.state is State.WAITING else []

    def join(self, role: Role, person_id: str, pseudonym: str) -> None:
        """Give a person a role; they count as lost until they are connected. Raises Refused if it is not free."""
        with self._lock, refusals():
            if any(seat.person_id == person_id for seat in self._seats.values()):
                raise Refused(409, "you play in this game already")
            self.game.join(role, pseudonym)
            self._seats[role] = Seat(person_id)
            with suppress(session.TransitionRefused):
                self.game.do(role, SessionEvent.LOST)

    def fits(self, request: GameRequest, role: Role) -> bool:
        """Return True if this game waits for ``role`` and has the settings of ``request``."""
        mine = self.request
        same = (mine.project_id, mine.kind, mine.agent) == (request.project_id, request.kind, request.agent)
        return same and role in self.free()

    def choose_prompt(self, request: GameRequest) -> None:
        """Have the setter prompted or not, as they wish when they come with a request; before play."""
        self.request = replace(self.request, prompted=request.prompted, challenge=request.challenge)
        self.game.set_prompt(self.request.prompt(self.game.config.seed))

    def connect(self, role: Role, replaced: Callable[[], None]) -> int:
        """Register a connection of the person in ``role``, in place of an earlier one. Returns its number."""
        with self._lock, refusals():
            seat = self._seats.get(role)
            if seat is None:
                raise Refused(403, "you are not in this game; join it first")
            if seat.connected:
                seat.replaced()
                with suppress(session.TransitionRefused):
                    self.game.give(role, Inputs())  # what was held down in the other window
            seat.connection, seat.connected, seat.replaced = seat.connection + 1, True, replaced
            if role in self.game.session.lost:
                self.game.do(role, SessionEvent.BACK)
            return seat.connection

    def disconnect(self, role: Role, connection: int) -> None:
        """Note that a connection is lost; nothing happens if a newer one has replaced it."""
        with self._lock:
            seat = self._seats.get(role)
            if seat is not None and seat.connection == connection:
                seat.connected, seat.replaced = False, lambda: None
                with suppress(session.TransitionRefused):
                    self.game.do(role, SessionEvent.LOST)

    def leave(self, role: Role) -> None:
        """Remove the person in ``role`` from the game for good."""
        with self._lock:
            if self._seats.pop(role, None) is not None:
                with suppress(session.TransitionRefused):
                    self.game.do(role, SessionEvent.LEAVE)

    def give_up(self, role: Role, connection: int) -> None:
        """Before play: remove the person in ``role`` if they have not returned since that connection was lost."""
        with self._lock:
            seat = self._seats.get(role)
            gone = seat is not None and not seat.connected and seat.connection == connection
        if gone and self.game.state in BEFORE_PLAY:
            self.leave(role)

    @property
    def deserted(self) -> bool:
        """True if everybody has left before play began."""
        with self._lock:
            return not self._seats and self.game.state in BEFORE_PLAY


@contextmanager
def refusals() -> Iterator[None]:
    """Turn a session's refusals into the server's."""
    try:
        yield
    except session.TransitionRefused as refused:
        raise Refused(409, str(refused)) from refused
