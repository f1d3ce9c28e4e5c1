"""Small row groups that are put together when episodes are gathered, and compaction that is repeated."""

from __future__ import annotations

import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from rlhf.store import open_store, rebuild_index, same_episode
from rlhf.store.synthetic import synthetic_episode
from rlhf.store.upkeep import compaction
from tests.unit.rlhf.store.gathered import TWO, files, make_dataset, small, whole
from tests.unit.rlhf.store.killed import killed


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_dataset(tmp_path / "data")


def compacted_apart(folder: Path, file_mb: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compact as older versions did: every episode keeps a row group of its own."""
    with monkeypatch.context() as patched:
        patched.setattr(compaction, "LONG", 1)
        open_store(folder).compact(file_mb)


def groups(folder: Path) -> list[list[str]]:
    """Ids in each row group of the files of steps."""
    opened = [pq.ParquetFile(path) for path in sorted((folder / "steps").iterdir())]
    return [
        file.read_row_group(number)["episode_id"].unique().to_pylist()
        for file in opened
        for number in range(file.num_row_groups)
    ]


def test_short_episodes_that_were_recorded_one_by_one_share_a_row_group(folder: Path) -> None:
    store = open_store(folder)
    fingerprints, listed = store.fingerprints(), store.rows()
    before = sum(path.stat().st_size for path in (folder / "steps").iterdir())
    store.compact()
    assert groups(folder) == [["e0", "e1", "e2", "e3", "e4"]]
    assert store.fingerprints() == fingerprints and store.rows() == listed and whole(folder)
    (path,) = (folder / "steps").iterdir()
    assert path.stat().st_size < before / 2
    lines = sorted((folder / "index.jsonl").read_text().splitlines()[1:6])
    (folder / "index.jsonl").unlink()
    assert rebuild_index(folder) == 5 and whole(folder)
    assert sorted((folder / "index.jsonl").read_text().splitlines()[1:6]) == lines


def test_a_group_that_was_recorded_is_joined_by_single_episodes_and_long_ones_are_not(folder: Path) -> None:
    store = open_store(folder)
    long = synthetic_episode(9, steps=compaction.LONG, height=4, width=5, episode_id="long")
    store.write(long)
    store.write_group([small(5), small(6)])
    store.compact()
    assert groups(folder) == [["long"], [f"e{seed}" for seed in range(7)]]
    assert all(same_episode(store.read(f"e{seed}"), small(seed)) for seed in range(7))
    assert same_episode(store.read("long"), long) and store.verify() == []


def test_a_row_group_has_some_hundred_steps_at_most(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compaction, "MOST_STEPS", 12)
    open_store(folder).compact()
    assert groups(folder) == [["e0", "e1"], ["e2", "e3"], ["e4"]] and whole(folder)


def test_repeated_compaction_gathers_small_files_of_many_and_reaches_an_end(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compacted_apart(folder, TWO, monkeypatch)
    assert len(files(folder)) == 3
    kept: set[str] = set()
    for seed in range(5, 40):
        store = open_store(folder)
        store.write(small(seed))
        if seed % 5 == 4:
            store.compact(TWO)
            sizes = {path.name: path.stat().st_size for path in (folder / "steps").iterdir()}
            full = {name for name, size in sizes.items() if size >= TWO * 1e6}
            assert kept <= full and len(sizes) <= len(full) + 1, "full files stay, and there is one of the rest"
            kept = full
    assert kept and whole(folder, range(40))


def test_a_kill_at_any_step_of_putting_row_groups_together_leaves_every_episode_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of many from an older version, a recorded group, and single episodes."""
    compacted_apart(folder, 128, monkeypatch)
    store = open_store(folder)
    store.write_group([small(5), small(6)])
    store.write(small(7))
    moment, smaller = 0, 0
    while True:
        moment += 1
        copy = folder.parent / f"killed-{moment}"
        shutil.copytree(folder, copy)
        interrupted = killed(copy, lambda store: store.compact(), moment)
        assert whole(copy, range(8))
        smaller += len(files(copy)) == 1
        if not interrupted:
            break
        if moment % 4 == 0:
            open_store(copy).compact()
            assert len(groups(copy)) == 1 and len(files(copy)) == 1
        shutil.rmtree(copy)
    assert moment > 15 and smaller > 3 and whole(copy, range(8))
