"""Signals end a process in order: at once where nothing is lost, after the update at hand where something would be."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rlhf.run.stopping import Stopped, between_updates, stoppable
from tests.patience import PATIENCE_SEC

COMMAND = """
import sys, time
from pathlib import Path
from types import SimpleNamespace
from pipelines.cli import main as cli
from rlhf.run.stopping import between_updates

def save():
    Path(sys.argv[1], "saved").touch()
    return SimpleNamespace(step=3, folder="step-3")

def play(stop=None):
    Path(sys.argv[1], "at work").touch()
    while True:
        time.sleep(0.01)
        if sys.argv[2] == "training":
            stop.at_update(save)

def begin(config):
    if sys.argv[2] == "playing":
        play()
    with between_updates() as stop:
        play(stop)

cli.run = lambda verb, words: begin(None)
sys.exit(cli.main(["record"]))
"""


def begin(folder: Path, how: str) -> subprocess.Popen[str]:
    """A command that is at work when this returns."""
    process = subprocess.Popen([sys.executable, "-c", COMMAND, str(folder), how], stderr=subprocess.PIPE, text=True)
    while not (folder / "at work").exists():
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.01)
    return process


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("how", ["playing", "training"])
def test_a_signal_ends_a_command_in_one_line(number: int, status: int, how: str, tmp_path: Path) -> None:
    process = begin(tmp_path, how)
    process.send_signal(number)
    message = process.communicate(timeout=PATIENCE_SEC)[1]
    assert process.returncode == status, message
    assert (
        message.splitlines()[-1]
        == "stopped; every finished episode is kept in the dataset; the same command records the rest"
    )
    assert "Traceback" not in message
    assert (tmp_path / "saved").exists() == ("checkpoint of update 3: step-3" in message) == (how == "training")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_second_signal_ends_at_once(number: int, tmp_path: Path) -> None:
    process = begin(tmp_path, "stubborn")
    while process.poll() is None:
        process.send_signal(number)
        time.sleep(0.05)
    message = process.communicate()[1]
    assert process.returncode == -number and message.split("\n")[1:4:2] == [
        "stopping after this update, with a checkpoint; a second signal ends at once",
        "ended at once",
    ]


def test_handlers_are_back_in_place_and_what_was_ignored_stays_ignored() -> None:
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN), signal.getsignal(signal.SIGINT)
    try:
        with stoppable():
            assert signal.getsignal(signal.SIGTERM) == signal.SIG_IGN
            assert signal.getsignal(signal.SIGINT) != before[1]
        assert signal.getsignal(signal.SIGINT) == before[1]
    finally:
        signal.signal(signal.SIGTERM, before[0])


def test_a_signal_during_the_last_update_is_not_lost() -> None:
    with pytest.raises(Stopped, match="SIGTERM") as caught, between_updates():
        signal.raise_signal(signal.SIGTERM)
    assert caught.value.status == 143
