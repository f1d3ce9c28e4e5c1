"""Recorded play that is larger than memory: windows made from the dataset just before they are learned from.

The windows, and the state from which they go on, are those of play in memory, to the last bit. Episodes are kept with
their frames as PNG files, a tenth of their size, up to a bound; frames are drawn for the windows that come next, while
the trainer works on the one before. Reading, inflating and checking release Python's lock, so that threads help.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterator, Sequence
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
from rlhf.data.dataset import check_image_size, movement_counts
from rlhf.data.windows import EpisodeStream
from rlhf.records.episode import demonstrated_steps, movement_before
from rlhf.store import EpisodeStore
from rlhf.store.compressed import CompressedEpisode
from rlhf.store.png import decode_frames
from worlds.contract import MOVEMENT_BINS, TICKS_PER_STEP
from worlds.errors import UserError


@dataclass(frozen=True)
class Source:
    """Where an episode lies, how many steps it has, and who played the solver."""

    store: EpisodeStore
    episode_id: str
    steps: int
    solver: str = ""

    def read(self) -> CompressedEpisode:
        """The episode. Raises UserError, naming it, if it is damaged."""
        return self.store.read_compressed(self.episode_id)


@dataclass(frozen=True, eq=False)
class DatasetSummary:
    """What has to be known of all episodes before the first is learned from: one pass over the dataset.

    Args:
      texts: all that was said. demonstrated: int64 [episodes], how many steps of each are to be imitated.
      movement_counts: int64 [8, C, bins], see :meth:`rlhf.data.dataset.Dataset.movement_counts`.
    """

    texts: frozenset[str]
    demonstrated: np.ndarray
    movement_counts: np.ndarray


def summarise(sources: Sequence[Source], threads: int = 2) -> DatasetSummary:
    """Look at every episode once. Raises UserError, naming it, if one is damaged."""
    texts, demonstrated = set[str](), list[int]()
    counts = np.zeros((TICKS_PER_STEP, len(MOVEMENT_BINS), int(MOVEMENT_BINS.max())), np.int64)
    for episode in read_ahead(sources, threads):
        texts.update(episode.setter_utterance, episode.utterance)
        imitated = demonstrated_steps(episode.solver, episode.controller)
        demonstrated.append(int(imitated.sum()))
        counts += movement_counts(episode.movement[imitated])
    return DatasetSummary(frozenset(texts - {""}), np.array(demonstrated, np.int64), counts)


def read_ahead(sources: Sequence[Source], threads: int) -> Iterator[CompressedEpisode]:
    """The episodes one after the other, in order. Raises UserError, naming it, if one is damaged."""
    waiting: deque[Future[CompressedEpisode]] = deque()
    with ThreadPoolExecutor(threads, thread_name_prefix="survey") as pool:
        try:
            for source in sources:
                waiting.append(pool.submit(source.read))
                if len(waiting) > 2 * threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


@dataclass(frozen=True, eq=False)
class CompressedEpisodeTokens:
    """An episode of T steps for an agent: arrays [T, ...] as in MemoryDataset, but for the frames."""

    episode_id: str
    frames: tuple[bytes, ...]
    setter_tokens: np.ndarray
    solver_tokens: np.ndarray
    previous_movement: np.ndarray
    movement: np.ndarray
    utterance: np.ndarray
    demonstrated: np.ndarray

    @cached_property
    def size(self) -> int:
        """Bytes, without what Python adds."""
        arrays = (value for value in vars(self).values() if isinstance(value, np.ndarray))
        return sum(map(len, self.frames)) + sum(array.nbytes for array in arrays)


class StreamedDataset:
    """A ``Dataset`` in datasets. ``bytes_kept`` never exceeds the configured cache, but for the
    episodes that threads are working on.

    Args:
      sources: the episodes, in order. about: what a survey of them said.
      tokenizer, config: of the agent that learns.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        about: DatasetSummary,
        tokenizer: Tokenizer,
        config: AgentConfig,
        reading: ReadingConfig,
    ) -> None:
        self._sources, self._about, self._reading = tuple(sources), about, reading
        self._tokenizer, self._config = tokenizer, config
        self.starts = np.concatenate([[0], np.cumsum([source.steps for source in sources])]).astype(np.int64)
        self.steps_demonstrated = int(about.demonstrated.sum())
        self._kept: OrderedDict[int, Future[CompressedEpisodeTokens]] = OrderedDict()
        self.bytes_kept = 0
        self._lock = Lock()
        self._drawers = ThreadPoolExecutor(reading.threads, thread_name_prefix="draw")

    def __len__(self) -> int:
        return len(self._sources)

    @property
    def lengths(self) -> np.ndarray:
        return np.diff(self.starts)

    def movement_counts(self) -> np.ndarray:
        return self._about.movement_counts

    def stream(self, steps: int, batch: int, seed: int, columns: slice | None = None) -> EpisodeStream:
        return ReadAheadStream(self, steps, batch, seed, self._reading.ahead, columns)

    def window(self, rows: np.ndarray, device: str | torch.device = "cpu") -> RecordedWindow:
        """The steps at ``rows``, int [T, B], read and drawn now by several threads.

        Raises:
          UserError: naming the episode, if one is damaged, was removed, or has images of another size.
        """
        blank = self._blank(*rows.shape)
        done = [self._drawers.submit(self._draw, blank, rows[:, column], column) for column in range(rows.shape[1])]
        for column in done:
            column.result()
        tensors = {name: torch.from_numpy(array).to(device) for name, array in blank.items()}
        seen = ("image", "setter_tokens", "solver_tokens", "previous_movement")
        return RecordedWindow(
            ObservationBatch(*(tensors[name] for name in seen)),
            ActionBatch(tensors["movement"], tensors["utterance"]),
            tensors["first"],
            None if self.steps_demonstrated == self.starts[-1] else tensors["demonstrated"],
        )

    def _blank(self, steps: int, batch: int) -> dict[str, np.ndarray]:
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

    def _draw(self, window: dict[str, np.ndarray], rows: np.ndarray, column: int) -> None:
        """Fill a column of ``window`` with the steps at ``rows`` [T], which lie in order in one episode or some."""
        episodes = np.searchsorted(self.starts, rows, side="right") - 1
        breaks = np.flatnonzero(np.diff(episodes) | (np.diff(rows) != 1)) + 1
        for begin, end in zip([0, *breaks.tolist()], [*breaks.tolist(), len(rows)], strict=True):
            first = int(rows[begin] - self.starts[episodes[begin]])
            steps, place = slice(first, first + end - begin), (slice(begin, end), column)
            episode = self._episode(int(episodes[begin]))
            for name in window:
                if name not in ("image", "first"):
                    window[name][place] = getattr(episode, name)[steps]
            window["image"][place] = self._frames(episode, steps)
            window["first"][place] = np.arange(steps.start, steps.stop) == 0

    def _frames(self, episode: CompressedEpisodeTokens, steps: slice) -> np.ndarray:
        try:
            drawn = decode_frames(episode.frames[steps])
        except ValueError as error:
            raise UserError(
                f"episode {episode.episode_id}: {error}; drop it with `rlhf episodes drop`, or put back a copy"
            ) from error
        check_image_size(episode.episode_id, drawn, self._config)
        return drawn

    def _episode(self, number: int) -> CompressedEpisodeTokens:
        """An episode, from memory or from its dataset; whoever comes first reads it, others wait for it."""
        with self._lock:
            future, mine = self._kept.get(number), False
            if future is None:
                future, mine = self._kept.setdefault(number, Future()), True
            self._kept.move_to_end(number)
        if mine:
            try:
                future.set_result(self._encode(self._sources[number].read()))
            except BaseException as error:
                with self._lock:
                    self._kept.pop(number, None)
                future.set_exception(error)
                raise
            self._make_room(future.result().size)
        return future.result()

    def _make_room(self, added: int) -> None:
        """Count ``added`` bytes, and forget what was not needed for longest until all fits."""
        with self._lock:
            self.bytes_kept += added
            for number in list(self._kept):
                if self.bytes_kept <= self._reading.cache_gb * 1e9:
                    return
                if self._kept[number].done():
                    self.bytes_kept -= self._kept.pop(number).result().size

    def _encode(self, episode: CompressedEpisode) -> CompressedEpisodeTokens:
        tokenizer, config = self._tokenizer, self._config
        return CompressedEpisodeTokens(
            episode_id=episode.episode_id,
            frames=episode.frames,
            setter_tokens=tokenizer.encode(episode.setter_text, config.setter_text_length),
            solver_tokens=tokenizer.encode(episode.solver_text, config.solver_text_length),
            previous_movement=movement_before(episode.movement),
            movement=episode.movement,
            utterance=tokenizer.encode(episode.utterance, config.utterance_length, end=True),
            demonstrated=demonstrated_steps(episode.solver, episode.controller),
        )


class ReadAheadStream(EpisodeStream):
    """An :class:`rlhf.data.windows.EpisodeStream` whose next windows are made in a thread while one is learned from.

    Args:
      ahead: how many windows are made ahead.
    """

    def __init__(
        self,
        episodes: StreamedDataset,
        steps: int,
        batch: int,
        seed: int,
        ahead: int,
        columns: slice | None = None,
    ) -> None:
        super().__init__(episodes, steps, batch, seed, columns)
        self._ahead = ahead
        self._waiting: deque[tuple[Future[RecordedWindow], dict[str, object]]] = deque()  # and the state after each
        self._state = super().state_dict()
        self._maker = ThreadPoolExecutor(1, thread_name_prefix="window")

    def next(self, device: str | torch.device = "cpu") -> RecordedWindow:
        while len(self._waiting) <= self._ahead:
            rows = self._next_rows()
            self._waiting.append((self._maker.submit(self._episodes.window, rows), super().state_dict()))
        window, state = self._waiting.popleft()
        made = window.result()
        self._state = state
        return _to(made, device)

    def state_dict(self) -> dict[str, object]:
        """The state after the window that was handed out last, whatever is being made."""
        return self._state

    def load_state_dict(self, state: dict) -> None:
        super().load_state_dict(state)
        for window, _ in self._waiting:
            window.cancel()
        self._waiting.clear()
        self._state = super().state_dict()


def _to(window: RecordedWindow, device: str | torch.device) -> RecordedWindow:
    """``window`` on ``device``."""
    if torch.device(device).type == "cpu":
        return window
    return RecordedWindow(
        ObservationBatch(*(tensor.to(device) for tensor in window.observations)),
        ActionBatch(*(tensor.to(device) for tensor in window.actions)),
        window.resets.to(device),
        None if window.demonstrated is None else window.demonstrated.to(device),
    )
