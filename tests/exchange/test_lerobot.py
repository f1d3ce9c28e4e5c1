"""LeRobot itself opens what was exported, and what it recorded is imported."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from agents.folder import save_agent
from agents.tokenizer import Tokenizer
from pipelines.exchange.formats import export_episodes, import_episodes
from pipelines.exchange.lerobot.action_vector import ActionVector
from pipelines.exchange.settings import LeRobotExport, LeRobotImport
from reward_models.inter_temporal import InterTemporalRewardModel
from rlhf.records.episode import Episode
from rlhf.records.marks import Mark
from rlhf.store import open_store
from tests.exchange.other_library import played, run_with
from tests.unit.rlhf import tiny_agent
from tests.unit.rlhf.declared_spaces import SPACES


def _opened(root: Path, episodes: list[Episode], **settings: Any) -> dict[str, Any]:
    """Write and export ``episodes``; return what LeRobot finds in the export."""
    store = open_store(root / "data", create=True)
    for episode in episodes:
        store.write(episode)
    store.write_marks([Mark(episodes[0].episode_id, "ann", 2, 1, False)])
    export_episodes(root / "data", root / "out", "lerobot", LeRobotExport(**settings))
    return run_with("lerobot", "lerobot_open.py", root / "out", HF_HUB_OFFLINE="1", HF_HOME=root / "cache")


@pytest.mark.parametrize("name", SPACES)
def test_lerobot_opens_what_was_exported(name: str, tmp_path: Path) -> None:
    episodes = [played(name, seed, 9) for seed in range(2)]
    found = _opened(tmp_path, episodes)
    action = episodes[0].spaces.solver.action
    assert found["lengths"] == [9, 9] and found["fps"] == pytest.approx(action.steps_per_second)
    learned = {"action": action.components, "observation.state": True}
    pictured = episodes[0].image is not None and episodes[0].image.shape[-1] in (1, 3)
    learned |= {"observation.images.solver": pictured}
    assert found["learned"] == sorted(each for each, there in learned.items() if there)
    for number, episode in enumerate(episodes):
        frames, spoken = (found[part][9 * number : 9 * number + 9] for part in ("frames", "spoken"))
        assert [frame["task"] for frame in frames] == list(episode.setter_text)
        assert [list(each) for each in zip(episode.setter_utterance, episode.utterance, strict=True)] == [
            [text or "" for text in each] for each in spoken
        ]
        numbers = ActionVector(action).encode(episode.movement, episode.continuous)
        assert np.array_equal(np.array(_column(frames, "action"), np.float32).reshape(numbers.shape), numbers)
        for column, array in (("observation.state", "vector"), ("play.grid", "grid"), ("play.legal", "legal")):
            if array in episode.seen:
                seen = episode.seen[array]
                assert np.array_equal(np.array(_column(frames, column), seen.dtype).reshape(seen.shape), seen)
        if pictured:
            assert np.array_equal(_column(frames, "observation.images.solver"), episode.pictures())
        assert _column(frames, "intervention") == episode.controller.astype(bool).tolist()
        assert _column(frames, "play.mark") == [int(number == 0 and step == 2) for step in range(9)]


def _column(frames: list[dict[str, Any]], name: str) -> list[Any]:
    return [frame[name] for frame in frames]


def test_lerobot_decodes_video_and_weighs_frames_by_progress(tmp_path: Path) -> None:
    tokenizer = Tokenizer.train(["please lift the mug", "done"], 280)
    torch.manual_seed(0)
    sizes = tiny_agent.config(image_size=(36, 48), vocab_size=tokenizer.vocab_size)
    save_agent(InterTemporalRewardModel(sizes), tokenizer, tmp_path / "model")
    episodes = [played("playhouse", seed, 20) for seed in range(2)]
    found = _opened(tmp_path, episodes, images="video", reward_model=tmp_path / "model")
    pictures = np.array(_column(found["frames"], "observation.images.solver"), int)
    exact = np.concatenate([episode.pictures() for episode in episodes])
    differences = [np.abs(np.roll(exact, by, 0) - pictures).mean() for by in (-1, 0, 1)]
    assert differences[1] == min(differences) < 8
    assert len(found["weights"]) == 40 and sum(found["weights"]) == pytest.approx(40, rel=1e-3)
    assert len(set(found["weights"])) > 1


@pytest.mark.parametrize("kind", ["image", "video"])
def test_what_lerobot_recorded_is_imported(kind: str, tmp_path: Path) -> None:
    variables = {"HF_HUB_OFFLINE": "1", "HF_HOME": tmp_path / "cache"}
    recorded = run_with("lerobot", "lerobot_record.py", tmp_path / "arm", kind, **variables)
    imported = import_episodes(tmp_path / "arm", tmp_path / "data", "lerobot", LeRobotImport(solver="agent:policy"))
    assert (imported.episodes, imported.steps) == (2, 21)
    store = open_store(tmp_path / "data")
    assert store.verify() == [] and store.description.world == "so101"
    for episode, frames in zip(store.stream(store.ids()), recorded, strict=True):
        assert episode.continuous is not None
        assert np.array_equal(episode.continuous[:, 0], np.array(_column(frames, "action"), np.float32))
        assert np.array_equal(episode.seen["vector"], np.array(_column(frames, "observation.state"), np.float32))
        assert episode.setter_utterance == (frames[0]["task"], *[""] * (len(frames) - 1))
        assert episode.demonstrated().tolist() == [step > 6 for step in range(len(frames))]
        shades = episode.pictures().mean(axis=(1, 2, 3))
        assert np.allclose(shades, np.arange(len(frames)) * 15, atol=0 if kind == "image" else 3)


def test_an_export_that_lerobot_rewrote_is_imported_as_another_programs(tmp_path: Path) -> None:
    episodes = [played("continuous", seed, 9) for seed in range(2)]
    _opened(tmp_path, episodes)
    imported = import_episodes(tmp_path / "fewer", tmp_path / "back", "lerobot", LeRobotImport())
    assert imported.episodes == 1 and imported.notes[0].startswith("left out: play.")
    back = open_store(tmp_path / "back").read("fewer-000000")
    assert back.continuous is not None and episodes[1].continuous is not None
    assert np.array_equal(back.continuous, episodes[1].continuous)
    assert np.array_equal(back.seen["vector"], episodes[1].seen["vector"])
    assert back.setter_text == episodes[1].setter_text
