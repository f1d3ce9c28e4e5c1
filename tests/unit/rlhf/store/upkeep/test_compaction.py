"""Episodes gathered in files of many: what the files hold, and who reads and writes meanwhile."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from rlhf.store import ParquetStore, open_store, rebuild_index, same_episode, share_play
from rlhf.store.columns.tables import to_tables
from rlhf.store.files.parquet_files import to_bytes
from rlhf.store.upkeep import compaction
from tests.unit.rlhf.store.gathered import TWO, files, make_dataset, rows, small, spans, whole


@pytest.fixture(autouse=True)
def apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every episode is long enough for a row group of its own."""
    monkeypatch.setattr(compaction, "LONG", 1)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_dataset(tmp_path / "data")


# What is gathered


def test_episodes_are_gathered_in_files_of_a_size(folder: Path) -> None:
    store = open_store(folder)
    fingerprints, listed = store.fingerprints(), store.rows()
    store.compact(TWO)
    sizes = sorted(path.stat().st_size for path in (folder / "steps").iterdir())
    assert len(sizes) == 3 and sizes[1] >= TWO * 1e6  # two, two and the rest
    assert store.fingerprints() == fingerprints and store.rows() == listed
    assert whole(folder)
    assert len(list((folder / "marks").iterdir())) == 1


def test_a_file_of_many_is_the_files_of_single_ones_in_a_row(folder: Path) -> None:
    """An episode is read in one piece, from where the index says."""
    singles = {table: (folder / table / "e3.parquet").read_bytes() for table in ("episodes", "steps")}
    open_store(folder).compact()
    (name,) = files(folder)
    for table, single in singles.items():
        begin, end = spans(folder, "e3")[table]
        assert (folder / table / name).read_bytes()[begin:end] == single
        file = pq.ParquetFile(folder / table / name)
        groups = [file.read_row_group(group)["episode_id"].unique().to_pylist() for group in range(5)]
        assert groups == [["e0"], ["e1"], ["e2"], ["e3"], ["e4"]]


def test_files_of_many_are_shared_and_dropped_from(folder: Path) -> None:
    open_store(folder).compact(TWO)
    share_play(folder, folder.parent / "second")
    store = open_store(folder)
    store.drop(["e0", "e4"])
    assert store.ids() == ["e1", "e2", "e3"] and store.verify() == [] and set(rows(folder)["steps"]) == set(store.ids())
    second = open_store(folder.parent / "second")
    assert len(second) == 5 and second.verify() == [] and same_episode(second.read("e0"), small(0))


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


@pytest.fixture
def older(folder: Path) -> Path:
    """The dataset with e0 to e3 in one file as older versions wrote them, which are searched for an episode."""
    tables = [to_tables([small(seed)]) for seed in range(4)]
    for table, parts in zip(("episodes", "steps"), zip(*tables, strict=True), strict=True):
        (folder / table / "pack-0.parquet").write_bytes(to_bytes(parts))
        for seed in range(4):
            (folder / table / f"e{seed}.parquet").unlink()
    path = folder / "index.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    packed = [{**line, "file": "pack-0"} if line.get("file", "e4") != "e4" else line for line in lines]
    path.write_text("".join(json.dumps(line) + "\n" for line in packed))
    return folder


@pytest.mark.parametrize("size", (TWO, 128))
def test_the_index_of_files_of_many_is_recreated(folder: Path, size: float) -> None:
    open_store(folder).compact(size)
    before = (folder / "index.jsonl").read_text().splitlines()[1:]
    (folder / "index.jsonl").unlink()
    assert rebuild_index(folder) == 5
    after = (folder / "index.jsonl").read_text().splitlines()[1:]
    assert {line for line in before if "episode_id" in line} == {line for line in after if "episode_id" in line}


# Others meanwhile


def meanwhile(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Have ``act`` done by others when the first new file is written and has not replaced the old ones yet."""
    finish, acted = compaction.Pack.finish, []

    def finish_while(pack: compaction.Pack) -> None:
        finish(pack)
        if not acted:
            acted.append(True)
            act()

    monkeypatch.setattr(compaction.Pack, "finish", finish_while)


def test_others_open_record_and_verify_while_episodes_are_gathered(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def act() -> None:
        other = open_store(folder)  # which removes what killed processes left, and nothing else
        assert other.verify() == []
        other.write(small(5))

    meanwhile(monkeypatch, act)
    open_store(folder).compact()
    assert whole(folder, range(6)) and len(files(folder)) == 2


def test_episodes_that_are_dropped_while_they_are_gathered_stay_dropped(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    meanwhile(monkeypatch, lambda: open_store(folder).drop(["e0"]))
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
    for seed in range(5, 20):
        writer.write(small(seed))
        writer.compact(TWO if seed % 2 else 128)
    done.set()
    for thread in threads:
        thread.join()
    assert wrong == [] and whole(folder, range(20))
