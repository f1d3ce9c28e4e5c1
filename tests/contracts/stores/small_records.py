"""Stores of each kind, and small records for their contract tests."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from rlhf.records.episode import Episode
from rlhf.records.marks import Judgement, Mark
from rlhf.store import EpisodeStore, MemoryStore, ParquetStore
from rlhf.store.synthetic import synthetic_episode

STORES = ("memory", "parquet", "packed")


class PackedStore(ParquetStore):
    """A dataset that is compacted after each episode, so that every read is of a shared file."""

    def write(self, episode: Episode) -> None:
        super().write(episode)
        self.compact()


@contextmanager
def fresh(kind: str) -> Iterator[EpisodeStore]:
    """Yield an empty store of a kind."""
    if kind == "memory":
        yield MemoryStore()
    else:
        with tempfile.TemporaryDirectory() as folder:
            yield (ParquetStore if kind == "parquet" else PackedStore)(Path(folder) / "data", create=True)


def small(seed: int, **changes: object) -> Episode:
    """Return a small episode with ``changes``; another image brings the spaces of its size."""
    spaces = {"spaces": None} if "image" in changes else {}
    return replace(synthetic_episode(seed, steps=6, height=4, width=5, episode_id=f"e{seed}"), **spaces, **changes)  # type: ignore[arg-type]


def mark(episode_id: str, step: int = 0, sign: int = 1, rater: str = "ann") -> Mark:
    return Mark(episode_id, rater, step, sign, scripted=False)


def judgement(episode_id: str, step: int | None = None, judge: str = "bo") -> Judgement:
    return Judgement(episode_id, judge, step is not None, step, scripted=True)
