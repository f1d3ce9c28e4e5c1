"""A dataset on disk with missing, foreign or damaged files, on a full disk, and after a crash."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rlhf.records.episode import Episode
from rlhf.records.marks import Judgement, Mark
from rlhf.store import ParquetStore, open_store, rebuild_index, same_episode
from rlhf.store.files import durable
from rlhf.store.files.parquet_files import to_bytes
from rlhf.store.synthetic import synthetic_episode
from rlhf.store.upkeep import compaction
from tests.unit.rlhf.store.killed import killed
from worlds.errors import UserError

MARK = Mark("e1", "ann", 2, 1, scripted=False)
JUDGEMENT = Judgement("e1", "bo", True, 3, scripted=False)


def small(seed: int) -> Episode:
    return synthetic_episode(seed, steps=6, height=4, width=5, episode_id=f"e{seed}")


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Synchronising matters only when the power fails, and takes most of the time."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A dataset with the episodes e0, e1 and e2, a mark and a judgement."""
    store = open_store(tmp_path / "data", create=True)
    for seed in range(3):
        store.write(small(seed))
    store.write_marks([MARK])
    store.write_judgements([JUDGEMENT])
    return store.folder


def whole(folder: Path, seeds: tuple[int, ...] = (0, 1, 2)) -> bool:
    """Whether the dataset holds exactly these episodes, as they were written, and nothing is wrong with it."""
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


# What is no dataset


def test_a_missing_dataset(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no dataset at .*nowhere; check the path") as caught:
        open_store(tmp_path / "nowhere")
    assert "rlhf record" in one_line(caught)
    assert not (tmp_path / "nowhere").exists()


def test_a_folder_or_file_that_is_something_else(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("...")
    for create in (False, True):
        with pytest.raises(UserError, match="not a dataset"):
            open_store(tmp_path, create=create)
        with pytest.raises(UserError, match="thesis.tex is a file"):
            open_store(tmp_path / "thesis.tex", create=create)
    assert os.listdir(tmp_path) == ["thesis.tex"]


def test_an_empty_folder_becomes_a_dataset_and_a_home_folder_is_understood(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    open_store("~", create=True).write(small(1))
    assert open_store(str(tmp_path)).ids() == ["e1"]


def test_the_creation_of_a_dataset_that_was_interrupted_is_completed(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    open_store(folder, create=True)
    (folder / "dataset.json").rename(folder / "dataset.json.part")
    assert open_store(folder, create=True).ids() == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schema_version": 3}, "format version 3, this program reads 1 and 2; update"),
        ({"schema_version": 0}, "format version 0, this program reads 1 and 2; read it with the version that wrote it"),
        ({"movement": {"forward": [0, 1]}}, "other movement"),
        ({"surprise": 1}, "damaged"),
    ],
)
def test_a_dataset_that_another_version_wrote(folder: Path, change: dict, message: str) -> None:
    path = folder / "dataset.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(UserError, match=message) as caught:
        open_store(folder)
    assert str(path) in one_line(caught)


def test_the_order_of_movement_is_part_of_the_format(folder: Path) -> None:
    path = folder / "dataset.json"
    message = json.loads(path.read_text())
    path.write_text(json.dumps({**message, "movement": dict(reversed(message["movement"].items()))}))
    with pytest.raises(UserError, match="other movement"):
        open_store(folder)


def test_a_lost_or_damaged_description(folder: Path) -> None:
    path = folder / "dataset.json"
    path.write_text("{")
    with pytest.raises(UserError, match="dataset.json is damaged; put back a copy"):
        open_store(folder)
    path.unlink()
    with pytest.raises(UserError, match="has lost its dataset.json; put back a copy"):
        open_store(folder)
    with pytest.raises(UserError, match="is not a dataset"):
        open_store(folder, create=True)


def test_a_folder_of_datasets_names_them(folder: Path) -> None:
    study = folder.parent / "study"
    shutil.copytree(folder, study / "play")
    with pytest.raises(UserError, match=r"study is not a dataset, but holds some: name .*study/play$"):
        open_store(study)
    shutil.copytree(folder, study / "towers")
    with pytest.raises(UserError, match=r"name .*study/play \(or towers\)$"):
        open_store(study)


def test_the_world_of_a_dataset_is_fixed_for_every_writer(folder: Path) -> None:
    with pytest.raises(UserError, match="of world elsewhere, .* holds synthetic"):
        open_store(folder).write(replace(small(7), world="elsewhere"))
    open_store(folder).drop(["e0", "e1", "e2"])
    with pytest.raises(UserError, match="of world elsewhere"):
        open_store(folder).write(replace(small(7), world="elsewhere"))


# Damaged and foreign files


DAMAGE: dict[str, Callable[[Path], object]] = {
    "cut": lambda path: path.write_bytes(path.read_bytes()[:-100]),
    "empty": lambda path: path.write_bytes(b""),
    "text": lambda path: path.write_text("not a Parquet file at all"),
    "foreign": lambda path: pq.write_table(pa.table({"episode_id": ["e1"], "x": [1]}), path),
    "missing": lambda path: path.unlink(),
}


@pytest.mark.parametrize("table", ("episodes", "steps"))
@pytest.mark.parametrize("kind", DAMAGE)
def test_a_damaged_episode_is_named_with_its_remedy_and_costs_no_other(folder: Path, table: str, kind: str) -> None:
    path = folder / table / "e1.parquet"
    DAMAGE[kind](path)
    store = open_store(folder)
    with pytest.raises(UserError, match="rlhf episodes drop") as caught:
        store.read("e1")
    assert str(path) in one_line(caught)
    (problem,) = store.verify()
    assert (
        problem.file == "*/e1.parquet"
        and str(path) in problem.what
        and "episodes drop" in problem.hint
        and not problem.ignorable
    )
    assert same_episode(store.read("e2"), small(2))
    store.drop(["e1"])
    assert whole(folder, (0, 2))


@pytest.mark.parametrize("table", ("episodes", "steps"))
def test_no_changed_byte_goes_unnoticed(folder: Path, table: str) -> None:
    """Pages, headers and footer: a reader of Parquet that trusts a damaged footer may crash."""
    path = folder / table / "e1.parquet"
    data = path.read_bytes()
    store = open_store(folder)
    for place in (*range(0, len(data) - 24, 31), *range(len(data) - 24, len(data))):
        path.write_bytes(data[:place] + bytes([data[place] ^ 0x11]) + data[place + 1 :])
        with pytest.raises(UserError, match="is damaged"):
            store.read("e1")
    for length in range(0, len(data), 97):
        path.write_bytes(data[:length])
        with pytest.raises(UserError, match="is damaged"):
            store.read("e1")


def test_damage_to_one_episode_of_a_shared_file_spares_the_others(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compaction, "LONG", 1)  # each has a row group of its own, as longer episodes
    store = open_store(folder)
    store.compact()
    (path,) = (folder / "steps").iterdir()
    data = bytearray(path.read_bytes())
    data[data.index(b"IDAT") + 4] ^= 1  # in the first frame of the first episode
    path.write_bytes(data)
    with pytest.raises(UserError, match="contents have changed"):
        store.read("e0")
    assert same_episode(store.read("e1"), small(1)) and [problem.ignorable for problem in store.verify()] == [False]
    store.drop(["e0"])
    assert whole(folder, (1, 2))


def test_a_file_of_another_episode_under_the_name(folder: Path) -> None:
    shutil.copy(folder / "steps" / "e0.parquet", folder / "steps" / "e1.parquet")
    with pytest.raises(UserError, match="does not hold episode e1"):
        open_store(folder).read("e1")


def test_steps_that_are_not_all_there(folder: Path) -> None:
    path = folder / "steps" / "e1.parquet"
    path.write_bytes(to_bytes([pq.read_table(path).slice(1)]))
    with pytest.raises(UserError, match="not numbered 0 to 5"):
        open_store(folder).read("e1")


@pytest.mark.parametrize("table", ("marks", "judgements"))
@pytest.mark.parametrize("kind", ("cut", "empty", "text", "foreign"))
def test_a_damaged_file_of_marks(folder: Path, table: str, kind: str) -> None:
    store = open_store(folder)
    assert getattr(store, table)() != []
    (path,) = (folder / table).iterdir()
    DAMAGE[kind](path)
    with pytest.raises(UserError, match="move it out") as caught:
        getattr(store, table)()
    assert str(path) in one_line(caught)
    assert [problem.file for problem in store.verify()] == [f"{table}/{path.name}"]
    assert same_episode(store.read("e1"), small(1))


@pytest.mark.parametrize("table", ("marks", "judgements"))
def test_a_missing_folder_or_a_dead_link_among_the_marks(folder: Path, table: str) -> None:
    (folder / table / "x.parquet").symlink_to("nowhere")
    with pytest.raises(UserError, match="x.parquet is missing"):
        getattr(open_store(folder), table)()
    shutil.rmtree(folder / table)
    with pytest.raises(UserError, match=f"{table} is missing; put back a copy"):
        getattr(open_store(folder), table)()


def test_marks_of_an_episode_that_is_not_there(folder: Path) -> None:
    other = open_store(folder.parent / "other", create=True)
    other.write(small(9))
    other.write_marks([Mark("e9", "ann", 0, 1, False)])
    (path,) = (other.folder / "marks").iterdir()
    shutil.copy(path, folder / "marks")
    (problem,) = open_store(folder).verify()
    assert problem.file == f"marks/{path.name}" and "no episode e9" in problem.what


def test_a_foreign_file_is_reported_and_not_changed(folder: Path) -> None:
    path = folder / "steps" / "mine.parquet"
    DAMAGE["foreign"](path)
    for _ in range(2):
        (problem,) = open_store(folder).verify()
        assert problem.file == "steps/mine.parquet" and not problem.ignorable
    assert path.exists()


# The index


def test_a_half_written_line_is_ignored_and_written_over(folder: Path) -> None:
    with open(folder / "index.jsonl", "ab") as file:
        file.write(b'{"episode_id":"e3","asked":"' + b"x" * 2000)  # longer than the line that replaces it
    assert whole(folder)
    open_store(folder).write(small(3))
    assert whole(folder, (0, 1, 2, 3))


@pytest.mark.parametrize("kind", ("missing", "empty", "garbage", "line"))
def test_a_lost_index_is_written_again(folder: Path, kind: str) -> None:
    path = folder / "index.jsonl"
    if kind == "missing":
        path.unlink()
    elif kind == "empty":
        path.write_text("")
    elif kind == "garbage":
        path.write_bytes(os.urandom(500))
    else:
        lines = path.read_text().splitlines()
        path.write_text("\n".join([lines[0], "[]", *lines[2:], ""]))
    with pytest.raises(UserError, match="rlhf episodes verify --rebuild") as caught:
        open_store(folder)
    assert str(path) in one_line(caught)
    assert len(list((folder / "steps").iterdir())) == 3  # nothing was tidied away
    assert rebuild_index(folder) == 3
    assert whole(folder)


def test_rebuilding_finds_packed_episodes_and_leaves_damaged_ones(folder: Path) -> None:
    open_store(folder).compact()
    store = open_store(folder)
    store.write(small(3))
    store.write(small(4))
    DAMAGE["cut"](folder / "steps" / "e3.parquet")
    (folder / "index.jsonl").unlink()
    assert rebuild_index(folder) == 4
    store = open_store(folder)
    assert sorted(store.ids()) == ["e0", "e1", "e2", "e4"] and same_episode(store.read("e1"), small(1))
    assert [problem.file for problem in store.verify()] == ["steps/e3.parquet"]
    assert (folder / "episodes" / "e3.parquet").exists() and (folder / "steps" / "e3.parquet").exists()


def test_a_line_that_disagrees_with_its_episode(folder: Path) -> None:
    path = folder / "index.jsonl"
    path.write_text(path.read_text().replace('"split":"train"', '"split":"held_out"', 1))
    (problem,) = open_store(folder).verify()
    assert problem.file == "index.jsonl" and "e0" in problem.what and "--rebuild" in problem.hint


def test_another_episode_of_the_same_listing_under_the_name(folder: Path) -> None:
    """As a copy from a dataset that was recorded with other settings of the world leaves it."""
    other = open_store(folder.parent / "other", create=True)
    other.write(replace(small(1), config={"rooms": 2}))
    for table in ("episodes", "steps"):
        shutil.copy(other.folder / table / "e1.parquet", folder / table / "e1.parquet")
    (problem,) = open_store(folder).verify()
    assert problem.file == "index.jsonl" and "e1" in problem.what and "--rebuild" in problem.hint
    rebuild_index(folder)
    store = open_store(folder)
    assert store.verify() == [] and store.fingerprints(["e1"]) == other.fingerprints()


@pytest.mark.parametrize(
    "name", ["../../victim", "../episodes/e0", "/victim", "a/b", "a\\b", "a\0b", "..", ".", "", 7, None, ["e1"]]
)
def test_a_line_that_points_elsewhere_is_refused_and_nothing_there_is_touched(folder: Path, name: object) -> None:
    victim, path, store = folder.parent / "victim.parquet", folder / "index.jsonl", open_store(folder)
    shutil.copy(folder / "steps" / "e1.parquet", victim)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    lines[0]["token"] = "another"
    lines[2]["file"] = str(folder.parent / "victim") if name == "/victim" else name
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    before = {each: each.read_bytes() for each in sorted(folder.parent.rglob("*")) if each.is_file()}
    for action in (lambda: store.read("e1"), lambda: store.drop(["e1"]), store.compact, lambda: open_store(folder)):
        with pytest.raises(UserError, match="line 3 of .* names no file of the dataset; .* --rebuild") as caught:
            action()
        assert str(path) in one_line(caught)
    assert before == {each: each.read_bytes() for each in sorted(folder.parent.rglob("*")) if each.is_file()}
    assert rebuild_index(folder) == 3
    assert whole(folder) and victim.exists()


@pytest.mark.parametrize("table", ("episodes", "steps", "marks", "judgements"))
def test_a_folder_that_links_elsewhere_is_refused_and_nothing_there_is_touched(folder: Path, table: str) -> None:
    elsewhere = folder.parent / "elsewhere"
    shutil.copytree(folder / table, elsewhere)
    (elsewhere / "mine.parquet.part").write_bytes(b"another program's")
    shutil.rmtree(folder / table)
    (folder / table).symlink_to(elsewhere)
    before = {each: each.read_bytes() for each in sorted(elsewhere.iterdir())}
    for action in (lambda: open_store(folder), lambda: rebuild_index(folder)):
        with pytest.raises(UserError, match=f"{table} is a link; .* link the dataset as a whole") as caught:
            action()
        one_line(caught)
    assert before == {each: each.read_bytes() for each in sorted(elsewhere.iterdir())}


@pytest.mark.parametrize("name", (".lock", "index.jsonl", "index.jsonl.part", "steps/e3.parquet.part"))
def test_files_are_not_written_by_way_of_links(folder: Path, name: str) -> None:
    """As a dataset from elsewhere may have them, put there while it is open or while nobody may tidy it up."""
    store, elsewhere = open_store(folder), folder.parent / "elsewhere"
    if (folder / name).exists():
        elsewhere.write_bytes((folder / name).read_bytes())
        (folder / name).unlink()
    else:
        elsewhere.write_bytes(b"another program's")
    (folder / name).symlink_to(elsewhere)
    before = elsewhere.read_bytes()
    with pytest.raises(UserError, match="is a link; a dataset's files lie in its own folder") as caught:
        if name == "index.jsonl.part":
            store.drop(["e1"])
        else:
            store.write(small(3))
    one_line(caught)
    assert elsewhere.read_bytes() == before


def test_a_dataset_whose_files_are_links_is_read(folder: Path) -> None:
    """As Hugging Face keeps what it has downloaded."""
    linked = folder.parent / "linked"
    linked.mkdir()
    for path in sorted(folder.rglob("*")):
        there = linked / path.relative_to(folder)
        if path.is_dir():
            there.mkdir(parents=True)
        elif path.name != durable.LOCK_FILE:
            there.symlink_to(path)
    assert whole(linked)


@pytest.mark.parametrize("remove", ["steps/e0.parquet", 7, [["e0"]]])
def test_a_removal_without_a_list_of_names_is_damage(folder: Path, remove: object) -> None:
    with open(folder / "index.jsonl", "a") as file:
        file.write(json.dumps({"remove": remove}) + "\n")
    with pytest.raises(UserError, match="no names of files; .* --rebuild") as caught:
        open_store(folder)
    one_line(caught)


@pytest.mark.parametrize("packed", [False, True])
def test_rebuilding_after_a_kill_brings_no_dropped_episode_back(
    folder: Path, monkeypatch: pytest.MonkeyPatch, packed: bool
) -> None:
    """The writer dies when the new index is there and the files of the dropped episodes still are."""
    if packed:
        open_store(folder).compact()
    store = open_store(folder)

    def die(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Path, "unlink", lambda path, missing_ok=False: die() if path.suffix == ".parquet" else None)
        store.drop(["e0"])
    left = {path.name for path in (folder / "episodes").iterdir()}
    assert len(left) == (2 if packed else 3)
    assert rebuild_index(folder) == 2
    assert left == {path.name for path in (folder / "episodes").iterdir()}  # it removes nothing itself
    assert rebuild_index(folder) == 2  # and has carried over what is to be removed
    assert whole(folder, (1, 2))


def test_rebuilding_keeps_an_episode_recorded_under_the_name_of_a_dropped_one(folder: Path) -> None:
    store = open_store(folder)
    store.drop(["e2"])
    store.write(small(2))
    assert '"remove"' in (folder / "index.jsonl").read_text() and (folder / "steps" / "e2.parquet").exists()
    assert rebuild_index(folder) == 3
    assert whole(folder)


# A full disk, a read-only folder, a busy lock


def test_a_full_disk_loses_nothing_recorded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever write fails, from the first byte to the line of the index, the dataset is as it was."""
    write = os.write
    rooms = range(0, 40_000, 1_000)
    refused = 0
    for room in rooms:
        left = room

        def write_until_full(descriptor: int, data: memoryview) -> int:
            nonlocal left
            if left == 0:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            left -= (done := write(descriptor, data[: min(left, len(data))]))
            return done

        store = open_store(folder)
        monkeypatch.setattr(os, "write", write_until_full)
        try:
            store.write(small(3))
        except UserError as error:
            refused += 1
            assert "no space is left" in str(error) and str(folder) in str(error) and "e3" in str(error)
        monkeypatch.setattr(os, "write", write)
        if left > 0:
            break
        assert not list(folder.rglob("*.part")) and len(list(folder.rglob("*.parquet"))) == 8
        assert whole(folder)
    assert refused > 4
    assert whole(folder, (0, 1, 2, 3))


@pytest.mark.parametrize("action", ("write_marks", "drop", "compact", "create"))
def test_a_full_disk_is_one_line_for_every_change(folder: Path, monkeypatch: pytest.MonkeyPatch, action: str) -> None:
    def full(descriptor: int, data: memoryview) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    write = os.write
    store = open_store(folder)
    monkeypatch.setattr(os, "write", full)
    with pytest.raises(UserError, match="no space is left"):
        if action == "write_marks":
            store.write_marks([Mark("e2", "ann", 0, 1, False)])
        elif action == "drop":
            store.drop(["e2"])
        elif action == "compact":
            store.compact()
        else:
            open_store(folder.parent / "new", create=True)
    monkeypatch.setattr(os, "write", write)
    assert whole(folder)


def test_the_system_refusing_to_write_more_is_one_line(folder: Path) -> None:
    """With a real limit on the size of files, in a process of its own."""
    code = (
        "import sys; from rlhf.store import open_store; from rlhf.store.synthetic import synthetic_episode\n"
        "import resource; store = open_store(sys.argv[1])\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000))\n"
        "store.write(synthetic_episode(3, steps=60, height=4, width=5, episode_id='e3'))\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(folder)], capture_output=True, text=True, cwd=Path.cwd())
    assert done.returncode == 1 and "UserError: no space is left" in done.stderr.splitlines()[-1]
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY
    assert whole(folder)


def test_ctrl_c_leaves_no_trace_or_the_whole_episode(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pressed in each of the moments in which something has just been synchronised or closed."""
    outcomes = []
    for moment in range(1, 40):
        copy = folder.parent / f"interrupted-{moment}"
        shutil.copytree(folder, copy)
        store = open_store(copy)
        calls = 0
        with monkeypatch.context() as patch:

            def pressing(real: Callable[[int], None], moment: int = moment) -> Callable[[int], None]:
                def call(descriptor: int) -> None:
                    nonlocal calls
                    real(descriptor)
                    calls += 1
                    if calls == moment:
                        raise KeyboardInterrupt

                return call

            for name in ("fsync", "close"):
                patch.setattr(os, name, pressing(getattr(os, name)))
            try:
                store.write(small(3))
            except KeyboardInterrupt:
                pass
        outcomes.append("e3" in store)
        assert store.verify() == [] and whole(copy, (0, 1, 2, 3) if outcomes[-1] else (0, 1, 2))
        if calls < moment:
            break
    assert (
        outcomes.count(False) > 4 and outcomes.count(True) > 2
    )  # it was pressed before and after the line was written


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_dataset_is_read(folder: Path) -> None:
    for path in (folder, *folder.iterdir()):
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        assert whole(folder)
        with pytest.raises(UserError, match="no permission to write episode e3"):
            open_store(folder).write(small(3))
    finally:
        for path in (folder, *folder.iterdir()):
            path.chmod(0o755)


def test_a_refusal_of_permission_is_one_line(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> int:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    store = open_store(folder)
    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(UserError, match="no permission to write episode e3 to .*; change its permissions"):
        store.write(small(3))


def test_a_writer_that_never_ends_is_reported(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = open_store(folder)
    with open(folder / durable.LOCK_FILE, "w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with (
            pytest.raises(UserError, match="another process has been writing"),
            durable.only_writer(folder, wait_sec=0.05),
        ):
            pass
        (folder / "steps" / "e9.parquet.part").write_text("being written")
        assert same_episode(open_store(folder).read("e1"), small(1))  # reading does not wait
        assert (folder / "steps" / "e9.parquet.part").exists()  # nor is another's work tidied away
    store.write(small(3))
    assert whole(folder, (0, 1, 2, 3))


# After a crash


def test_leftovers_are_ignorable_and_go_away(folder: Path) -> None:
    for name in ("steps/e3.parquet.part", "marks/0.parquet.part", "index.jsonl.part", "dataset.json.part"):
        (folder / name).write_bytes(b"half")
    store = ParquetStore(folder)
    for name in ("steps/e4.parquet.part", "episodes/e4.parquet.part"):
        (folder / name).write_bytes(b"half")
    assert len(store.verify()) == 2 and all(problem.ignorable for problem in store.verify())
    assert whole(folder) and not list(folder.rglob("*.part"))


def test_an_episode_whose_writer_died_before_its_line_is_taken_in(folder: Path) -> None:
    path = folder / "index.jsonl"
    before = path.read_bytes()
    open_store(folder).write(small(3))
    path.write_bytes(before)
    assert whole(folder, (0, 1, 2, 3))


def test_a_row_whose_writer_died_before_its_steps_goes_away(folder: Path) -> None:
    before = (folder / "index.jsonl").read_bytes()
    open_store(folder).write(small(3))
    (folder / "index.jsonl").write_bytes(before)
    (folder / "steps" / "e3.parquet").unlink()
    assert whole(folder) and not (folder / "episodes" / "e3.parquet").exists()


def test_an_unlisted_episode_is_removed_only_if_its_equal_is_held(folder: Path) -> None:
    other = open_store(folder.parent / "other", create=True)
    other.write(small(0))
    other.write(replace(small(1), notes={"another": True}))
    other.write(small(2))
    for seed in range(3):
        for table in ("episodes", "steps"):
            shutil.copy(other.folder / table / f"e{seed}.parquet", folder / table / f"copied-{seed}.parquet")
    DAMAGE["cut"](folder / "steps" / "e2.parquet")
    for _ in range(2):
        problems = open_store(folder).verify()
        assert [problem.file for problem in problems] == [
            "*/e2.parquet",
            "steps/copied-1.parquet",
            "steps/copied-2.parquet",
        ]
        assert not any(problem.ignorable for problem in problems)
    assert not (folder / "steps" / "copied-0.parquet").exists()


def test_steps_that_lost_their_row_are_never_removed(folder: Path) -> None:
    open_store(folder).write(small(3))
    (folder / "episodes" / "e3.parquet").unlink()
    (folder / "index.jsonl").unlink()
    rebuild_index(folder)
    assert [problem.file for problem in open_store(folder).verify()] == ["steps/e3.parquet"]
    assert (folder / "steps" / "e3.parquet").exists()


CHANGES: dict[str, Callable[[ParquetStore], object]] = {
    "write": lambda store: store.write(small(3)),
    "drop": lambda store: store.drop(["e0", "e2"]),
}


@pytest.mark.parametrize(
    ("action", "packed", "after"),
    [
        ("write", False, (0, 1, 2, 3)),
        ("drop", False, (1,)),
        ("drop", True, (1,)),
    ],
)
def test_a_kill_in_the_middle_of_a_change(folder: Path, action: str, packed: bool, after: tuple[int, ...]) -> None:
    """Killed before each few of its system calls, the dataset has all of the old state or all of the new one."""
    if packed:
        open_store(folder).compact()
    moment = 1
    while True:
        copy = folder.parent / f"killed-{moment}"
        shutil.copytree(folder, copy)
        interrupted = killed(copy, CHANGES[action], moment)
        store = open_store(copy)
        now = after if store.ids() == [f"e{seed}" for seed in after] else (0, 1, 2)
        assert whole(copy, now)
        open_store(copy).write(small(5))
        assert whole(copy, (*now, 5))
        if not interrupted:
            assert now == after
            break
        moment += 2
    assert moment > 7
