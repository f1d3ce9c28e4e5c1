"""`rlhf episodes ...` from the words of the command line to the dataset."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pipelines.cli.main import main
from rlhf.store import open_store
from rlhf.store.synthetic import synthetic_episode


@pytest.fixture
def data(tmp_path: Path) -> Path:
    store = open_store(tmp_path / "data", create=True)
    for number in range(3):
        store.write(synthetic_episode(number, steps=5, height=6, width=8, episode_id=f"e{number}"))
    return tmp_path / "data"


def test_drop_merge_and_verify(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["episodes", "merge", str(data), str(data.parent / "copy")]) == 0
    assert main(["episodes", "drop", str(data), "e0", "e2"]) == 0
    assert open_store(data).ids() == ["e1"]
    assert open_store(data.parent / "copy").ids() == ["e0", "e1", "e2"]
    assert main(["episodes", "verify", str(data), "--rebuild"]) == 0
    capsys.readouterr()


def test_a_command_whose_stderr_is_closed_does_its_work(data: Path) -> None:
    words = ["episodes", "compact", str(data)]
    code = f"import sys; from pipelines.cli.main import main; sys.exit(main({words!r}))"
    closed = ["sh", "-c", 'exec "$0" -c "$1" 2>&- <&-', sys.executable, code]
    assert subprocess.run(closed, stdout=subprocess.DEVNULL).returncode == 0
    assert len(list(data.glob("steps/*.parquet"))) == 1 and open_store(data).verify() == []


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["show", "DATA", "e9"], 1, "no episode e9 in"),
        (["list", "NOWHERE"], 1, "NOWHERE"),
        (["show", "DATA"], 2, "episode"),
        (["list"], 2, "data"),
        (["list", "DATA", "--limt=3"], 2, "no setting limt; did you mean limit?"),
        (["list", "DATA", "--data=x"], 2, "no setting data"),
    ],
)
def test_errors_are_one_line(
    data: Path, words: list[str], status: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [str(data) if word == "DATA" else word for word in words]
    assert main(["episodes", *words]) == status
    (line,) = capsys.readouterr().err.splitlines()
    assert message.lower() in line.lower()


def test_verify_of_a_damaged_dataset_fails(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for file in data.glob("steps/*.parquet"):
        file.write_bytes(file.read_bytes()[:-20])
    assert main(["episodes", "verify", str(data)]) == 1
    capsys.readouterr()


def test_compact_reports_the_files(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["episodes", "compact", str(data)]) == 0
    printed = capsys.readouterr()
    assert printed.out.endswith("3 episodes in 1 file, 3 before\n") and "gathering: 3 episodes" in printed.err
    assert main(["episodes", "compact", str(data), "--file-mb", "0"]) == 2
    assert "file-mb" in capsys.readouterr().err
    assert main(["episodes", "verify", str(data)]) == 0
