"""`rlhf record`: play episodes into a dataset, with scripted people or with an agent as the solver."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from pipelines.places import HELD_OUT_SEEDS, PlayersConfig, WorldConfig
from rlhf.episodes import Episode
from rlhf.errors import UserError
from rlhf.play import Plan, ScriptedSolvers, play
from rlhf.progress import progress
from rlhf.store import open_store


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
    solver: str = "scripted"
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
    """Record episodes and return their ids. Every episode is durable as soon as it has ended."""
    store = open_store(config.data, create=True)
    ids = []
    for episode in progress(_episodes(config), total=config.episodes, title=f"recording into {config.data}"):
        store.write(episode)
        ids.append(episode.episode_id)
    return ids


def _episodes(config: RecordConfig) -> Iterator[Episode]:
    if config.solver != "scripted":
        yield from _agent_episodes(config)
    elif config.workers == 1:
        yield from _scripted_episodes(config, range(config.episodes))
    else:
        yield from _divided(config)


def _divided(config: RecordConfig, share: int = 16) -> Iterator[Episode]:
    """Scripted play in several processes, ``share`` episodes at a time (Python's own work is what takes time)."""
    shares = [range(i, min(i + share, config.episodes)) for i in range(0, config.episodes, share)]
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(config.workers, mp_context=context) as pool:
        for episodes in pool.map(_play_share, [config] * len(shares), shares):
            yield from episodes


def _play_share(config: RecordConfig, numbers: range) -> list[Episode]:
    return list(_scripted_episodes(config, numbers))


def _scripted_episodes(config: RecordConfig, numbers: range) -> Iterator[Episode]:
    entry = config.world.entry()
    settings = config.players.solver_settings()
    plans = (replace(plan, solver=entry.make_solver(**settings)) for plan in _plans(config, numbers, "scripted"))
    yield from play(entry, config.world.make(1), plans, ScriptedSolvers(1), threads=1)


def _agent_episodes(config: RecordConfig) -> Iterator[Episode]:
    from agents.acting import AgentSolvers
    from agents.folder import load_agent

    agent, tokenizer = load_agent(config.solver)
    name = f"agent:{Path(config.solver).resolve().parent.name}"
    slots = min(config.slots, config.episodes)
    solvers = AgentSolvers(agent, tokenizer, slots, seed=config.seed)
    plans = _plans(config, range(config.episodes), name.replace(":", "-"))
    yield from play(config.world.entry(), config.world.make(slots), plans, solvers, solver_name=name)


def _plans(config: RecordConfig, numbers: range, who: str) -> Iterator[Plan]:
    """What to play for each of ``numbers``; the same number gives the same place and requests every time."""
    entry = config.world.entry()
    settings = config.players.setter_settings()
    first = config.seed * 1_000_000 + (HELD_OUT_SEEDS if config.split == "held_out" else 0)
    for number in numbers:
        seed = first + number
        yield Plan(
            episode_id=f"{who}-{config.split}-{seed:09d}",
            config=config.world.place(seed),
            setter=entry.make_setter(tasks=dict(config.players.tasks), split=config.split, **settings),
            seed=seed,
            steps=config.steps,
            split=config.split,
            tail=config.tail,
        )
