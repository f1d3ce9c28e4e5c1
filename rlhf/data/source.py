"""Recorded episodes where they lie in their datasets, and one pass over them before the first is learned from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from agents.columns import ActionColumns
from agents.config import AgentConfig
from rlhf.data.dataset import movement_counts
from rlhf.store import EpisodeStore
from rlhf.store.columns.compressed import CompressedEpisode
from rlhf.store.read_ahead import read_ahead
from worlds.errors import UserError


@dataclass(frozen=True)
class Source:
    """One recorded episode in its dataset.

    Args:
      store: the dataset.
      episode_id: the episode's id there.
      steps: length of the episode.
      solver: who played the solver, e.g. "scripted".
      split: "train" or "held_out".
    """

    store: EpisodeStore
    episode_id: str
    steps: int
    solver: str = ""
    split: str = "train"

    def read(self) -> CompressedEpisode:
        """Read the episode, frames as PNG. Raises UserError, naming it, if it is damaged."""
        return self.store.read_compressed(self.episode_id)


@dataclass(frozen=True, eq=False)
class DatasetSummary:
    """Facts of all episodes that are needed before the first is learned from.

    Args:
      texts: every utterance of either player, and every further text that the solver observed.
      requests: every utterance of the setter.
      answers: every utterance of the solver.
      demonstrated: int64 [episodes], steps of each episode that are to be imitated.
      movement_counts: int64 [ticks, C, values], see :meth:`rlhf.data.dataset.Dataset.movement_counts`.
      continuous_bins: bins into which continuous components were divided for these counts.
    """

    texts: frozenset[str]
    requests: frozenset[str]
    answers: frozenset[str]
    demonstrated: np.ndarray
    movement_counts: np.ndarray
    continuous_bins: int


def summarise(sources: Sequence[Source], threads: int = 2, continuous_bins: int | None = None) -> DatasetSummary:
    """Read every episode once and summarise them.

    Args:
      threads: number of threads that read.
      continuous_bins: bins into which an agent divides continuous components; None: as many as agents do by default.

    Raises:
      UserError: naming the first episode that is damaged, or of other spaces than the one before.
    """
    bins = AgentConfig().continuous_bins if continuous_bins is None else continuous_bins
    texts, requests, answers = set[str](), set[str](), set[str]()
    demonstrated, counts = list[int](), None
    before: CompressedEpisode | None = None
    for episode in read_ahead(Source.read, sources, threads):
        if before is not None:
            _check_alike(before, episode)
        before = episode
        requests.update(episode.setter_utterance)
        answers.update(episode.utterance)
        texts.update(episode.setter_utterance, episode.utterance, *episode.texts.values())
        imitated = episode.demonstrated()
        demonstrated.append(int(imitated.sum()))
        columns = ActionColumns(episode.spaces.solver.action, bins)
        moved = columns.encode(episode.movement, episode.continuous)[imitated]
        found = movement_counts(moved, int(columns.counts.max(initial=1)))
        counts = found if counts is None else counts + found
    empty = np.zeros((0, 0, 0), np.int64)
    return DatasetSummary(
        frozenset(texts - {""}),
        frozenset(requests - {""}),
        frozenset(answers - {""}),
        np.array(demonstrated, np.int64),
        empty if counts is None else counts,
        bins,
    )


def _check_alike(one: CompressedEpisode, other: CompressedEpisode) -> None:
    """Refuse two episodes whose spaces differ. Raises UserError, naming the first difference."""
    if one.spaces == other.spaces:
        return
    names = f"episode {one.episode_id}", f"episode {other.episode_id}"
    first = one.spaces.differences(other.spaces, names)[0]
    raise UserError(f"{names[1]} has other spaces than {names[0]} ({first})")
