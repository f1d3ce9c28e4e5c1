"""One environment of a runner, the play that is going on in it, and what is known of it when it has ended."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np

from rlhf.episodes import Episode
from rlhf.errors import RunError
from worlds.contract import UTTERANCE_MAX_CHARS, Observation


class RunnerError(RunError):
    """Play that cannot go on; the message names the slot, the episode and the step."""


@dataclass(frozen=True)
class EpisodeResult:
    """One finished play.

    Args:
      episode_id: of the recorded episode whose setter was replayed. steps: its length.
      utterances: how often the agent spoke. modelled_return: sum of the rewards.
      success: for every request made, whether it was fulfilled; empty where ground truth is not followed.
    """

    episode_id: str
    steps: int
    utterances: int
    modelled_return: float
    success: tuple[bool, ...]


class Slot:
    """One environment and the play that is going on in it."""

    def __init__(self, index: int, env: gymnasium.Env) -> None:
        self.index, self.env = index, env
        self.observation: Observation
        self.truth: Any = None
        self.episode_id = self.world = ""
        self.step = self.utterances = 0
        self.modelled_return = 0.0
        self.counts = True  # a play that was cut short is no result

    def begin(self, episode: Episode, steps: int | None) -> None:
        options: dict[str, Any] = {"episode": episode} | ({} if steps is None else {"steps": steps})
        self.episode_id, self.world, self.counts = episode.episode_id, episode.world, steps is None
        self.step = self.utterances = 0
        self.observation, _ = self._loudly(lambda: self.env.reset(options=options))

    def act(self, movement: np.ndarray, utterance: str) -> tuple[float, bool]:
        """Take one step: the environment's reward, and whether the play is over."""
        action = {"movement": movement, "utterance": utterance[:UTTERANCE_MAX_CHARS]}
        self.observation, reward, terminated, truncated, info = self._loudly(lambda: self.env.step(action))
        self.truth = info.get("truth")
        self.step += 1
        self.utterances += bool(utterance)
        return float(reward), terminated or truncated

    def _loudly(self, call: Callable[[], Any]) -> Any:
        try:
            return call()
        except Exception as error:
            where = f"world {self.world!r}, slot {self.index}, step {self.step} of episode {self.episode_id}"
            raise RunnerError(f"{where}: {type(error).__name__}: {error}") from error

    def result(self) -> EpisodeResult | None:
        """What is known of the play that has just ended, but for its return; None if it was cut short."""
        if not self.counts:
            return None
        success = () if self.truth is None else tuple(step is not None for step in self.truth.success_step)
        return EpisodeResult(self.episode_id, self.step, self.utterances, 0.0, success)
