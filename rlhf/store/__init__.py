"""Stores of recorded play: one interface, on disk as Parquet or in memory.

    store = open_store("data/play", create=True)
    store.write(episode)          # durable when this returns
    store.write_marks(marks)
    for episode in store.stream(store.ids(split="train")):
        ...

What lies on disk is described in ``docs/dataset-format.md``.
"""

from __future__ import annotations

from pathlib import Path

from rlhf.store.columns.fingerprint import episode_fingerprint
from rlhf.store.contract import EpisodeRow, EpisodeStore, Merged, Problem, same_episode
from rlhf.store.memory import MemoryStore
from rlhf.store.parquet import ParquetStore, rebuild_index

__all__ = [
    "EpisodeRow",
    "EpisodeStore",
    "MemoryStore",
    "Merged",
    "ParquetStore",
    "Problem",
    "episode_fingerprint",
    "open_store",
    "rebuild_index",
    "same_episode",
]


def open_store(path: str | Path, create: bool = False) -> ParquetStore:
    """The dataset in the folder ``path``; with ``create``, a new one is made if nothing is there.

    Raises:
      UserError: if there is no dataset, the folder holds something else, another version wrote it, or it
        cannot be created; the line says which and what to do.
    """
    return ParquetStore(path, create=create)
