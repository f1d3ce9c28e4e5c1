"""Recorded episodes of a command, held in memory or streamed."""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from agents.config import AgentConfig
from agents.tokenizer import Tokenizer
from rlhf.data.config import ReadingConfig
from rlhf.data.dataset import Dataset
from rlhf.data.memory import encode_episodes
from rlhf.data.source import DatasetSummary, Source, summarise
from rlhf.records.episode import Episode, without_frames
from rlhf.records.spaces import EpisodeSpaces
from rlhf.run.machine import usable_memory
from rlhf.run.progress import announce
from rlhf.store import EpisodeRow, open_store
from rlhf.store.columns.compressed import CompressedEpisode
from rlhf.store.read_ahead import read_ahead
from worlds.errors import UserError
from worlds.spaces.steps import ENTITY_COUNTS

Item = TypeVar("Item")

_LOOKED_AT = 32  # episodes that give an idea of all
_BYTES_BESIDE_FRAME = 512  # words, movement and other fields of one step


def find_episodes(
    data: Sequence[Path], split: str | None = None, solver: str | None = None, marked: bool = False
) -> list[Source]:
    """Find episodes of several datasets, grouped by solver in the order of recording, each group in the order of ids.

    Args:
      split: split of the episodes; None finds all.
      solver: solver of the episodes; None finds all.
      marked: find only episodes with marks.

    Raises:
      UserError: if there are none, or two datasets have an episode of the same id.
    """
    found: list[Source] = []
    known: set[str] = set()
    for folder in data:
        store = open_store(folder)
        rows = in_order(store.rows(split=split, solver=solver))
        if both := known.intersection(row.episode_id for row in rows):
            raise UserError(f"episode {min(both)} is in {folder} and in another of the datasets; name only one of them")
        known.update(row.episode_id for row in rows)
        if marked:
            with_marks = {mark.episode_id for mark in store.marks()}
            rows = [row for row in rows if row.episode_id in with_marks]
        found += [Source(store, row.episode_id, row.steps, row.solver, row.split) for row in rows]
    if not found:
        wanted = "".join(f" {name}={value}" for name, value in (("split", split), ("solver", solver)) if value)
        hint = "mark some first (`rlhf mark`)" if marked else "`rlhf episodes list` shows all"
        where = ", ".join(map(str, data)) or "no dataset at all"
        raise UserError(f"no {'marked ' if marked else ''}episodes{wanted} in {where}; {hint}")
    return found


def read_episodes(
    data: Sequence[Path],
    split: str | None = None,
    solver: str | None = None,
    marked: bool = False,
    most: int | None = None,
    frames: bool = True,
) -> list[Episode]:
    """Read the episodes that :func:`find_episodes` finds into memory. Raises UserError as it does.

    Args:
      split: split of the episodes; None reads all.
      solver: solver of the episodes; None reads all.
      marked: read only episodes with marks.
      most: read only so many episodes, the first ones; None reads all.
      frames: False reads them without frames, see :func:`rlhf.records.episode.without_frames`.
    """
    return read_sources(find_episodes(data, split, solver, marked)[:most], frames)


def read_sources(sources: Sequence[Source], frames: bool = True) -> list[Episode]:
    """Read the episodes of ``sources`` into memory, with their frames or without."""
    episodes: list[Episode] = []
    for store in dict.fromkeys(source.store for source in sources):
        found = store.stream(source.episode_id for source in sources if source.store is store)
        episodes += found if frames else map(without_frames, found)
    return episodes


def read_compressed(sources: Sequence[Source], threads: int = 2) -> list[CompressedEpisode]:
    """Read the episodes of ``sources`` into memory, in their order, with their frames as PNG files."""
    return list(read_ahead(Source.read, sources, threads))


def size_in_memory(sources: Sequence[Source], spaces: EpisodeSpaces) -> int:
    """Bytes that episodes of ``spaces`` take in memory with decoded frames."""
    return sum(source.steps for source in sources) * (_bytes_seen(spaces) + _BYTES_BESIDE_FRAME)


def exceeds_memory(size: int, in_memory_gb: float | None) -> bool:
    """Return true if ``size`` bytes are more than a setting allows; None allows half of what this process may use."""
    return size > (usable_memory() / 2 if in_memory_gb is None else in_memory_gb * 1e9)


def stay_packed(sources: Sequence[Source], in_memory_gb: float | None) -> bool:
    """Return true, and say so, if decoded frames of the episodes would take more memory than a setting allows."""
    size = size_in_memory(sources, _spaces_of(sources))
    packed = exceeds_memory(size, in_memory_gb)
    if packed:
        announce(f"{len(sources)} episodes would take {size / 1e9:.2g} GB of memory; their frames stay compressed")
    return packed


def in_order(rows: Sequence[EpisodeRow]) -> list[EpisodeRow]:
    """Sort rows into an order that does not depend on which of several processes was faster."""
    rank = {group: index for index, group in enumerate(dict.fromkeys((row.solver, row.split) for row in rows))}
    return sorted(rows, key=lambda row: (rank[row.solver, row.split], row.episode_id))


def evenly_spaced(items: Sequence[Item], count: int) -> list[Item]:
    """Choose ``count`` of ``items``, spread evenly over their order."""
    return [items[index * len(items) // count] for index in range(count)]


def most_entities(sources: Sequence[Source]) -> int | None:
    """Return the largest number of entities observed at a step, of some episodes; None in spaces without entities.

    Args:
      sources: the episodes, of which _LOOKED_AT are read, spread evenly over their order.
    """
    if not sources or ENTITY_COUNTS not in sources[0].read().seen:
        return None
    looked_at = evenly_spaced(sources, min(len(sources), _LOOKED_AT))
    return max(int(source.read().seen[ENTITY_COUNTS].max(initial=0)) for source in looked_at)


def spoken_texts(episodes: Sequence[Episode | CompressedEpisode]) -> set[str]:
    """Return all utterances of both players in ``episodes``, and all further texts that the solver observed."""
    texts: set[str] = set()
    for episode in episodes:
        texts.update(episode.setter_utterance)
        texts.update(episode.utterance, *episode.texts.values())
    return texts - {""}


def _spaces_of(sources: Sequence[Source]) -> EpisodeSpaces:
    """The spaces of the first episode; one that differs is named when it is encoded."""
    return sources[0].store.read(sources[0].episode_id).spaces


def _bytes_seen(spaces: EpisodeSpaces) -> int:
    """Bytes that the arrays of one observation take in memory, those of entities at their largest number."""
    seen = spaces.solver.observation
    most = 0 if seen.entities is None else seen.entities.most
    return sum(
        dtype.itemsize * math.prod(most if side is None else side for side in shape)
        for dtype, shape in seen.arrays.values()
    )


class RecordedPlay:
    """Recorded episodes, held in memory, or streamed if they do not fit."""

    def __init__(self, sources: Sequence[Source], reading: ReadingConfig) -> None:
        self.sources, self._reading = list(sources), reading
        self._episodes: list[CompressedEpisode] | None = None
        self._summary: DatasetSummary | None = None
        self.spaces = _spaces_of(sources)
        self.image_size = self.spaces.image_size or (0, 0)
        self.size = size_in_memory(sources, self.spaces)
        self.streamed = exceeds_memory(self.size, reading.in_memory_gb)
        if self.streamed:
            announce(f"{len(self)} episodes would take {self.size / 1e9:.2g} GB of memory; they are streamed")

    def part(self, sources: Sequence[Source]) -> RecordedPlay:
        """Return some of the episodes, in memory or streamed as all are."""
        part = copy.copy(self)
        part.sources = list(sources)
        return part

    def __len__(self) -> int:
        return len(self.sources)

    def load(self) -> None:
        """Read or summarise the episodes, if that has not been done."""
        if self.streamed and self._summary is None:
            self._summary = summarise(self.sources, self._reading.threads)
        elif not self.streamed and self._episodes is None:
            self._episodes = read_compressed(self.sources, self._reading.threads)

    def texts(self) -> set[str]:
        """Return all utterances of both players, and all further texts that the solver observed."""
        self.load()
        return set(self._summary.texts) if self._summary is not None else spoken_texts(self._episodes or [])

    def requests(self) -> set[str]:
        """Return all utterances of the setter."""
        self.load()
        if self._summary is not None:
            return set(self._summary.requests)
        return {words for episode in self._episodes or [] for words in episode.setter_utterance} - {""}

    def answers(self) -> set[str]:
        """Return all utterances of the solver."""
        self.load()
        if self._summary is not None:
            return set(self._summary.answers)
        return {words for episode in self._episodes or [] for words in episode.utterance} - {""}

    def encode(self, tokenizer: Tokenizer, config: AgentConfig) -> Dataset:
        """Encode the episodes for an agent of ``config``. Raises UserError if one is of other spaces."""
        self.load()
        if self._summary is not None:
            from rlhf.data.streamed import StreamedDataset

            return StreamedDataset(self.sources, self._summary, tokenizer, config, self._reading)
        episodes, self._episodes = self._episodes or [], None  # once encoded they are not needed twice
        return encode_episodes(episodes, tokenizer, config)
