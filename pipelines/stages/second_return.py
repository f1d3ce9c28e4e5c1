"""Returns of held-out replays by a second reward model, which the agent is not trained against."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from agents.batch import map_parts
from rlhf.learning.guards import paired_change
from rlhf.replay.fragment import Fragment
from rlhf.replay.runner import RewardSource
from rlhf.replay.slot import EpisodeResult

_ROWS_AT_ONCE = 64  # bounds memory, whatever the length of a fragment


class SecondReturn:
    """Scores replays that another reward model has rewarded. Its state is what the first replays were worth.

    Args:
      rewards: rewards of the second model in as many slots as the fragments have.
    """

    def __init__(self, rewards: RewardSource) -> None:
        self._rewards = rewards
        self._first: dict[str, float] = {}

    def measure(self, fragment: Fragment, plays: Mapping[int, EpisodeResult]) -> dict[str, float]:
        """Return the mean return of the plays with which ``fragment`` begins, and its change since the first call.

        Args:
          plays: results by slot; slots without one are left out.

        Returns:
          ``second_return``, and of two plays or more its standard deviation ``second_return_sd`` and, paired by
          episode, ``second_change`` with its standard error ``second_change_error``.
        """
        self._rewards.load_state_dict({})  # empties its memory
        rewards = np.concatenate([self._part(fragment, begin) for begin in range(0, fragment.steps + 1, _ROWS_AT_ONCE)])
        now = first_returns(rewards, plays)
        self._first = self._first or now
        if not now:
            return {}
        found = {"second_return": float(np.mean([*now.values()]))}
        if (change := paired_change(self._first, now)) is not None:
            found["second_return_sd"] = float(np.std([*now.values()], ddof=1))
            found["second_change"], found["second_change_error"] = change
        return {f"held_out/{name}": value for name, value in found.items()}

    def state_dict(self) -> dict[str, Any]:
        return {"first": dict(self._first)}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self._first = dict(state["first"])

    def _part(self, fragment: Fragment, begin: int) -> np.ndarray:
        """Rewards float32 [t, N] of some rows, from ``begin`` on."""
        rows = slice(begin, begin + _ROWS_AT_ONCE)
        seen = map_parts(lambda array: torch.from_numpy(array[rows]), fragment.observations._replace(visual=None))
        return self._rewards.rewards(seen, torch.from_numpy(fragment.resets[rows]))


def first_returns(rewards: np.ndarray, plays: Mapping[int, EpisodeResult]) -> dict[str, float]:
    """Return the sum of the rewards of each of ``plays``, by the id of its episode.

    Args:
      rewards: [T+1, N], arriving at the row; a play of n steps is rewarded in rows 1 to n of its slot.
      plays: results of the plays that begin in row 0, by slot.
    """
    return {play.episode_id: float(rewards[1 : play.steps + 1, slot].sum()) for slot, play in plays.items()}
