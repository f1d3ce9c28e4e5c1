"""Reading of recordings: only the wanted episodes, and frames only where they are needed."""

from __future__ import annotations

import gc
import tracemalloc
from dataclasses import fields, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import pipelines.stages.executors
from pipelines.stages.episodes.recordings import read_episodes
from pipelines.stages.executors import make_executor, runner_on_ray
from pipelines.stages.improve import held_out_episodes
from pipelines.stages.improve_config import ImproveConfig
from rlhf.records.episode import Episode
from rlhf.store import ParquetStore, open_store
from rlhf.store.synthetic import synthetic_episode


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = open_store(tmp_path_factory.mktemp("recordings") / "data", create=True)
    for number in range(6):
        made = synthetic_episode(number, 20, 72, 96)
        store.write(replace(made, split="held_out" if number % 2 else "train"))
    return store.folder


def test_episodes_without_frames_are_the_same_but_for_those(data: Path) -> None:
    for with_frames, without in zip(read_episodes([data]), read_episodes([data], frames=False), strict=True):
        assert with_frames.image.any() and not without.image.any() and without.image.shape == with_frames.image.shape
        assert without.image.strides == (0, 0, 0, 0)
        for field in fields(Episode):
            one, other = (getattr(episode, field.name) for episode in (with_frames, without))
            assert field.name == "image" or np.array_equal(one, other), field.name


def test_no_frames_stay_in_memory(data: Path) -> None:
    held = []
    for frames in (True, False):
        gc.collect()
        tracemalloc.start()
        episodes = read_episodes([data], frames=frames)
        gc.collect()
        held.append(tracemalloc.get_traced_memory()[0])
        tracemalloc.stop()
        assert len(episodes) == 6
    assert held[0] - held[1] > 0.9 * 6 * 20 * 72 * 96 * 3


def test_only_the_requested_episodes_are_read(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = []
    real = ParquetStore.read
    monkeypatch.setattr(ParquetStore, "read", lambda store, name: read.append(name) or real(store, name))
    config = ImproveConfig(data=(data,), replay=None)
    episodes = held_out_episodes(config, 2)
    assert [episode.episode_id for episode in episodes] == sorted(read) and len(read) == 2
    assert all(episode.split == "held_out" and episode.image.any() for episode in episodes)
    assert not any(episode.image.any() for episode in held_out_episodes(config, 2, frames=False))


def test_improvement_holds_no_frames(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Episode] = []

    def runner(config: Any, agent: Any, tokenizer: Any, episodes: list[Episode], *rest: Any) -> Any:
        given.extend(episodes)
        return SimpleNamespace(close=lambda: None)

    monkeypatch.setattr(pipelines.stages.executors, "make_runner", runner)
    monkeypatch.setattr(pipelines.stages.executors, "make_learner", lambda *_: (None, None))
    monkeypatch.setattr(pipelines.stages.executors, "LocalExecutor", lambda *_: None)
    monkeypatch.setattr(pipelines.stages.executors, "load_agent", lambda *_, **__: (None, None))
    config = ImproveConfig(data=(data,), replay=None)
    make_executor(config, None, None)  # type: ignore[arg-type]
    runner_on_ray(config, 0, 0)
    assert len(given) == 6 and not any(episode.image.any() for episode in given)
