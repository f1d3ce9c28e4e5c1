"""Recorded play in memory: many episodes end to end in one set of arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from agents.batch import ActionBatch, ObservationBatch, RecordedWindow, send
from agents.config import AgentConfig
from agents.tokenizer import Tokenizer
from rlhf.data.dataset import check_image_size, movement_counts
from rlhf.data.encoding import EncodedSteps, encode_steps
from rlhf.data.windows import EpisodeStream
from rlhf.records.episode import Episode
from worlds.errors import UserError


@dataclass(frozen=True, eq=False)
class MemoryDataset:
    """Many episodes end to end in one set of arrays: row ``starts[i]`` is the first step of episode i.

    Args:
      image: uint8 [N, H, W, 3], the solver's view.
      setter_tokens: int64 [N, L], what the setter last said.
      solver_tokens: int64 [N, L], what the solver last said.
      previous_movement: int8 [N, 8, C], the solver's movement of the step before.
      movement: int8 [N, 8, C], the solver's movement.
      utterance: int64 [N, M], what the solver says.
      first: bool [N], true at the first step of an episode.
      demonstrated: bool [N], steps to imitate, see :func:`rlhf.records.episode.demonstrated_steps`.
      starts: int64 [episodes + 1], with the total number of steps last.
    """

    image: np.ndarray
    setter_tokens: np.ndarray
    solver_tokens: np.ndarray
    previous_movement: np.ndarray
    movement: np.ndarray
    utterance: np.ndarray
    first: np.ndarray
    demonstrated: np.ndarray
    starts: np.ndarray

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def lengths(self) -> np.ndarray:
        """Steps of every episode, int64 [episodes]."""
        return np.diff(self.starts)

    def gather(self, rows: np.ndarray, device: str | torch.device = "cpu") -> tuple[ObservationBatch, ActionBatch]:
        """Return the steps at ``rows``, int [T, B], as batches [T, B, ...] on ``device``."""

        def pick(values: np.ndarray) -> Tensor:
            return send(values[rows], device)

        observations = ObservationBatch(
            pick(self.image), pick(self.setter_tokens), pick(self.solver_tokens), pick(self.previous_movement)
        )
        return observations, ActionBatch(pick(self.movement), pick(self.utterance))

    @property
    def steps_demonstrated(self) -> int:
        """Number of steps that are to be imitated."""
        return self._steps_demonstrated

    @cached_property
    def _steps_demonstrated(self) -> int:
        return int(self.demonstrated.sum())

    def movement_counts(self) -> np.ndarray:
        """Return how often each bin was chosen in demonstrated steps: int64 [8, C, bins]."""
        return movement_counts(self.movement[self.demonstrated])

    def window(self, rows: np.ndarray, device: str | torch.device = "cpu") -> RecordedWindow:
        """Return the steps at ``rows``, int [T, B], on ``device``."""
        observations, actions = self.gather(rows, device)
        # Masked means are rounded otherwise than plain ones, and cost more: no mask where every step is imitated.
        everything = self.steps_demonstrated == len(self.demonstrated)
        demonstrated = None if everything else send(self.demonstrated[rows], device)
        return RecordedWindow(observations, actions, send(self.first[rows], device), demonstrated)

    def stream(self, steps: int, batch: int, seed: int, columns: slice | None = None) -> EpisodeStream:
        """Return endless windows of the episodes, see :meth:`rlhf.data.dataset.Dataset.stream`."""
        return EpisodeStream(self, steps, batch, seed, columns)


def encode_episodes(episodes: Sequence[Episode], tokenizer: Tokenizer, config: AgentConfig) -> MemoryDataset:
    """Encode ``episodes`` for an agent of ``config``.

    Raises:
      UserError: if there are none, or one has images of another size than the agent's.
    """
    if not episodes:
        raise UserError("no episodes to learn from")
    for episode in episodes:
        check_image_size(episode.episode_id, episode.pictures(), config)
    starts = np.concatenate([[0], np.cumsum([len(episode) for episode in episodes])]).astype(np.int64)
    first = np.zeros(starts[-1], dtype=bool)
    first[starts[:-1]] = True
    encoded = [encode_steps(episode, tokenizer, config) for episode in episodes]
    columns = {f.name: np.concatenate([getattr(steps, f.name) for steps in encoded]) for f in fields(EncodedSteps)}
    return MemoryDataset(
        image=np.concatenate([episode.pictures() for episode in episodes]), first=first, starts=starts, **columns
    )
