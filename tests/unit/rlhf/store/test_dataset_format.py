"""The format on disk is what ``docs/dataset-format.md`` says, and other programs read it."""

from __future__ import annotations

import json
import re
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipelines.cli.episodes import compact_dataset
from rlhf.records.marks import Judgement, Mark
from rlhf.records.preferences import ClipPair, HelperRating, InferredGoal, RequestVerdict, StretchScore, TakeOver
from rlhf.records.spaces import EpisodeSpaces
from rlhf.store import ParquetStore, open_store, rebuild_index, share_play
from rlhf.store.columns.steps import steps_schema
from rlhf.store.columns.tables import SCHEMAS, judgements_table
from rlhf.store.contract import EpisodeRow
from rlhf.store.files.parquet_files import to_bytes
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


def test_files_and_columns_are_those_of_the_page(store: ParquetStore) -> None:
    assert {path.name for path in store.folder.iterdir()} == {
        ".lock", "dataset.json", "index.jsonl", "README.md", *SCHEMAS,
    }  # fmt: skip
    assert {path.name for path in (store.folder / "steps").iterdir()} == {"e0.parquet", "e1.parquet", "e2.parquet"}
    for table, schema in SCHEMAS.items():
        read = pq.read_table(store.folder / table)
        assert read.schema.equals(schema)
    steps = pq.read_table(store.folder / "steps").to_pylist()
    assert [row["step"] for row in steps if row["episode_id"] == "e1"] == list(range(5))
    episode = store.read("e1")
    assert [row["movement"] for row in steps if row["episode_id"] == "e1"] == episode.movement.tolist()


def test_hugging_face_datasets_shows_pictures(store: ParquetStore, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    import PIL.Image

    for packed in (False, True):
        cache = str(tmp_path / f"cache-{packed}")
        files = str(store.folder / "steps" / "*.parquet")
        steps = datasets.load_dataset("parquet", data_files=files, split="train", cache_dir=cache)
        assert isinstance(steps.features["image"], datasets.Image) and len(steps) == 15
        for row in steps:
            episode = store.read(row["episode_id"])
            assert isinstance(row["image"], PIL.Image.Image)
            assert np.array_equal(np.asarray(row["image"]), episode.image[row["step"]])
            assert row["movement"] == episode.movement[row["step"]].tolist()
            assert row["setter_text"] == episode.setter_text[row["step"]]
        store.compact()


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


def test_datasets_reads_many_episodes_from_few_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    datasets = pytest.importorskip("datasets")
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    folder = tmp_path / "data"
    store = open_store(folder, create=True)
    for seed in range(70):
        store.write(synthetic_episode(seed, steps=3, height=6, width=7, episode_id=f"e{seed:02d}"))
    compact_dataset(folder)
    assert len(list(folder.glob("steps/*.parquet"))) == 1
    steps, episodes = loaded(folder), loaded(folder, "episodes")
    assert len(steps) == 210 and sorted(episodes["episode_id"]) == store.ids()
    row = steps[len(steps) - 1]
    assert np.array_equal(np.asarray(row["image"]), store.read(row["episode_id"]).image[row["step"]])
    store.write(synthetic_episode(70, steps=3, height=6, width=7, episode_id="e70"))
    assert len(open_store(folder).ids()) == 71 and open_store(folder).verify() == []


def test_play_without_marks_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    datasets = pytest.importorskip("datasets")
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    store = open_store(tmp_path / "data", create=True)
    store.write(synthetic_episode(1, steps=5, height=6, width=7))
    assert len(loaded(store.folder)) == 5 and len(loaded(store.folder, "episodes")) == 1


def test_an_older_dataset_gets_its_card_when_it_is_written_to(
    store: ParquetStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    card, mark = store.folder / "README.md", Mark("e2", "ann", 0, 1, False)
    written = card.read_text()
    card.write_text("# Ours\n")
    store.write_marks([mark])
    assert card.read_text() == "# Ours\n"  # a file of that name is left alone
    card.unlink()
    assert open_store(store.folder).verify() == [] and not card.exists()  # nor does reading write

    def refuse(path: Path, data: bytes) -> None:
        raise PermissionError(13, "read-only")

    with monkeypatch.context() as patch:
        patch.setattr("rlhf.store.folder.card.write_file", refuse)
        store.write_marks([replace(mark, step=1)])
    assert not card.exists() and len(store.marks("e2")) == 2
    store.write_marks([replace(mark, step=2)])
    assert card.read_text() == written
    share_play(store.folder, tmp_path / "second")
    assert (tmp_path / "second" / "README.md").read_text() == written


def test_a_folder_with_a_readme_is_no_dataset(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# My project\n")
    with pytest.raises(UserError, match="is not a dataset, it holds README.md; name an empty or a new folder"):
        open_store(tmp_path, create=True)


def test_our_features_are_those_that_datasets_would_write(store: ParquetStore) -> None:
    datasets = pytest.importorskip("datasets")
    for schema in SCHEMAS.values():
        message = json.loads(schema.metadata[b"huggingface"])["info"]["features"]
        features = datasets.Features.from_dict(message)
        assert features.to_dict() == message
        assert features.arrow_schema.remove_metadata() == schema.remove_metadata()


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


def test_a_program_that_knows_only_png_may_write_frames(store: ParquetStore, tmp_path: Path) -> None:
    """Frames that another program compressed otherwise, or that are grey, are read as well."""
    import io

    from PIL import Image

    from rlhf.store.columns.png import decode_frames, encode_frames

    frames = synthetic_episode(1).image
    for options in ({"optimize": True}, {"compress_level": 9}, {"compress_level": 0}):
        files = []
        for frame in frames:
            Image.fromarray(frame).save(buffer := io.BytesIO(), "PNG", **options)
            files.append(buffer.getvalue())
        assert np.array_equal(decode_frames(files), frames)
        assert np.array_equal(decode_frames([encode_frames(frames[:1])[0], *files[1:]]), frames)
    Image.fromarray(frames[0]).convert("L").save(buffer := io.BytesIO(), "PNG")
    assert decode_frames([buffer.getvalue()]).shape == (1, 36, 48, 3)


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


def test_judgements_that_an_older_version_wrote_are_read(tmp_path: Path) -> None:
    store = open_store(tmp_path / "data", create=True)
    store.write(synthetic_episode(1, steps=4, height=12, width=16))
    judgement = Judgement(store.ids()[0], "bo", True, 2, scripted=False)
    (store.folder / "judgements").mkdir(exist_ok=True)
    older = judgements_table([judgement]).drop_columns(["left_out"])
    (store.folder / "judgements" / "older.parquet").write_bytes(to_bytes([older]))
    assert open_store(store.folder).judgements() == [judgement]
    assert open_store(store.folder).verify() == []
