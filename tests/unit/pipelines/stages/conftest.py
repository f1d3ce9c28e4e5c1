"""Commands of tests: they compute in one thread, leave warnings as they were, and fail with one line."""

from __future__ import annotations

import shutil
import warnings
from pathlib import Path

import pytest
import torch

from pipelines.cli.main import main
from tests.unit.pipelines.stages.small_training import Complaint, in_turns, recorded, typed

PROGRESS = ("cloning", "learning", "training", "words")


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    torch.set_num_threads(1)
    monkeypatch.setattr(warnings, "formatwarning", warnings.formatwarning)  # which ``main`` sets


@pytest.fixture
def complaint(capsys: pytest.CaptureFixture[str]) -> Complaint:
    """Run a command that is refused, and return its one line."""

    def run(*words: object) -> str:
        capsys.readouterr()
        assert main([str(word) for word in words]) in (1, 2)
        lines = capsys.readouterr().err.splitlines()
        lines = [line for line in lines if not line.startswith(PROGRESS) and not line.endswith("streamed")]
        assert len(lines) == 1 and lines[0].startswith("error: "), lines
        return lines[0]

    return run


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with a marked dataset ``data`` and the runs ``clone`` and ``reward``, which nobody changes."""
    torch.set_num_threads(1)
    here = tmp_path_factory.mktemp("made")
    recorded(here / "data", in_turns())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(warnings, "formatwarning", warnings.formatwarning)
        assert main(typed("clone", here, here)) == main(typed("reward", here, here)) == 0
    return here


@pytest.fixture
def copied(made: Path, tmp_path: Path) -> Path:
    """A copy of all that, to be damaged."""
    return Path(shutil.copytree(made, tmp_path / "copied"))
