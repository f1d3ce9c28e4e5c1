"""From episodes to time-major batches [T, B, ...]: what an agent sees and what it is to do."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
import torch
from torch import Tensor

from agents.config import AgentConfig
from agents.tokenizer import Tokenizer
from rlhf.records.episode import Episode
from rlhf.records.same_play import check_same_play
from worlds.contract import MOVEMENT_BINS
from worlds.errors import UserError


def send(array: np.ndarray, device: torch.device | str) -> Tensor:
    """``array`` as a tensor on ``device``. On the CPU the memory is shared, not copied.

    To a GPU it goes through page-locked memory, from which it is copied while both sides go on working.
    """
    tensor = torch.from_numpy(array)
    if torch.device(device).type == "cuda":
        return tensor.pin_memory().to(device, non_blocking=True)
    return tensor.to(device)


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


class PolicyLogProbs(NamedTuple):
    """Log-probabilities [T, B] of what was done: eight movements, to speak or not, and the words (0 if silent)."""

    movement: Tensor
    speak: Tensor
    words: Tensor

    @property
    def language(self) -> Tensor:
        """Of the whole language action: the decision and, where it was to speak, the words."""
        return self.speak + self.words


class RecordedWindow(NamedTuple):
    """Recorded play, time-major. All of it is seen; what an agent did by itself is not to be imitated."""

    observations: ObservationBatch
    actions: ActionBatch
    resets: Tensor  # bool [T, B], true at the first step of an episode
    demonstrated: Tensor | None = None  # bool [T, B], steps to imitate; None for all


class WindowStream(Protocol):
    """Endless windows of recorded play, each of which continues the one before."""

    def next(self, device: str | torch.device = "cpu") -> RecordedWindow: ...

    def state_dict(self) -> dict[str, Any]: ...

    def load_state_dict(self, state: dict) -> None: ...


class Recording(Protocol):
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


class EpisodesInRows(Protocol):
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


@dataclass(frozen=True, eq=False)
class EncodedEpisodes:
    """Many episodes end to end in one set of arrays: row ``starts[i]`` is the first step of episode i.

    Args:
      image: uint8 [N, H, W, 3]; setter_tokens, solver_tokens: int64 [N, L]; previous_movement, movement:
        int8 [N, 8, C]; utterance: int64 [N, M]; first: bool [N], true at the first step of an episode.
      demonstrated: bool [N], steps to imitate, see :meth:`rlhf.records.episode.Episode.demonstrated`.
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
        """The steps at ``rows``, int [T, B], as batches [T, B, ...] on ``device``."""

        def pick(values: np.ndarray) -> Tensor:
            return send(values[rows], device)

        observations = ObservationBatch(
            pick(self.image), pick(self.setter_tokens), pick(self.solver_tokens), pick(self.previous_movement)
        )
        return observations, ActionBatch(pick(self.movement), pick(self.utterance))

    @cached_property
    def _steps_demonstrated(self) -> int:
        return int(self.demonstrated.sum())

    @property
    def steps_demonstrated(self) -> int:
        return self._steps_demonstrated

    def movement_counts(self) -> np.ndarray:
        return movement_counts(self.movement[self.demonstrated])

    def window(self, rows: np.ndarray, device: str | torch.device = "cpu") -> RecordedWindow:
        observations, actions = self.gather(rows, device)
        # Masked means round otherwise than plain ones, and cost more: no mask where there is nothing to leave out.
        everything = self.steps_demonstrated == len(self.demonstrated)
        demonstrated = None if everything else send(self.demonstrated[rows], device)
        return RecordedWindow(observations, actions, send(self.first[rows], device), demonstrated)

    def stream(self, steps: int, batch: int, seed: int, columns: slice | None = None) -> EpisodeStream:
        return EpisodeStream(self, steps, batch, seed, columns)


def movement_counts(movement: np.ndarray) -> np.ndarray:
    """How often each bin was chosen in ``movement`` [N, 8, C]: int64 [8, C, bins]."""
    bins = int(MOVEMENT_BINS.max())
    places = np.arange(np.prod(movement.shape[1:]), dtype=np.int64).reshape(movement.shape[1:]) * bins
    counts = np.bincount((movement + places).reshape(-1), minlength=places.size * bins)
    return counts.reshape(*movement.shape[1:], bins)


def check_demonstrated(episodes: Recording) -> None:
    """Raises UserError if no step of ``episodes`` is one to imitate."""
    if not episodes.steps_demonstrated:
        raise UserError(
            f"none of the {len(episodes)} episodes has a step to imitate: all of them are an agent's own; name play of "
            "people, of the scripted demonstrator, or in which a co-pilot took over"
        )


def encode_episodes(episodes: Sequence[Episode], tokenizer: Tokenizer, config: AgentConfig) -> EncodedEpisodes:
    """Encode ``episodes`` for an agent of ``config``.

    Raises:
      UserError: if there are none, or one has images of another size than the agent's.
    """
    if not episodes:
        raise UserError("no episodes to learn from")
    for episode in episodes:
        check_image_size(episode.episode_id, episode.image, config)
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
        demonstrated=np.concatenate([e.demonstrated() for e in episodes]),
        starts=starts,
    )


def check_image_size(episode_id: str, image: np.ndarray, config: AgentConfig) -> None:
    """Raises UserError if ``image`` [T, H, W, 3] of an episode has another size than an agent of ``config`` sees."""
    if image.shape[1:3] != tuple(config.image_size):
        raise UserError(
            f"episode {episode_id} has images of {image.shape[1]}x{image.shape[2]} pixels, "
            f"the agent needs {config.image_size[0]}x{config.image_size[1]}"
        )


class EpisodeStream:
    """Endless windows [T, B] of recorded play in order: every column walks through shuffled episodes end to end.

    Consecutive windows continue each other, so a learner can carry its memory across them; ``resets`` says
    where a new episode begins. Deterministic by seed; ``state_dict`` resumes exactly.

    Columns begin in the middle of their first episodes, which are seen without memory of what came before: once, in one
    part of one episode each. Were they to begin at the start, columns of episodes of equal length would be at the same
    step of theirs in every window to come, and an update would see only beginnings, another only ends.

    ``columns`` of the B are handed out, all of them if None. Where several learners share a batch, each has a stream
    of the same seed and other columns: together they see what one would, and their states are the same.
    """

    def __init__(
        self, episodes: EpisodesInRows, steps: int, batch: int, seed: int, columns: slice | None = None
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

    def next(self, device: str | torch.device = "cpu") -> RecordedWindow:
        """The next window."""
        return self._episodes.window(self._next_rows(), device)

    def _next_rows(self) -> np.ndarray:
        """Rows, int64 [T, B], of the next window's columns that are handed out."""
        rows = np.empty((self._steps, self._batch), dtype=np.int64)
        for column in range(self._batch):
            self._fill(rows[:, column], column)
        return rows[:, self._columns]

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

    def _fingerprint(self) -> dict[str, int]:
        """What tells this recorded play from other."""
        lengths = np.ascontiguousarray(self._episodes.lengths, np.int64)
        return {"episodes": len(lengths), "steps": int(lengths.sum()), "lengths": zlib.crc32(lengths.tobytes())}

    def state_dict(self) -> dict[str, object]:
        """Everything that determines the windows to come; plain numbers, lists and strings."""
        return {
            "play": self._fingerprint(),
            "rng": self._rng.bit_generator.state,
            "order": list(self._order),
            "episode": self._episode.tolist(),
            "offset": self._offset.tolist(),
        }

    def load_state_dict(self, state: dict) -> None:
        """Go on from what :meth:`state_dict` gave. Raises UserError if it was given for other recorded play."""
        check_same_play(state["play"], self._fingerprint())
        self._rng.bit_generator.state = state["rng"]
        self._order = list(state["order"])
        self._episode = np.array(state["episode"])
        self._offset = np.array(state["offset"])
