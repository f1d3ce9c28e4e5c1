"""A small dataset on disk, checks that it is whole, and ways to damage a file of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rlhf.records.episode import Episode
from rlhf.records.marks import Judgement, Mark
from rlhf.store import open_store, same_episode
from rlhf.store.synthetic import synthetic_episode
from worlds.errors import UserError

MARK = Mark("e1", "ann", 2, 1, scripted=False)
JUDGEMENT = Judgement("e1", "bo", True, 3, scripted=False)


def small(seed: int) -> Episode:
    return synthetic_episode(seed, steps=6, height=4, width=5, episode_id=f"e{seed}")


DAMAGE: dict[str, Callable[[Path], object]] = {
    "cut": lambda path: path.write_bytes(path.read_bytes()[:-100]),
    "empty": lambda path: path.write_bytes(b""),
    "text": lambda path: path.write_text("not a Parquet file at all"),
    "foreign": lambda path: pq.write_table(pa.table({"episode_id": ["e1"], "x": [1]}), path),
    "missing": lambda path: path.unlink(),
}


def whole(folder: Path, seeds: tuple[int, ...] = (0, 1, 2)) -> bool:
    """Return True if a dataset holds exactly these episodes, as they were written, and nothing is wrong with it."""
    store = open_store(folder)
    assert store.ids() == [f"e{seed}" for seed in seeds]
    assert all(same_episode(store.read(f"e{seed}"), small(seed)) for seed in seeds)
    assert store.marks() == [MARK] * (1 in seeds) and store.judgements() == [JUDGEMENT] * (1 in seeds)
    lines = (folder / "index.jsonl").read_text().rpartition("\n")[0].splitlines()
    listed = {json.loads(line).get("file") for line in lines} - {None}
    assert {path.stem for path in (folder / "episodes").iterdir()} == listed
    assert {path.stem for path in (folder / "steps").iterdir()} == listed
    return store.verify() == []


def one_line(caught: pytest.ExceptionInfo[UserError]) -> str:
    assert "\n" not in str(caught.value)
    return str(caught.value)
