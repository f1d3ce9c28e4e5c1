"""Minari itself opens what was exported, and what its collector made is imported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipelines.exchange.formats import export_episodes, import_episodes
from pipelines.exchange.settings import MinariExport, MinariImport
from rlhf.records.episode import Episode
from rlhf.records.spaces import EpisodeSpaces
from rlhf.store import open_store
from tests.exchange.other_library import played, run_with
from tests.unit.rlhf.declared_spaces import SPACES
from worlds.registry import get


@pytest.mark.parametrize("name", SPACES)
def test_minari_opens_what_was_exported(name: str, tmp_path: Path) -> None:
    store = open_store(tmp_path / "data", create=True)
    for seed in range(2):
        store.write(replace(played(name, seed, 9), notes={"rewards": [0.1] * 9}))
    export_episodes(tmp_path / "data", tmp_path / "root" / "lab" / "play-v2", "minari", MinariExport("lab/play-v2"))
    opened = run_with("minari", "minari_open.py", "lab/play-v2", MINARI_DATASETS_PATH=tmp_path / "root")
    assert len(opened) == 2
    for found, episode in zip(opened, store.stream(store.ids()), strict=True):
        seen, done = found["observations"], found["actions"]
        assert seen["setter_text"][:9] == list(episode.setter_text)
        if episode.image is not None:
            assert np.array_equal(np.array(seen["image"])[:9], episode.image)
        if "vector" in episode.seen:
            assert np.array_equal(np.array(seen["vector"], np.float32)[:9], episode.seen["vector"])
        if episode.movement.size:
            assert np.array_equal(done["movement"], episode.movement)
        if episode.continuous is not None:
            assert np.array_equal(np.array(done["continuous"], np.float32), episode.continuous)
        assert found["rewards"] == [0.1] * 9
        assert found["truncations"] == [False] * 8 + [True] and not any(found["terminations"])
        assert len(found["infos"]["controller"]) == 10


@pytest.mark.parametrize("form", ["hdf5", "arrow", "parquet"])
def test_what_minari_collected_is_imported(form: str, tmp_path: Path) -> None:
    collected = run_with("minari", "minari_collect.py", tmp_path / "root", form)
    for name, worlds_name in (("cartpole", "gym:CartPole-v1"), ("babyai", "gym:BabyAI-GoToLocal-v0")):
        episodes = _imported(tmp_path, name)
        assert episodes[0].spaces == EpisodeSpaces.of(get(worlds_name).make())
        for episode, wrote in zip(episodes, collected[name], strict=True):
            assert episode.movement[:, 0, 0].tolist() == wrote["actions"]
            _check_outcome(episode, wrote)
    for episode, wrote in zip(_imported(tmp_path, "cartpole"), collected["cartpole"], strict=True):
        assert np.array_equal(episode.seen["vector"], np.array(wrote["observations"], np.float32))
    for episode, wrote in zip(_imported(tmp_path, "babyai"), collected["babyai"], strict=True):
        assert np.array_equal(episode.seen["grid"], [one["image"] for one in wrote["observations"]])
        assert episode.setter_text == tuple(one["mission"] for one in wrote["observations"])
    for episode, wrote in zip(_imported(tmp_path, "pendulum"), collected["pendulum"], strict=True):
        assert np.array_equal(_continuous(episode), np.array(wrote["actions"], np.float32))
    for episode, wrote in zip(_imported(tmp_path, "pictures"), collected["pictures"], strict=True):
        views = np.array([one["view"] for one in wrote["observations"]])
        assert np.abs(episode.pictures().astype(int) - views).max() <= 2  # JPEG
        assert np.array_equal(_continuous(episode), np.array([one["move"] for one in wrote["actions"]], np.float32))
        assert episode.movement[:, 0, 0].tolist() == [one["grip"] + 1 for one in wrote["actions"]]
        assert episode.notes["success"] is True
        _check_outcome(episode, wrote)


def _imported(folder: Path, name: str) -> list[Episode]:
    if not (folder / name).exists():
        import_episodes(folder / "root" / f"{name}-v0", folder / name, "minari", MinariImport())
    store = open_store(folder / name)
    assert store.verify() == []
    return [store.read(episode_id) for episode_id in store.ids()]


def _continuous(episode: Episode) -> np.ndarray:
    assert episode.continuous is not None
    return episode.continuous[:, 0]


def _check_outcome(episode: Episode, wrote: dict[str, Sequence[Any]]) -> None:
    assert episode.notes["rewards"] == wrote["rewards"]
    assert [episode.notes["terminated"], episode.notes["truncated"]] == wrote["ended"]
