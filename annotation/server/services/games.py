"""The games of this server: how they are started and joined, how many run at once, and how they are closed."""

from __future__ import annotations

import random
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any

from annotation.games import AgentComputing, AgentPlayer, Game, GameConfig
from annotation.games.casting import check_dataset
from annotation.games.unfinished import Unfinished
from annotation.server.errors import Refused
from annotation.server.services.active_game import BEFORE_PLAY, ActiveGame, GameRequest
from annotation.server.services.agents import Agent, Agents
from annotation.session.prompts import draw
from annotation.session.states import CAST, JUDGED_BY_SETTER, Kind, Player, Role, TimeLimits
from rlhf.records.episode import WORLD_OPTIONS
from rlhf.records.spaces import EpisodeSpaces
from rlhf.run.place_seeds import HELD_OUT_SEEDS, TRAINING_SEEDS
from rlhf.store import EpisodeStore, MemoryStore, ParquetStore
from worlds.contract import STEPS_PER_SECOND
from worlds.errors import UserError
from worlds.own_settings import own_settings

LIMITS = TimeLimits(waiting=900.0, ready=300.0, paused=60.0, judging=180.0)
REMEMBERED_SEC = 180.0  # a game that is over, so that a person who comes back learns how it ended
_SAVING_SEC = 30.0
SHORTEST_TURNS = 2  # steps of an episode that is kept, in worlds other than the Playhouse
_IN_ANOTHER = "you are in another game; leave that first"


def recorded_world_settings(store: EpisodeStore) -> dict[str, Any]:
    """Return the settings with which the houses of a dataset's first play were sampled; {} where none are recorded."""
    if not isinstance(store, ParquetStore) or not store.description.play_settings:
        return {}
    try:
        return own_settings(store.description.play_settings[0]["world"]["settings"], "world.settings")
    except (KeyError, TypeError, UserError):
        return {}


class Games:
    """Every game of this server. Safe for threads; starting one takes about a second.

    Args:
      most: games that run at once.
      seconds: seconds of play in an episode.
      agents: agents that people can play with.
      unfinished: where each game has a folder until its episode is in its dataset.
      finish: called when a game is over.
      computing: how agents compute.
    """

    def __init__(
        self,
        most: int,
        seconds: int,
        agents: Agents,
        unfinished: Unfinished,
        finish: Callable[[], None],
        computing: AgentComputing | None = None,
    ) -> None:
        self.agents, self.seconds = agents, seconds
        self._most, self._unfinished, self._finish = most, unfinished, finish
        self._computing = computing or AgentComputing()
        self._lock = threading.Lock()
        self._matching = threading.Lock()
        self._games: dict[str, ActiveGame] = {}
        self._starting, self._closing = 0, False
        self._entering: set[str] = set()

    def all(self) -> list[ActiveGame]:
        """Return the games that are not over, oldest first."""
        with self._lock:
            self._forget()
            return [running for running in self._games.values() if not running.over]

    def get(self, game_id: str) -> ActiveGame:
        """Return the game of that id, also one that is over. Raises Refused if there is none."""
        with self._lock:
            self._forget()
            running = self._games.get(game_id)
        if running is None:
            raise Refused(404, "there is no such game: it has ended, or the server was restarted")
        return running

    def of_person(self, person_id: str) -> ActiveGame | None:
        """Return the game that a person is in."""
        return next((running for running in self.all() if running.role_of(person_id)), None)

    @contextmanager
    def entering(self, person_id: str) -> Iterator[None]:
        """Hold while a person joins a game. Raises Refused if they are in a game or are joining another."""
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
        """Remove a person from every game; wait until what was played is kept, at most half a minute."""
        while (running := self.of_person(person_id)) is not None:
            role = running.role_of(person_id)
            if role is not None:
                running.leave(role)
            self.close_deserted(running)
            if running.game.state not in BEFORE_PLAY:
                running.game.wait(_SAVING_SEC)

    def start(self, request: GameRequest, store: EpisodeStore | None) -> ActiveGame:
        """Start a game, which then waits for people to join.

        Args:
          request: settings of the game.
          store: the dataset into which it is played; None for the tutorial.

        Raises:
          Refused: if too many games run, there is no such agent, or the dataset cannot take the episode.
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

    def enter(
        self, request: GameRequest, store: EpisodeStore | None, role: Role, person_id: str, pseudonym: str
    ) -> ActiveGame:
        """Join a game that waits for this role with the same settings, or start one and join it.

        A game waits for the same settings if project, kind and agent are equal. The prompt is for the setter to choose,
        whether they come first or last.

        Args:
          request: settings of the game.
          store: the dataset into which it is played; None for the tutorial.
          role: role of the person.
          person_id: the person.
          pseudonym: name of the person in datasets.

        Raises:
          Refused: if no game can be started or joined.
          OSError: if the disk is full.
        """
        people = sum(player is Player.PERSON for player in CAST[request.kind].values())
        if people < 2:
            running = self.start(request, store)
            running.join(role, person_id, pseudonym)
            return running
        with self._matching:  # two people who press Start at the same moment find each other
            running = next((game for game in self.all() if game.fits(request, role)), None)
            if running is None:
                running = self.start(request, store)
            elif role is Role.SETTER:
                running.choose_prompt(request.prompted)
            running.join(role, person_id, pseudonym)
            return running

    def close_deserted(self, running: ActiveGame) -> None:
        """End a game that everybody has left before it began."""
        if running.deserted:
            running.game.close()

    def close(self) -> None:
        """End every game; what was played is kept when this returns."""
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
        """Count a game that is being created."""
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
        """Create the game without starting it. Raises UserError if it cannot be played."""
        config = self._config(request, store)
        if store is None or not request.recorded:
            return ActiveGame(request, Game(config, MemoryStore()))
        agent = None
        if Player.AGENT in CAST[request.kind].values() or request.agent:
            rows = store.rows()
            agent = self._agent(request, store.read(rows[-1].episode_id).declared if rows else None)
            if agent.spaces is None:
                config = replace(config, height=agent.image[0], width=agent.image[1])
        check_dataset(config, store)
        with ExitStack() as if_it_fails:
            keeps = self._unfinished.begin(request.dataset, request.project_id)
            if_it_fails.callback(keeps.release)
            player = None
            if agent is not None:
                player = AgentPlayer(
                    agent.name, agent.folder, seed=config.seed, image=agent.image, computing=self._computing,
                    spaces=agent.spaces,
                )  # fmt: skip
                if_it_fails.callback(player.close)
            running = ActiveGame(request, Game(config, store, player, keeps=keeps), keeps)
            if_it_fails.pop_all()
        return running

    def _config(self, request: GameRequest, store: EpisodeStore | None) -> GameConfig:
        """Settings of the game: those of the dataset's latest episode, or the defaults in an empty dataset."""
        held_out = request.kind in JUDGED_BY_SETTER
        seed = secrets.choice(HELD_OUT_SEEDS if held_out else TRAINING_SEEDS)
        if request.task is not None:
            seed = request.task.place_seed
        clock = store.description.steps_per_second if isinstance(store, ParquetStore) else STEPS_PER_SECOND
        steps = max(1, round(self.seconds * clock))
        config = GameConfig(
            kind=request.kind, seed=seed, steps=steps, limits=LIMITS, split="held_out" if held_out else "train",
            shortest=min(GameConfig.shortest, steps) if request.recorded else steps + 1,
            prompt=draw(seed) if request.prompted else None, task=request.task,
        )  # fmt: skip
        rows = store.rows() if store is not None else []
        if not rows:
            return config
        assert store is not None
        last = store.read(rows[-1].episode_id)
        height, width = last.declared.image_size or (config.height, config.width)
        options = last.notes.get(WORLD_OPTIONS) or {}
        shortest = config.shortest
        if last.spaces is not None and request.recorded:
            shortest = min(SHORTEST_TURNS, shortest)
        return replace(
            config, world=last.world, world_options=options, height=height, width=width, shortest=shortest,
            place_settings=recorded_world_settings(store),
        )  # fmt: skip

    def _agent(self, request: GameRequest, declared: EpisodeSpaces | None) -> Agent:
        """The requested agent, or one by chance of those made for the spaces ``declared``; None are a new dataset's.

        Raises:
          UserError: if there is none.
        """
        blind = request.kind is Kind.EVALUATION or not request.agent
        agents = self.agents.all() if blind else [a for a in self.agents.all() if a.name == request.agent]
        if not agents:
            raise UserError("there is no such agent; name agents with rlhf serve --agents NAME FOLDER")
        fitting = [agent for agent in agents if agent.fits(declared)]
        if not fitting:
            image = None if declared is None or not declared.of_the_playhouse else declared.image_size
            if image is None:
                raise UserError(f"no agent was made for the spaces of the dataset {request.dataset}; clone one from it")
            sizes = " or ".join(sorted({f"{height}x{width}" for height, width in (agent.image for agent in agents)}))
            who = "no agent fits: they see" if blind else f"the agent {request.agent} sees"
            raise UserError(
                f"{who} pictures of {sizes} pixels, the dataset {request.dataset} holds {image[0]}x{image[1]}; "
                "play into another dataset"
            )
        return random.SystemRandom().choice(fitting)

    def _follow(self, running: ActiveGame) -> None:
        """Wait until the game is over, then finish what it leaves."""
        running.game.wait()
        if running.keeps is not None:
            running.keeps.let_go()
            self._finish()
        running.over_since = time.monotonic()

    def _forget(self) -> None:
        """Drop games that have been over for some minutes."""
        end = time.monotonic() - REMEMBERED_SEC
        self._games = {i: r for i, r in self._games.items() if r.over_since is None or r.over_since > end}
