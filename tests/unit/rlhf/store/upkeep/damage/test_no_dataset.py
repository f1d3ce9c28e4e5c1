"""What is no dataset, or one of another version or world."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from rlhf.store import open_store
from tests.unit.rlhf.store.upkeep.damage.small_dataset import one_line, small
from worlds.errors import UserError


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


def test_the_world_of_a_dataset_is_fixed_for_every_writer(folder: Path) -> None:
    with pytest.raises(UserError, match="of world elsewhere, .* holds synthetic"):
        open_store(folder).write(replace(small(7), world="elsewhere"))
    open_store(folder).drop(["e0", "e1", "e2"])
    with pytest.raises(UserError, match="of world elsewhere"):
        open_store(folder).write(replace(small(7), world="elsewhere"))
