"""Workers end with their parent, and one that dies is named with what it was at."""

from __future__ import annotations

import functools
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from rlhf.run import machine
from rlhf.run.processes import Worker, divide
from tests.patience import PATIENCE_SEC, until
from worlds.errors import RunError

# What a worker computes here is Python's ``eval`` of a text.
EVAL = (functools.partial, (eval,))
KILLED = "__import__('os').kill(__import__('os').getpid(), 9)"


def test_every_item_is_computed_once_and_results_come_as_they_are_finished() -> None:
    items = ["__import__('time').sleep(1.5) or 'slow'", *(f"{number} + 1" for number in range(7))]
    results = list(divide(*EVAL, items, workers=2))
    assert sorted(map(str, results)) == sorted([*map(str, range(1, 8)), "slow"])
    assert results[0] == 1
    assert list(divide(*EVAL, [], workers=2)) == []


def test_a_killed_worker_is_named_with_its_signal_and_item_and_what_is_finished_is_kept() -> None:
    finished = []
    with pytest.raises(RunError) as caught:
        for result in divide(*EVAL, ["1", "2", "3", KILLED, "5"], 1, lambda item: f"computing {item[:13]}"):
            finished.append(result)
    assert finished == [1, 2, 3]
    message = str(caught.value)
    assert "was killed by SIGKILL" in message and "\n" not in message
    assert message.endswith("while computing __import__('o")


def test_an_error_in_a_worker_is_raised_here_with_its_traceback() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        list(divide(*EVAL, ["1 / 0"], workers=2))
    assert 'File "<string>", line 1' in str(caught.value.__cause__)
    with pytest.raises(TypeError):
        list(divide(functools.partial, (), ["1"], workers=2))


def test_workers_end_when_their_results_are_closed() -> None:
    results = divide(*EVAL, ["__import__('os').getpid()", *["__import__('time').sleep(1000)"] * 3], workers=2)
    pid = next(results)
    results.close()
    await_end(pid)


PARENT = """
import functools, os, sys, time
from pathlib import Path
from rlhf.run.processes import divide
busy = "open(%r + str(__import__('os').getpid()), 'w').close() or __import__('time').sleep(1000)" % (sys.argv[1] + "/")
for _ in divide(functools.partial, (eval,), [busy] * 4, workers=2):
    pass
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT], ids=lambda number: number.name)
@pytest.mark.parametrize("started", [False, True])
def test_workers_end_with_their_parent(number: signal.Signals, started: bool, tmp_path: Path) -> None:
    """They do so however it ends, and while they start: a signal to all processes of a terminal leaves no traceback."""
    words = [sys.executable, "-c", PARENT, str(tmp_path)]
    parent = subprocess.Popen(words, stderr=subprocess.PIPE, text=True, start_new_session=True)
    pids = await_workers(tmp_path) if started else await_children(parent.pid)
    os.killpg(parent.pid, number)
    message = parent.communicate(timeout=PATIENCE_SEC)[1]  # the pipe is closed by all
    for pid in pids:
        await_end(pid)
    assert message.count("Traceback") == (number == signal.SIGINT)  # the parent's own


def await_workers(folder: Path) -> list[int]:
    """Process ids of the two workers, each of which has made a file of that name."""
    until(lambda: len(list(folder.iterdir())) == 2, "the start of two workers")
    return [int(path.name) for path in folder.iterdir()]


def await_children(pid: int) -> list[int]:
    """Process ids of a process's two children as soon as they are there."""
    while True:
        listed = subprocess.run(["ps", "-o", "pid=,ppid=", "-A"], capture_output=True, text=True, check=True).stdout
        pairs = [line.split() for line in listed.splitlines()]
        if len(found := [int(child) for child, parent in pairs if int(parent) == pid]) == 2:
            return found


def await_end(pid: int) -> None:
    """Wait until no such process runs."""

    def ended() -> bool:
        state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True).stdout.strip()
        return not state or state.startswith("Z")

    until(ended, f"the end of process {pid}")


def test_a_worker_hears_no_signal_of_the_terminal() -> None:
    worker = Worker(_echo)
    try:
        assert os.getsid(worker.pid) == worker.pid != os.getsid(0)
        worker.connection.send("here")
        assert worker.connection.recv() == "here"
    finally:
        worker.close()
    worker.close()


def _echo(connection) -> None:
    connection.send(connection.recv())


@pytest.mark.parametrize(("cores", "processes", "threads"), [(1, 1, 1), (6, 6, 6), (16, 16, 8), (128, 16, 8)])
def test_one_process_a_core_plays_but_few_enough_for_the_memory(
    monkeypatch: pytest.MonkeyPatch, cores: int, processes: int, threads: int
) -> None:
    monkeypatch.setattr(machine, "usable_cores", lambda: cores)
    assert (machine.playing_processes(), machine.playing_threads()) == (processes, threads)
    assert (machine.playing_processes(40), machine.playing_threads(40)) == (40, 40)


STUCK = (
    "__import__('threading').Thread(target=__import__('time').sleep, args=(10_000,)).start() or "
    "__import__('rlhf.run.processes', fromlist=['LastResult']).LastResult(__import__('os').getpid())"
)


def test_a_worker_that_cannot_go_on_is_replaced_and_no_item_is_lost() -> None:
    pid = "__import__('os').getpid()"
    results = list(divide(*EVAL, [pid, pid, STUCK, pid, pid, STUCK, pid], workers=1))
    assert len(results) == 7 and len(set(results)) == 3
    assert results[0] == results[2] != results[3] == results[5] != results[6]
