"""Recorded play in memory: many episodes end to end in one set of arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import Tensor

from agents.batch import ActionBatch, ObservationArrays, ObservationBatch, RecordedWindow, map_parts, send
from agents.config import AgentConfig
from agents.tokenizer import Tokenizer
from rlhf.data.dataset import check_spaces, movement_counts
from rlhf.data.encoding import encode_steps
from rlhf.data.packed_frames import PackedFrames, draw_frames
from rlhf.data.windows import EpisodeStream
from rlhf.records.episode import Episode
from rlhf.store.columns.compressed import CompressedEpisode, compress
from worlds.errors import UserError


@dataclass(frozen=True, eq=False)
class MemoryDataset:
    """Many episodes end to end in one set of arrays: row ``starts[i]`` is the first step of episode i.

    Args:
      observations: [N, ...]; the image is of pixels, or the same as PNG files.
      movement: int8 or int16 [N, ticks, C], the solver's movement, in the columns of the agent's actions.
      utterance: int64 [N, M], what the solver says.
      first: bool [N], true at the first step of an episode.
      demonstrated: bool [N], steps to imitate, see :meth:`rlhf.records.episode.Episode.demonstrated`.
      starts: int64 [episodes + 1], with the total number of steps last.
      values: number of values of the action's column that has the most.
    """

    observations: ObservationArrays
    movement: np.ndarray
    utterance: np.ndarray
    first: np.ndarray
    demonstrated: np.ndarray
    starts: np.ndarray
    values: int

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

        return map_parts(pick, self.observations), ActionBatch(pick(self.movement), pick(self.utterance))

    def excerpt(self, rows: Sequence[np.ndarray]) -> MemoryDataset:
        """Return copies of some steps as episodes of their own, one for each of ``rows``, int [T]."""
        selected = np.concatenate([*rows, np.zeros(0, dtype=np.int64)])
        return MemoryDataset(
            self.observations.map(lambda part: part[selected]),
            self.movement[selected],
            self.utterance[selected],
            self.first[selected],
            self.demonstrated[selected],
            _starts([len(some) for some in rows]),
            self.values,
        )

    def seeing(self, **parts: np.ndarray) -> MemoryDataset:
        """Return the same with other observations, by name of the part."""
        return replace(self, observations=self.observations._replace(**parts))

    @property
    def steps_demonstrated(self) -> int:
        """Number of steps that are to be imitated."""
        return self._steps_demonstrated

    @cached_property
    def _steps_demonstrated(self) -> int:
        return int(self.demonstrated.sum())

    def movement_counts(self) -> np.ndarray:
        """Return how often each value was chosen in demonstrated steps: int64 [ticks, C, values]."""
        return movement_counts(self.movement[self.demonstrated], self.values)

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


def encode_episodes(
    episodes: Sequence[Episode | CompressedEpisode], tokenizer: Tokenizer, config: AgentConfig, packed: bool = False
) -> MemoryDataset:
    """Encode ``episodes`` for an agent of ``config``.

    Args:
      episodes: at least one.
      packed: keep frames as PNG files, a fraction of their size, and draw them where they are taken.

    Raises:
      UserError: if there are none, or one is of other spaces than the agent, such as images of another size.
    """
    if not episodes:
        raise UserError("no episodes to learn from")
    for episode in episodes:
        check_spaces(episode, config)
    starts = _starts([len(episode) for episode in episodes])
    first = np.zeros(starts[-1], dtype=bool)
    first[starts[:-1]] = True
    encoded = [dict(encode_steps(episode, tokenizer, config).arrays()) for episode in episodes]
    columns: dict[str, Any] = {name: np.concatenate([steps[name] for steps in encoded]) for name in encoded[0]}
    columns["image"] = None
    if config.player.observation.image is not None:
        compressed = [_compressed(each) for each in episodes] if packed else []
        columns["image"] = PackedFrames(compressed, config) if packed else _drawn(episodes, starts, config)
    own = {name: columns.pop(name) for name in ("movement", "utterance", "demonstrated")}
    values = int(config.columns.counts.max(initial=1))
    return MemoryDataset(ObservationArrays(**columns), first=first, starts=starts, values=values, **own)


def _drawn(episodes: Sequence[Episode | CompressedEpisode], starts: np.ndarray, config: AgentConfig) -> np.ndarray:
    """Draw the frames of all episodes one after the other, so that no frame is in memory twice."""
    known = config.player.observation.image
    assert known is not None
    image = np.empty((starts[-1], *config.image_size, known.channels), np.uint8)
    for episode, begin, end in zip(episodes, starts[:-1], starts[1:], strict=True):
        if isinstance(episode, Episode):
            image[begin:end] = episode.pictures()
        else:
            image[begin:end] = draw_frames(episode.episode_id, episode.frames or (), config)
    return image


def _compressed(episode: Episode | CompressedEpisode) -> CompressedEpisode:
    return compress(episode) if isinstance(episode, Episode) else episode


def _starts(lengths: Sequence[int]) -> np.ndarray:
    """First rows of episodes end to end, int64 [episodes + 1], with the total number of steps last."""
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
