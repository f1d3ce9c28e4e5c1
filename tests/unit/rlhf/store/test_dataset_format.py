"""The format on disk is what ``docs/dataset-format.md`` says, and other programs read it."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from rlhf.records.preferences import ClipPair, HelperRating, InferredGoal, RequestVerdict, StretchScore, TakeOver
from rlhf.records.spaces import EpisodeSpaces
from rlhf.store import ParquetStore, open_store, rebuild_index
from rlhf.store.columns.steps import steps_schema
from rlhf.store.columns.tables import SCHEMAS, TABLE_NAMES
from rlhf.store.contract import EpisodeRow
from rlhf.store.synthetic import synthetic_episode, synthetic_play
from rlhf.store.transfer.shared_play import share_play
from tests.unit.rlhf.declared_spaces import PLAYHOUSE, SPACES
from worlds.errors import UserError

PAGE = Path("docs/dataset-format.md").read_text()


@pytest.fixture
def said(store: ParquetStore) -> ParquetStore:
    """A dataset of three episodes with something in every table."""
    store.write_preferences(
        [
            ClipPair("e1", 0, 3, "e2", 2, 5, "same", "ann", None, False),
            RequestVerdict("e1", 1, 4, "no request", "ann", False),
            TakeOver("e0", 2, 5, "cy", False),
            StretchScore("e0", 0, 5, 3.5, 1.0, 5.0, "ann", False),
            HelperRating("e0", 0, 5, 6, 5, 4, "ann", False),
            InferredGoal("e0", 0, 5, '{"on_plate_kitchentable":2}', "ann", 60.0, False),
        ]
    )
    return store


def described(heading: str) -> dict[str, str]:
    """Columns and types in the table below a heading of the page."""
    section = PAGE.split(f"## `{heading}`", 1)[1].split("\n## ", 1)[0]
    return dict(re.findall(r"^\| `(\w+)` \| ([^|]+) \|", section, re.MULTILINE))


@pytest.mark.parametrize("table", SCHEMAS)
def test_every_column_is_described_with_its_type(table: str) -> None:
    columns = described(table)
    assert list(columns) == SCHEMAS[table].names
    for field in SCHEMAS[table]:
        assert base_of(field) in columns[field.name], field


def base_of(field: pa.Field) -> str:
    """Return the name of the type of a column's numbers, "struct" of pictures."""
    base = field.type
    while pa.types.is_nested(base) and not pa.types.is_struct(base):
        base = base.value_type
    return "struct" if pa.types.is_struct(base) else str(base)


def test_every_key_of_the_description_and_the_index_is_described(store: ParquetStore) -> None:
    assert list(json.loads((store.folder / "dataset.json").read_text())) == list(described("dataset.json"))
    index = PAGE.split("## `index.jsonl`", 1)[1]
    assert {field.name for field in fields(EpisodeRow)} | {"file", "remove"} <= set(re.findall(r"`(\w+)`", index))


def loaded(folder: Path, *table: str) -> Any:
    """A table of the dataset as Hugging Face ``datasets`` loads it, without a network."""
    import datasets

    return datasets.load_dataset(str(folder), *table, split="train", cache_dir=str(folder.parent / "cache"))


@pytest.fixture
def datasets(monkeypatch: pytest.MonkeyPatch) -> Any:
    module = pytest.importorskip("datasets")
    monkeypatch.setattr(module.config, "HF_HUB_OFFLINE", True)
    return module


def test_hugging_face_datasets_loads_the_folder(said: ParquetStore, datasets: Any) -> None:
    assert set(datasets.get_dataset_config_names(str(said.folder))) == set(TABLE_NAMES)
    assert isinstance(loaded(said.folder).features["image"], datasets.Image)
    for table, rows in {"steps": 18, "episodes": 3, "marks": 1, "judgements": 1, "clip_pairs": 1, "scores": 1}.items():
        found = loaded(said.folder, table)
        known = steps_schema(PLAYHOUSE) if table == "steps" else SCHEMAS[table]
        assert len(found) == rows and found.column_names == known.names
    assert loaded(said.folder, "marks")[0] == vars(said.marks()[0])


@pytest.mark.parametrize("name", SPACES)
def test_hugging_face_datasets_loads_declared_spaces(name: str, tmp_path: Path, datasets: Any) -> None:
    store, spaces = open_store(tmp_path / "data", create=True), SPACES[name]
    for seed, steps in enumerate((3, 1)):
        store.write(synthetic_play(seed, spaces, steps, f"e{seed}"))
    described_columns = described("steps")
    for column in steps_schema(store.description.spaces):
        assert base_of(column) in described_columns[re.sub("^text_.*", "text_NAME", column.name)], column
    for _ in range(2):
        rows = loaded(store.folder)
        assert rows.column_names == steps_schema(store.description.spaces).names and len(rows) == 4
        for row in rows:
            episode, step = store.read(row["episode_id"]), row["step"]
            for column in ("movement", "continuous", "setter_movement", "setter_continuous"):
                assert (column in row) == (getattr(episode, column) is not None and getattr(episode, column).size > 0)
                if column in row:
                    assert np.array_equal(row[column], getattr(episode, column)[step])
            for column in episode.seen.keys() & {"grid", "vector", "legal"}:
                assert np.array_equal(row[column], episode.seen[column][step])
            for column in row.keys() & {"entity_categories", "entity_values"}:
                end = int(episode.seen["entity_counts"][: step + 1].sum())
                there = episode.seen[column][end - episode.seen["entity_counts"][step] : end]
                assert np.array_equal(np.reshape(row[column], there.shape), there)
            assert all(row[f"text_{key}"] == texts[step] for key, texts in episode.texts.items())
            if episode.image is not None and episode.image.shape[3] in (1, 3):
                assert np.array_equal(np.asarray(row["image"]), episode.image[step].squeeze())
        store.compact()


def test_the_description_of_declared_spaces_is_that_of_the_page(tmp_path: Path) -> None:
    for name, spaces in SPACES.items():
        store = open_store(tmp_path / name, create=True)
        store.write(synthetic_play(1, spaces, 2))
        about = json.loads((store.folder / "dataset.json").read_text())
        assert about["schema_version"] == 2 and EpisodeSpaces.from_json(about["spaces"]) == spaces
        share_play(store.folder, tmp_path / f"{name}-2")
        assert open_store(tmp_path / f"{name}-2").description == store.description
        assert rebuild_index(tmp_path / f"{name}-2") == 1 and open_store(tmp_path / f"{name}-2").verify() == []


def test_file_names_of_ids_are_valid_on_every_file_system(tmp_path: Path) -> None:
    store = open_store(tmp_path / "data", create=True)
    ids = ["..", "a/b", "replay:e1", "ä b", "x" * 300, "x" * 300 + "y", "nul\0", ".hidden", "-rf *"]
    for episode_id in ids:
        store.write(synthetic_episode(1, 2, 3, 4, episode_id))
    assert store.ids() == ids and [store.read(each).episode_id for each in ids] == ids and store.verify() == []
    names = [path.name for path in (store.folder / "steps").iterdir()]
    assert len(names) == len(ids) and all(
        re.fullmatch(r"[A-Za-z0-9_%~-][A-Za-z0-9._%~-]{0,250}", name) for name in names
    )
    assert {path.name for path in tmp_path.iterdir()} == {"data"}


def test_the_episode_written_by_hand_follows_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page's code is run, block after block; a block of text says with what error the code before it ends."""
    page = Path("docs/own-recordings.md").read_text()
    monkeypatch.chdir(tmp_path)
    found = re.findall(r"^```(\w*)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    blocks = [(kind, code) for kind, code in found if kind != "bash"]
    assert [kind for kind, _ in blocks] == ["python", "python", "", "python", ""]
    names: dict[str, Any] = {}
    for (kind, code), (following, text) in zip(blocks, [*blocks[1:], ("python", "")], strict=True):
        if kind == "python" and following == "python":
            exec(code, names)
        elif kind == "python":
            with pytest.raises((ValueError, UserError)) as caught:
                exec(code, names)
            assert f"{caught.type.__name__}: {caught.value}\n" == text
    store = open_store("lab-data")
    assert store.verify() == [] and store.ids(solver="human") == ["lab-0001"] and len(store.marks()) == 1
    assert re.search(r"rlhf clone --data lab-data --solver (\S+)`", page).group(1) == store.rows()[0].solver  # type: ignore[union-attr]
