"""Endless windows [T, B] of recorded play."""

from __future__ import annotations

import zlib
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cached_property
from typing import Any

import numpy as np
import torch

from agents.batch import RecordedWindow
from rlhf.data.dataset import EpisodeDataset, WindowStream
from rlhf.records.same_data import check_same_data


class EpisodeStream:
    """Endless windows [T, B] of recorded play: every column goes through shuffled episodes, end to end.

    Consecutive windows continue each other, so that a learner can carry its memory across them; ``resets`` marks the
    first step of an episode. Deterministic by seed; ``state_dict`` resumes exactly.

    Columns begin in the middle of their first episodes. If they began at the start, columns of episodes of equal length
    would be at the same step in every window, so that one update saw only beginnings and another only ends.

    Args:
      steps: T, steps of a window.
      batch: B, trajectories side by side.
      seed: of the order of episodes and of the first offsets.
      columns: of the B, the ones that are returned; None: all. Where several learners share a batch, each has a stream
        of the same seed and other columns; their states are the same.
    """

    def __init__(
        self, episodes: EpisodeDataset, steps: int, batch: int, seed: int, columns: slice | None = None
    ) -> None:
        self._episodes, self._columns = episodes, columns or slice(None)
        self._steps, self._batch = steps, batch
        self._lengths = episodes.lengths  # once: it takes time for many episodes
        self._rng = np.random.default_rng(seed)
        self._order: list[int] = []
        self._episode = np.array([self._next_episode() for _ in range(batch)])
        # Columns begin at different places, or all their resets would fall together for the first windows.
        self._offset = np.array([int(self._rng.integers(self._lengths[e])) for e in self._episode])

    def _next_episode(self) -> int:
        if not self._order:
            self._order = self._rng.permutation(len(self._episodes)).tolist()
        return self._order.pop()

    def next(self, device: str | torch.device = "cpu") -> RecordedWindow:
        """Return the next window, on ``device``."""
        return self._episodes.window(self._next_rows(), device)

    def next_with_rows(self, device: str | torch.device = "cpu") -> tuple[RecordedWindow, np.ndarray]:
        """Return the next window, on ``device``, and the rows of its steps, int64 [T, B]."""
        rows = self._next_rows()
        return self._episodes.window(rows, device), rows

    def _next_rows(self) -> np.ndarray:
        """Return the rows, int64 [T, B], of the next window's columns."""
        rows = np.empty((self._steps, self._batch), dtype=np.int64)
        for column in range(self._batch):
            self._fill(rows[:, column], column)
        return rows[:, self._columns]

    def _fill(self, rows: np.ndarray, column: int) -> None:
        done = 0
        while done < self._steps:
            episode, offset = self._episode[column], self._offset[column]
            take = min(self._steps - done, int(self._lengths[episode]) - offset)
            begin = self._episodes.starts[episode] + offset
            rows[done : done + take] = np.arange(begin, begin + take)
            done += take
            self._offset[column] += take
            if self._offset[column] == self._lengths[episode]:
                self._episode[column], self._offset[column] = self._next_episode(), 0

    @cached_property
    def _fingerprint(self) -> dict[str, int]:
        """Counts and a digest that identify the recorded play."""
        lengths = np.ascontiguousarray(self._lengths, np.int64)
        return {"episodes": len(lengths), "steps": int(lengths.sum()), "lengths": zlib.crc32(lengths.tobytes())}

    def state_dict(self) -> dict[str, object]:
        """Return everything that determines the windows to come; plain numbers, lists and strings."""
        return {
            "play": dict(self._fingerprint),
            "rng": self._rng.bit_generator.state,
            "order": list(self._order),
            "episode": self._episode.tolist(),
            "offset": self._offset.tolist(),
        }

    def load_state_dict(self, state: dict) -> None:
        """Resume from what :meth:`state_dict` returned. Raises UserError if that was of other recorded play."""
        check_same_data(state["play"], self._fingerprint)
        self._rng.bit_generator.state = state["rng"]
        self._order = list(state["order"])
        self._episode = np.array(state["episode"])
        self._offset = np.array(state["offset"])


class ReadAhead:
    """Windows of a stream, made in a thread while an earlier one is learned from.

    Args:
      stream: the windows; only this object uses it from now on.
      ahead: number of windows that are made before they are needed.
    """

    def __init__(self, stream: WindowStream, ahead: int) -> None:
        self._stream, self._ahead = stream, ahead
        self._waiting: deque[Future[tuple[RecordedWindow, dict[str, Any]]]] = deque()
        self._state = stream.state_dict()
        self._maker = ThreadPoolExecutor(1, thread_name_prefix="window")  # everything happens to the stream in order

    def next(self, device: str | torch.device = "cpu") -> RecordedWindow:
        """Return the next window, on ``device``."""
        while len(self._waiting) <= self._ahead:
            self._waiting.append(self._maker.submit(self._make))
        window, self._state = self._waiting.popleft().result()
        return window.to(device)

    def _make(self) -> tuple[RecordedWindow, dict[str, Any]]:
        return self._stream.next(), self._stream.state_dict()

    def state_dict(self) -> dict[str, Any]:
        """Return the state after the last window that was returned, whatever has been made since."""
        return self._state

    def load_state_dict(self, state: dict) -> None:
        """Continue from what :meth:`state_dict` returned. Raises UserError if that was of other recorded play."""
        for window in self._waiting:
            window.cancel()
        self._waiting.clear()
        self._maker.submit(self._stream.load_state_dict, state).result()
        self._state = self._stream.state_dict()
