"""From episodes to time-major batches [T, B, ...]: what an agent sees and what it is to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from agents.config import AgentConfig
from agents.tokenizer import Tokenizer
from rlhf.episodes import Episode
from rlhf.errors import UserError


class ObservationBatch(NamedTuple):
    """What is perceived, time-major."""

    image: Tensor  # uint8 [T, B, H, W, 3]
    setter_tokens: Tensor  # int64 [T, B, L]
    solver_tokens: Tensor  # int64 [T, B, L]
    previous_movement: Tensor  # int8 [T, B, 8, C]


class ActionBatch(NamedTuple):
    """What is done, time-major."""

    movement: Tensor  # int8 [T, B, 8, C], bin indices
    utterance: Tensor  # int64 [T, B, M], tokens, then EOS, then PAD; silence is all PAD


@dataclass(frozen=True, eq=False)
class EncodedEpisodes:
    """Many episodes end to end in one set of arrays: row ``starts[i]`` is the first step of episode i.

    Args:
      image: uint8 [N, H, W, 3]; setter_tokens, solver_tokens: int64 [N, L]; previous_movement, movement:
        int8 [N, 8, C]; utterance: int64 [N, M]; first: bool [N], true at the first step of an episode.
      starts: int64 [episodes + 1], with the total number of steps last.
    """

    image: np.ndarray
    setter_tokens: np.ndarray
    solver_tokens: np.ndarray
    previous_movement: np.ndarray
    movement: np.ndarray
    utterance: np.ndarray
    first: np.ndarray
    starts: np.ndarray

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def lengths(self) -> np.ndarray:
        """Steps of every episode, int64 [episodes]."""
        return np.diff(self.starts)

    def gather(self, rows: np.ndarray, device: str | torch.device = "cpu") -> tuple[ObservationBatch, ActionBatch]:
        """The steps at ``rows``, int [T, B], as batches [T, B, ...] on ``device``."""

        def pick(values: np.ndarray) -> Tensor:
            return torch.from_numpy(values[rows]).to(device, non_blocking=True)

        observations = ObservationBatch(
            pick(self.image), pick(self.setter_tokens), pick(self.solver_tokens), pick(self.previous_movement)
        )
        return observations, ActionBatch(pick(self.movement), pick(self.utterance))


def encode_episodes(episodes: Sequence[Episode], tokenizer: Tokenizer, config: AgentConfig) -> EncodedEpisodes:
    """Encode ``episodes`` for an agent of ``config``.

    Raises:
      UserError: if there are none, or one has images of another size than the agent's.
    """
    if not episodes:
        raise UserError("no episodes to learn from")
    for episode in episodes:
        if episode.image.shape[1:3] != tuple(config.image_size):
            raise UserError(
                f"episode {episode.episode_id} has images of {episode.image.shape[1]}x{episode.image.shape[2]} pixels, "
                f"the agent needs {config.image_size[0]}x{config.image_size[1]}"
            )
    lengths = [len(e) for e in episodes]
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    first = np.zeros(starts[-1], dtype=bool)
    first[starts[:-1]] = True
    return EncodedEpisodes(
        image=np.concatenate([e.image for e in episodes]),
        setter_tokens=tokenizer.encode([t for e in episodes for t in e.setter_text], config.setter_text_length),
        solver_tokens=tokenizer.encode([t for e in episodes for t in e.solver_text], config.solver_text_length),
        previous_movement=np.concatenate([e.previous_movement() for e in episodes]).astype(np.int8),
        movement=np.concatenate([e.movement for e in episodes]).astype(np.int8),
        utterance=tokenizer.encode([u for e in episodes for u in e.utterance], config.utterance_length, end=True),
        first=first,
        starts=starts,
    )


class EpisodeStream:
    """Endless windows [T, B] of recorded play in order: every column walks through shuffled episodes end to end.

    Consecutive windows continue each other, so a learner can carry its memory across them; ``resets`` says
    where a new episode begins. Deterministic by seed; ``state_dict`` resumes exactly.

    ``columns`` of the B are handed out, all of them if None. Where several learners share a batch, each has a stream
    of the same seed and other columns: together they see what one would, and their states are the same.
    """

    def __init__(
        self, episodes: EncodedEpisodes, steps: int, batch: int, seed: int, columns: slice | None = None
    ) -> None:
        self._episodes, self._columns = episodes, columns or slice(None)
        self._steps, self._batch = steps, batch
        self._rng = np.random.default_rng(seed)
        self._order: list[int] = []
        self._episode = np.array([self._next_episode() for _ in range(batch)])
        # Columns begin at different places, or all their resets would fall together for the first windows.
        self._offset = np.array([int(self._rng.integers(episodes.lengths[e])) for e in self._episode])

    def _next_episode(self) -> int:
        if not self._order:
            self._order = self._rng.permutation(len(self._episodes)).tolist()
        return self._order.pop()

    def next(self, device: str | torch.device = "cpu") -> tuple[ObservationBatch, ActionBatch, Tensor]:
        """The next window: observations, actions and resets (bool [T, B])."""
        rows = np.empty((self._steps, self._batch), dtype=np.int64)
        for column in range(self._batch):
            self._fill(rows[:, column], column)
        rows = rows[:, self._columns]
        observations, actions = self._episodes.gather(rows, device)
        return observations, actions, torch.from_numpy(self._episodes.first[rows]).to(device)

    def _fill(self, rows: np.ndarray, column: int) -> None:
        done = 0
        while done < self._steps:
            episode, offset = self._episode[column], self._offset[column]
            take = min(self._steps - done, int(self._episodes.lengths[episode]) - offset)
            begin = self._episodes.starts[episode] + offset
            rows[done : done + take] = np.arange(begin, begin + take)
            done += take
            self._offset[column] += take
            if self._offset[column] == self._episodes.lengths[episode]:
                self._episode[column], self._offset[column] = self._next_episode(), 0

    def state_dict(self) -> dict[str, object]:
        """Everything that determines the windows to come; plain numbers, lists and strings."""
        return {
            "rng": self._rng.bit_generator.state,
            "order": list(self._order),
            "episode": self._episode.tolist(),
            "offset": self._offset.tolist(),
        }

    def load_state_dict(self, state: dict) -> None:
        self._rng.bit_generator.state = state["rng"]
        self._order = list(state["order"])
        self._episode = np.array(state["episode"])
        self._offset = np.array(state["offset"])
