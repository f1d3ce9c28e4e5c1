"""The index of recorded play and dialogue: filled once, disposable, without traces of deleted people."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotation.viewer import index as module
from annotation.viewer.index import Filters, Index
from annotation.viewer.indexing import Indexer, main
from annotation.viewer.models import Models
from rlhf.store import ParquetStore, open_store
from rlhf.store.synthetic import synthetic_episode
from tests.patience import PATIENCE_SEC
from tests.processes import rlhf
from worlds.errors import UserError


@pytest.fixture
def store(tmp_path: Path) -> ParquetStore:
    store = open_store(tmp_path / "play", create=True)
    for seed in range(5):
        store.write(synthetic_episode(seed, steps=8, height=12, width=16))
    return store


@pytest.fixture
def index(tmp_path: Path) -> Index:
    return Index(tmp_path / "cache" / "look.sqlite")


def test_new_episodes_are_indexed_once(index: Index, store: ParquetStore) -> None:
    assert index.differs("play", store) == (5, 0)
    assert [index.update("play", store, most=2), index.update("play", store), index.update("play", store)] == [2, 3, 0]
    assert index.find("play", Filters()) == store.ids()[::-1] and index.find("other", Filters()) == []
    assert [found.row for found in index.rows("play", store.ids())] == store.rows()


def test_one_dataset_is_not_taken_for_another(index: Index, store: ParquetStore, tmp_path: Path) -> None:
    other = open_store(tmp_path / "other", create=True)
    other.write(synthetic_episode(0, steps=8, height=12, width=16))
    index.update("play", store)
    index.update("other", other)
    assert len(index.find("play", Filters(words="lift"))) == 5 and len(index.find("other", Filters(words="lift"))) == 1
    other.drop(other.ids())
    index.update("other", other)
    assert len(index.find("play", Filters(words="lift"))) == 5 and index.find("other", Filters()) == []


def test_a_damaged_one_is_made_anew(index: Index, store: ParquetStore, monkeypatch: pytest.MonkeyPatch) -> None:
    index.update("play", store)
    index.file.write_bytes(b"something else" * 1000)
    assert index.differs("play", store) == (5, 0) and index.update("play", store) == 5
    monkeypatch.setattr(module, "VERSION", 99)
    assert index.differs("play", store) == (5, 0)


def test_nothing_is_left_of_what_is_forgotten(index: Index, store: ParquetStore) -> None:
    index.update("play", store)
    assert b"please lift" in index.file.read_bytes()
    index.forget()
    assert b"please lift" not in index.file.read_bytes() and index.find("play", Filters()) == []


def test_an_episode_that_cannot_be_read_is_listed_without_words(index: Index, store: ParquetStore) -> None:
    (store.folder / "steps" / f"{store.ids()[2]}.parquet").write_bytes(b"damaged")
    index.update("play", store)
    assert len(index.find("play", Filters())) == 5 and len(index.find("play", Filters(words="lift"))) == 4


def test_many_are_taken_in_by_a_process_of_its_own(
    index: Index, store: ParquetStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("annotation.viewer.indexing.AT_ONCE", 1)
    indexer = Indexer(index)
    assert indexer.missing("play", store) == 5
    assert indexer._process is not None and indexer._process.wait(PATIENCE_SEC) == 0
    assert indexer.missing("play", store) == 0 and len(index.find("play", Filters(words="done"))) == 5
    indexer.stop()
    assert main([str(index.file), "play=/nowhere"]) == 1


def test_reward_models_are_found_and_named(tmp_path: Path) -> None:
    for place, kind in (("runs/a", "inter_temporal_reward_model"), ("runs/b", "autoregressive_reward_model"),
                        ("runs/c", "interactive_agent"), ("runs/b/checkpoints/e", "autoregressive_reward_model"),
                        ("data/d", "inter_temporal_reward_model")):  # fmt: skip
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "config.json").write_text(f'{{"model_type": "{kind}"}}')
        (tmp_path / place / "model.safetensors").write_bytes(b"0")
    (tmp_path / "data" / "dataset.json").write_text("{}")  # in a dataset nobody looks for models
    models = Models(tmp_path / "runs", named={"mine": tmp_path / "data" / "d"})
    assert [model.name for model in models.all()] == ["mine", "a", "b"]
    assert models.get("a") is not None and models.get("c") is None and models.get("../data/d") is None
    before = models.get("a")
    (tmp_path / "runs/a/model.safetensors").write_bytes(b"01")
    assert models.get("a") != before  # what was computed with the old one does not count
    assert [model.name for model in Models(tmp_path).all()] == ["runs/a", "runs/b"]
    for wrong in (tmp_path / "runs" / "c", Path("/nowhere")):
        with pytest.raises(UserError):
            Models(tmp_path, named={"mine": wrong})


@pytest.mark.parametrize("arguments", [["--data", "nowhere"], ["--reward-models", "x", "nowhere"]])
def test_rlhf_look_reports_errors_in_one_line(arguments: list[str], store: ParquetStore, tmp_path: Path) -> None:
    process = rlhf(tmp_path, "look", "--data", str(store.folder), "--port", "0", *arguments)
    assert process.wait() == 1
    assert process.errors().startswith("error: ") and process.errors().count("\n") == 1
