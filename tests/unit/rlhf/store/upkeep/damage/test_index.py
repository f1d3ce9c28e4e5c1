"""A dataset on disk whose index is lost, damaged or points elsewhere."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from rlhf.store import open_store, rebuild_index, same_episode
from tests.unit.rlhf.store.upkeep.damage.small_dataset import DAMAGE, one_line, small, whole
from worlds.errors import UserError


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
