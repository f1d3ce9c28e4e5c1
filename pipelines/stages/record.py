"""`rlhf record`: play episodes into a dataset, with scripted people or with an agent as the solver."""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from agents.ranges import Count, Range, ShareBelowOne, Steps, check_ranges
from pipelines.stages.running.memory import check_pictures
from pipelines.stages.settings import play_settings
from pipelines.stages.settings.play_settings import (
    PlaySettings,
    settings_of_agent,
    settings_of_dataset,
    settings_of_datasets,
)
from pipelines.stages.settings.world_config import PlayersConfig, WorldConfig
from rlhf.records.episode import Episode
from rlhf.replay.co_pilot import CoPilotConfig, ScriptedCoPilot
from rlhf.replay.play import Plan, ScriptedSolvers, play
from rlhf.replay.setter_replay import RecordedSetter
from rlhf.run.place_seeds import LARGEST_SEED, SEEDS_APART, place_seed
from rlhf.run.processes import divide
from rlhf.run.progress import announce, progress
from rlhf.store import EpisodeStore, open_store
from rlhf.store.json_text import to_json
from worlds import registry
from worlds.errors import UserError
from worlds.plugins import FILE_SUFFIX

SCRIPTED = "scripted"
_OTHER_PLACES = "other places are for validation and for evaluation"
_SETTINGS = "recorded_with"  # in an episode's notes


@dataclass(frozen=True)
class RecordConfig:
    """Settings of `rlhf record`.

    Args:
      data: folder of the dataset; recorded episodes are added to it.
      episodes: number of episodes to record.
      steps: length of each episode at most (1,125 steps are five minutes).
      tail: end an episode this many steps after its first request has succeeded; None plays all steps.
      solver: who plays the solver: "scripted", or an agent's folder.
      split: play all episodes in the houses and with the instructions of one split, "train", or "held_out" for those
        kept for validation; None plays both, for training but for the share held_out.
      held_out: share of the episodes, from 0 to less than 1, that is held out where split is None; of recorded setters,
        none.
      seed: episodes of the same seed and number are the same; from 0 to 499.
      slots: places that an agent plays at once.
      workers: processes among which scripted play is divided; 1 plays in this process.
      world: world that is played, and how its places are made.
      players: how the scripted setter and solver behave.
      setters: dataset whose recorded setters are replayed in their places instead of scripted ones, as many as episodes
        says, drawn by the seed; each asks again what it asked, whatever the solver does.
      name: what recordings call an agent; None takes the name of its run's folder.
      shared_control: let a scripted co-pilot watch the agent and take over when it fails; it plays as a scripted solver
        with the settings players.solver.
      co_pilot: when the co-pilot takes over and hands back.
      device: device of an agent that plays: "cpu", "cuda" or "cuda:1".
    """

    data: Path = Path("data/play")
    episodes: Annotated[int, Range(least=1, most=SEEDS_APART, why=_OTHER_PLACES)] = 100
    steps: Count = 1125
    tail: Steps | None = None
    solver: str = SCRIPTED
    split: str | None = None
    held_out: ShareBelowOne = 0.1
    seed: Annotated[int, Range(least=0, most=LARGEST_SEED - 1, why=_OTHER_PLACES)] = 0
    slots: Count = 32
    workers: Count = 2
    world: WorldConfig = field(default_factory=WorldConfig)
    players: PlayersConfig = field(default_factory=PlayersConfig)
    setters: Path | None = None
    name: str | None = None
    shared_control: bool = False
    co_pilot: CoPilotConfig = field(default_factory=CoPilotConfig)
    device: str = "cpu"

    def __post_init__(self) -> None:
        check_ranges(self, UserError)
        if self.shared_control and self.solver == SCRIPTED:
            raise UserError("shared_control is for an agent: name its folder with --solver")
        if self.split not in (None, "train", "held_out"):
            raise UserError(f'split is "train" or "held_out", or None for both, not {self.split!r}')

    def for_training(self) -> RecordConfig:
        """The same in which None of the split is "train": a run that records its held-out play by itself."""
        return replace(self, split=self.split or "train")

    def parts(self) -> tuple[RecordConfig, ...]:
        """What is recorded in the houses and with the instructions of one split each. An episode to train on is the
        same, whatever the share that is held out."""
        if self.split is not None:
            return (self,)
        held_out = 0 if self.setters is not None else min(round(self.held_out * self.episodes), self.episodes - 1)
        training = replace(self, split="train", episodes=self.episodes - held_out)
        return (training, replace(self, split="held_out", episodes=held_out)) if held_out else (training,)


def record(config: RecordConfig) -> list[str]:
    """Record episodes and return their ids. Every episode is durable as soon as it has ended.

    Episodes that the dataset has already are left as they are, so an interrupted recording is completed by the same
    call.

    Raises:
      UserError: if an episode of the same id was recorded with other settings, or by another agent, or there is no
        such device.
    """
    _check_device(config.device)
    config = _settled(config)
    playing = config.workers if config.solver == SCRIPTED else min(config.slots, config.episodes)
    check_pictures(*config.world.image_size, config.steps, playing)
    config.world.check()
    training, *held_out = config.parts()
    recorded = _record(training)
    for part in held_out:
        announce(
            f"{part.episodes} of the {config.episodes} episodes are held out: in houses and with instructions that are "
            "never trained on (--held-out sets the share)"
        )
        recorded += _record(part)
    return sorted(recorded)


def _settled(config: RecordConfig) -> RecordConfig:
    """The configuration in which world and players are complete: as given, else as the agent, the dataset of the
    setters or the dataset itself remembers them."""
    given = PlaySettings(config.world, config.players)
    agent = play_settings.UNKNOWN if config.solver == SCRIPTED else settings_of_agent(config.solver)
    folders = [folder for folder in (config.setters, config.data) if folder is not None]
    settings = play_settings.resolve_play_settings(given, agent, settings_of_datasets(folders, given.or_else(agent)))
    play_settings.announce_world_differences("recording", settings.world, agent.world, f"{config.solver} learned in")
    held = [one.world for one in settings_of_dataset(config.data)]
    if held and all(play_settings.world_differences(settings.world, world) for world in held):
        play_settings.announce_world_differences("recording", settings.world, held[0], f"{config.data} holds")
    return replace(config, world=settings.world, players=settings.players)


def _record(config: RecordConfig) -> list[str]:
    """Record the episodes of one split and return their ids."""
    plans = _Plans(config, _fingerprint(config), _recorded_setters(config))
    store = open_store(config.data, create=True)
    played_with = PlaySettings(config.world, config.players)
    ids = [plans.episode_id(number) for number in range(config.episodes)]
    known = [episode_id for episode_id in ids if episode_id in store]
    if known:
        _check_same(store, known[0], plans.settings)
        announce(f"{len(known)} of {config.episodes} episodes are in {config.data} already")
        play_settings.note_settings(store, played_with)
    there = set(known)
    missing = [number for number in range(config.episodes) if ids[number] not in there]
    recorded, outcomes = [], []
    for episode in progress(_episodes(plans, missing), total=len(missing), title=f"recording into {config.data}"):
        try:
            store.write(episode)
        except UserError:
            if episode.episode_id not in store:
                raise
            _check_same(store, episode.episode_id, plans.settings)  # somebody else is recording the same and was faster
        if not known and not recorded:  # not before: settings that nothing can be played with are not remembered
            play_settings.note_settings(store, played_with)
        recorded.append(episode.episode_id)
        outcomes.append([step is not None for step in episode.success_step])
    if recorded:
        announce(f"recorded {len(recorded):,} episodes into {config.data}: {_fulfilled(outcomes)}")
    return known + recorded


def _fulfilled(outcomes: Sequence[Sequence[bool]]) -> str:
    """Which share of the requests was fulfilled, with an interval over episodes.

    Args:
      outcomes: whether each request was, by episode.
    """
    from pipelines.stages.outcomes.headlines import share_text
    from rlhf.run.statistics import ratio_interval

    counts = np.array([[sum(own), len(own)] for own in outcomes])
    interval = ratio_interval(counts[:, 0], counts[:, 1], seed=0)
    if interval is None:
        return "no request was made"
    return f"{share_text(interval.estimate, interval)} of their {counts[:, 1].sum():,} requests were fulfilled"


def _check_device(name: str) -> None:
    """Refuse a device that is not here before a dataset is made; there is always a CPU. Scripted play needs no torch.

    Raises:
      UserError: if there is no such device.
    """
    if name != "cpu":
        from agents.computing import usable_device

        usable_device(name)


def _check_same(store: EpisodeStore, episode_id: str, settings: str) -> None:
    """Raises UserError if the episode in ``store`` was recorded with other ``settings``."""
    if store.read(episode_id).notes.get(_SETTINGS) != settings:
        raise UserError(
            f"{store} has an episode {episode_id} that was recorded with other settings, or by another agent "
            "of that name; record with another seed, into another folder, or drop those episodes"
        )


def _fingerprint(config: RecordConfig) -> str:
    """A short name for all settings that decide what is played, the agent's weights among them."""
    played: dict[str, Any] = {
        "world": config.world.by_name(),
        "players": config.players,
        "steps": config.steps,
        "tail": config.tail,
    }
    if config.setters is not None:
        played["setters"] = "recorded"  # which, their episodes' names tell
    if config.shared_control:
        played["co_pilot"] = config.co_pilot
    weights = b""
    if config.solver != SCRIPTED:
        path = Path(config.solver) / "model.safetensors"
        weights = path.read_bytes() if path.is_file() else b""
    return hashlib.sha256(to_json(played).encode() + weights).hexdigest()[:16]


def _episodes(plans: _Plans, numbers: Sequence[int]) -> Iterator[Episode]:
    config = plans.config
    if not numbers:
        return
    if config.solver != SCRIPTED:
        yield from _agent_episodes(plans, numbers)
    elif _alone(plans):
        with closing(_ScriptedPlay(plans)) as scripted:
            yield from scripted.episodes(numbers)
    else:
        yield from _divided(plans, numbers)


class _ScriptedPlay:
    """Scripted people in one world, which is kept from episode to episode."""

    def __init__(self, plans: _Plans) -> None:
        self._plans = plans
        self._entry, self._worlds = plans.config.world.entry(), plans.config.world.make(1)
        self._settings = plans.config.players.solver_settings()
        self._entry.make_solver(**self._settings)  # refuses unknown settings before anything is played

    def episodes(self, numbers: Sequence[int]) -> Iterator[Episode]:
        solvers = (self._entry.make_solver(**self._settings) for _ in numbers)
        plans = (replace(plan, solver=one) for plan, one in zip(self._plans.of(numbers), solvers, strict=True))
        yield from play(self._entry, self._worlds, plans, ScriptedSolvers(1), threads=1)

    def close(self) -> None:
        """Close the world. In a worker it is there until that ends."""
        for world in self._worlds:
            world.close()


def _begin_worker(plans: _Plans, module: str) -> Callable[[int], Episode]:
    """In a worker: what plays an episode by its number.

    Args:
      module: that registers the world, if its name alone does not lead to it.
    """
    name = plans.config.world.world_name
    if name not in registry.names() and not name.endswith(FILE_SUFFIX):
        importlib.import_module(module)
    scripted = _ScriptedPlay(plans)

    def play_one(number: int) -> Episode:
        (episode,) = scripted.episodes([number])
        return episode

    return play_one


def _divided(plans: _Plans, numbers: Sequence[int]) -> Iterator[Episode]:
    """Scripted play in several processes (Python's own work is what takes time), every episode as it ends."""
    _ScriptedPlay(plans).close()  # what is wrong with the settings is refused before any process starts
    module = plans.config.world.entry().make.__module__

    def saying(number: int) -> str:
        return f"playing episode {plans.episode_id(number)}"

    yield from divide(_begin_worker, (plans, module), numbers, plans.config.workers, saying)


def _alone(plans: _Plans) -> bool:
    """Whether this process plays by itself: other processes do not import the script that it runs."""
    if plans.config.workers == 1:
        return True
    if in_script := plans.config.world.entry().make.__module__ == "__main__":
        announce(
            f"one process plays: the world {plans.config.world.name} is defined in the script that runs; to play in "
            f"{plans.config.workers} processes, move it to a module that the script imports"
        )
    return in_script


def _agent_episodes(plans: _Plans, numbers: Sequence[int]) -> Iterator[Episode]:
    from agents.acting import AgentSolvers
    from agents.folder import load_agent

    config = plans.config
    _co_pilot(config)  # refuses unknown settings before anything is played
    agent, tokenizer = load_agent(config.solver, device=config.device)
    config.world.check_fits(agent.config.image_size, config.solver)
    slots = min(config.slots, len(numbers))
    solvers = AgentSolvers(agent, tokenizer, slots, seed=config.seed)
    with config.world.opened(slots) as worlds:
        yield from play(config.world.entry(), worlds, plans.of(numbers), solvers, solver_name=_solver_name(config))


def _recorded_setters(config: RecordConfig) -> tuple[str, ...]:
    """Ids of the episodes whose setters are replayed; none where setters are scripted.

    Raises:
      UserError: if the dataset is of another world, or has fewer episodes than are wanted.
    """
    if config.setters is None:
        return ()
    store = open_store(config.setters)
    ids = sorted(store.ids(split=config.split))
    if len(ids) < config.episodes:
        raise UserError(
            f"{config.setters} has {len(ids)} episodes of the split {config.split}, so no setters for "
            f"{config.episodes}; record fewer, or name another dataset"
        )
    if store.description.world != (name := config.world.entry().name):
        raise UserError(f"{config.setters} is of the world {store.description.world}, not of {name}")
    order = np.random.default_rng(config.seed).permutation(len(ids))
    return tuple(ids[index] for index in order[: config.episodes])


def _co_pilot(config: RecordConfig) -> ScriptedCoPilot | None:
    """A fresh co-pilot, where there is to be one."""
    if not config.shared_control:
        return None
    return ScriptedCoPilot(config.world.entry().make_solver(**config.players.solver_settings()), config.co_pilot)


def _solver_name(config: RecordConfig) -> str:
    """Who plays, as episodes tell it."""
    if config.solver == SCRIPTED:
        return SCRIPTED
    agent = f"agent:{config.name or Path(config.solver).resolve().parent.name}"
    return f"{agent}+{ScriptedCoPilot.name}" if config.shared_control else agent


def _place_seed(config: RecordConfig, number: int) -> int:
    return place_seed(config.seed, number, held_out=config.split == "held_out")


@dataclass(frozen=True)
class _Plans:
    """What to play for each number; the same number gives the same place and requests every time."""

    config: RecordConfig
    settings: str  # the fingerprint
    replayed: tuple[str, ...] = ()  # episodes whose setters ask, by number; empty where they are scripted

    @property
    def split(self) -> str:
        """Of all of them."""
        return self.config.split or "train"

    def episode_id(self, number: int) -> str:
        """The name of an episode yet to be played."""
        player = _solver_name(self.config).replace(":", "-").replace("+", "-")
        if self.replayed:
            return f"{player}-of-{self.replayed[number]}"
        return f"{player}-{self.split}-{_place_seed(self.config, number):09d}"

    def of(self, numbers: Sequence[int]) -> Iterator[Plan]:
        """The plans of ``numbers``, in their order."""
        notes = {_SETTINGS: self.settings} | self.config.world.note()
        if self.config.shared_control:
            notes["co_pilot"] = ScriptedCoPilot.name
        yield from self._replayed(numbers, notes) if self.replayed else self._scripted(numbers, notes)

    def _scripted(self, numbers: Sequence[int], notes: Mapping[str, Any]) -> Iterator[Plan]:
        config, entry = self.config, self.config.world.entry()
        settings = config.players.setter_settings()
        for number in numbers:
            seed = _place_seed(config, number)
            yield Plan(
                episode_id=self.episode_id(number),
                config=config.world.place(seed),
                setter=entry.make_setter(tasks=config.players.weights(entry), split=self.split, **settings),
                seed=seed,
                steps=config.steps,
                split=self.split,
                tail=config.tail,
                notes=notes,
                co_pilot=_co_pilot(config),
            )

    def _replayed(self, numbers: Sequence[int], notes: Mapping[str, Any]) -> Iterator[Plan]:
        config = self.config
        assert config.setters is not None
        store = open_store(config.setters)
        for number, episode in zip(numbers, store.stream(self.replayed[n] for n in numbers), strict=True):
            yield Plan(
                episode_id=self.episode_id(number),
                config=episode.config,
                setter=RecordedSetter(episode),
                seed=episode.seed,
                steps=min(config.steps, len(episode)),
                split=self.split,
                tail=config.tail,
                notes=notes,
                co_pilot=_co_pilot(config),
                setter_name=f"replay:{episode.episode_id}",
            )
