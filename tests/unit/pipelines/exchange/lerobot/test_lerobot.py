"""LeRobot's dataset v3: exported play comes back to the last bit, and its files are as LeRobot documents them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch

from agents.folder import save_agent
from agents.tokenizer import Tokenizer
from pipelines.cli.main import main
from pipelines.exchange.formats import export_episodes, import_episodes
from pipelines.exchange.settings import LeRobotExport, LeRobotImport
from pipelines.exchange.sidecar import SIDECAR_FILE
from reward_models.inter_temporal import InterTemporalRewardModel
from reward_models.loaded import load_with_tokenizer
from rlhf.data.memory import encode_episodes
from rlhf.records.episode import CO_PILOT
from rlhf.records.marks import Judgement, Mark
from rlhf.records.preferences import ClipPair
from rlhf.store import open_store, same_episode
from rlhf.store.synthetic import synthetic_episode, synthetic_play
from tests.unit.rlhf import tiny_agent
from tests.unit.rlhf.declared_spaces import SPACES
from worlds.errors import UserError


@pytest.mark.parametrize("name", SPACES)
def test_exported_play_comes_back_to_the_last_bit(name: str, tmp_path: Path) -> None:
    store = open_store(tmp_path / "data", create=True)
    for number in range(3):
        if name == "playhouse":
            store.write(synthetic_episode(number, steps=7 + number, height=5, width=6, episode_id=f"e{number}"))
        else:
            store.write(synthetic_play(number, SPACES[name], 7 + number, f"e{number}"))
    store.note_play_settings({"world": {"name": "x"}})
    store.write_marks([Mark("e1", "ann", 3, 1, False), Mark("e2", "bob", 0, -1, True)])
    store.write_judgements([Judgement("e1", "ann", True, 4, False)])
    store.write_preferences([ClipPair("e0", 0, 3, "e1", 2, 5, "a", "ann", 1.25, False)])
    exported = export_episodes(tmp_path / "data", tmp_path / "out", "lerobot", LeRobotExport(file_mb=0.001))
    assert (exported.episodes, exported.steps, exported.notes) == (3, 24, ())
    imported = import_episodes(tmp_path / "out", tmp_path / "back", "lerobot", LeRobotImport())
    back = open_store(tmp_path / "back")
    assert (imported.episodes, imported.steps, imported.marks, imported.notes) == (3, 24, 2, ())
    assert back.ids() == store.ids() and back.fingerprints() == store.fingerprints()
    assert all(same_episode(back.read(each), store.read(each)) for each in store.ids())
    assert back.marks() == store.marks() and back.judgements() == store.judgements()
    assert back.preferences(ClipPair) == store.preferences(ClipPair)
    assert back.description.play_settings == store.description.play_settings


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


def test_the_description_is_that_of_version_3(data: Path) -> None:
    out = _export(data)
    info = json.loads((out / "meta/info.json").read_text())
    assert (info["codebase_version"], info["fps"], info["robot_type"]) == ("v3.0", 3.75, "synthetic")
    assert (info["total_episodes"], info["total_frames"], info["total_tasks"]) == (2, 60, 3)
    assert info["splits"] == {"train": "0:1", "held_out": "1:2"}
    assert info["data_path"] == "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet"
    assert info["video_path"] is None
    features = info["features"]
    assert features["observation.images.solver"] == {
        "dtype": "image", "shape": [12, 16, 3], "names": ["height", "width", "channels"],
    }  # fmt: skip
    assert features["action"]["shape"] == [48] and features["action"]["names"][44] == "turn (tick 7)"
    assert features["intervention"] == {"dtype": "bool", "shape": [1], "names": None}
    assert features["language_events"] == {"dtype": "language", "shape": [1], "names": None}
    learned = {name for name in features if name.startswith(("action", "observation"))}
    assert learned == {"action", "observation.state", "observation.images.solver"}, "its policies learn from no others"
    tasks = pd.read_parquet(out / "meta/tasks.parquet")
    assert tasks.index.name == "task" and tasks["task_index"].tolist() == [0, 1, 2]


def test_frames_are_steps_in_a_row_group_for_each_episode(data: Path) -> None:
    out, episode = _export(data), open_store(data).read("e1")
    file = pq.ParquetFile(out / "data/chunk-000/file-000.parquet")
    info = json.loads((out / "meta/info.json").read_text())
    assert file.num_row_groups == 2 and set(file.schema_arrow.names) == set(info["features"])
    rows = file.read_row_group(0).to_pydict()
    assert np.allclose(rows["timestamp"], np.arange(30) / 3.75) and rows["index"] == list(range(30))
    assert rows["observation.state"][1:] == rows["action"][:-1] and not any(rows["observation.state"][0])
    assert rows["intervention"] == (episode.controller == CO_PILOT).tolist()
    assert rows["play.mark"][3] == 2 and rows["play.mark"][9] == -1 and sum(map(abs, rows["play.mark"])) == 3
    assert rows["play.setter_utterance"] == list(episode.setter_utterance)
    tasks = pd.read_parquet(out / "meta/tasks.parquet").index
    assert [tasks[number] for number in rows["task_index"]] == list(episode.setter_text)


def test_words_are_language_events(data: Path) -> None:
    out, episode = _export(data), open_store(data).read("e1")
    events = pq.read_table(out / "data")["language_events"].to_pylist()[:30]
    asked = {step: text for step, text in enumerate(episode.setter_utterance) if text}
    said = {step: text for step, text in enumerate(episode.utterance) if text}
    assert asked and said and asked.keys().isdisjoint(said)
    for step, row in enumerate(events):
        assert [event["role"] for event in row] == ["user"] * (step in asked) + ["assistant"] * (step in said)
        for event in row:
            assert list(event) == ["role", "content", "style", "camera", "tool_calls"] and event["camera"] is None
            if event["role"] == "user":
                assert (event["content"], event["style"]) == (asked[step], "interjection")
            else:
                call = {"type": "function", "function": {"name": "say", "arguments": {"text": said[step]}}}
                assert (event["content"], event["style"], event["tool_calls"]) == (None, None, [call])


def test_statistics_are_those_of_all_frames(data: Path) -> None:
    out = _export(data)
    stats = json.loads((out / "meta/stats.json").read_text())
    actions = np.array(pq.read_table(out / "data")["action"].to_pylist())
    assert np.allclose(stats["action"]["mean"], actions.mean(axis=0))
    assert np.allclose(stats["action"]["std"], actions.std(axis=0))
    assert np.allclose(stats["action"]["min"], actions.min(axis=0)) and stats["action"]["count"] == [60]
    assert np.shape(stats["observation.images.solver"]["q99"]) == (3, 1, 1)
    episodes = pq.read_table(out / "meta/episodes").to_pylist()
    assert [(row["dataset_from_index"], row["dataset_to_index"], row["length"]) for row in episodes] == [
        (0, 30, 30), (30, 60, 30),
    ]  # fmt: skip
    assert np.allclose(episodes[1]["stats/action/max"], actions[30:].max(axis=0))
    assert episodes[0]["tasks"] == list(dict.fromkeys(open_store(data).read("e1").setter_text))


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
    assert table["index"].to_pylist() == list(range(60)) and table["episode_index"].to_pylist() == [0] * 30 + [1] * 30
    model, episodes = load_with_tokenizer(data.parent / "model"), list(open_store(data).stream(["e1", "e0"]))
    scores = model.score(encode_episodes(episodes, model.tokenizer, model.sizes))
    utility = np.concatenate([scored.utility for scored in scores])
    low, high = (float(table.schema.metadata[key]) for key in (b"utility_at_0", b"utility_at_1"))
    progress = table["progress_sparse"].to_numpy()
    assert progress.dtype == np.float32 and (progress.min(), progress.max()) == (0, 1)
    assert np.allclose(low + progress * (high - low), utility, atol=1e-5)


def _with_another_task(out: Path) -> None:
    tasks = pd.read_parquet(out / "meta/tasks.parquet")
    tasks.index = [f"{task}!" for task in tasks.index]
    tasks.to_parquet(out / "meta/tasks.parquet")


def _with_another_action(out: Path) -> None:
    path = out / "data/chunk-000/file-000.parquet"
    table = pq.read_table(path)
    actions = table["action"].to_pylist()
    actions[:30] = actions[29::-1]
    column = pa.array(actions, table.schema.field("action").type)
    pq.write_table(table.set_column(table.column_names.index("action"), "action", column), path)


def _in_another_order(out: Path) -> None:
    lines = (out / SIDECAR_FILE).read_text().splitlines(keepends=True)
    (out / SIDECAR_FILE).write_text("".join([lines[0], lines[2], lines[1], *lines[3:]]))


@pytest.mark.parametrize("images", ["png", "video"])
@pytest.mark.parametrize(
    ("change", "episodes"), [(_with_another_task, 2), (_with_another_action, 1), (_in_another_order, 2)]
)
def test_a_dataset_that_was_edited_is_imported_with_a_note(
    change: Callable[[Path], None], episodes: int, images: str, data: Path
) -> None:
    out = _export(data, images=images)
    change(out)
    imported = import_episodes(out, data.parent / "back", "lerobot", LeRobotImport())
    assert f"{episodes} episodes are not what was exported" in imported.notes[-1]


def test_a_sidecar_of_other_episodes_is_refused(data: Path) -> None:
    out = _export(data)
    lines = (out / SIDECAR_FILE).read_text().splitlines(keepends=True)
    (out / SIDECAR_FILE).write_text("".join(lines[:2]))
    with pytest.raises(UserError, match="other episodes than meta/episodes"):
        import_episodes(out, data.parent / "back", "lerobot", LeRobotImport())
    assert not (data.parent / "back").exists()


def test_from_the_words_of_the_command_line(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, back = str(data.parent / "out"), str(data.parent / "back")
    assert main(["episodes", "export", str(data), out, "--to", "lerobot", "--episodes", "e1"]) == 0
    assert f"wrote 1 episode, 30 steps, to {out}" in capsys.readouterr().err
    assert main(["episodes", "import", out, back, "--from", "lerobot"]) == 0
    assert f"read 1 episode, 30 steps and 3 marks, into {back}" in capsys.readouterr().err
    assert open_store(back).ids() == ["e1"]
    assert main(["episodes", "export", str(data), out + "2", "--to", "minari", "--lerobot.images", "video"]) == 1
    assert "--lerobot settings are given, but the format is minari" in capsys.readouterr().err
