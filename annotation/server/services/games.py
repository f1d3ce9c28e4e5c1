"""The games of this server: how they are started and joined, how many run at once, and how they are closed."""

from __future__ import annotations

import random
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace

from annotation.games import AgentComputing, AgentPlayer, Game, GameConfig
from annotation.games.casting import check_dataset
from annotation.games.places import UNKNOWN, KnownPlaces, Sources, choose_places, places_of_dataset
from annotation.games.unfinished import Unfinished
from annotation.server.errors import Refused
from annotation.server.services.active_game import BEFORE_PLAY, ActiveGame, GameRequest
from annotation.server.services.agents import Agent, Agents
from annotation.session.states import CAST, JUDGED_BY_SETTER, Kind, Player, Role, TimeLimits
from rlhf.records.episode import Episode
from rlhf.run.place_seeds import HELD_OUT_SEEDS, TRAINING_SEEDS
from rlhf.store import EpisodeStore, MemoryStore, ParquetStore
from worlds.contract import STEPS_PER_SECOND
from worlds.errors import UserError

LIMITS = TimeLimits(waiting=900.0, ready=300.0, paused=60.0, judging=180.0)
REMEMBERED_SEC = 180.0  # a game that is over, so that a person who comes back learns how it ended
_SAVING_SEC = 30.0
_ENDING_SEC = 10.0
SHORTEST_TURNS = 2  # steps of an episode that is kept, in worlds other than the Playhouse
_IN_ANOTHER = "you are in another game; leave that first"


def agent_trouble(agent: Agent, world: str, project: KnownPlaces, dataset: KnownPlaces) -> str:
    """Return why an agent cannot play into a dataset for which it was made; "" if it can.

    Args:
      dataset: what the dataset was recorded with; nothing is known of an empty one.
    """
    if agent.trouble:
        return agent.trouble
    mine = agent.places.in_world(world).options
    decided = project.in_world(world).options is not None
    if decided or mine is None or dataset.options is None or dict(mine) == dict(dataset.options):
        return ""
    return (
        f"the agent {agent.name} learned with world options {dict(mine)}, the dataset was recorded with "
        f"{dict(dataset.options)}; play into another dataset"
    )


def _last_episode(store: EpisodeStore | None) -> Episode | None:
    rows = [] if store is None else store.rows()
    return store.read(rows[-1].episode_id) if store is not None and rows else None


def _sources(request: GameRequest, store: EpisodeStore | None, world: str, agent: Agent | None) -> Sources:
    """Return what says where a game is played."""
    found = replace(request.places, dataset=places_of_dataset(store, world))
    return found if agent is None else replace(found, agent=agent.places, agent_name=agent.name)


class Games:
    """Every game of this server. Safe for threads; starting one takes about a second.

    Args:
      seconds: seconds of play in an episode.
      unfinished: where each game has a folder until its episode is in its dataset.
      finish: called when a game is over.
      held_out: share of people's games that are played in held-out places, from 0 to less than 1; evaluations and
        helped sessions always are, tutorial and practice of asking never.
    """

    def __init__(
        self,
        most: int,
        seconds: int,
        agents: Agents,
        unfinished: Unfinished,
        finish: Callable[[], None],
        computing: AgentComputing | None = None,
        held_out: float = 0.0,
    ) -> None:
        self.agents, self.seconds, self._held_out = agents, seconds, held_out
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

    def settle(self, person_id: str) -> bool:
        """Wait for the end of a person's games that are over, some seconds at most; return whether there are any."""
        with self._lock:
            mine = [game for game in self._games.values() if game.role_of(person_id) and game.game.session.over]
        return any([game.finished.wait(_ENDING_SEC) for game in mine])

    def start(self, request: GameRequest, store: EpisodeStore | None, like: EpisodeStore | None = None) -> ActiveGame:
        """Start a game, which then waits for people to join.

        Args:
          store: the dataset into which it is played; None for the tutorial.
          like: the dataset in whose world it is played, if ``store`` may be empty.

        Raises Refused if too many games run, there is no such agent, or the dataset cannot take the episode, or OSError
        if the disk is full.
        """
        with self._slot():
            try:
                running = self._make(request, store, like or store)
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
        self,
        request: GameRequest,
        store: EpisodeStore | None,
        role: Role,
        person_id: str,
        pseudonym: str,
        like: EpisodeStore | None = None,
    ) -> ActiveGame:
        """Join a game that waits for this role with the same settings, or start one and join it.

        A game waits for the same settings if project, kind and agent are equal. The prompt is for the setter to choose,
        whether they come first or last.

        Raises Refused if no game can be started or joined, or OSError if the disk is full.
        """
        people = sum(player is Player.PERSON for player in CAST[request.kind].values())
        if people < 2:
            running = self.start(request, store, like)
            running.join(role, person_id, pseudonym)
            return running
        with self._matching:  # two people who press Start at the same moment find each other
            running = next((game for game in self.all() if game.fits(request, role)), None)
            if running is None:
                running = self.start(request, store, like)
            elif role is Role.SETTER:
                running.choose_prompt(request)
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

    def _make(self, request: GameRequest, store: EpisodeStore | None, like: EpisodeStore | None) -> ActiveGame:
        """Create the game without starting it. Raises UserError if it cannot be played."""
        last = _last_episode(like)
        agent = None
        if request.recorded and (Player.AGENT in CAST[request.kind].values() or request.agent):
            agent = self._agent(request, last, like)
        config, places = self._config(request, like, last, agent)
        if store is None or not request.recorded:
            return ActiveGame(request, Game(config, MemoryStore()), places=places)
        check_dataset(config, store)
        with ExitStack() as if_it_fails:
            keeps = self._unfinished.begin(request.dataset, request.project_id)
            if_it_fails.callback(keeps.release)
            player = None
            if agent is not None:
                player = AgentPlayer(
                    agent.name, agent.folder, seed=config.seed, spaces=agent.spaces, computing=self._computing
                )  # fmt: skip
                if_it_fails.callback(player.close)
            running = ActiveGame(request, Game(config, store, player, keeps=keeps), keeps, places)
            if_it_fails.pop_all()
        return running

    def _config(
        self, request: GameRequest, store: EpisodeStore | None, last: Episode | None, agent: Agent | None
    ) -> tuple[GameConfig, str]:
        """Return the settings of the game and a sentence on its places.

        World, size and clock are those of the dataset, or the defaults in an empty one.

        Args:
          store: the dataset in whose world it is played.
          last: its latest episode; None in an empty one.
        """
        held_out = self._is_held_out(request)
        seed = secrets.choice(HELD_OUT_SEEDS if held_out else TRAINING_SEEDS)
        if request.task is not None:
            seed = request.task.place_seed
        clock = store.description.steps_per_second if isinstance(store, ParquetStore) else STEPS_PER_SECOND
        steps = max(1, round(self.seconds * clock))
        world = GameConfig.world if last is None else last.world
        places = choose_places(world, _sources(request, store, world, agent), blind=request.kind in JUDGED_BY_SETTER)
        config = GameConfig(
            kind=request.kind, seed=seed, steps=steps, limits=LIMITS, split="held_out" if held_out else "train",
            shortest=min(GameConfig.shortest, steps) if request.recorded else steps + 1,
            prompt=request.prompt(seed), task=request.task,
            world=world, world_options=places.options, place_settings=places.settings,
        )  # fmt: skip
        if last is not None:
            height, width = last.spaces.image_size or (config.height, config.width)
            shortest = config.shortest
            if last.spaces.solver.action.ticks == 1 and request.recorded:
                shortest = min(SHORTEST_TURNS, shortest)
            config = replace(config, height=height, width=width, shortest=shortest)
        if agent is not None and agent.image != (0, 0):
            config = replace(config, height=agent.image[0], width=agent.image[1])
        return config, places.line

    def _is_held_out(self, request: GameRequest) -> bool:
        """Return True for a game in a held-out place: a share of people's games, drawn by chance for each."""
        if request.kind in JUDGED_BY_SETTER:
            return True
        return request.recorded and random.SystemRandom().random() < self._held_out

    def _agent(self, request: GameRequest, last: Episode | None, store: EpisodeStore | None) -> Agent:
        """Return the requested agent, or one by chance of those that can play in the dataset.

        Raises UserError if there is none.
        """
        declared = None if last is None else last.spaces
        blind = request.kind is Kind.EVALUATION or not request.agent
        known = self.agents.all() if request.taught is None else [request.taught]
        agents = known if blind else [agent for agent in known if agent.name == request.agent]
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
        world = GameConfig.world if last is None else last.world
        recorded = places_of_dataset(store, world) if last is not None else UNKNOWN
        troubles = [agent_trouble(agent, world, request.places.project, recorded) for agent in fitting]
        able = [agent for agent, trouble in zip(fitting, troubles, strict=True) if not trouble]
        if not able:
            why = f"no agent can play into the dataset {request.dataset}, which was recorded with other world options"
            raise UserError(f"{why}; play into another dataset" if blind else troubles[0])
        return random.SystemRandom().choice(able)

    def _follow(self, running: ActiveGame) -> None:
        """Wait until the game is over, then finish what it leaves."""
        running.game.wait()
        if running.keeps is not None:
            running.keeps.let_go()
            self._finish()
        running.over_since = time.monotonic()
        running.finished.set()

    def _forget(self) -> None:
        """Drop games that have been over for some minutes."""
        end = time.monotonic() - REMEMBERED_SEC
        self._games = {i: r for i, r in self._games.items() if r.over_since is None or r.over_since > end}
