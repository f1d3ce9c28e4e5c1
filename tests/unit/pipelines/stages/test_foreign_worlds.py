"""Environments of others by one line of the command line: recorded, in one process and in several."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipelines.cli.main import main
from rlhf.store import open_store

WALK = ["--world.name", "gym:FrozenLake-v1", "--world.env", '{"is_slippery": false}', "--world.instruction", "cross"]


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_gymnasium_environment_is_recorded_with_its_own_settings(tmp_path: Path, workers: str) -> None:
    words = ["--data", str(tmp_path / "data"), "--episodes", "4", "--steps", "40", "--workers", workers]
    assert main(["record", *words, *WALK, "--world.picture", "16"]) == 0
    store = open_store(tmp_path / "data")
    episodes = [store.read(episode_id) for episode_id in store.ids()]
    assert len(episodes) == 4 and {episode.world for episode in episodes} == {"gym:FrozenLake-v1"}
    for episode in episodes:
        assert episode.image is not None and episode.image.shape[1:] == (16, 16, 3)
        assert episode.movement.shape[1:] == (1, 1) and episode.requests[0].task.instruction == "cross"
        assert episode.requests[0].step == 0 and len(episode.requests) == 1
        assert set(episode.config) == {"seed"}
