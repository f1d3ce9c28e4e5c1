"""Recorded play that is larger than memory: windows are made from the dataset just before they are learned from.

The windows, and the state from which they resume, are those of play in memory, to the last bit. Episodes are kept with
their frames as PNG files, a tenth of their size, up to a bound; frames are decoded for the windows that come next,
while the trainer learns from the one before. Reading, inflating and checking release Python's lock, so threads help.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from threading import Lock

import numpy as np
import torch

from agents.batch import ActionBatch, ObservationBatch, RecordedWindow
from agents.config import AgentConfig
from agents.tokenizer import Tokenizer
from rlhf.data.config import ReadingConfig
from rlhf.data.dataset import check_image_size
from rlhf.data.encoding import EncodedSteps, encode_steps
from rlhf.data.source import DatasetSummary, Source
from rlhf.data.windows import EpisodeStream, ReadAhead
from rlhf.store.png import decode_frames
from worlds.contract import MOVEMENT_BINS, TICKS_PER_STEP
from worlds.errors import UserError


@dataclass(frozen=True, eq=False)
class _KeptEpisode:
    """An episode that is kept in memory: encoded steps, and frames as PNG files."""

    episode_id: str
    frames: tuple[bytes, ...] | None
    steps: EncodedSteps

    @cached_property
    def size(self) -> int:
        """Bytes, without what Python adds."""
        return sum(map(len, self.frames or ())) + sum(array.nbytes for array in vars(self.steps).values())


class StreamedDataset:
    """Episodes that are read when they are needed.

    ``bytes_kept`` never exceeds the configured cache, but for the episodes that threads are reading.

    Args:
      sources: the episodes, in order.
      summary: of the same episodes.
      tokenizer: of the agent that learns.
      config: of the agent that learns.
      reading: cache and threads.
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
        """Return how often each bin was chosen in demonstrated steps: int64 [8, C, bins]."""
        return self._summary.movement_counts

    def stream(self, steps: int, batch: int, seed: int, columns: slice | None = None) -> ReadAhead:
        """Return endless windows of the episodes, see :meth:`rlhf.data.dataset.Dataset.stream`."""
        return ReadAhead(EpisodeStream(self, steps, batch, seed, columns), self._reading.ahead)

    def window(self, rows: np.ndarray, device: str | torch.device = "cpu") -> RecordedWindow:
        """Return the steps at ``rows``, int [T, B], on ``device``; several threads read and decode them.

        Raises:
          UserError: naming the episode, if one is damaged, was removed, or has images of another size.
        """
        arrays = self._empty(*rows.shape)
        filled = [self._decoders.submit(self._fill, arrays, rows[:, column], column) for column in range(rows.shape[1])]
        for column in filled:
            column.result()
        tensors = {name: torch.from_numpy(array).to(device) for name, array in arrays.items()}
        seen = ("image", "setter_tokens", "solver_tokens", "previous_movement")
        return RecordedWindow(
            ObservationBatch(*(tensors[name] for name in seen)),
            ActionBatch(tensors["movement"], tensors["utterance"]),
            tensors["first"],
            None if self.steps_demonstrated == self.starts[-1] else tensors["demonstrated"],
        )

    def _empty(self, steps: int, batch: int) -> dict[str, np.ndarray]:
        config, shape = self._config, (steps, batch)
        moves = (*shape, TICKS_PER_STEP, len(MOVEMENT_BINS))
        return {
            "image": np.empty((*shape, *config.image_size, 3), np.uint8),
            "setter_tokens": np.empty((*shape, config.setter_text_length), np.int64),
            "solver_tokens": np.empty((*shape, config.solver_text_length), np.int64),
            "previous_movement": np.empty(moves, np.int8),
            "movement": np.empty(moves, np.int8),
            "utterance": np.empty((*shape, config.utterance_length), np.int64),
            "demonstrated": np.empty(shape, bool),
            "first": np.empty(shape, bool),
        }

    def _fill(self, window: dict[str, np.ndarray], rows: np.ndarray, column: int) -> None:
        """Fill ``column`` of ``window`` with the steps at ``rows`` [T], which are in order within each episode."""
        episodes = np.searchsorted(self.starts, rows, side="right") - 1
        breaks = np.flatnonzero(np.diff(episodes) | (np.diff(rows) != 1)) + 1
        for begin, end in zip([0, *breaks.tolist()], [*breaks.tolist(), len(rows)], strict=True):
            first = int(rows[begin] - self.starts[episodes[begin]])
            steps, target = slice(first, first + end - begin), (slice(begin, end), column)
            episode = self._episode(int(episodes[begin]))
            for name, array in vars(episode.steps).items():
                window[name][target] = array[steps]
            window["image"][target] = self._frames(episode, steps)
            window["first"][target] = np.arange(steps.start, steps.stop) == 0

    def _frames(self, episode: _KeptEpisode, steps: slice) -> np.ndarray:
        try:
            frames = decode_frames((episode.frames or ())[steps])
        except ValueError as error:
            raise UserError(
                f"episode {episode.episode_id}: {error}; drop it with `rlhf episodes drop`, or put back a copy"
            ) from error
        check_image_size(episode.episode_id, frames, self._config)
        return frames

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
        return _KeptEpisode(episode.episode_id, episode.frames, encode_steps(episode, self._tokenizer, self._config))

    def _make_room(self, added: int) -> None:
        """Count ``added`` bytes, and forget the episodes that were not needed for longest until all fits."""
        with self._lock:
            self.bytes_kept += added
            for number in list(self._kept):
                if self.bytes_kept <= self._reading.cache_gb * 1e9:
                    return
                if self._kept[number].done():
                    self.bytes_kept -= self._kept.pop(number).result().size
