"""A dataset that an earlier program wrote: it opens, and is written the same today."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rlhf.records.episode import Episode
from rlhf.records.marks import Judgement, Mark
from rlhf.store import episode_fingerprint, open_store, rebuild_index, same_episode
from rlhf.store.columns.tables import to_tables
from rlhf.store.files.parquet_files import to_bytes
from rlhf.store.synthetic import synthetic_episode

RECORDED = Path(__file__).parent / "recorded"
TEXTURE = (np.arange(6 * 12 * 16 * 3).reshape(6, 12, 16, 3) % 251).astype(np.uint8)  # suits PNG's filter "sub"


def episodes() -> list[Episode]:
    """Those of the recorded dataset."""
    flat = synthetic_episode(1, steps=6, height=12, width=16, episode_id="flat")
    changes = {"image": TEXTURE, "split": "held_out", "notes": {"co_pilot": "scripted"}}
    return [flat, replace(flat, episode_id="texture", **changes)]  # type: ignore[arg-type]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(RECORDED, tmp_path / "data"))


def test_it_opens_and_can_be_recorded_into(folder: Path) -> None:
    store = open_store(folder)
    assert store.ids() == ["flat", "texture"] and store.verify() == []
    for episode in episodes():
        assert same_episode(store.read(episode.episode_id), episode)
    assert store.fingerprints() == {episode.episode_id: episode_fingerprint(episode) for episode in episodes()}
    assert store.marks() == [Mark("flat", "ann", 2, 1, False)] and store.judgements() == [
        Judgement("flat", "bo", True, 3, True)
    ]
    store.write(synthetic_episode(2, steps=3, height=12, width=16, episode_id="new"))
    store.compact()
    assert open_store(folder).verify() == [] and rebuild_index(folder) == 3


@pytest.mark.parametrize("number", [0, 1])
def test_its_files_are_written_the_same_to_the_last_byte(number: int) -> None:
    episode = episodes()[number]
    for table, rows in zip(("episodes", "steps"), to_tables([episode]), strict=True):
        path = RECORDED / table / f"{episode.episode_id}.parquet"
        before = pq.ParquetFile(path)
        assert rows.schema.metadata == before.schema_arrow.metadata and rows.to_pylist() == before.read().to_pylist()
        written = to_bytes([rows])
        if pq.ParquetFile(pa.BufferReader(written)).metadata.created_by == before.metadata.created_by:
            assert written == path.read_bytes()  # another version of pyarrow may lay the same rows out otherwise


def test_its_description_is_written_the_same_to_the_last_byte(tmp_path: Path) -> None:
    store = open_store(tmp_path / "data", create=True)
    for episode in episodes():
        store.write(episode)
    created = json.loads((store.folder / "dataset.json").read_text())["created"]
    before = (RECORDED / "dataset.json").read_text()
    assert (store.folder / "dataset.json").read_text().replace(created, json.loads(before)["created"]) == before
    lines = (RECORDED / "index.jsonl").read_text().splitlines()[1:3]
    assert (store.folder / "index.jsonl").read_text().splitlines()[1:] == lines
