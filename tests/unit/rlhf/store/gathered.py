"""A small dataset that is gathered in files of many episodes, and what a reader sees of it."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq

from rlhf.records.episode import Episode
from rlhf.records.marks import Judgement, Mark
from rlhf.store import open_store, same_episode
from rlhf.store.synthetic import synthetic_episode

TWO = 0.011  # megabytes: more than one small episode takes, less than two
MARKS = [Mark("e1", "ann", 2, 1, scripted=False), Mark("e4", "ann", 3, -1, scripted=False)]


def small(seed: int) -> Episode:
    return synthetic_episode(seed, steps=6, height=4, width=5, episode_id=f"e{seed}")


def make_dataset(folder: Path) -> Path:
    """A dataset with the episodes e0 to e4, two files of marks and a judgement."""
    store = open_store(folder, create=True)
    for seed in range(5):
        store.write(small(seed))
    for mark in MARKS:
        store.write_marks([mark])
    store.write_judgements([Judgement("e1", "bo", True, 3, scripted=False)])
    return store.folder


def files(folder: Path) -> set[str]:
    return {path.name for path in (folder / "steps").iterdir()}


def spans(folder: Path, episode_id: str) -> dict[str, list[int]]:
    """Where an episode lies in its files, as the index says."""
    lines = [json.loads(line) for line in (folder / "index.jsonl").read_text().splitlines()]
    (found,) = [line["bytes"] for line in lines if line.get("episode_id") == episode_id]
    return found


def rows(folder: Path) -> dict[str, list[str]]:
    """Ids in the columns of both tables, as another program reads them."""
    return {table: pq.read_table(folder / table)["episode_id"].to_pylist() for table in ("episodes", "steps")}


def whole(folder: Path, seeds: range = range(5)) -> bool:
    """Whether the dataset holds exactly these episodes, once, as they were written, and nothing is wrong with it."""
    store = open_store(folder)
    ids = [f"e{seed}" for seed in seeds]
    assert store.ids() == ids
    assert all(same_episode(store.read(f"e{seed}"), small(seed)) for seed in seeds)
    assert store.marks() == [mark for mark in MARKS if mark.episode_id in ids]
    found = rows(folder)
    assert sorted(found["episodes"]) == sorted(ids) and len(found["steps"]) == 6 * len(ids)
    return store.verify() == []
