"""Recorded steps as an agent learns from them, all but their frames: texts as tokens, movement as bins."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from agents.config import AgentConfig
from agents.tokenizer import Tokenizer
from rlhf.records.episode import Episode, demonstrated_steps, movement_before
from rlhf.store.compressed import CompressedEpisode


@dataclass(frozen=True, eq=False)
class EncodedSteps:
    """Steps [T] of one episode.

    Args:
      setter_tokens: int64 [T, L], what the setter last said.
      solver_tokens: int64 [T, L], what the solver last said.
      previous_movement: int8 [T, 8, C], the solver's movement of the step before.
      movement: int8 [T, 8, C], the solver's movement.
      utterance: int64 [T, M], what the solver says, with the end token; silence is padding.
      demonstrated: bool [T], steps to imitate, see :func:`rlhf.records.episode.demonstrated_steps`.
    """

    setter_tokens: np.ndarray
    solver_tokens: np.ndarray
    previous_movement: np.ndarray
    movement: np.ndarray
    utterance: np.ndarray
    demonstrated: np.ndarray


def encode_steps(episode: Episode | CompressedEpisode, tokenizer: Tokenizer, config: AgentConfig) -> EncodedSteps:
    """Encode the steps of ``episode`` for an agent of ``config``."""
    return EncodedSteps(
        setter_tokens=tokenizer.encode(episode.setter_text, config.setter_text_length),
        solver_tokens=tokenizer.encode(episode.solver_text, config.solver_text_length),
        previous_movement=movement_before(episode.movement).astype(np.int8),
        movement=episode.movement.astype(np.int8, copy=False),
        utterance=tokenizer.encode(episode.utterance, config.utterance_length, end=True),
        demonstrated=demonstrated_steps(episode.solver, episode.controller),
    )
