"""Minari datasets: what is in their files, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from pipelines.exchange.formats import export_episodes, import_episodes
from pipelines.exchange.settings import MinariExport, MinariImport
from pipelines.exchange.sidecar import SIDECAR_FILE
from rlhf.records.marks import Mark
from rlhf.store import open_store
from rlhf.store.synthetic import synthetic_episode
from worlds.errors import UserError


@pytest.fixture
def exported(tmp_path: Path) -> Path:
    """An episode with a request that succeeded, and one with rewards of its own; both as a Minari dataset."""
    store = open_store(tmp_path / "data", create=True)
    first = synthetic_episode(0, steps=6, height=36, width=48, episode_id="e0")
    store.write(replace(first, success_step=(4,), requests=(replace(first.requests[0], step=0),)))
    store.write(replace(first, episode_id="e1", notes={"rewards": [0.5] * 6, "terminated": True}))
    store.write_marks([Mark("e0", "ann", 3, 1, False), Mark("e0", "bob", 3, 1, False), Mark("e0", "bob", 0, -1, False)])
    export_episodes(tmp_path / "data", tmp_path / "out", "minari", MinariExport("lab/play-v3"))
    return tmp_path / "out"


def test_there_is_an_observation_more_than_actions_and_rewards_are_recorded_or_successes(exported: Path) -> None:
    store = open_store(exported.parent / "data")
    episode = store.read("e0")
    file: Any
    with h5py.File(exported / "data" / "main_data.hdf5") as file:
        first, second = file["episode_0"], file["episode_1"]
        image = first["observations/image"][()]
        assert np.array_equal(image[:6], episode.pictures()) and np.array_equal(image[6], image[5])
        assert np.array_equal(first["observations/previous_movement"][1:], episode.movement)
        assert first["observations/solver_text"].asstr()[6] == (episode.utterance[5] or episode.solver_text[5])
        assert first["rewards"][()].tolist() == [0, 0, 0, 0, 1, 0]
        assert first["infos/mark"][()].tolist() == [-1, 0, 0, 2, 0, 0, 0]
        assert (first["terminations"][-1], first["truncations"][-1]) == (False, True)
        assert second["rewards"][()].tolist() == [0.5] * 6
        assert (second["terminations"][-1], second["truncations"][-1]) == (True, False)
        assert not first["truncations"][:-1].any() and not second["terminations"][:-1].any()
    metadata = json.loads((exported / "data" / "metadata.json").read_text())
    assert metadata["dataset_id"] == "lab/play-v3" and metadata["jpeg_encoding"] is False
    assert (metadata["total_episodes"], metadata["total_steps"]) == (2, 12)


def test_play_that_was_changed_since_is_refused_and_imported_without_the_sidecar(exported: Path) -> None:
    file: Any
    with h5py.File(exported / "data" / "main_data.hdf5", "a") as file:
        file["episode_1/actions/movement"][0] = 0
    with pytest.raises(UserError, match="episode 1 of .* has changed since it was exported"):
        import_episodes(exported, exported.parent / "back", "minari", MinariImport())
    assert not (exported.parent / "back").exists()
    (exported / SIDECAR_FILE).unlink()
    import_episodes(exported, exported.parent / "back", "minari", MinariImport())
    store = open_store(exported.parent / "back")
    back = store.read("lab-play-v3-000001")
    assert back.notes["rewards"] == [0.5] * 6 and len(back.spaces.solver.action.components) == 48
    assert back.utterance == open_store(exported.parent / "data").read("e1").utterance


def test_ids_that_minari_does_not_take_and_texts_that_hdf5_cannot_hold_are_refused(tmp_path: Path) -> None:
    store = open_store(tmp_path / "data", create=True)
    episode = synthetic_episode(0, steps=3, height=4, width=5, episode_id="e0")
    store.write(replace(episode, utterance=("a\0b", "", "")))
    with pytest.raises(UserError, match="play-v0"):
        export_episodes(tmp_path / "data", tmp_path / "out", "minari", MinariExport("play"))
    with pytest.raises(UserError, match="episode e0 cannot be written as HDF5"):
        export_episodes(tmp_path / "data", tmp_path / "out", "minari", MinariExport())
    assert not (tmp_path / "out").exists()
