"""`rlhf episodes ...`: what the commands print, and what they do to the dataset."""

from __future__ import annotations

import io
import resource
import subprocess
import sys
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
from pipelines.cli.main import main
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


def printed(console: Console) -> str:
    """What was printed since the last call."""
    assert isinstance(console.file, io.StringIO)
    text = console.file.getvalue()
    console.file = io.StringIO()
    return text


def test_list(data: Path, console: Console) -> None:
    command.list_episodes(data, console=console)
    lines = printed(console).splitlines()
    assert lines[1].split()[:4] == ["e1", "30", "0:08.0", "train"] and "please lift the" in lines[1]
    assert "1/1" in lines[1] and "+2 -1" in lines[1] and "+0 -0" in lines[2]
    assert lines[-1] == "2 episodes, 60 steps (0.00 hours), 3 marks by 1 person and 1 scripted rater"
    command.list_episodes(data, split="held_out", console=console)
    text = printed(console)
    assert " e2 " in text and " e1 " not in text and "1 episode, 30 steps" in text
    command.list_episodes(str(data), limit=1, console=console)
    assert "... and 1 more" in printed(console)
    with pytest.raises(UserError, match="limit is -1"):
        command.list_episodes(data, limit=-1, console=console)


def test_show_lists_events_in_order(data: Path, console: Console) -> None:
    command.show_episode(data, "e1", console=console)
    episode = open_store(data).read("e1")
    asked, success = episode.requests[0].step, episode.success_step[0]
    rows = [line.split(maxsplit=2) for line in printed(console).splitlines()[4:]]
    assert [int(row[0]) for row in rows] == sorted(int(row[0]) for row in rows)
    happened = [(int(step), what) for step, _, what in rows]

    def at(step: int | None, *words: str) -> bool:
        return any(step == when and all(word in what for word in words) for when, what in happened)

    assert at(asked, "setter", "please lift the") and at(success, "succeeds in") and at(24, "co-pilot", "takes over")
    assert at(4, "rater ann ", "marks +1") and at(9, "rater robo (scripted)", "marks -1")
    assert at(29, "judge bo ", "judges it done")


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
    sheet.write_bytes(b"another picture")
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, limits[1]))
    try:
        with pytest.raises(UserError, match="sheet.png cannot be written"):
            command.show_episode(data, "e1", sheet, console=console)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert sheet.read_bytes() == b"another picture" and len(list(tmp_path.iterdir())) == 2


def test_a_long_episode_is_sampled_evenly_with_all_its_marks() -> None:
    steps = chosen_steps(1125, [Mark("e", "ann", 501, 1, False)], frames=10)
    assert len(steps) == 11 and steps[0] == 0 and steps[-1] == 1124 and 501 in steps
    assert chosen_steps(3, []) == [0, 1, 2]


def test_verify(data: Path, console: Console) -> None:
    assert command.verify_dataset(data, console=console) == 0
    assert "2 episodes read, no problems" in printed(console).replace("\n", "")
    (data / "steps" / "e1.parquet").write_bytes(b"")
    assert command.verify_dataset(data, console=console) == 1
    text = printed(console)
    assert "steps/e1.parquet" in text and "1 problem" in text
    (data / "index.jsonl").unlink()
    with pytest.raises(UserError, match="--rebuild"):
        command.verify_dataset(data, console=console)
    assert main(["episodes", "verify", str(data), "--rebuild"]) == 1
    assert open_store(data).ids() == ["e2"]


def test_merge_and_drop_take_preferences_along(data: Path, tmp_path: Path, console: Console) -> None:
    pair = ClipPair("e1", 0, 2, "e2", 0, 2, "a", "ann", None, False)
    goal = InferredGoal("e1", 0, 2, '{"on_apple_table":2,"sit_sofa":1}', "bo", 9.0, False)
    open_store(data).write_preferences([pair, TakeOver("e1", 1, 2, "ann", False), goal])
    command.merge_datasets(data, tmp_path / "all", console=console)
    assert "copied 2 episodes, 3 marks, 1 judgement, 3 other preferences from" in printed(console)
    command.merge_datasets(data, tmp_path / "all", console=console)
    text = printed(console)
    assert "copied 0 episodes, 0 marks, 0 judgements" in text and "2 episodes there already" in text
    with pytest.raises(UserError, match="no dataset at"):
        command.merge_datasets(tmp_path / "nowhere", tmp_path / "new", console=console)
    assert not (tmp_path / "new").exists()
    command.show_episode(data, "e1", console=console)
    shown = " ".join(printed(console).split())
    assert "rater ann compares clip a up to step 1 with step 0 on of e2: a" in shown
    assert "rater bo infers the goal on_apple_table 2, sit_sofa 1 from what is up to step 1" in shown
    for wrong, line in ((["e1", "e9"], "no episode e9"), ([], "no episode to drop")):
        with pytest.raises(UserError, match=line):
            command.drop_episodes(data, wrong, console=console)
    command.drop_episodes(data, ["e1"], console=console)
    assert "3 marks and 1 judgement, and 3 other preferences; 1 left" in printed(console)
    command.drop_episodes(data, ["e1"], console=console)
    text = printed(console)
    assert "dropped 0 episodes" in text and "1 had been before; 1 left" in text
    assert (open_store(data).ids(), open_store(tmp_path / "all").ids()) == (["e2"], ["e1", "e2"])


def test_compact_reports_the_files(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["episodes", "compact", str(data)]) == 0
    found = capsys.readouterr()
    assert found.out.endswith("2 episodes in 1 file, 2 before\n") and "gathering: 2 episodes" in found.err
    assert main(["episodes", "verify", str(data)]) == 0


def test_a_command_whose_stderr_is_closed_does_its_work(data: Path) -> None:
    code = f"import sys; from pipelines.cli.main import main; sys.exit(main(['episodes', 'compact', {str(data)!r}]))"
    closed = ["sh", "-c", 'exec "$0" -c "$1" 2>&- <&-', sys.executable, code]
    assert subprocess.run(closed, stdout=subprocess.DEVNULL).returncode == 0
    assert len(list(data.glob("steps/*.parquet"))) == 1 and open_store(data).verify() == []


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        ("show DATA e9", 1, "no episode e9 in"),
        ("list nowhere", 1, "no dataset at nowhere"),
        ("list DATA --limit -1", 2, "--limit is at least 0, not -1"),
        ("compact DATA --file-mb 0", 2, "file-mb"),
    ],
)
def test_errors_are_one_line(
    data: Path, words: str, status: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["episodes", *words.replace("DATA", str(data)).split()]) == status
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line


def test_play_without_pictures(tmp_path: Path, console: Console) -> None:
    store = open_store(tmp_path / "data", create=True)
    store.write(synthetic_play(1, CONTINUOUS, 90, "e1"))
    command.list_episodes(store.folder, console=console)
    command.show_episode(store.folder, "e1", console=console)
    text = printed(console)
    assert "e1  " in text and "0:22.5" in text and "1 episode, 90 steps (0.01 hours)" in text
    assert "scripted asks, agent:synthetic does, in synthetic (no pictures)" in text
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
