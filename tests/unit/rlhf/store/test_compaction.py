"""Episodes gathered in files of many: what they hold, who reads and writes meanwhile, kills and full disks."""

from __future__ import annotations

import errno
import json
import os
import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rlhf.records.episode import Episode
from rlhf.records.marks import Judgement, Mark
from rlhf.store import ParquetStore, compaction, open_store, rebuild_index, same_episode, share_play
from rlhf.store.checksums import with_checksums
from rlhf.store.parquet_files import to_bytes
from rlhf.store.synthetic import synthetic_episode, synthetic_play
from rlhf.store.tables import to_tables
from tests.unit.rlhf.declared_spaces import SPACES
from tests.unit.rlhf.store.killed import killed
from worlds.errors import UserError

TWO = 0.011  # megabytes: more than one small episode takes, less than two
MARKS = [Mark("e1", "ann", 2, 1, scripted=False), Mark("e4", "ann", 3, -1, scripted=False)]


def small(seed: int) -> Episode:
    return synthetic_episode(seed, steps=6, height=4, width=5, episode_id=f"e{seed}")


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Synchronising matters only when the power fails, and takes most of the time."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A dataset with the episodes e0 to e4, two files of marks and a judgement."""
    store = open_store(tmp_path / "data", create=True)
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


def test_what_is_recorded_afterwards_is_gathered_by_the_next_compaction(folder: Path) -> None:
    store = open_store(folder)
    store.compact(TWO)
    large = {path.name for path in (folder / "steps").iterdir() if path.stat().st_size >= TWO * 1e6}
    (rest,) = files(folder) - large
    store.write(small(5))
    assert whole(folder, range(6)) and files(folder) == {*large, rest, "e5.parquet"}
    store.compact(TWO)
    assert whole(folder, range(6)) and large < files(folder) and len(files(folder)) == 3
    before = files(folder)
    store.compact(TWO)
    assert files(folder) == before


@pytest.mark.parametrize("file_mb", (0.0, -1.0, float("nan")))
def test_a_size_that_is_none_is_refused(folder: Path, file_mb: float) -> None:
    with pytest.raises(UserError, match="file_mb is .*; give a number of megabytes above 0"):
        open_store(folder).compact(file_mb)


def test_a_dataset_of_few_or_no_files_is_left_as_it_is(tmp_path: Path) -> None:
    store = open_store(tmp_path / "data", create=True)
    store.compact()
    store.write(small(0))
    store.compact()
    assert files(store.folder) == {"e0.parquet"}


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


@pytest.mark.parametrize("name", SPACES)
def test_play_of_declared_spaces_is_gathered_and_found_again(name: str, tmp_path: Path) -> None:
    store = open_store(tmp_path / "data", create=True)
    for seed in range(3):
        store.write(synthetic_play(seed, SPACES[name], steps=5))
    before, fingerprints = [store.read(episode_id) for episode_id in store.ids()], store.fingerprints()
    store.compact()
    (store.folder / "index.jsonl").unlink()
    assert rebuild_index(store.folder) == 3
    store = open_store(store.folder)
    assert len(files(store.folder)) == 1 and store.verify() == [] and store.fingerprints() == fingerprints
    assert all(same_episode(store.read(episode.episode_id), episode) for episode in before)


def test_files_that_another_version_of_pyarrow_compressed_are_gathered(folder: Path) -> None:
    for table in ("episodes", "steps"):
        path, sink = folder / table / "e1.parquet", pa.BufferOutputStream()
        pq.write_table(pq.read_table(path), sink, compression="ZSTD")
        file = memoryview(sink.getvalue())
        footer = 8 + int.from_bytes(file[-8:-4], "little")
        path.write_bytes(with_checksums(file, [len(file) - footer]))
    open_store(folder).compact()
    assert len(files(folder)) == 1 and whole(folder)


@pytest.fixture
def older(folder: Path) -> Path:
    """The dataset with e0 to e3 in one file as older versions wrote them, which are searched for an episode."""
    tables = [to_tables(small(seed)) for seed in range(4)]
    for table, parts in zip(("episodes", "steps"), zip(*tables, strict=True), strict=True):
        (folder / table / "pack-0.parquet").write_bytes(to_bytes(parts))
        for seed in range(4):
            (folder / table / f"e{seed}.parquet").unlink()
    path = folder / "index.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    packed = [{**line, "file": "pack-0"} if line.get("file", "e4") != "e4" else line for line in lines]
    path.write_text("".join(json.dumps(line) + "\n" for line in packed))
    return folder


def test_files_of_many_of_an_older_version_are_read(older: Path) -> None:
    assert whole(older)
    open_store(older).drop(["e0"])
    assert whole(older, range(1, 5))


def test_files_of_many_of_an_older_version_are_gathered(older: Path) -> None:
    open_store(older).compact()
    assert len(files(older)) == 1 and "pack-0.parquet" not in files(older) and whole(older)


@pytest.mark.parametrize("size", (TWO, 128))
def test_the_index_of_files_of_many_is_recreated(folder: Path, size: float) -> None:
    open_store(folder).compact(size)
    before = (folder / "index.jsonl").read_text().splitlines()[1:]
    (folder / "index.jsonl").unlink()
    assert rebuild_index(folder) == 5
    after = (folder / "index.jsonl").read_text().splitlines()[1:]
    assert {line for line in before if "episode_id" in line} == {line for line in after if "episode_id" in line}


def test_the_index_of_an_older_files_is_recreated(older: Path) -> None:
    (older / "index.jsonl").unlink()
    assert rebuild_index(older) == 5 and open_store(older).verify() == []


# Damage


@pytest.mark.parametrize("place", (0.3, 0.5, 0.98))
@pytest.mark.parametrize("table", ("episodes", "steps"))
def test_one_damaged_episode_costs_no_other_of_its_file(folder: Path, table: str, place: float) -> None:
    """Whether its columns are damaged, or the footer that it has of its own."""
    open_store(folder).compact()
    begin, end = spans(folder, "e1")[table]
    (path,) = (folder / table).iterdir()
    data = bytearray(path.read_bytes())
    data[begin + int(place * (end - begin))] ^= 1
    path.write_bytes(data)
    store, others = open_store(folder), [0, 2, 3, 4]
    with pytest.raises(UserError, match="is damaged .* remove episode e1 with `rlhf episodes drop`"):
        store.read("e1")
    assert all(same_episode(store.read(f"e{seed}"), small(seed)) for seed in others)
    (folder / "index.jsonl").unlink()
    assert rebuild_index(folder) == 4
    store = open_store(folder)
    assert sorted(store.ids()) == [f"e{seed}" for seed in others] and same_episode(store.read("e2"), small(2))
    found = [(problem.file, problem.what) for problem in store.verify()]
    assert (f"steps/{path.name}", "1 of its episodes is not in the index") in found
    store.write(small(5))
    store.compact()
    assert path.exists()  # so that a copy of the damaged episode may still be made out of it


def test_damage_to_the_common_footer_is_reported_and_costs_no_episode(folder: Path) -> None:
    open_store(folder).compact()
    (path,) = (folder / "steps").iterdir()
    data = bytearray(path.read_bytes())
    data[-20] ^= 1
    path.write_bytes(data)
    store = open_store(folder)
    assert all(same_episode(store.read(f"e{seed}"), small(seed)) for seed in range(5))
    (problem,) = store.verify()
    assert problem.file == f"steps/{path.name}" and "other programs cannot read it" in problem.what
    store.write(small(5))
    store.compact()
    assert whole(folder, range(6))


def test_a_file_of_many_that_is_cut_short_costs_what_is_behind(folder: Path) -> None:
    open_store(folder).compact()
    (path,) = (folder / "steps").iterdir()
    path.write_bytes(path.read_bytes()[: spans(folder, "e2")["steps"][1]])
    store = open_store(folder)
    assert all(same_episode(store.read(f"e{seed}"), small(seed)) for seed in range(3))
    with pytest.raises(UserError, match=r"is damaged \(it is cut short\)"):
        store.read("e4")


def test_a_damaged_episode_stops_gathering_in_one_line(folder: Path) -> None:
    path = folder / "steps" / "e3.parquet"
    path.write_bytes(path.read_bytes()[:-100])
    store = open_store(folder)
    with pytest.raises(UserError, match=r"e3.parquet is damaged .* remove episode e3 with `rlhf episodes drop`"):
        store.compact(TWO)
    assert len(files(folder)) == 4 and not list(folder.rglob("*.part"))  # two in one file, and three single ones
    store.drop(["e3"])
    store.compact()
    assert len(store) == 4 and store.verify() == []


def test_a_missing_episode_stops_gathering_in_one_line(folder: Path) -> None:
    (folder / "episodes" / "e3.parquet").unlink()
    with pytest.raises(UserError, match=r"e3.parquet is damaged \(it is missing\)"):
        open_store(folder).compact()
    assert len(files(folder)) == 5 and not list(folder.rglob("*.part"))


@pytest.mark.parametrize(
    "places",
    [
        *(7, [], {}, {"steps": [0, 9]}),
        *({"steps": [0, 9], "episodes": place} for place in ([9, 0], [-1, 9], [0, 9, 9], [0, True], "09", None)),
    ],
)
def test_a_line_without_places_in_its_files_is_refused(folder: Path, places: object) -> None:
    path = folder / "index.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    lines[1]["bytes"] = places
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(UserError, match="line 2 of .* names no bytes of .*--rebuild"):
        open_store(folder)


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


def test_two_may_gather_at_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    meanwhile(monkeypatch, lambda: open_store(folder).compact())
    open_store(folder).compact()
    assert len(files(folder)) == 1 and whole(folder)


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


# Kills and full disks


def test_a_kill_at_any_step_leaves_every_episode_once(folder: Path) -> None:
    moment, smaller = 0, 0
    while True:
        moment += 1
        copy = folder.parent / f"killed-{moment}"
        shutil.copytree(folder, copy)
        interrupted = killed(copy, lambda store: store.compact(TWO), moment)
        assert whole(copy)
        smaller += len(files(copy)) == 4  # the first file is there, the second is not
        if not interrupted:
            break
        if moment % 5 == 0:
            open_store(copy).compact(TWO)
            assert whole(copy) and len(files(copy)) == 3
        shutil.rmtree(copy)
    assert moment > 40 and smaller > 5


def test_a_full_disk_at_any_write_leaves_every_episode_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write, refused = os.write, 0
    for allowed in range(200):
        copy = folder.parent / f"full-{allowed}"
        shutil.copytree(folder, copy)
        store, left = open_store(copy), allowed

        def write_until_full(descriptor: int, data: memoryview) -> int:
            nonlocal left
            left -= 1
            if left < 0:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return write(descriptor, data[: max(1, len(data) // 2)] if left == 0 else data)

        monkeypatch.setattr(os, "write", write_until_full)
        try:
            store.compact(TWO)
        except UserError as error:
            refused += 1
            assert "no space is left" in str(error) and "\n" not in str(error)
        monkeypatch.setattr(os, "write", write)
        assert whole(copy) and not list(copy.rglob("*.part"))
        if left >= 0:
            break
    assert refused > 10
