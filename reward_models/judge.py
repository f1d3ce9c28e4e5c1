"""What a reward model, of whatever kind, says of episodes: all that diagnostics know of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from agents.batch import EncodedEpisodes
from agents.config import AgentConfig
from agents.folder import load_agent
from agents.tokenizer import Tokenizer
from reward_models.inter_temporal import InterTemporalRewardModel
from reward_models.scoring import rewards, score


@dataclass(frozen=True, eq=False)
class Reading:
    """One episode of T steps as a reward model sees it.

    Args:
      utility: float32 [T]. reward: float32 [T], as an agent would get it.
      mark_probability: float [T, 2], of a (+) and of a (-) at every step, from a model that predicts marks; or None.
    """

    utility: np.ndarray
    reward: np.ndarray
    mark_probability: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class Judge:
    """A reward model that has been read from its folder.

    Args:
      kind: what it is called in pages and figures, e.g. "IBT".
    """

    kind: str
    model: InterTemporalRewardModel
    tokenizer: Tokenizer

    @property
    def sizes(self) -> AgentConfig:
        """What episodes are to be encoded for."""
        return self.model.config

    @property
    def scale(self) -> float:
        """What a change of utility is multiplied by to be a reward."""
        return self.model.config.reward_scale

    def read(self, play: EncodedEpisodes, episodes: Sequence[int] | None = None) -> list[Reading]:
        """Readings of ``episodes`` (numbers in ``play``; all of them if None), in their order."""
        scored = score(self.model, play, episodes)
        return [Reading(utility, rewards(utility, self.scale)) for utility in scored]


def load_judge(folder: Path) -> Judge:
    """Read the reward model in ``folder``; the one place that knows what kinds there are.

    Raises:
      UserError: if there is none, or it is damaged.
    """
    model, tokenizer = load_agent(folder, InterTemporalRewardModel)
    return Judge("IBT", model, tokenizer)
