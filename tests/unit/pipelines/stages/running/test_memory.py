"""Memory of a batch or of pictures that do not fit: refused before it begins, with the numbers and a size that fits."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pipelines.cli.main import main
from pipelines.stages.running import memory
from pipelines.stages.running.memory import check_memory
from rlhf.records.preferences import ClipPair
from rlhf.store import open_store
from tests.unit.pipelines.stages.small_training import Complaint
from worlds.errors import UserError

GIB = 2**30


@pytest.mark.parametrize(
    ("command", "setting"),
    [
        ("clone", "--training.batch"),
        ("reward", "--training.batch"),
        ("refine --training.method=kto", "--training.batch"),
        ("improve --world.height=12 --world.width=16", "--slots"),
        ("refine --training.method=kto", "--training.windows"),
        ("refine --training.method=apo", "--training.windows"),
        ("refine --training.method=cpl", "--training.windows"),
        ("reward --training.cut-weight=1 --training.steps=2 --training.batch=2", "--training.preferences.batch"),
    ],
)
def test_a_batch_that_does_not_fit_is_refused_with_one_that_does(
    command: str, setting: str, made: Path, tmp_path: Path, complaint: Complaint
) -> None:
    agent = [] if command == "clone" else [f"--agent={made / 'clone' / 'agent'}"]
    words = [*command.split(), f"--data={made / 'data'}", f"--runs={tmp_path}", *agent, "--wandb=disabled"]
    line = complaint(*words, f"{setting}=10000000")
    assert line.startswith(f"error: {setting} 10000000 needs about ") and "GiB are usable" in line
    assert 1 <= int(line.rpartition(f"{setting} ")[2].removesuffix(" fits")) < 10_000_000
    assert not (tmp_path / words[0]).exists()


def test_stretches_of_preferences_count(
    made: Path, tmp_path: Path, complaint: Complaint, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(made / "data", tmp_path / "data")
    store = open_store(tmp_path / "data")
    names = store.ids()
    store.write_preferences(
        ClipPair(one, 0, 6, other, number, 6, "a", "ann", None, True)
        for number in range(5)
        for one in names
        for other in names
        if one != other
    )
    monkeypatch.setattr(memory, "usable_memory", lambda: GIB // 10)
    monkeypatch.setattr(memory, "_PROGRAM", 0)
    words = ["reward", f"--data={store.folder}", f"--agent={made / 'clone' / 'agent'}", f"--runs={tmp_path}"]
    words += ["--wandb=disabled", "--training.updates=1", "--training.steps=10", "--training.batch=2"]
    words += ["--training.preferences.clip-pairs=1", "--training.preferences.batch"]
    line = complaint(*words, "150")
    assert line.startswith("error: --training.preferences.batch 150 needs about 0.2 GiB of ")
    assert "0.1 GiB are usable; --training.preferences.batch " in line
    fits = line.removesuffix(" fits").rpartition(" ")[2]
    assert not (tmp_path / "reward").exists()
    assert main([*words, fits]) == 0, "it is what fits"


def test_batches_that_cannot_fit_are_refused_and_doubtful_ones_warned_of(capsys: pytest.CaptureFixture[str]) -> None:
    check_memory("--batch", 4, lambda batch: batch * GIB, 4 * GIB)
    assert capsys.readouterr().err == ""
    check_memory("--batch", 5, lambda batch: batch * GIB, 4 * GIB)
    assert "needs about 5.0 GiB of memory, 4.0 GiB are usable; it may not fit" in capsys.readouterr().err
    with pytest.raises(UserError, match="about 7.0 GiB.*4.0 GiB are usable; --batch 4 fits"):
        check_memory("--batch", 7, lambda batch: batch * GIB, 4 * GIB)
    with pytest.raises(UserError, match="even --batch 1 does not fit"):
        check_memory("--batch", 7, lambda batch: batch * GIB, GIB // 2)


def test_pictures_that_do_not_fit_are_refused(tmp_path: Path, complaint: Complaint) -> None:
    line = complaint("record", f"--data={tmp_path / 'data'}", "--world.width=100000", "--world.height=100000")
    assert "pixels are in memory at once and need" in line and "GiB are usable" in line
    assert not (tmp_path / "data").exists()
