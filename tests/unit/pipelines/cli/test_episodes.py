"""Output of the commands on recorded episodes."""

from __future__ import annotations

import io
import resource
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from rich.console import Console

from annotation.server.db.tables import EpisodeRecord, Project
from annotation.server.services.datasets import Datasets
from pipelines.cli import episodes as command
from pipelines.cli.contact_sheet import chosen_steps
from pipelines.cli.render import RenderConfig, render
from rlhf.records.marks import Judgement, Mark
from rlhf.records.preferences import ClipPair, InferredGoal, TakeOver
from rlhf.store import ParquetStore, open_store
from rlhf.store.synthetic import synthetic_episode, synthetic_play
from tests.unit.rlhf.declared_spaces import CONTINUOUS, GREY
from worlds.errors import UserError


@pytest.fixture
def data(tmp_path: Path) -> Path:
    store = open_store(tmp_path / "data", create=True)
    store.write(synthetic_episode(1, steps=30, height=6, width=8, episode_id="e1"))
    store.write(replace(synthetic_episode(2, steps=30, height=6, width=8, episode_id="e2"), split="held_out"))
    store.write_marks([Mark("e1", "ann", 4, 1, False), Mark("e1", "robo", 9, -1, True), Mark("e1", "ann", 9, 1, False)])
    store.write_judgements([Judgement("e1", "bo", True, None, False)])
    return store.folder


@pytest.fixture
def console() -> Console:
    return Console(file=io.StringIO(), width=160)


def message(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_list(data: Path, console: Console) -> None:
    command.list_episodes(data, console=console)
    lines = message(console).splitlines()
    assert lines[1].split()[:4] == ["e1", "30", "0:08.0", "train"] and "please lift the" in lines[1]
    assert "1/1" in lines[1] and "+2 -1" in lines[1] and "+0 -0" in lines[2]
    assert lines[-1] == "2 episodes, 60 steps (0.00 hours), 3 marks by 1 person and 1 scripted rater"


def test_list_of_a_split_and_with_a_limit(data: Path, console: Console) -> None:
    command.list_episodes(data, split="held_out", console=console)
    assert " e2 " in message(console) and " e1 " not in message(console) and "1 episode, 30 steps" in message(console)
    command.list_episodes(str(data), limit=1, console=console)
    assert "... and 1 more" in message(console)
    with pytest.raises(UserError, match="limit is -1"):
        command.list_episodes(data, limit=-1, console=console)


def test_show_lists_events_in_order(data: Path, console: Console) -> None:
    command.show_episode(data, "e1", console=console)
    episode = open_store(data).read("e1")
    asked, success = episode.requests[0].step, episode.success_step[0]
    rows = [line.split(maxsplit=2) for line in message(console).splitlines()[4:]]
    assert [int(row[0]) for row in rows] == sorted(int(row[0]) for row in rows)
    happened = [(int(step), what) for step, _, what in rows]

    def at(step: int | None, *words: str) -> bool:
        return any(step == when and all(word in what for word in words) for when, what in happened)

    assert at(asked, "setter", "please lift the") and at(success, "succeeds in") and at(24, "co-pilot", "takes over")
    assert at(4, "rater ann ", "marks +1") and at(9, "rater robo (scripted)", "marks -1")
    assert at(29, "judge bo ", "judges it done") and at(
        success, "co-pilot" if (success or 0) >= 24 else "solver", "done"
    )


def test_contact_sheet(data: Path, tmp_path: Path, console: Console) -> None:
    command.show_episode(data, "e1", png=tmp_path / "sheet.png", console=console)
    sheet = np.asarray(Image.open(tmp_path / "sheet.png").convert("RGB"))
    episode = open_store(data).read("e1")
    assert (sheet[9 : 9 + 6 * 24 : 24, 9 : 9 + 8 * 24 : 24] == episode.image[0]).all()  # 24-fold, inside gap and border
    green = (sheet == (20, 150, 60)).all(axis=-1)
    assert green.any() and (sheet == (60, 100, 220)).all(axis=-1).any()
    with pytest.raises(UserError, match="nowhere/sheet.png cannot be written"):
        command.show_episode(data, "e1", png=tmp_path / "nowhere" / "sheet.png", console=console)


def test_a_picture_that_does_not_fit_on_the_disk_leaves_what_was_there(
    data: Path, tmp_path: Path, console: Console
) -> None:
    sheet, limits = tmp_path / "sheet.png", resource.getrlimit(resource.RLIMIT_FSIZE)
    for before in (None, b"another picture"):
        if before is not None:
            sheet.write_bytes(before)
        resource.setrlimit(resource.RLIMIT_FSIZE, (64, limits[1]))
        try:
            with pytest.raises(UserError, match="sheet.png cannot be written"):
                command.show_episode(data, "e1", sheet, console=console)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert (sheet.read_bytes() if sheet.exists() else None) == before
        assert [path for path in tmp_path.iterdir() if "sheet" in path.name] == ([sheet] if before else [])


def test_a_long_episode_is_sampled_evenly_with_all_its_marks() -> None:
    steps = chosen_steps(1125, [Mark("e", "ann", 501, 1, False)], frames=10)
    assert len(steps) == 11 and steps[0] == 0 and steps[-1] == 1124 and 501 in steps
    assert chosen_steps(3, []) == [0, 1, 2]


def test_verify(data: Path, console: Console) -> None:
    assert command.verify_dataset(data, console=console) == 0
    assert "2 episodes read, no problems" in message(console).replace("\n", "")
    (data / "steps" / "e1.parquet").write_bytes(b"")
    assert command.verify_dataset(data, console=console) == 1
    assert "steps/e1.parquet" in message(console) and "1 problem" in message(console)
    (data / "index.jsonl").unlink()
    with pytest.raises(UserError, match="--rebuild"):
        command.verify_dataset(data, console=console)
    assert command.verify_dataset(data, rebuild=True, console=console) == 1
    assert "index rebuilt: 1 episode found" in message(console) and open_store(data).ids() == ["e2"]


def test_merge(data: Path, tmp_path: Path, console: Console) -> None:
    for _ in range(2):
        command.merge_datasets(data, tmp_path / "all", console=console)
    assert "copied 2 episodes, 3 marks, 1 judgement" in message(console)
    assert "copied 0 episodes, 0 marks, 0 judgements" in message(console) and "2 episodes there already" in message(
        console
    )
    assert open_store(tmp_path / "all").ids() == ["e1", "e2"]
    with pytest.raises(UserError, match="no dataset at"):
        command.merge_datasets(tmp_path / "nowhere", tmp_path / "new", console=console)
    assert not (tmp_path / "new").exists()


def test_drop(data: Path, console: Console) -> None:
    command.drop_episodes(data, ["e1"], console=console)
    assert "dropped 1 episode with 3 marks and 1 judgement; 1 left" in message(console)
    command.drop_episodes(data, ["e1"], console=console)
    assert "dropped 0 episodes" in message(console) and "1 had been before; 1 left" in message(console)
    with pytest.raises(UserError, match="no episode e9"):
        command.drop_episodes(data, ["e1", "e9"], console=console)
    with pytest.raises(UserError, match="no episode to drop"):
        command.drop_episodes(data, [], console=console)


def test_other_preferences_are_shown_merged_and_dropped_with_their_episodes(
    data: Path, tmp_path: Path, console: Console
) -> None:
    pair = ClipPair("e1", 0, 2, "e2", 0, 2, "a", "ann", None, False)
    goal = InferredGoal("e1", 0, 2, '{"on_apple_table":2,"sit_sofa":1}', "bo", 9.0, False)
    open_store(data).write_preferences([pair, TakeOver("e1", 1, 2, "ann", False), goal])
    command.merge_datasets(data, tmp_path / "all", console=console)
    assert "copied 2 episodes, 3 marks, 1 judgement, 3 other preferences from" in message(console)
    command.show_episode(data, "e1", console=console)
    shown = " ".join(message(console).split())
    assert "rater ann compares clip a up to step 1 with step 0 on of e2: a" in shown
    assert "rater bo infers the goal on_apple_table 2, sit_sofa 1 from what is up to step 1" in shown
    command.drop_episodes(data, ["e1", "e2"], console=console)
    assert "3 marks and 1 judgement, and 3 other preferences; 0 left" in message(console)


def test_play_without_pictures(tmp_path: Path, console: Console) -> None:
    store = open_store(tmp_path / "data", create=True)
    store.write(synthetic_play(1, CONTINUOUS, 90, "e1"))
    command.list_episodes(store.folder, console=console)
    command.show_episode(store.folder, "e1", console=console)
    printed = message(console)
    assert "e1  " in printed and "0:22.5" in printed and "1 episode, 90 steps (0.01 hours)" in printed
    assert "scripted asks, agent:synthetic does, in synthetic (no pictures)" in printed
    command.show_episode(store.folder, "e1", tmp_path / "sheet.png", console)
    render(RenderConfig("e1", data=store.folder, out=tmp_path / "film.png"))
    assert all(Image.open(tmp_path / name).width > 320 for name in ("sheet.png", "film.png"))
    assert Datasets(store.folder).shown(listed(store, ".")).frames is None
    other = open_store(tmp_path / "other", create=True)
    other.write(synthetic_play(1, GREY, 2, "e1"))
    study = Datasets(tmp_path)
    assert study.readable() == ["data", "other"] and study.shown(listed(other, "other")).frames


def listed(store: ParquetStore, dataset: str) -> EpisodeRecord:
    return EpisodeRecord(episode_id="e1", fingerprint=store.fingerprints()["e1"], project=Project(dataset=dataset))
