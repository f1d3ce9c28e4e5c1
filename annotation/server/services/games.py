"""The games of this server: who plays in which, how many run at once, and what becomes of their episodes."""

from __future__ import annotations

import random
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import uuid4

from annotation.games import AgentPlayer, Game, GameConfig, Inputs
from annotation.games.casting import check_dataset
from annotation.games.unfinished import Unfinished, UnfinishedGame
from annotation.server.errors import Refused
from annotation.server.services.agents import Agent, Agents
from annotation.session import states as session
from annotation.session.prompts import draw
from annotation.session.states import CAST, Kind, Player, Role, SessionEvent, State, TimeLimits
from rlhf.records.episode import WORLD_OPTIONS
from rlhf.run.place_seeds import HELD_OUT_SEEDS, TRAINING_SEEDS
from rlhf.store import EpisodeStore, MemoryStore, ParquetStore
from worlds.contract import STEPS_PER_SECOND
from worlds.errors import UserError
from worlds.own_settings import own_settings

LIMITS = TimeLimits(waiting=900.0, ready=300.0, paused=60.0, judging=180.0)
REMEMBERED_SEC = 180.0  # a game that is over, so that whoever comes back learns how it ended
_BEFORE_PLAY = (State.WAITING, State.READY)
_SAVING_SEC = 30.0
_IN_ANOTHER = "you are in another game; leave that first"


@dataclass(frozen=True)
class GameRequest:
    """What somebody wants to play.

    Args:
      project_id, dataset: where the episode goes; "" for a tutorial, which is not kept.
      kind: who plays what. prompted: whether the setter is told what kind of thing to ask for.
      agent: its name; "" lets chance choose, as an evaluation does always.
    """

    project_id: str
    dataset: str
    kind: Kind
    prompted: bool = False
    agent: str = ""

    @property
    def tutorial(self) -> bool:
        """Whether it is only to learn the keys."""
        return not self.dataset


@dataclass
class Seat:
    """A person's place in a game. ``connection`` counts their connections; the last is theirs."""

    person_id: str
    connection: int = 0
    connected: bool = False
    replaced: Callable[[], None] = field(default=lambda: None)  # tells the connection before


def recorded_world_settings(store: EpisodeStore) -> dict[str, Any]:
    """The settings with which the places of the first play in ``store`` were sampled; none where it does not say."""
    if not isinstance(store, ParquetStore) or not store.description.play_settings:
        return {}
    try:
        return own_settings(store.description.play_settings[0]["world"]["settings"], "world.settings")
    except (KeyError, TypeError, UserError):
        return {}


class ActiveGame:
    """One game, and who sits in it. Safe for threads.

    Args:
      keeps: its folder; None of a tutorial.
    """

    def __init__(self, request: GameRequest, game: Game, keeps: UnfinishedGame | None = None) -> None:
        self.id, self.request, self.game, self.keeps = uuid4().hex, request, game, keeps
        self.since = time.monotonic()
        self.over_since: float | None = None
        self._lock = threading.Lock()
        self._seats: dict[Role, Seat] = {}

    @property
    def over(self) -> bool:
        """Whether nothing can happen in it any more."""
        return self.game.session.over or self.over_since is not None

    def role_of(self, person_id: str) -> Role | None:
        """What somebody plays in it."""
        with self._lock:
            return next((role for role, seat in self._seats.items() if seat.person_id == person_id), None)

    def free(self) -> list[Role]:
        """Roles for which a person can still come."""
        now = self.game.session
        wanted = [role for role, player in now.cast.items() if player is Player.PERSON and role not in now.here]
        return wanted if now.state is State.WAITING else []

    def join(self, role: Role, person_id: str, pseudonym: str) -> None:
        """Somebody takes a seat; they count as lost until they are connected. Raises Refused if it is not free."""
        with self._lock, refusals():
            if any(seat.person_id == person_id for seat in self._seats.values()):
                raise Refused(409, "you play in this game already")
            self.game.join(role, pseudonym)
            self._seats[role] = Seat(person_id)
            with suppress(session.TransitionRefused):
                self.game.do(role, SessionEvent.LOST)

    def connect(self, role: Role, replaced: Callable[[], None]) -> int:
        """A connection of whoever sits there: it is theirs now, and the one before is told. Returns its number."""
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
        """That connection is lost; nothing happens if it was not theirs any more."""
        with self._lock:
            seat = self._seats.get(role)
            if seat is not None and seat.connection == connection:
                seat.connected, seat.replaced = False, lambda: None
                with suppress(session.TransitionRefused):
                    self.game.do(role, SessionEvent.LOST)

    def leave(self, role: Role) -> None:
        """Whoever sits there gets up for good."""
        with self._lock:
            if self._seats.pop(role, None) is not None:
                with suppress(session.TransitionRefused):
                    self.game.do(role, SessionEvent.LEAVE)

    def give_up(self, role: Role, connection: int) -> None:
        """Before play: whoever has not come back since that connection was lost leaves."""
        with self._lock:
            seat = self._seats.get(role)
            gone = seat is not None and not seat.connected and seat.connection == connection
        if gone and self.game.state in _BEFORE_PLAY:
            self.leave(role)

    @property
    def deserted(self) -> bool:
        """Whether everybody has left before it began."""
        with self._lock:
            return not self._seats and self.game.state in _BEFORE_PLAY


class Games:
    """Every game of this server. Safe for threads; starting one takes a moment.

    Args:
      most: games that run at once. seconds: of play of an episode. agents: that solve.
      unfinished: where each has a folder. finish: called when one is over, to finish what that leaves.
    """

    def __init__(
        self, most: int, seconds: int, agents: Agents, unfinished: Unfinished, finish: Callable[[], None]
    ) -> None:
        self.agents, self.seconds = agents, seconds
        self._most, self._unfinished, self._finish = most, unfinished, finish
        self._lock = threading.Lock()
        self._games: dict[str, ActiveGame] = {}
        self._starting, self._closing = 0, False
        self._entering: set[str] = set()

    def all(self) -> list[ActiveGame]:
        """Games that are not over, the first one first."""
        with self._lock:
            self._forget()
            return [running for running in self._games.values() if not running.over]

    def get(self, game_id: str) -> ActiveGame:
        """The game of that id, also one that is over. Raises Refused if there is none."""
        with self._lock:
            self._forget()
            running = self._games.get(game_id)
        if running is None:
            raise Refused(404, "there is no such game: it has ended, or the server was started anew meanwhile")
        return running

    def of_person(self, person_id: str) -> ActiveGame | None:
        """The game in which somebody plays now."""
        return next((running for running in self.all() if running.role_of(person_id)), None)

    @contextmanager
    def entering(self, person_id: str) -> Iterator[None]:
        """While somebody sits down. Raises Refused if they sit in a game, or are about to sit down in another."""
        with self._lock:
            if person_id in self._entering:
                raise Refused(409, _IN_ANOTHER)
            self._entering.add(person_id)
        try:
            if self.of_person(person_id) is not None:
                raise Refused(409, _IN_ANOTHER)
            yield
        finally:
            with self._lock:
                self._entering.discard(person_id)

    def leave(self, person_id: str) -> None:
        """Somebody gets up from whatever they play, for good; waits until what was played is kept, but not for ever."""
        while (running := self.of_person(person_id)) is not None:
            role = running.role_of(person_id)
            if role is not None:
                running.leave(role)
            self.close_deserted(running)
            if running.game.state not in _BEFORE_PLAY:
                running.game.wait(_SAVING_SEC)

    def start(self, request: GameRequest, store: EpisodeStore | None) -> ActiveGame:
        """A new game; it waits for people to join. ``store`` is the dataset, None for a tutorial.

        Raises:
          Refused: if too many run, there is no such agent, or the dataset cannot take the episode.
          OSError: if the disk is full.
        """
        with self._slot():
            try:
                running = self._make(request, store)
            except UserError as error:
                raise Refused(409, str(error)) from error
            running.game.start()
            with self._lock:
                self._games[running.id] = running
                stopping = self._closing
        if stopping:
            running.game.close()
        threading.Thread(target=self._follow, args=(running,), name=f"follow {running.game.id}", daemon=True).start()
        return running

    def close_deserted(self, running: ActiveGame) -> None:
        """End a game that nobody waits in any more; takes a moment."""
        if running.deserted:
            running.game.close()

    def close(self) -> None:
        """End every game as it is; what was played is kept when this returns."""
        with self._lock:
            self._closing = True
            games = list(self._games.values())
        closers = [threading.Thread(target=running.game.close) for running in games if not running.over]
        for closer in closers:
            closer.start()
        for closer in closers:
            closer.join()

    @contextmanager
    def _slot(self) -> Iterator[None]:
        """Counts a game that is being made."""
        with self._lock:
            self._forget()
            running = sum(not running.over for running in self._games.values()) + self._starting
            if self._closing or running >= self._most:
                why = "the server is stopping" if self._closing else f"{running} games run, and it takes no more"
                raise Refused(409, f"{why}; try again later")
            self._starting += 1
        try:
            yield
        finally:
            with self._lock:
                self._starting -= 1

    def _make(self, request: GameRequest, store: EpisodeStore | None) -> ActiveGame:
        """The game, not started. Raises UserError if it cannot be played."""
        config = self._config(request, store)
        if store is None:
            return ActiveGame(request, Game(config, MemoryStore()))
        agent = None
        if Player.AGENT in CAST[request.kind].values():
            agent = self._agent(request, None if not store.rows() else (config.height, config.width))
            config = replace(config, height=agent.image[0], width=agent.image[1])
        check_dataset(config, store)
        with ExitStack() as if_it_fails:
            keeps = self._unfinished.begin(request.dataset, request.project_id)
            if_it_fails.callback(keeps.release)
            player = None
            if agent is not None:
                player = AgentPlayer(agent.name, agent.folder, seed=config.seed, image=agent.image)
                if_it_fails.callback(player.close)
            running = ActiveGame(request, Game(config, store, player, keeps=keeps), keeps)
            if_it_fails.pop_all()
        return running

    def _config(self, request: GameRequest, store: EpisodeStore | None) -> GameConfig:
        """The game's settings: those of the dataset, where it has an episode, the defaults where not."""
        held_out = request.kind is Kind.EVALUATION
        seed = secrets.choice(HELD_OUT_SEEDS if held_out else TRAINING_SEEDS)
        steps = max(1, round(self.seconds * STEPS_PER_SECOND))
        config = GameConfig(
            kind=request.kind, seed=seed, steps=steps, limits=LIMITS, split="held_out" if held_out else "train",
            shortest=steps + 1 if request.tutorial else min(GameConfig.shortest, steps),
            prompt=draw(seed) if request.prompted else None,
        )  # fmt: skip
        rows = store.rows() if store is not None else []
        if not rows:
            return config
        assert store is not None
        last = store.read(rows[-1].episode_id)
        height, width = last.image.shape[1:3]
        options = last.notes.get(WORLD_OPTIONS) or {}
        return replace(
            config, world=last.world, world_options=options, height=height, width=width,
            place_settings=recorded_world_settings(store),
        )  # fmt: skip

    def _agent(self, request: GameRequest, image: tuple[int, int] | None) -> Agent:
        """The agent that is wished for, or one by chance of those that see ``image``. Raises UserError."""
        blind = request.kind is Kind.EVALUATION or not request.agent
        agents = self.agents.all() if blind else [a for a in self.agents.all() if a.name == request.agent]
        if not agents:
            raise UserError("there is no such agent; name agents with rlhf serve --agents NAME FOLDER")
        fitting = [agent for agent in agents if image in (None, agent.image)]
        if not fitting:
            raise UserError("the agent sees pictures of another size than this dataset's; play into another dataset")
        return random.SystemRandom().choice(fitting)

    def _follow(self, running: ActiveGame) -> None:
        """When the game is over what follows from it is done."""
        running.game.wait()
        if running.keeps is not None:
            running.keeps.let_go()
            self._finish()
        running.over_since = time.monotonic()

    def _forget(self) -> None:
        """Games that have been over for long."""
        end = time.monotonic() - REMEMBERED_SEC
        self._games = {i: r for i, r in self._games.items() if r.over_since is None or r.over_since > end}


@contextmanager
def refusals() -> Iterator[None]:
    """What the session refuses, as the server says it."""
    try:
        yield
    except session.TransitionRefused as refused:
        raise Refused(409, str(refused)) from refused
