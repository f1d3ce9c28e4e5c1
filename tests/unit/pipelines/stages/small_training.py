"""Trainings of seconds: marked synthetic play, an untrained agent, and words of commands."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np

from agents.agent import InteractiveAgent
from agents.folder import save_agent
from agents.tokenizer import Tokenizer
from pipelines.stages.episodes.recordings import read_episodes, spoken_texts
from rlhf.records.episode import Episode
from rlhf.records.marks import Mark
from rlhf.store import ParquetStore, open_store
from rlhf.store.synthetic import synthetic_episode
from tests.unit.agents import made_up_play

Complaint = Callable[..., str]  # the fixture of that name runs a command that is refused, and returns its one line
EPISODES, UPDATES = 8, 4
MADE = {"clone": "agent", "reward": "reward_model"}
SETTINGS = {"rooms": [1, 1], "furniture": [0, 1], "objects": [2, 3]}
ROOM = json.dumps(SETTINGS)  # as people type it
WORLD = ["--world.height=12", "--world.width=16", f"--world.settings={ROOM}"]
SMALL = ["--wandb=disabled", "--training.steps=3", "--training.batch=2", "--training.log-every=1"]


KEPT = [*SMALL, f"--training.updates={UPDATES}", "--training.evaluate-every=2", "--checkpoint-every=2"]


def typed(verb: str, made: Path, runs: Path, data: Path | None = None) -> list[str]:
    """A command that uses what is in ``made``, or the dataset ``data``, and writes into ``runs``."""
    played, agent = f"--data={data or made / 'data'}", made / "clone" / "agent"
    words: dict[str, list[str]] = {
        "clone": [played, f"--runs={runs}", *KEPT],
        "reward": [played, f"--runs={runs}", f"--agent={agent}", "--validation=0.3", *KEPT],
        "improve": [played, f"--runs={runs}", f"--agent={agent}"],
        "record": [f"--data={runs / 'new'}", f"--solver={agent}", "--episodes=1", *WORLD],
        "evaluate": ["--agents", "bc", str(agent), f"--out={runs / 'out.json'}", *WORLD],
    }
    return [verb, *words[verb]]


def episode(number: int, steps: int = 6, size: tuple[int, int] = (12, 16)) -> Episode:
    """Synthetic play of a scripted solver."""
    return replace(synthetic_episode(number, steps, *size), solver="scripted", controller=np.zeros(steps, np.uint8))


def in_turns(step: int = 3, signs: tuple[int, ...] = (1, -1), count: int = EPISODES) -> list[Mark]:
    """One mark of a scripted rater on each of the first episodes, with these signs in turn."""
    return [Mark(f"synthetic-{n:06d}", "ann", step, signs[n % len(signs)], scripted=True) for n in range(count)]


def recorded(
    folder: Path, marks: Iterable[Mark] = (), change: Callable[[Episode], Episode] = lambda one: one, steps: int = 6
) -> ParquetStore:
    """A dataset of eight episodes as ``change`` has made them, with ``marks``."""
    store = open_store(folder, create=True)
    for number in range(EPISODES):
        store.write(change(episode(number, steps)))
    store.write_marks(marks)
    return store


def untrained(store: ParquetStore, folder: Path) -> tuple[InteractiveAgent, Tokenizer]:
    """An agent that has learned nothing and knows the words of the dataset; it is saved as ``folder``."""
    tokenizer = Tokenizer.train(spoken_texts(read_episodes([store.folder])), made_up_play.VOCABULARY)
    agent = made_up_play.agent(
        image_size=(12, 16), vision_channels=(4,), vision_strides=(4,), vision_blocks=(1,), width=8,
        heads=2, memory_width=8, tick_width=6, value_width=8,
    )  # fmt: skip
    save_agent(agent, tokenizer, folder)
    return agent, tokenizer
