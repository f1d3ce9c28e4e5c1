"""Agents, tokens and recorded play made up for the tests of agents."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from agents import registry
from agents.agent import InteractiveAgent
from agents.batch import ObservationArrays
from agents.config import AgentConfig
from agents.tokenizer import EOS_ID, PAD_ID
from rlhf.data.memory import MemoryDataset
from rlhf.records.episode import Episode
from worlds.contract import MOVEMENT_BINS, TICKS_PER_STEP, neutral_movement

VOCABULARY = 280


def agent(size: str = "nano", seed: int = 0, talkative: bool = True, **overrides: Any) -> InteractiveAgent:
    """An untrained agent; a talkative one speaks about every second step, as no untrained one does."""
    torch.manual_seed(seed)
    made = registry.make(size, vocab_size=VOCABULARY, **overrides).eval()
    if talkative and made.language is not None:
        torch.nn.init.zeros_(made.language.speak.bias)
    return made


def tiny(seed: int = 0, **overrides: Any) -> InteractiveAgent:
    """A talkative agent of a thousand weights that sees 12x12 pixels."""
    sizes: dict[str, Any] = dict(
        image_size=(12, 12), vision_channels=(4,), vision_strides=(4,), vision_blocks=(1,), width=8, heads=2,
        memory_width=8, tick_width=6, value_width=8,
    )  # fmt: skip
    return agent("nano", seed, **(sizes | overrides))


def movement(steps: int, rng: np.random.Generator) -> np.ndarray:
    """Random movements int8 [steps, 8, C]."""
    return rng.integers(0, MOVEMENT_BINS, size=(steps, TICKS_PER_STEP, len(MOVEMENT_BINS))).astype(np.int8)


def tokens(steps: int, length: int, rng: np.random.Generator) -> np.ndarray:
    """Random tokens int64 [steps, length], padded behind lengths from none to all."""
    words = rng.integers(3, VOCABULARY, size=(steps, length))
    return np.where(np.arange(length) < rng.integers(0, length + 1, size=(steps, 1)), words, PAD_ID)


def utterances(steps: int, length: int, rng: np.random.Generator) -> np.ndarray:
    """Random utterances int64 [steps, length] that can be said; about every third is silence."""
    words = tokens(steps, length, rng)
    ends = np.minimum((words != PAD_ID).sum(1), length - 1)
    words[np.arange(steps), ends] = EOS_ID
    words[(ends == 0) | (rng.random(steps) < 0.3)] = PAD_ID
    return words


def recorded(config: AgentConfig, lengths: list[int], seed: int = 0) -> MemoryDataset:
    """Random recorded play of episodes of these ``lengths``; row i's image begins with the number i."""
    rng, total = np.random.default_rng(seed), sum(lengths)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    first = np.isin(np.arange(total), starts[:-1])
    done, before = movement(total, rng), np.empty((total, *neutral_movement().shape), np.int8)
    before[1:] = done[:-1]
    before[first] = neutral_movement()
    image = rng.integers(0, 256, size=(total, *config.image_size, 3), dtype=np.uint8)
    image[:, 0, 0, 0] = np.arange(total)
    return MemoryDataset(
        observations=ObservationArrays(
            image=image,
            setter_tokens=tokens(total, config.setter_text_length, rng),
            solver_tokens=tokens(total, config.solver_text_length, rng),
            previous_movement=before,
        ),
        movement=done,
        utterance=utterances(total, config.utterance_length, rng),
        first=first,
        demonstrated=np.ones(total, bool),
        starts=starts,
        values=int(MOVEMENT_BINS.max()),
    )


def episode(
    name: str, setter_text: list[str], utterance: list[str] | None = None, seed: int = 0, size: int = 8
) -> Episode:
    """An episode of random pictures and movements in which just this is said; the solver's last words are heard."""
    rng, steps = np.random.default_rng(seed), len(setter_text)
    spoken = utterance or [""] * steps
    heard = [""]
    for words in spoken[:-1]:
        heard.append(words or heard[-1])
    return Episode(
        episode_id=name,
        world="nowhere",
        config={},
        setter="scripted",
        solver="scripted",
        image=rng.integers(0, 256, size=(steps, size, size, 3), dtype=np.uint8),
        setter_text=tuple(setter_text),
        solver_text=tuple(heard),
        movement=movement(steps, rng),
        utterance=tuple(spoken),
        setter_movement=np.tile(neutral_movement(), (steps, 1, 1)),
        setter_utterance=("",) * steps,
        controller=np.zeros(steps, np.uint8),
    )
