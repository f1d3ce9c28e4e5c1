"""Datasets to learn from: recorded play of one kind or several, in memory or streamed, as endless windows."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import torch

from agents.batch import RecordedWindow
from agents.config import AgentConfig
from rlhf.records.episode import Episode
from rlhf.store.columns.compressed import CompressedEpisode
from worlds.errors import UserError
from worlds.spaces.differences import differences


class WindowStream(Protocol):
    """Endless windows of recorded play, each of which continues the one before."""

    def next(self, device: str | torch.device = "cpu") -> RecordedWindow:
        """Return the next window, on ``device``."""
        ...

    def state_dict(self) -> dict[str, Any]:
        """Return everything that determines the windows to come; plain numbers, lists and strings."""
        ...

    def load_state_dict(self, state: dict) -> None:
        """Continue from what :meth:`state_dict` returned. Raises UserError if that was of other recorded play."""
        ...


class Dataset(Protocol):
    """Recorded play to learn from."""

    @property
    def steps_demonstrated(self) -> int:
        """Number of steps that are to be imitated."""
        ...

    def __len__(self) -> int:
        """Number of episodes."""
        ...

    def movement_counts(self) -> np.ndarray:
        """Return how often each value of an action's columns was chosen in demonstrated steps.

        Returns:
          int64 [ticks, C, values], as many as the column with the most has.
        """
        ...

    def stream(self, steps: int, batch: int, seed: int, columns: slice | None = None) -> WindowStream:
        """Return endless windows of the episodes.

        Args:
          steps: T, steps of a window.
          batch: B, trajectories side by side.
          seed: of the order of episodes; the same seed gives the same windows.
          columns: of the B, the ones that are returned; None: all.
        """
        ...


class EpisodeDataset(Dataset, Protocol):
    """A dataset of episodes end to end: row ``starts[i]`` is the first step of episode i."""

    @property
    def starts(self) -> np.ndarray:
        """First rows, int64 [episodes + 1], with the total number of steps last."""
        ...

    @property
    def lengths(self) -> np.ndarray:
        """Steps of every episode, int64 [episodes]."""
        ...

    def window(self, rows: np.ndarray, device: str | torch.device = "cpu") -> RecordedWindow:
        """Return the steps at ``rows``, int [T, B], on ``device``."""
        ...


def movement_counts(movement: np.ndarray, values: int) -> np.ndarray:
    """Return how often each value was chosen.

    Args:
      movement: integers [N, ticks, C], in the columns of an agent's actions.
      values: number of values of the column that has the most.

    Returns:
      int64 [ticks, C, values].
    """
    offsets = np.arange(np.prod(movement.shape[1:]), dtype=np.int64).reshape(movement.shape[1:]) * values
    counts = np.bincount((movement + offsets).reshape(-1), minlength=offsets.size * values)
    return counts.reshape(*movement.shape[1:], values)


def check_demonstrated(episodes: Dataset) -> None:
    """Raise UserError if no step of ``episodes`` is to be imitated."""
    if not episodes.steps_demonstrated:
        raise UserError(
            f"none of the {len(episodes)} episodes has a step to imitate: all of them are an agent's own; name play of "
            "people, of the scripted demonstrator, or in which a co-pilot took over"
        )


def check_image_size(episode_id: str, image: np.ndarray, config: AgentConfig) -> None:
    """Raise UserError if ``image`` [T, H, W, channels] of an episode has another size than the agent sees."""
    if image.shape[1:3] != tuple(config.image_size):
        raise UserError(
            f"episode {episode_id} has images of {image.shape[1]}x{image.shape[2]} pixels, "
            f"the agent needs {config.image_size[0]}x{config.image_size[1]}"
        )


def check_spaces(episode: Episode | CompressedEpisode, config: AgentConfig) -> None:
    """Refuse an episode of other spaces than those of an agent of ``config``.

    Raises:
      UserError: naming the episode and the first difference.
    """
    found = episode.spaces.solver
    if found != config.player:
        first = differences(config.player, found, ("the agent", "the episode"))[0]
        raise UserError(f"episode {episode.episode_id} has other spaces than the agent ({first})")
