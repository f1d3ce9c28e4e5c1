"""Episodes gathered in files of many: what the files hold, that it ends, and who reads and writes meanwhile."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from rlhf.store import ParquetStore, open_store, rebuild_index, same_episode
from rlhf.store.files.parquet_files import to_bytes
from rlhf.store.group_writer import GroupWriter
from rlhf.store.synthetic import synthetic_episode
from rlhf.store.upkeep import compaction
from tests.unit.rlhf.store.small_datasets import (
    TWO,
    compacted_apart,
    files,
    groups,
    make_dataset,
    small,
    spans,
    whole,
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A dataset of the episodes e0 to e4."""
    return make_dataset(tmp_path / "data", range(5))


def listed(folder: Path) -> set[str]:
    """The lines of the index that list episodes."""
    return {line for line in (folder / "index.jsonl").read_text().splitlines() if "episode_id" in line}


# Files of many


def test_long_episodes_are_gathered_in_files_of_a_size(folder: Path) -> None:
    store = open_store(folder)
    fingerprints, rows = store.fingerprints(), store.rows()
    compacted_apart(folder, TWO)
    sizes = sorted(path.stat().st_size for path in (folder / "steps").iterdir())
    assert len(sizes) == 3 and sizes[1] >= TWO * 1e6  # two, two and the rest
    assert store.fingerprints() == fingerprints and store.rows() == rows
    assert whole(folder, range(5))
    assert len(list((folder / "marks").iterdir())) == 1


def test_a_file_of_many_is_the_files_of_single_ones_in_a_row(folder: Path) -> None:
    """An episode is read in one piece, from where the index says; a group that was recorded is one of the pieces."""
    open_store(folder).write_group([small(5), small(6)])
    names = {"e3": "e3.parquet", "e6": next(name for name in files(folder) if name.startswith("group-"))}
    places = [(table, episode_id) for table in ("episodes", "steps") for episode_id in names]
    singles = [(folder / table / names[episode_id]).read_bytes() for table, episode_id in places]
    compacted_apart(folder)
    (name,) = files(folder)
    for (table, episode_id), single in zip(places, singles, strict=True):
        begin, end = spans(folder, episode_id)[table]
        assert (folder / table / name).read_bytes()[begin:end] == single
    assert groups(folder) == [["e0"], ["e1"], ["e2"], ["e3"], ["e4"], ["e5", "e6"]]


def test_episodes_with_other_columns_are_gathered_by_themselves(folder: Path) -> None:
    """As later versions of the format may have them."""
    for seed in (1, 3):
        path = folder / "steps" / f"e{seed}.parquet"
        rows = pq.read_table(path)
        path.write_bytes(to_bytes([rows.append_column("weather", [["fair"] * len(rows)])]))
    store = open_store(folder)
    for _ in range(2):
        store.compact()
        tables = [pq.read_table(path) for path in (folder / "steps").iterdir()]
        ids = {tuple(sorted(set(table["episode_id"].to_pylist()))): "weather" in table.column_names for table in tables}
        assert ids == {("e1", "e3"): True, ("e0", "e2", "e4"): False}
        assert store.verify() == [] and all(same_episode(store.read(f"e{seed}"), small(seed)) for seed in range(5))


@pytest.mark.parametrize("compact", [compacted_apart, lambda folder: compacted_apart(folder, TWO), None])
@pytest.mark.parametrize("grouped", [True, False])
def test_the_index_of_files_of_many_is_recreated(folder: Path, compact: Callable | None, grouped: bool) -> None:
    if grouped:
        open_store(folder).write_group([small(5), small(6)])
    compact(folder) if compact else open_store(folder).compact()
    before, fingerprints = listed(folder), open_store(folder).fingerprints()
    (folder / "index.jsonl").unlink()
    assert rebuild_index(folder) == (7 if grouped else 5)
    assert listed(folder) == before and open_store(folder).fingerprints() == fingerprints


# Row groups of many


def test_a_group_is_one_file_of_each_table_and_one_line_of_the_index(store: ParquetStore) -> None:
    store.write_group([small(5), small(6)])
    assert whole(store.folder, range(7))
    (group,) = (name for name in files(store.folder) if name.startswith("group-"))
    assert group in {path.name for path in (store.folder / "episodes").iterdir()} and ["e5", "e6"] in groups(
        store.folder
    )
    lines = [json.loads(line) for line in (store.folder / "index.jsonl").read_text().splitlines()]
    assert [one["episode_id"] for one in lines[-1]["episodes"]] == ["e5", "e6"]


def test_what_is_gathered_is_written_when_play_is_interrupted(tmp_path: Path) -> None:
    store = open_store(tmp_path / "data", create=True)
    with pytest.raises(KeyboardInterrupt), GroupWriter(store.write_group, lambda: 100.0) as writer:
        writer.add(small(0))
        writer.add(small(1))
        assert store.ids() == []
        raise KeyboardInterrupt
    assert store.ids() == ["e0", "e1"] and len(files(store.folder)) == 1


def test_short_episodes_that_were_recorded_one_by_one_share_a_row_group(folder: Path) -> None:
    store = open_store(folder)
    fingerprints, rows = store.fingerprints(), store.rows()
    before = sum(path.stat().st_size for path in (folder / "steps").iterdir())
    store.compact()
    assert groups(folder) == [["e0", "e1", "e2", "e3", "e4"]]
    assert store.fingerprints() == fingerprints and store.rows() == rows and whole(folder, range(5))
    (path,) = (folder / "steps").iterdir()
    assert path.stat().st_size < before / 2


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
    assert groups(folder) == [["e0", "e1"], ["e2", "e3"], ["e4"]] and whole(folder, range(5))


def test_repeated_compaction_gathers_small_files_of_many_and_reaches_an_end(folder: Path) -> None:
    compacted_apart(folder, TWO)
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


# Others meanwhile


@pytest.fixture
def meanwhile(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[], object]]:
    """What others do when the first new file is written and has not replaced the old ones yet."""
    finish, acts = compaction.Pack.finish, list[Callable[[], object]]()

    def finish_while(pack: compaction.Pack) -> None:
        finish(pack)
        while acts:
            acts.pop()()

    monkeypatch.setattr(compaction.Pack, "finish", finish_while)
    return acts


def test_others_open_record_and_verify_while_episodes_are_gathered(folder: Path, meanwhile: list) -> None:
    def act() -> None:
        other = open_store(folder)  # which removes what killed processes left, and nothing else
        assert other.verify() == []
        other.write(small(5))

    meanwhile.append(act)
    open_store(folder).compact()
    assert whole(folder, range(6)) and len(files(folder)) == 2


def test_episodes_that_are_dropped_while_they_are_gathered_stay_dropped(folder: Path, meanwhile: list) -> None:
    meanwhile.append(lambda: open_store(folder).drop(["e0"]))
    open_store(folder).compact()
    assert len(files(folder)) == 1 and whole(folder, range(1, 5))


def test_readers_of_a_dataset_that_is_gathered_do_not_fail(folder: Path) -> None:
    """As a training that streams, or a server: each opened the dataset before."""
    readers = [open_store(folder) for _ in range(2)]
    wrong: list[BaseException] = []
    done = threading.Event()

    def read(store: ParquetStore) -> None:
        try:
            while not done.is_set():
                for episode in store.stream(store.ids(), threads=2):
                    assert same_episode(episode, small(int(episode.episode_id[1:])))
                assert len(store.fingerprints()) >= 5 and store.read_transcript("e1").episode_id == "e1"
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=read, args=(store,)) for store in readers]
    for thread in threads:
        thread.start()
    writer = open_store(folder)
    for seed in range(5, 15):
        writer.write(small(seed))
        writer.compact(TWO if seed % 2 else 128)
    done.set()
    for thread in threads:
        thread.join()
    assert wrong == [] and whole(folder, range(15))
