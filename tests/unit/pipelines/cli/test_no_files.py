"""What is no file in place of one: pipes, which would be waited for, devices, and links that lead to themselves."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pipelines.cli.main import main
from rlhf.store import open_store
from rlhf.store.synthetic import synthetic_episode


@pytest.mark.parametrize(
    "words",
    [
        "marks import PIPE.csv data",
        "preferences import PIPE.jsonl data --kind scores",
        "record --preset PIPE.py",
        "record --world.settings=PIPE.json",
        "suite make --data data --kinds=PIPE.json",
        "suite play --suite PIPE.json",
        "evaluate --agents a scripted --out PIPE.json",
        "evaluate --agents a=PIPE",
        "record --solver agent:PIPE",
        "episodes list PIPE",
        "diagnose --reward-model PIPE",
    ],
)
@pytest.mark.parametrize("kind", ["pipe", "device", "link to itself"])
def test_it_is_refused_at_once(
    words: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    name = next(word for word in words.replace("=", " ").replace(":", " ").split() if word.startswith("PIPE"))
    if kind == "pipe":
        os.mkfifo(name)
    else:
        os.symlink("/dev/zero" if kind == "device" else name, name)
    assert main(words.split()) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"error: {name} is ") and line.endswith("name a file or a folder")


def test_a_folder_that_was_removed_is_no_place_to_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert main(["episodes", "list", "data"]) == 2
    assert capsys.readouterr().err == "error: the current folder has been removed; change to another\n"


@pytest.mark.parametrize("file", ["dataset.json", "index.jsonl", "episodes/e0.parquet", "steps/e0.parquet"])
def test_a_pipe_in_a_dataset_is_named(file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = open_store(tmp_path / "data", create=True)
    store.write(synthetic_episode(0, steps=8, height=6, width=8, episode_id="e0"))
    (tmp_path / "data" / file).unlink()
    os.mkfifo(tmp_path / "data" / file)
    assert main(["episodes", "show", str(tmp_path / "data"), "e0"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert f"{file} is a pipe, not a file" in line
