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

from rlhf.records.marks import Judgement, Mark
from rlhf.records.preferences import ClipPair, HelperRating, InferredGoal, RequestVerdict, StretchScore, TakeOver
from rlhf.records.spaces import EpisodeSpaces
from rlhf.store import ParquetStore, open_store, rebuild_index, share_play
from rlhf.store.columns.steps import steps_schema
from rlhf.store.columns.tables import SCHEMAS
from rlhf.store.contract import EpisodeRow
from rlhf.store.synthetic import synthetic_episode, synthetic_play
from tests.unit.rlhf.declared_spaces import SPACES
from worlds.errors import UserError

PAGE = Path("docs/dataset-format.md").read_text()
NAMES = {"episodes": 13, "steps": 10, "marks": 5, "judgements": 6}
NAMES |= {"clip_pairs": 10, "verdicts": 6, "take_overs": 5, "scores": 8, "inferred_goals": 7, "helper_ratings": 8}


@pytest.fixture
def store(tmp_path: Path) -> ParquetStore:
    store = open_store(tmp_path / "my-data", create=True)
    for seed in range(3):
        store.write(synthetic_episode(seed, steps=5, height=6, width=7, episode_id=f"e{seed}"))
    store.write_marks([Mark("e1", "ann", 2, 1, False)])
    store.write_judgements([Judgement("e1", "bo", False, None, False)])
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


@pytest.mark.parametrize("table", NAMES)
def test_every_column_is_described_with_its_type(table: str) -> None:
    columns = described(table)
    if table == "steps":  # the page has those of all spaces
        columns = {name: kind for name, kind in columns.items() if name in SCHEMAS[table].names}
    assert list(columns) == SCHEMAS[table].names and len(columns) == NAMES[table]
    for field in SCHEMAS[table]:
        base = field.type
        while pa.types.is_nested(base) and not pa.types.is_struct(base):
            base = base.value_type
        assert ("struct" if pa.types.is_struct(base) else str(base)) in columns[field.name], field


def test_every_key_of_the_description_and_the_index_is_described(store: ParquetStore) -> None:
    keys = [key for key in described("dataset.json") if key != "spaces"]
    assert list(json.loads((store.folder / "dataset.json").read_text())) == keys
    index = PAGE.split("## `index.jsonl`", 1)[1]
    assert {field.name for field in fields(EpisodeRow)} | {"file", "remove"} <= set(re.findall(r"`(\w+)`", index))


def loaded(folder: Path, *table: str) -> Any:
    """A table of the dataset as Hugging Face ``datasets`` loads it, without a network."""
    import datasets

    return datasets.load_dataset(str(folder), *table, split="train", cache_dir=str(folder.parent / "cache"))


def test_hugging_face_datasets_loads_the_folder(store: ParquetStore, monkeypatch: pytest.MonkeyPatch) -> None:
    datasets = pytest.importorskip("datasets")
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    assert set(datasets.get_dataset_config_names(str(store.folder))) == set(SCHEMAS)
    steps = loaded(store.folder)
    assert len(steps) == 15 and isinstance(steps.features["image"], datasets.Image)
    for table, rows in {"steps": 15, "episodes": 3, "marks": 1, "judgements": 1, "clip_pairs": 1, "scores": 1}.items():
        found = loaded(store.folder, table)
        assert len(found) == rows and found.column_names == SCHEMAS[table].names
    assert loaded(store.folder, "marks")[0] == vars(store.marks()[0])


@pytest.mark.parametrize("name", SPACES)
def test_hugging_face_datasets_loads_play_of_declared_spaces(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    datasets = pytest.importorskip("datasets")
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    store, spaces = open_store(tmp_path / "data", create=True), SPACES[name]
    for seed, steps in enumerate((3, 1)):
        store.write(synthetic_play(seed, spaces, steps, f"e{seed}"))
    described_columns = described("steps")
    for column in steps_schema(store.description.spaces):
        base = column.type
        while pa.types.is_nested(base) and not pa.types.is_struct(base):
            base = base.value_type
        kind = described_columns[re.sub("^text_.*", "text_NAME", column.name)]
        assert ("struct" if pa.types.is_struct(base) else str(base)) in kind, column
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
    keys = [key for key in described("dataset.json") if key not in ("ticks_per_second", "ticks_per_step", "movement")]
    for name, spaces in SPACES.items():
        store = open_store(tmp_path / name, create=True)
        store.write(synthetic_play(1, spaces, 2))
        about = json.loads((store.folder / "dataset.json").read_text())
        assert about["schema_version"] == (1 if name == "playhouse" else 2)
        if name != "playhouse":
            assert list(about) == keys and EpisodeSpaces.from_json(about["spaces"]) == spaces
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
