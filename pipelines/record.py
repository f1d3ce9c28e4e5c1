"""`rlhf record`: play episodes into a dataset, with scripted people or with an agent as the solver."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from pipelines.places import HELD_OUT_SEEDS, PlayersConfig, WorldConfig
from rlhf.episodes import Episode
from rlhf.errors import UserError
from rlhf.play import Plan, ScriptedSolvers, play
from rlhf.progress import announce, progress
from rlhf.store import open_store
from rlhf.store.contract import EpisodeStore
from rlhf.store.json_text import to_json

SCRIPTED = "scripted"


@dataclass(frozen=True)
class RecordConfig:
    """Settings of `rlhf record`.

    Args:
      data: folder of the dataset; recorded episodes are added to it.
      episodes: how many to record. steps: length of each at most (1,125 steps are five minutes).
      tail: end an episode this many steps after its first request has succeeded; None plays all steps.
      solver: "scripted", or an agent's folder.
      split: which houses and instructions: "train", or "held_out" for those kept for validation.
      seed: episodes of the same seed and number are the same. slots: places played at once by an agent.
      workers: processes among which scripted play is divided; 1 plays in this process.
    """

    data: Path = Path("data/play")
    episodes: int = 100
    steps: int = 1125
    tail: int | None = None
    solver: str = SCRIPTED
    split: str = "train"
    seed: int = 0
    slots: int = 32
    workers: int = 2
    world: WorldConfig = field(default_factory=WorldConfig)
    players: PlayersConfig = field(default_factory=PlayersConfig)

    def __post_init__(self) -> None:
        if self.split not in ("train", "held_out"):
            raise UserError(f'split is "train" or "held_out", not {self.split!r}')
        for name in ("episodes", "steps", "slots", "workers"):
            if getattr(self, name) < 1:
                raise UserError(f"{name} is at least 1, not {getattr(self, name)}")


def record(config: RecordConfig) -> list[str]:
    """Record episodes and return their ids. Every episode is durable as soon as it has ended.

    Episodes that the dataset has already are left as they are, so a recording that was interrupted goes on.

    Raises:
      UserError: if an episode of the same id was recorded in another world than this configuration describes.
    """
    store = open_store(config.data, create=True)
    known, missing = _look_up(config, store)
    if known:
        announce(f"{len(known)} of {config.episodes} episodes are in {config.data} already")
    recorded = []
    for episode in progress(_episodes(config, missing), total=len(missing), title=f"recording into {config.data}"):
        store.write(episode)
        recorded.append(episode.episode_id)
    return known + recorded


def _look_up(config: RecordConfig, store: EpisodeStore) -> tuple[list[str], list[int]]:
    """Ids of the episodes that are there already, and the numbers of the others."""
    known, missing = [], []
    for number in range(config.episodes):
        episode_id = _episode_id(config, number)
        if episode_id in store:
            known.append(episode_id)
        else:
            missing.append(number)
    if known:
        first = store.read(known[0])
        if first.world != config.world.name or to_json(first.config) != to_json(config.world.place(first.seed)):
            raise UserError(
                f"{config.data} has an episode {known[0]} of another world or other world settings; "
                "record with another seed or into another folder"
            )
    return known, missing


def _episodes(config: RecordConfig, numbers: Sequence[int]) -> Iterator[Episode]:
    if not numbers:
        return
    if config.solver != SCRIPTED:
        yield from _agent_episodes(config, numbers)
    elif config.workers == 1:
        yield from _scripted_episodes(config, numbers)
    else:
        yield from _divided(config, numbers)


def _divided(config: RecordConfig, numbers: Sequence[int], share: int = 16) -> Iterator[Episode]:
    """Scripted play in several processes, ``share`` episodes at a time (Python's own work is what takes time)."""
    shares = [numbers[i : i + share] for i in range(0, len(numbers), share)]
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(config.workers, mp_context=context) as pool:
        for episodes in pool.map(_play_share, [config] * len(shares), shares):
            yield from episodes


def _play_share(config: RecordConfig, numbers: Sequence[int]) -> list[Episode]:
    return list(_scripted_episodes(config, numbers))


def _scripted_episodes(config: RecordConfig, numbers: Sequence[int]) -> Iterator[Episode]:
    entry = config.world.entry()
    settings = config.players.solver_settings()
    plans = (replace(plan, solver=entry.make_solver(**settings)) for plan in _plans(config, numbers))
    yield from play(entry, config.world.make(1), plans, ScriptedSolvers(1), threads=1)


def _agent_episodes(config: RecordConfig, numbers: Sequence[int]) -> Iterator[Episode]:
    from agents.acting import AgentSolvers
    from agents.folder import load_agent

    agent, tokenizer = load_agent(config.solver)
    slots = min(config.slots, len(numbers))
    solvers = AgentSolvers(agent, tokenizer, slots, seed=config.seed)
    plans = _plans(config, numbers)
    yield from play(config.world.entry(), config.world.make(slots), plans, solvers, solver_name=_solver_name(config))


def _solver_name(config: RecordConfig) -> str:
    """Who plays, as episodes tell it."""
    return SCRIPTED if config.solver == SCRIPTED else f"agent:{Path(config.solver).resolve().parent.name}"


def _episode_id(config: RecordConfig, number: int) -> str:
    return f"{_solver_name(config).replace(':', '-')}-{config.split}-{_place_seed(config, number):09d}"


def _place_seed(config: RecordConfig, number: int) -> int:
    return config.seed * 1_000_000 + (HELD_OUT_SEEDS if config.split == "held_out" else 0) + number


def _plans(config: RecordConfig, numbers: Sequence[int]) -> Iterator[Plan]:
    """What to play for each of ``numbers``; the same number gives the same place and requests every time."""
    entry = config.world.entry()
    settings = config.players.setter_settings()
    for number in numbers:
        seed = _place_seed(config, number)
        yield Plan(
            episode_id=_episode_id(config, number),
            config=config.world.place(seed),
            setter=entry.make_setter(tasks=dict(config.players.tasks), split=config.split, **settings),
            seed=seed,
            steps=config.steps,
            split=config.split,
            tail=config.tail,
        )
