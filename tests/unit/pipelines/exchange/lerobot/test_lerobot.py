"""LeRobot's dataset v3: its files are as LeRobot documents them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
import torch

from agents.folder import save_agent
from agents.tokenizer import Tokenizer
from pipelines.cli.main import main
from pipelines.exchange.formats import export_episodes, import_episodes
from pipelines.exchange.lerobot.action_vector import ActionVector
from pipelines.exchange.settings import LeRobotExport, LeRobotImport
from pipelines.exchange.sidecar import SIDECAR_FILE
from reward_models.inter_temporal import InterTemporalRewardModel
from reward_models.loaded import load_with_tokenizer
from rlhf.data.memory import encode_episodes
from rlhf.records.episode import CO_PILOT
from rlhf.records.marks import Mark
from rlhf.store import open_store, same_episode
from rlhf.store.synthetic import synthetic_episode
from tests.unit.pipelines.exchange.lerobot.foreign_lerobot import cell
from tests.unit.rlhf import tiny_agent
from worlds.contract import BODY, neutral_movement
from worlds.spaces.action import ActionSpec, Discrete


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Two episodes of the Playhouse, the first held out, with marks of two raters at one step."""
    store = open_store(tmp_path / "data", create=True)
    for seed, split in enumerate(("held_out", "train")):
        store.write(replace(synthetic_episode(seed, 30, 12, 16, f"e{seed}"), split=split))
    marks = [("ann", 3, 1), ("bob", 3, 1), ("bob", 9, -1)]
    store.write_marks([Mark("e1", rater, step, sign, True) for rater, step, sign in marks])
    return tmp_path / "data"


def _export(data: Path, **settings: Any) -> Path:
    export_episodes(data, data.parent / "out", "lerobot", LeRobotExport(**settings))
    return data.parent / "out"


def test_the_files_are_those_of_version_3(data: Path) -> None:
    out, episode = _export(data), open_store(data).read("e1")
    info = json.loads((out / "meta/info.json").read_text())
    assert (info["codebase_version"], info["fps"], info["total_frames"]) == ("v3.0", 3.75, 60)
    assert info["splits"] == {"train": "0:1", "held_out": "1:2"}
    learned = {name for name in info["features"] if name.startswith(("action", "observation"))}
    assert learned == {"action", "observation.state", "observation.images.solver"}, "its policies learn from no others"
    file = pq.ParquetFile(out / "data/chunk-000/file-000.parquet")
    assert file.num_row_groups == 2 and set(file.schema_arrow.names) == set(info["features"])
    rows = file.read_row_group(0).to_pydict()
    assert np.allclose(rows["timestamp"], np.arange(30) / 3.75) and rows["index"] == list(range(30))
    assert rows["observation.state"][1:] == rows["action"][:-1] and not any(rows["observation.state"][0])
    assert rows["intervention"] == (episode.controller == CO_PILOT).tolist()
    assert rows["play.mark"][3] == 2 and rows["play.mark"][9] == -1 and sum(map(abs, rows["play.mark"])) == 3
    tasks = pd.read_parquet(out / "meta/tasks.parquet").index
    assert [tasks[number] for number in rows["task_index"]] == list(episode.setter_text)
    stats, actions = json.loads((out / "meta/stats.json").read_text()), file.read()["action"].to_pylist()
    for name in ("mean", "std", "min", "max"):
        assert np.allclose(stats["action"][name], getattr(np.array(actions), name)(axis=0))
    second = pq.read_table(out / "meta/episodes").to_pylist()[1]
    assert (second["dataset_from_index"], second["dataset_to_index"]) == (30, 60)
    assert np.allclose(second["stats/action/max"], np.array(actions[30:]).max(axis=0))


def test_words_are_language_events(data: Path) -> None:
    out, episode = _export(data), open_store(data).read("e1")
    events = pq.read_table(out / "data")["language_events"].to_pylist()[:30]
    assert any(episode.setter_utterance) and any(episode.utterance)
    for row, asked, said in zip(events, episode.setter_utterance, episode.utterance, strict=True):
        expected = [("user", asked, "interjection", None)] if asked else []
        if said:
            call = {"type": "function", "function": {"name": "say", "arguments": {"text": said}}}
            expected += [("assistant", None, None, [call])]
        assert [(e["role"], e["content"], e["style"], e["tool_calls"]) for e in row] == expected


def test_bins_are_the_numbers_that_they_stand_for_or_their_indices_where_these_are_equal() -> None:
    vector, movement = ActionVector(BODY), np.stack([neutral_movement(), neutral_movement()])
    movement[1, 7, 2] = 3  # slightly left
    first, second = vector.encode(movement, None)
    assert not first.any() and np.flatnonzero(second).tolist() == [44] and second[44] == np.float32(0.3)
    alike = ActionVector(ActionSpec((Discrete("hand", ("keep", "grab", "hold"), values=(0, 1, 1)),)))
    assert alike.encode(np.array([[[2]]], np.int8), None).tolist() == [[2.0]]
    second[44] = 0.5
    with pytest.raises(ValueError, match=r"turn is 0\.5 at step 1"):
        vector.decode(np.stack([first, second]))


def test_video_is_lossy_and_nothing_else_is(data: Path) -> None:
    exported = export_episodes(data, data.parent / "out", "lerobot", LeRobotExport(images="video"))
    assert any("video loses details" in note for note in exported.notes)
    imported = import_episodes(data.parent / "out", data.parent / "back", "lerobot", LeRobotImport())
    (note,) = imported.notes
    assert "video" in note
    for name in ("e0", "e1"):
        one, other = open_store(data).read(name), open_store(data.parent / "back").read(name)
        differences = [
            np.abs(np.roll(one.pictures(), by, 0).astype(int) - other.pictures()).mean() for by in (-1, 0, 1)
        ]
        assert differences[1] == min(differences), "a frame is another step's"
        assert same_episode(one, replace(other, image=one.image))


def test_progress_is_utility_between_0_and_1(data: Path) -> None:
    tokenizer = Tokenizer.train(["please lift the mug", "done"], 280)
    torch.manual_seed(0)
    sizes = tiny_agent.config(image_size=(12, 16), vocab_size=tokenizer.vocab_size)
    save_agent(InterTemporalRewardModel(sizes), tokenizer, data.parent / "model")
    table = pq.read_table(_export(data, reward_model=data.parent / "model") / "sarm_progress.parquet")
    assert table.column_names == ["index", "episode_index", "frame_index", "progress_sparse"]
    model, episodes = load_with_tokenizer(data.parent / "model"), list(open_store(data).stream(["e1", "e0"]))
    scores = model.score(encode_episodes(episodes, model.tokenizer, model.sizes))
    utility = np.concatenate([scored.utility for scored in scores])
    low, high = (float(table.schema.metadata[key]) for key in (b"utility_at_0", b"utility_at_1"))
    progress = table["progress_sparse"].to_numpy()
    assert progress.dtype == np.float32 and (progress.min(), progress.max()) == (0, 1)
    assert np.allclose(low + progress * (high - low), utility, atol=1e-5)


def _with_other_tasks(out: Path) -> None:
    tasks = pd.read_parquet(out / "meta/tasks.parquet")
    tasks.index = [f"{task}!" for task in tasks.index]
    tasks.to_parquet(out / "meta/tasks.parquet")


def _in_another_order(out: Path) -> None:
    lines = (out / SIDECAR_FILE).read_text().splitlines(keepends=True)
    (out / SIDECAR_FILE).write_text("".join([lines[0], lines[2], lines[1], *lines[3:]]))


@pytest.mark.parametrize("images", ["png", "video"])
@pytest.mark.parametrize(
    ("change", "episodes"), [(_with_other_tasks, 2), (cell("action", 3, [1.0] * 48), 1), (_in_another_order, 2)]
)
def test_a_dataset_that_was_edited_is_imported_with_a_note(
    change: Callable[[Path], None], episodes: int, images: str, data: Path
) -> None:
    out = _export(data, images=images)
    change(out)
    imported = import_episodes(out, data.parent / "back", "lerobot", LeRobotImport())
    assert f"{episodes} episodes are not what was exported" in imported.notes[-1]


def test_from_the_words_of_the_command_line(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, back = str(data.parent / "out"), str(data.parent / "back")
    assert main(["episodes", "export", str(data), out, "--to", "lerobot", "--episodes", "e1"]) == 0
    assert f"wrote 1 episode, 30 steps, to {out}" in capsys.readouterr().err
    assert main(["episodes", "import", out, back, "--from", "lerobot"]) == 0
    assert f"read 1 episode, 30 steps and 3 marks, into {back}" in capsys.readouterr().err
    assert open_store(back).ids() == ["e1"]
    assert main(["episodes", "export", str(data), out + "2", "--to", "minari", "--lerobot.images", "video"]) == 1
    assert "--lerobot settings are given, but the format is minari" in capsys.readouterr().err
