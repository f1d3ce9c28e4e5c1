"""Small datasets on disk, what a reader sees of them, and ways to damage their files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rlhf.store import open_store, same_episode
from rlhf.store.upkeep import compaction
from tests.contracts.stores.small_records import judgement, mark, small
from worlds.errors import UserError

TWO = 0.011  # megabytes: more than one small episode takes, less than two
MARKS = [mark("e1", 2), mark("e4", 3, -1)]
JUDGEMENTS = [judgement("e1", 3)]


def make_dataset(folder: Path, seeds: Iterable[int] = range(3), grouped: bool = False) -> Path:
    """A dataset with these episodes, each in files of its own or all in one group, and with what was said of them."""
    store = open_store(folder, create=True)
    for group in [list(seeds)] if grouped else [[seed] for seed in seeds]:
        store.write_group([small(seed) for seed in group]) if grouped else store.write(small(*group))
    for one in MARKS:
        if one.episode_id in store:
            store.write_marks([one])
    store.write_judgements([one for one in JUDGEMENTS if one.episode_id in store])
    return store.folder


def compacted_apart(folder: Path, file_mb: float = 128) -> Path:
    """Compact a dataset; every episode keeps a row group of its own, as those that are long."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compaction, "LONG", 1)
        open_store(folder).compact(file_mb)
    return folder


def files(folder: Path) -> set[str]:
    return {path.name for path in (folder / "steps").iterdir()}


def groups(folder: Path) -> list[list[str]]:
    """Ids in each row group of the files of steps."""
    opened = [pq.ParquetFile(path) for path in sorted((folder / "steps").iterdir())]
    return [
        file.read_row_group(number)["episode_id"].unique().to_pylist()
        for file in opened
        for number in range(file.num_row_groups)
    ]


def spans(folder: Path, episode_id: str) -> dict[str, list[int]]:
    """Where an episode lies in its files, as the index says."""
    lines = [json.loads(line) for line in (folder / "index.jsonl").read_text().splitlines()]
    listed = [entry for line in lines for entry in line.get("episodes", [line])]
    (found,) = [entry["bytes"] for entry in listed if entry.get("episode_id") == episode_id]
    return found


def change_index(folder: Path, number: int, **values: object) -> Path:
    """Set ``values`` in a line of the index; return its path."""
    path = folder / "index.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    lines[number] |= values
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def flip(path: Path, place: int) -> None:
    """Change a bit of a file."""
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(data)


DAMAGE: dict[str, Callable[[Path], object]] = {
    "cut": lambda path: path.write_bytes(path.read_bytes()[:-100]),
    "empty": lambda path: path.write_bytes(b""),
    "text": lambda path: path.write_text("not a Parquet file at all"),
    "foreign": lambda path: pq.write_table(pa.table({"episode_id": ["e1"], "x": [1]}), path),
    "missing": lambda path: path.unlink(),
}


def whole(folder: Path, seeds: Iterable[int] = range(3)) -> bool:
    """Whether a dataset holds exactly these episodes, once, as they were written, and nothing is wrong with it."""
    store = open_store(folder)
    ids = [f"e{seed}" for seed in seeds]
    assert store.ids() == ids
    assert all(same_episode(store.read(name), small(int(name[1:]))) for name in ids)
    assert store.marks() == [one for one in MARKS if one.episode_id in ids]
    assert store.judgements() == [one for one in JUDGEMENTS if one.episode_id in ids]
    episodes, steps = (pq.read_table(folder / table)["episode_id"].to_pylist() for table in ("episodes", "steps"))
    assert sorted(episodes) == sorted(ids) and len(steps) == 6 * len(ids)
    return store.verify() == []


def one_line(caught: pytest.ExceptionInfo[UserError]) -> str:
    assert "\n" not in str(caught.value)
    return str(caught.value)
