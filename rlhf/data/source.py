"""Recorded episodes where they lie in their datasets, and one pass over them before the first is learned from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rlhf.data.dataset import movement_counts
from rlhf.records.episode import demonstrated_steps
from rlhf.store import EpisodeStore
from rlhf.store.compressed import CompressedEpisode
from rlhf.store.read_ahead import read_ahead
from worlds.contract import MOVEMENT_BINS, TICKS_PER_STEP


@dataclass(frozen=True)
class Source:
    """One recorded episode in its dataset.

    Args:
      store: the dataset.
      episode_id: the episode's id there.
      steps: length of the episode.
      solver: who played the solver, e.g. "scripted".
    """

    store: EpisodeStore
    episode_id: str
    steps: int
    solver: str = ""

    def read(self) -> CompressedEpisode:
        """Read the episode, frames as PNG. Raises UserError, naming it, if it is damaged."""
        return self.store.read_compressed(self.episode_id)


@dataclass(frozen=True, eq=False)
class DatasetSummary:
    """Facts of all episodes that are needed before the first is learned from.

    Args:
      texts: every utterance of either player.
      demonstrated: int64 [episodes], steps of each episode that are to be imitated.
      movement_counts: int64 [8, C, bins], see :meth:`rlhf.data.dataset.Dataset.movement_counts`.
    """

    texts: frozenset[str]
    demonstrated: np.ndarray
    movement_counts: np.ndarray


def summarise(sources: Sequence[Source], threads: int = 2) -> DatasetSummary:
    """Read every episode once, by ``threads`` threads, and summarise them.

    Raises:
      UserError: naming the first episode that is damaged.
    """
    texts, demonstrated = set[str](), list[int]()
    counts = np.zeros((TICKS_PER_STEP, len(MOVEMENT_BINS), int(MOVEMENT_BINS.max())), np.int64)
    for episode in read_ahead(Source.read, sources, threads):
        texts.update(episode.setter_utterance, episode.utterance)
        imitated = demonstrated_steps(episode.solver, episode.controller)
        demonstrated.append(int(imitated.sum()))
        counts += movement_counts(episode.movement[imitated])
    return DatasetSummary(frozenset(texts - {""}), np.array(demonstrated, np.int64), counts)
