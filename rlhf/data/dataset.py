"""What recorded play offers to whoever learns from it, in memory or streamed."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import torch

from agents.batch import RecordedWindow
from agents.config import AgentConfig
from worlds.contract import MOVEMENT_BINS
from worlds.errors import UserError


class WindowStream(Protocol):
    """Endless windows of recorded play, each of which continues the one before."""

    def next(self, device: str | torch.device = "cpu") -> RecordedWindow: ...

    def state_dict(self) -> dict[str, Any]: ...

    def load_state_dict(self, state: dict) -> None: ...


class Dataset(Protocol):
    """Recorded play to learn from, in memory or not, of one kind or several."""

    @property
    def steps_demonstrated(self) -> int:
        """How many steps are to be imitated."""
        ...

    def __len__(self) -> int: ...

    def movement_counts(self) -> np.ndarray:
        """How often each bin was chosen in what was demonstrated: int64 [8, C, bins]."""
        ...

    def stream(self, steps: int, batch: int, seed: int, columns: slice | None = None) -> WindowStream:
        """Endless windows [steps, batch] of it, or ``columns`` of them; the same seed gives the same ones."""
        ...


class EpisodeDataset(Protocol):
    """Episodes end to end: row ``starts[i]`` is the first step of episode i."""

    @property
    def starts(self) -> np.ndarray:
        """int64 [episodes + 1], with the total number of steps last."""
        ...

    @property
    def lengths(self) -> np.ndarray:
        """Steps of every episode, int64 [episodes]."""
        ...

    def __len__(self) -> int: ...

    def window(self, rows: np.ndarray, device: str | torch.device = "cpu") -> RecordedWindow:
        """The steps at ``rows``, int [T, B]."""
        ...


def movement_counts(movement: np.ndarray) -> np.ndarray:
    """How often each bin was chosen in ``movement`` [N, 8, C]: int64 [8, C, bins]."""
    bins = int(MOVEMENT_BINS.max())
    places = np.arange(np.prod(movement.shape[1:]), dtype=np.int64).reshape(movement.shape[1:]) * bins
    counts = np.bincount((movement + places).reshape(-1), minlength=places.size * bins)
    return counts.reshape(*movement.shape[1:], bins)


def check_demonstrated(episodes: Dataset) -> None:
    """Raises UserError if no step of ``episodes`` is one to imitate."""
    if not episodes.steps_demonstrated:
        raise UserError(
            f"none of the {len(episodes)} episodes has a step to imitate: all of them are an agent's own; name play of "
            "people, of the scripted demonstrator, or in which a co-pilot took over"
        )


def check_image_size(episode_id: str, image: np.ndarray, config: AgentConfig) -> None:
    """Raises UserError if ``image`` [T, H, W, 3] of an episode has another size than an agent of ``config`` sees."""
    if image.shape[1:3] != tuple(config.image_size):
        raise UserError(
            f"episode {episode_id} has images of {image.shape[1]}x{image.shape[2]} pixels, "
            f"the agent needs {config.image_size[0]}x{config.image_size[1]}"
        )
