"""Rewards of recorded play as one slot of a runner receives them."""

from __future__ import annotations

import numpy as np

from reward_models.contract import RewardModel
from reward_models.scores.scoring import StreamingScorer
from rlhf.data.memory import MemoryDataset


def streamed_rewards(model: RewardModel, play: MemoryDataset, seed: int = 0) -> np.ndarray:
    """Return the rewards of all episodes of ``play``, one after the other: float32 [N]."""
    rows = np.arange(play.starts[-1])[:, None]
    observations, _ = play.gather(rows, model.device)
    return StreamingScorer(model, 1, seed=seed).rewards(observations, play.first[rows])[:, 0]
