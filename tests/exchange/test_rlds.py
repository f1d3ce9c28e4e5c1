"""tensorflow_datasets opens what was exported, and what it wrote is imported."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from pipelines.exchange.formats import export_episodes, import_episodes
from pipelines.exchange.settings import RldsExport, RldsImport
from rlhf.records.episode import Episode
from rlhf.store import open_store
from tests.exchange.other_library import played, run_with
from tests.unit.rlhf.declared_spaces import SPACES

QUIET = {"CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "3"}


def test_tensorflow_datasets_opens_what_was_exported(tmp_path: Path) -> None:
    """TensorFlow takes long to begin: one process opens the datasets of all spaces."""
    folders = [_exported(tmp_path / name, name) for name in SPACES]
    for name, splits in zip(SPACES, run_with("rlds", "rlds_open.py", *folders, **QUIET), strict=True):
        assert {split: len(found) for split, found in splits.items()} == {"train": 2, "held_out": 1}
        found = {len(steps) - 1: steps for episodes in splits.values() for steps in episodes}
        store = open_store(tmp_path / name / "data")
        for episode in store.stream(store.ids()):
            _check(found[len(episode)], episode)


def _exported(folder: Path, name: str) -> Path:
    """Export three episodes of declared spaces; return the folder of the dataset."""
    store = open_store(folder / "data", create=True)
    for number, split in enumerate(("train", "held_out", "train")):
        store.write(replace(played(name, number, 6 + number), split=split))
    out = folder / "lab_play" / "1.0.0"
    export_episodes(folder / "data", out, "rlds", RldsExport("lab_play", file_mb=1e-3))
    return out


def _check(steps: list[dict[str, Any]], episode: Episode) -> None:
    seen, done = ([step[part] for step in steps[:-1]] for part in ("observation", "action"))
    if episode.image is not None:
        assert np.array_equal([one["image"] for one in seen], episode.image)
    for key in ("vector", "grid", "legal"):
        if key in episode.seen:
            assert np.array_equal(np.array([one[key] for one in seen], episode.seen[key].dtype), episode.seen[key])
    if episode.movement.size:
        assert [one["movement"] for one in done] == episode.movement.tolist()
    if episode.continuous is not None:
        assert np.array_equal(np.array([one["continuous"] for one in done], np.float32), episode.continuous)
    assert tuple(step["language_instruction"] for step in steps[:-1]) == episode.setter_text
    assert [step["is_first"] for step in steps] == [True] + [False] * len(episode)
    assert [step["is_last"] for step in steps] == [False] * len(episode) + [True]


def test_what_tensorflow_datasets_wrote_is_imported(tmp_path: Path) -> None:
    written = run_with("rlds", "rlds_write.py", tmp_path / "root", **QUIET)
    settings = RldsImport(leave_out=("wrist",))
    import_episodes(tmp_path / "root" / "robot" / "1.0.0", tmp_path / "into", "rlds", settings)
    store = open_store(tmp_path / "into")
    assert store.verify() == [] and len(store) == 4
    assert len(store.ids(split="train")) == 3
    for episode in store.stream(store.ids()):
        steps = next(steps for steps in written if len(steps) - 1 == len(episode))[:-1]
        seen, done = ([step[part] for step in steps] for part in ("observation", "action"))
        pictures = np.array([one["image"] for one in seen])
        assert np.abs(episode.pictures().astype(int) - pictures).max() <= 2  # JPEG
        order = ("cells", "state", "touch")  # of the features
        vector = [np.concatenate([np.ravel(one[key]) for key in order]) for one in seen]
        assert np.array_equal(episode.seen["vector"], np.array(vector, np.float32))
        assert episode.continuous is not None
        assert np.array_equal(episode.continuous[:, 0], np.array([one["arm"] for one in done], np.float32))
        wanted = [[one["grip"] + 1, one["mode"], int(one["stop"])] for one in done]
        assert episode.movement[:, 0].tolist() == wanted
        assert episode.setter_text == tuple(step["language_instruction"] for step in steps)
        assert episode.notes["rewards"] == [step["reward"] for step in steps] and episode.notes["terminated"] is True
