"""Recorded play that is larger than memory: windows are made from the dataset just before they are learned from.

The windows, and the state from which they resume, are those of play in memory, to the last bit. Episodes are kept with
their frames as PNG files, a fraction of their size, up to a bound; frames are decoded for the windows that come next,
while the trainer learns from the one before. Reading, inflating and checking release Python's lock, so threads help.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np
import torch

from agents.batch import ActionBatch, ObservationBatch, RecordedWindow, action_columns, observation_columns
from agents.config import AgentConfig
from agents.tokenizer import Tokenizer
from rlhf.data.config import ReadingConfig
from rlhf.data.dataset import check_spaces
from rlhf.data.encoding import EncodedSteps, encode_steps
from rlhf.data.packed_frames import draw_frames
from rlhf.data.source import DatasetSummary, Source, summarise
from rlhf.data.windows import EpisodeStream, ReadAhead


@dataclass(frozen=True, eq=False)
class _KeptEpisode:
    """An episode that is kept in memory: encoded steps, and frames as PNG files."""

    episode_id: str
    frames: tuple[bytes, ...] | None
    steps: EncodedSteps

    @cached_property
    def size(self) -> int:
        """Bytes, without what Python adds."""
        return sum(map(len, self.frames or ())) + sum(array.nbytes for _, array in self.steps.arrays())


class StreamedDataset:
    """Episodes that are read when they are needed.

    ``bytes_kept`` never exceeds the configured cache, but for the episodes that threads are reading.

    Args:
      sources: the episodes, in order.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        summary: DatasetSummary,
        tokenizer: Tokenizer,
        config: AgentConfig,
        reading: ReadingConfig,
    ) -> None:
        self._sources, self._summary, self._reading = tuple(sources), summary, reading
        self._tokenizer, self._config = tokenizer, config
        self.starts = np.concatenate([[0], np.cumsum([source.steps for source in sources])]).astype(np.int64)
        self.steps_demonstrated = int(summary.demonstrated.sum())
        self._kept: OrderedDict[int, Future[_KeptEpisode]] = OrderedDict()
        self.bytes_kept = 0
        self._lock = Lock()
        self._decoders = ThreadPoolExecutor(reading.threads, thread_name_prefix="decode")

    def __len__(self) -> int:
        return len(self._sources)

    @property
    def lengths(self) -> np.ndarray:
        """Steps of every episode, int64 [episodes]."""
        return np.diff(self.starts)

    def movement_counts(self) -> np.ndarray:
        """Return how often each value was chosen in demonstrated steps: int64 [ticks, C, values]."""
        bins = self._config.continuous_bins
        if self._config.player.action.continuous and bins != self._summary.continuous_bins:
            return summarise(self._sources, self._reading.threads, bins).movement_counts
        return self._summary.movement_counts

    def stream(self, steps: int, batch: int, seed: int, columns: slice | None = None) -> ReadAhead:
        """Return endless windows of the episodes, see :meth:`rlhf.data.dataset.Dataset.stream`."""
        return ReadAhead(EpisodeStream(self, steps, batch, seed, columns), self._reading.ahead)

    def window(self, rows: np.ndarray, device: str | torch.device = "cpu") -> RecordedWindow:
        """Return the steps at ``rows``, int [T, B], on ``device``; several threads read and decode them.

        Raises:
          UserError: naming the episode, if one is damaged, was removed, or is of other spaces than the agent.
        """
        arrays = self._empty(*rows.shape)
        filled = [self._decoders.submit(self._fill, arrays, rows[:, column], column) for column in range(rows.shape[1])]
        for column in filled:
            column.result()
        tensors = {name: torch.from_numpy(array).to(device) for name, array in arrays.items()}
        seen: dict[str, Any] = {"image": None} | {name: tensors[name] for name in observation_columns(self._config)}
        return RecordedWindow(
            ObservationBatch(**seen),
            ActionBatch(tensors["movement"], tensors["utterance"]),
            tensors["first"],
            None if self.steps_demonstrated == self.starts[-1] else tensors["demonstrated"],
        )

    def _empty(self, steps: int, batch: int) -> dict[str, np.ndarray]:
        """Arrays of a window, [steps, batch, ...]."""
        columns = observation_columns(self._config) | action_columns(self._config)
        columns |= {"demonstrated": (np.bool_, ()), "first": (np.bool_, ())}
        return {name: np.empty((steps, batch, *tail), dtype) for name, (dtype, tail) in columns.items()}

    def _fill(self, window: dict[str, np.ndarray], rows: np.ndarray, column: int) -> None:
        """Fill ``column`` of ``window`` with the steps at ``rows`` [T], which are in order within each episode."""
        episodes = np.searchsorted(self.starts, rows, side="right") - 1
        breaks = np.flatnonzero(np.diff(episodes) | (np.diff(rows) != 1)) + 1
        for begin, end in zip([0, *breaks.tolist()], [*breaks.tolist(), len(rows)], strict=True):
            first = int(rows[begin] - self.starts[episodes[begin]])
            steps, target = slice(first, first + end - begin), (slice(begin, end), column)
            episode = self._episode(int(episodes[begin]))
            for name, array in episode.steps.arrays():
                window[name][target] = array[steps]
            if "image" in window:
                files = (episode.frames or ())[steps]
                window["image"][target] = draw_frames(episode.episode_id, files, self._config)
            window["first"][target] = np.arange(steps.start, steps.stop) == 0

    def _episode(self, number: int) -> _KeptEpisode:
        """Return an episode from memory or from its dataset; the first thread that needs it reads it, others wait."""
        with self._lock:
            future, mine = self._kept.get(number), False
            if future is None:
                future, mine = self._kept.setdefault(number, Future()), True
            self._kept.move_to_end(number)
        if mine:
            try:
                future.set_result(self._read(self._sources[number]))
            except BaseException as error:
                with self._lock:
                    self._kept.pop(number, None)
                future.set_exception(error)
                raise
            self._make_room(future.result().size)
        return future.result()

    def _read(self, source: Source) -> _KeptEpisode:
        episode = source.read()
        check_spaces(episode, self._config)
        return _KeptEpisode(episode.episode_id, episode.frames, encode_steps(episode, self._tokenizer, self._config))

    def _make_room(self, added: int) -> None:
        """Count ``added`` bytes, and forget the episodes that were not needed for longest until all fits."""
        with self._lock:
            self.bytes_kept += added
            if self.bytes_kept <= self._reading.cache_gb * 1e9:
                return
            for number in list(self._kept):
                if self.bytes_kept <= self._reading.cache_gb * 1e9:
                    return
                if self._kept[number].done():
                    self.bytes_kept -= self._kept.pop(number).result().size
