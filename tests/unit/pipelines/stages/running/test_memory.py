"""Memory of a batch or of pictures that do not fit: refused before it begins, with the numbers and a size that fits."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pipelines.cli.main import main
from pipelines.stages.running import memory
from pipelines.stages.running.memory import check_memory, largest
from rlhf.records.marks import Mark
from rlhf.records.preferences import ClipPair
from rlhf.store import open_store
from rlhf.store.synthetic import synthetic_episode
from worlds.errors import UserError

GIB = 2**30


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with a marked dataset and a cloned agent."""
    here = tmp_path_factory.mktemp("made")
    store = open_store(here / "data", create=True)
    for number in range(6):
        played = synthetic_episode(number, 6, 12, 16)
        store.write(replace(played, solver="scripted", controller=np.zeros(6, np.uint8)))
    store.write_marks(Mark(name, "ann", 3, 1 - 2 * (n % 2), True) for n, name in enumerate(store.ids()))
    small = ["--wandb=disabled", "--training.updates=1", "--training.steps=2", "--training.batch=2"]
    assert main(["clone", f"--data={store.folder}", f"--runs={here}", *small]) == 0
    return here


@pytest.mark.parametrize("verb", ["clone", "reward", "refine", "improve"])
def test_a_batch_that_does_not_fit_is_refused_with_one_that_does(
    verb: str, made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    setting = "--slots" if verb == "improve" else "--training.batch"
    agent = [] if verb == "clone" else [f"--agent={made / 'clone' / 'agent'}"]
    world = ["--world.height=12", "--world.width=16"] if verb == "improve" else []
    method = ["--training.method=kto"] if verb == "refine" else []
    capsys.readouterr()
    words = [verb, f"--data={made / 'data'}", f"--runs={tmp_path}", *agent, *world, *method, "--wandb=disabled"]
    assert main([*words, f"{setting}=1000000"]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1 and lines[0].startswith(f"error: {setting} 1000000 needs about ")
    assert "GiB are usable" in lines[0]
    fits = int(lines[0].rpartition(f"{setting} ")[2].removesuffix(" fits"))
    assert 1 <= fits < 1_000_000
    assert not (tmp_path / verb).exists()


def test_stretches_of_preferences_count(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
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
    capsys.readouterr()
    words = ["reward", f"--data={store.folder}", f"--agent={made / 'clone' / 'agent'}", f"--runs={tmp_path}"]
    words += ["--wandb=disabled", "--training.updates=1", "--training.steps=10", "--training.batch=2"]
    words += ["--training.preferences.clip-pairs=1", "--training.preferences.batch"]
    assert main([*words, "150"]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1 and lines[0].startswith("error: --training.preferences.batch 150 needs about 0.2 GiB of ")
    assert "0.1 GiB are usable; --training.preferences.batch " in lines[0]
    fits = lines[0].removesuffix(" fits").rpartition(" ")[2]
    assert not (tmp_path / "reward").exists()
    assert main([*words, fits]) == 0, "it is what fits"


@pytest.mark.parametrize("method", ["kto", "apo", "cpl"])
def test_windows_before_marks_count(
    method: str, made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    words = ["refine", f"--data={made / 'data'}", f"--runs={tmp_path}", f"--agent={made / 'clone' / 'agent'}"]
    assert main([*words, "--wandb=disabled", f"--training.method={method}", "--training.windows=1000000"]) == 1
    told = capsys.readouterr().err
    assert "--training.windows 1000000 needs about " in told and "GiB are usable" in told
    fits = int(told.splitlines()[-1].rpartition("--training.windows ")[2].removesuffix(" fits"))
    assert 1 <= fits < 1_000_000


def test_pairs_of_requests_count(made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    words = ["reward", f"--data={made / 'data'}", f"--runs={tmp_path}", f"--agent={made / 'clone' / 'agent'}"]
    words += ["--wandb=disabled", "--training.steps=2", "--training.batch=2", "--training.preferences.batch=10000000"]
    assert main([*words, "--training.cut-weight=1"]) == 1
    assert "error: --training.preferences.batch 10000000 needs about " in capsys.readouterr().err


def test_batches_that_cannot_fit_are_refused_and_doubtful_ones_warned_of(capsys: pytest.CaptureFixture[str]) -> None:
    check_memory("--batch", 4, lambda batch: batch * GIB, 4 * GIB)
    assert capsys.readouterr().err == ""
    check_memory("--batch", 5, lambda batch: batch * GIB, 4 * GIB)
    assert "needs about 5.0 GiB of memory, 4.0 GiB are usable; it may not fit" in capsys.readouterr().err
    with pytest.raises(UserError, match="about 7.0 GiB.*4.0 GiB are usable; --batch 4 fits"):
        check_memory("--batch", 7, lambda batch: batch * GIB, 4 * GIB)
    with pytest.raises(UserError, match="even --batch 1 does not fit"):
        check_memory("--batch", 7, lambda batch: batch * GIB, GIB // 2)


def test_the_largest_that_fits() -> None:
    assert [largest(most.__ge__, 10) for most in (0, 1, 9, 10, 20)] == [0, 1, 9, 10, 10]


@pytest.mark.parametrize("size", ["--world.height=100000", "--world.height=1000000000"])
def test_pictures_that_do_not_fit_are_refused(size: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["record", f"--data={tmp_path / 'data'}", "--episodes=1", "--world.width=100000", size]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1 and "pixels are in memory at once and need" in lines[0] and "GiB are usable" in lines[0]
    assert not (tmp_path / "data").exists()
