"""Scores of episodes by a reward model of any kind: the interface that diagnoses use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from agents.config import AgentConfig
from agents.tokenizer import Tokenizer
from reward_models.contract import RewardModel
from reward_models.registry import load_reward_model
from reward_models.scores.scoring import mark_probabilities, rewards, score
from rlhf.data.memory import MemoryDataset


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of one episode of T steps by a reward model.

    Args:
      utility: float32 [T].
      reward: float32 [T], as an agent would get it.
      mark_probability: float [T, 2], of a (+) and of a (-) at every step, from a model that predicts marks; or None.
    """

    utility: np.ndarray
    reward: np.ndarray
    mark_probability: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class LoadedRewardModel:
    """Reward model loaded from its folder, with its tokenizer.

    Args:
      kind: its name in pages and figures, e.g. "IBT".
    """

    kind: str
    model: RewardModel
    tokenizer: Tokenizer

    @property
    def sizes(self) -> AgentConfig:
        """Sizes for which episodes are encoded."""
        return self.model.config

    @property
    def scale(self) -> float:
        """Factor from a change of utility to an (expected) reward."""
        return self.model.config.reward_scale

    def score(self, play: MemoryDataset, episodes: Sequence[int] | None = None) -> list[Scores]:
        """Scores of ``episodes`` (numbers in ``play``; all of them if None), in their order."""
        utilities = score(self.model, play, episodes)
        marks = mark_probabilities(self.model, play, episodes) or [None] * len(utilities)
        return [Scores(u, rewards(u, self.scale), p) for u, p in zip(utilities, marks, strict=True)]


def load_with_tokenizer(folder: Path) -> LoadedRewardModel:
    """Load the reward model in ``folder``.

    Raises:
      UserError: if there is none, or it is damaged.
    """
    model, tokenizer = load_reward_model(folder)
    return LoadedRewardModel(model.short, model, tokenizer)
