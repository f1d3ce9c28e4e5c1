"""An agent of a few thousand parameters that fits the tiny world, and play made up for it."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from agents.agent import InteractiveAgent
from agents.batch import ObservationArrays
from agents.config import AgentConfig
from agents.tokenizer import EOS_ID, PAD_ID, Tokenizer
from rlhf.data.memory import encode_episodes
from rlhf.data.windows import EpisodeStream
from rlhf.replay.fragment import Fragment
from tests.unit.rlhf import tiny_world
from worlds.contract import MOVEMENT_BINS, TICKS_PER_STEP


def tokenizer() -> Tokenizer:
    return Tokenizer.train(tiny_world.WORDS, 280)


def config(**overrides: Any) -> AgentConfig:
    sizes: dict[str, Any] = dict(
        image_size=(tiny_world.SIZE, tiny_world.SIZE),
        vocab_size=280,
        setter_text_length=6,
        solver_text_length=3,
        utterance_length=4,
        vision_channels=(4,),
        vision_strides=(4,),
        vision_blocks=(1,),
        width=8,
        layers=1,
        heads=2,
        dedicated_tokens=1,
        memory_width=12,
        tick_width=6,
        value_width=8,
    )
    return AgentConfig(**(sizes | overrides))


def agent(seed: int = 0, **overrides: Any) -> InteractiveAgent:
    """Return an untrained agent that often speaks, so that words matter in short fragments."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        made = InteractiveAgent(config(**overrides))
    if made.language is not None:
        torch.nn.init.constant_(made.language.speak.bias, -0.5)
    return made.eval()


def recorded(steps: int, batch: int, seed: int = 0, columns: slice | None = None) -> EpisodeStream:
    """Return windows [steps, batch] of the tiny world's episodes, or ``columns`` of them."""
    episodes = [tiny_world.record(number, 6 + number) for number in range(5)]
    return EpisodeStream(encode_episodes(episodes, tokenizer(), config()), steps, batch, seed, columns)


def fragment(
    player: InteractiveAgent,
    steps: int = 5,
    slots: int = 3,
    seed: int = 0,
    off_policy: float = 0.0,
    terminated: float = 1.0,
) -> Fragment:
    """Return random play with the log-probabilities that ``player`` gives it, all of them ``off_policy`` too high.

    ``terminated`` is the share of the episodes that the world ends; a time limit truncates the others.
    """
    rng = np.random.default_rng(seed)
    shape, sizes = (steps + 1, slots), config()
    utterance = rng.integers(3, sizes.vocab_size, (*shape, sizes.utterance_length))
    utterance[..., -1] = EOS_ID
    utterance[rng.random(shape) < 0.5] = PAD_ID
    moves = (*shape, TICKS_PER_STEP, len(MOVEMENT_BINS))
    resets = rng.random(shape) < 0.2
    reward = rng.normal(size=shape).astype(np.float32)
    reward[resets] = 0.0
    zeros = np.zeros(shape, np.float32)
    blank = Fragment(
        observations=ObservationArrays(
            image=rng.integers(0, 256, (*shape, *sizes.image_size, 3), np.uint8),
            setter_tokens=rng.integers(0, sizes.vocab_size, (*shape, sizes.setter_text_length)),
            solver_tokens=rng.integers(0, sizes.vocab_size, (*shape, sizes.solver_text_length)),
            previous_movement=rng.integers(0, MOVEMENT_BINS, moves).astype(np.int8),
        ),
        movement=rng.integers(0, MOVEMENT_BINS, moves).astype(np.int8),
        utterance=utterance,
        movement_log_prob=zeros,
        speak_log_prob=zeros,
        words_log_prob=zeros,
        reward=reward,
        resets=resets,
        terminated=resets & (np.random.default_rng([seed, 1]).random(shape) < terminated),
        reference_speak_logit=rng.normal(size=shape).astype(np.float32),
        hidden=rng.normal(size=(slots, sizes.memory_width)).astype(np.float32),
        cell=rng.normal(size=(slots, sizes.memory_width)).astype(np.float32),
    )
    tensors = blank.to_tensors()
    with torch.no_grad():
        output, _ = player(tensors.observations, tensors.state, tensors.resets)
        log_probs = player.log_probs(output, tensors.actions)
    parts = {f"{name}_log_prob": (value + off_policy / 3).numpy() for name, value in log_probs._asdict().items()}
    return Fragment(**(vars(blank) | parts))
