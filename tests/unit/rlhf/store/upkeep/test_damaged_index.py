"""A dataset whose index or description is lost, damaged or points elsewhere, and what is no dataset."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pipelines.cli.main import main
from rlhf.records.spaces import playhouse_spaces
from rlhf.store import ParquetStore, open_store, rebuild_index, same_episode
from tests.unit.rlhf.store.small_datasets import DAMAGE, change_index, one_line, small, whole
from worlds.errors import UserError

# The index


def test_a_half_written_line_is_ignored_and_written_over(folder: Path) -> None:
    with open(folder / "index.jsonl", "ab") as file:
        file.write(b'{"episode_id":"e3","asked":"' + b"x" * 2000)  # longer than the line that replaces it
    assert whole(folder)
    open_store(folder).write(small(3))
    assert whole(folder, range(4))


@pytest.mark.parametrize("kind", ("missing", "empty", "garbage", "line"))
def test_a_lost_index_is_written_again(folder: Path, kind: str) -> None:
    path = folder / "index.jsonl"
    first, _, *others = path.read_text().splitlines()
    path.unlink()
    if kind != "missing":
        lines = "\n".join([first, "[]", *others, ""]).encode()
        path.write_bytes({"empty": b"", "garbage": os.urandom(500), "line": lines}[kind])
    with pytest.raises(UserError, match="rlhf episodes verify --rebuild") as caught:
        open_store(folder)
    assert str(path) in one_line(caught)
    assert len(list((folder / "steps").iterdir())) == 3  # nothing was tidied away
    assert rebuild_index(folder) == 3
    assert whole(folder)


def test_rebuilding_finds_packed_episodes_and_leaves_damaged_ones(store: ParquetStore) -> None:
    folder = store.folder
    store.compact()
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


def contents(folder: Path) -> dict[Path, bytes]:
    return {each: each.read_bytes() for each in sorted(folder.rglob("*")) if each.is_file()}


@pytest.mark.parametrize(
    "name", ["../../victim", "../episodes/e0", "/victim", "a/b", "a\\b", "a\0b", "..", ".", "", 7, None, ["e1"]]
)
def test_a_line_that_points_elsewhere_is_refused_and_nothing_there_is_touched(folder: Path, name: object) -> None:
    victim, store = folder.parent / "victim.parquet", open_store(folder)
    shutil.copy(folder / "steps" / "e1.parquet", victim)
    change_index(folder, 0, token="another")
    path = change_index(folder, 2, file=str(folder.parent / "victim") if name == "/victim" else name)
    before = contents(folder.parent)
    for action in (lambda: store.read("e1"), lambda: store.drop(["e1"]), store.compact, lambda: open_store(folder)):
        with pytest.raises(UserError, match="line 3 of .* names no file of the dataset; .* --rebuild") as caught:
            action()
        assert str(path) in one_line(caught)
    assert before == contents(folder.parent)
    assert rebuild_index(folder) == 3
    assert whole(folder) and victim.exists()


@pytest.mark.parametrize("table", ("episodes", "steps", "marks", "judgements"))
def test_a_folder_that_links_elsewhere_is_refused_and_nothing_there_is_touched(folder: Path, table: str) -> None:
    elsewhere = folder.parent / "elsewhere"
    shutil.move(folder / table, elsewhere)
    (elsewhere / "mine.parquet.part").write_bytes(b"another program's")
    (folder / table).symlink_to(elsewhere)
    before = contents(elsewhere)
    for action in (lambda: open_store(folder), lambda: rebuild_index(folder)):
        with pytest.raises(UserError, match=f"{table} is a link; .* link the dataset as a whole") as caught:
            action()
        one_line(caught)
    assert before == contents(elsewhere)


@pytest.mark.parametrize("name", (".lock", "index.jsonl", "index.jsonl.part", "steps/e3.parquet.part"))
def test_files_are_not_written_by_way_of_links(folder: Path, name: str) -> None:
    """As a dataset from elsewhere may have them, put there while it is open or while nobody may tidy it up."""
    store, elsewhere, path = open_store(folder), folder.parent / "elsewhere", folder / name
    before = path.read_bytes() if path.exists() else b"another program's"
    elsewhere.write_bytes(before)
    path.unlink(missing_ok=True)
    path.symlink_to(elsewhere)
    with pytest.raises(UserError, match="is a link; a dataset's files lie in its own folder") as caught:
        store.drop(["e1"]) if name == "index.jsonl.part" else store.write(small(3))
    one_line(caught)
    assert elsewhere.read_bytes() == before


NO_ROWS, NO_BYTES = "counts what are no rows of files", "names no bytes of"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        *(({"remove": value}, "no names of files") for value in ("steps/e0.parquet", 7, [["e0"]])),
        *(({"marks": value}, NO_ROWS) for value in ([], {"x.parquet": "5"}, {"../x": 1}, 5)),
        *(({"marks": {"x.parquet": value}}, NO_ROWS) for value in (-1, True)),
        *(({"episodes": value}, "") for value in (7, [7], [{"file": "x"}])),
        *(({"bytes": places}, NO_BYTES) for places in (7, [], {}, {"steps": [0, 9]})),
        *(
            ({"bytes": {"steps": [0, 9], "episodes": place}}, NO_BYTES)
            for place in ([9, 0], [-1, 9], [0, 9, 9], [0, True], "09", None)
        ),
        ({"steps": "six"}, "is not an episode's: steps is"),
        ({"requests": [1]}, "requests is"),
        ({"solver": 5}, "solver is"),
        ({"split": ["train"]}, "split is"),
        ({"asked": {"a": 1}}, "asked is"),
        ({"episode_id": 7}, "episode_id is"),
        ({"fingerprint": 7}, "fingerprint is"),
    ],
)
def test_a_line_that_says_nothing_is_named_by_every_command(
    folder: Path, capsys: pytest.CaptureFixture[str], line: dict[str, Any], message: str
) -> None:
    if line.keys() & {"remove", "marks", "episodes"}:
        path = folder / "index.jsonl"
        path.write_text(f"{path.read_text()}{json.dumps(line)}\n")
    else:
        path = change_index(folder, 3, **line)
    with pytest.raises(UserError, match=f"line . of .*{message}.* --rebuild") as caught:
        open_store(folder)
    assert str(path) in one_line(caught)
    for command in ("list", "verify"):
        assert main(["episodes", command, str(folder)]) == 1
        assert "".join(capsys.readouterr()) == f"error: {caught.value}\n"
    assert rebuild_index(folder) == 3
    assert open_store(folder).verify() == [] and len(open_store(folder)) == 3


# The description


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schema_version": 3}, "format 3, .* update"),
        ({"schema_version": 1}, "format 1, .* record the play again"),
        ({"schema_version": True}, "record the play again"),
        ({"image_size": "big"}, r"damaged \(image_size is \"big\""),
        ({"image_size": [0, 5]}, r"damaged \(image_size is \[0,5\]"),
        ({"image_size": [10**9, 10**9]}, r"damaged \(image_size"),
        ({"image_size": [40, 50]}, r"damaged \(image_size .* not that of its spaces"),
        ({"world": 7}, r"damaged \(world is 7, not text or null"),
        ({"created": None}, r"damaged \(created is null"),
        ({"spaces": ["forward"]}, r"damaged \(spaces is \[\"forward\"\]"),
        ({"spaces": {}}, r"damaged \(spaces are not"),
        ({"surprise": 1}, r"damaged \(surprise is not one of its keys"),
    ],
)
def test_a_description_of_another_version_or_with_wrong_values(
    folder: Path, capsys: pytest.CaptureFixture[str], change: dict[str, Any], message: str
) -> None:
    path = folder / "dataset.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    for create in (False, True):
        with pytest.raises(UserError, match=message) as caught:
            open_store(folder, create=create)
        assert str(path) in one_line(caught)
    for command in (["episodes", "verify", str(folder)], ["record", f"--data={folder}", "--episodes=1"]):
        assert main(command) == 1
        assert "".join(capsys.readouterr()) == f"error: {caught.value}\n"


def test_a_lost_or_damaged_description(folder: Path) -> None:
    path = folder / "dataset.json"
    values = json.loads(path.read_text())
    path.write_text(json.dumps({key: value for key, value in values.items() if key != "image_size"}))
    with pytest.raises(UserError, match=r"damaged \(image_size is missing\)"):
        open_store(folder)
    for text in ("{", "[" * 100_000):
        path.write_text(text)
        with pytest.raises(UserError, match="dataset.json is damaged; put back a copy"):
            open_store(folder)
    path.unlink()
    with pytest.raises(UserError, match="has lost its dataset.json; put back a copy"):
        open_store(folder)
    with pytest.raises(UserError, match="is not a dataset"):
        open_store(folder, create=True)


@pytest.mark.parametrize(
    "change",
    [{"image_size": [40, 50], "spaces": playhouse_spaces(40, 50).to_json()}, {"world": "elsewhere"}],
)
def test_a_description_of_other_play_is_noticed(folder: Path, change: dict[str, Any]) -> None:
    path = folder / "dataset.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    problems = open_store(folder).verify()
    assert [problem.file for problem in problems] == [f"steps/e{seed}.parquet" for seed in range(3)]
    assert problems[0].what.startswith("episode e0 is of synthetic") and "dataset.json" in problems[0].what
    assert "put back the right dataset.json" in problems[0].hint


def test_the_world_of_a_dataset_is_fixed_for_every_writer(folder: Path) -> None:
    for _ in range(2):
        with pytest.raises(UserError, match="of world elsewhere, .* holds synthetic"):
            open_store(folder).write(replace(small(7), world="elsewhere"))
        open_store(folder).drop(["e0", "e1", "e2"])


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


def test_an_empty_folder_becomes_a_dataset_and_a_home_folder_is_understood(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    open_store("~", create=True).write(small(1))
    assert open_store(str(tmp_path)).ids() == ["e1"]
