"""Signals end a process in order: at once where nothing is lost, after the update at hand where something would be."""

from __future__ import annotations

import os
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
from pipelines.cli import main as cli
from rlhf.run.progress import bar
from rlhf.run.stopping import between_updates

def work(stop=None):
    Path(sys.argv[1], "at work").touch()
    while True:
        time.sleep(0.01)
        if sys.argv[2] == "training" and stop.requested:
            return Path(sys.argv[1], "saved").touch()

def begin(config):
    match sys.argv[2]:
        case "playing":
            work()
        case "training" | "stubborn":
            with between_updates() as stop:
                work(stop)
        case "importing":
            import greedy
        case "swallowing":
            try:
                work()
            except BaseException:
                pass
    with bar("playing") as shown:
        for _ in range(6000):
            time.sleep(0.01)
            shown.advance()

cli.run = lambda verb, words: begin(None)
sys.exit(cli.main(["record"]))
"""
GREEDY = """
import time
from pathlib import Path
try:
    Path({0!r}).touch()
    time.sleep(0.5)
except BaseException as error:
    {1}
"""
STOPPED = "stopped; every finished episode is kept in the dataset; the same command records the rest"


def begin(folder: Path, how: str) -> subprocess.Popen[str]:
    """A command that is at work when this returns."""
    process = subprocess.Popen([sys.executable, "-c", COMMAND, str(folder), how], stderr=subprocess.PIPE, text=True)
    while not (folder / "at work").exists():
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.01)
    return process


@pytest.mark.parametrize(
    ("number", "status", "how", "then"),
    [
        (signal.SIGINT, 130, "training", ""),
        (signal.SIGTERM, 143, "playing", ""),
        (signal.SIGINT, 130, "importing", "pass"),
        (signal.SIGTERM, 143, "importing", "raise ImportError('it fails to import') from None"),
        (signal.SIGTERM, 143, "swallowing", ""),
    ],
)
def test_a_signal_ends_a_command_in_one_line_also_if_it_is_swallowed(
    number: int, status: int, how: str, then: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "greedy.py").write_text(GREEDY.format(str(tmp_path / "at work"), then))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", os.getcwd())]))
    process = begin(tmp_path, how)
    process.send_signal(number)
    message = process.communicate(timeout=PATIENCE_SEC)[1]
    assert process.returncode == status and "Traceback" not in message, message
    assert message.splitlines()[-1] == STOPPED
    assert (tmp_path / "saved").exists() == (how == "training")


EARLY = """
import os, signal, sys
sys.argv[0] = "rlhf"

class Interrupting:  # what is imported
    def find_spec(self, name, *_):
        if name == {0!r}:
            os.kill(os.getpid(), {1})

sys.meta_path.insert(0, Interrupting())
from pipelines.cli.main import main
main(["--version"])
"""


@pytest.mark.parametrize(
    ("number", "status", "name"), [(signal.SIGINT, 130, "difflib"), (signal.SIGTERM, 143, "rlhf.run.stopping")]
)
def test_a_signal_before_anything_is_at_work_ends_quietly(number: int, status: int, name: str) -> None:
    code = EARLY.format(name, int(number))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE_SEC)
    assert done.returncode == status and not done.stderr, done.stderr


def test_a_second_signal_ends_at_once(tmp_path: Path) -> None:
    process = begin(tmp_path, "stubborn")
    while process.poll() is None:
        process.send_signal(signal.SIGINT)
        time.sleep(0.05)
    message = process.communicate()[1]
    assert process.returncode == -signal.SIGINT and message.split("\n")[1:4:2] == [
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
