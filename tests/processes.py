"""Processes for tests that send signals: forks of a server that has imported everything, so they start at once."""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import importlib
import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from multiprocessing import forkserver
from multiprocessing.connection import Connection, arbitrary_address
from pathlib import Path
from typing import Any

from pipelines.cli.main import VERBS, main
from rlhf.run import processes
from tests.patience import PATIENCE_SEC

_SERVER = multiprocessing.get_context("forkserver")
# What commands import, which tests alone need not have imported.
_MODULES = ("agents.acting", "agents.folder", "annotation.server.app", "pandas", "uvicorn.protocols.http.auto")
_TOUCHING = ("open", "os.mkdir", "os.rename", "os.remove")
_MOST_DESCRIPTORS = 256  # that a process of the tests has before its first test


def begin_server() -> None:
    """Fork the server off this process, which has imported what the tests need and has run no test yet.

    Later would not do: PyTorch computes no gradients in forks of a process that has.
    """
    for module in (*_MODULES, *(verb.module for verb in VERBS.values())):
        importlib.import_module(module)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address := arbitrary_address("AF_UNIX"))
        listener.listen()
        alive, kept_alive = os.pipe()
        child = os.fork()
        if child == 0:
            _serve(listener.fileno(), alive)
        os.close(alive)
    server: Any = forkserver._forkserver
    server._forkserver_address, server._forkserver_alive_fd, server._forkserver_pid = address, kept_alive, child


def _serve(listener: int, alive: int) -> None:
    try:
        faulthandler.disable()
        # Let go of such as the pipes of pytest-xdist. Their numbers stay taken: objects of this process still own
        # them, and would close whatever has the number by then, such as the event loop's of a command.
        nothing = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
        for number in {*range(3, _MOST_DESCRIPTORS)} - {listener, alive, nothing}:
            with contextlib.suppress(OSError):
                os.fstat(number)
                os.dup2(nothing, number, inheritable=False)
        forkserver.main(listener, alive, [])
    finally:
        os._exit(0)


class Forked:
    """A process that calls a function.

    Args:
      errors: a new file into which it writes its standard error.
      work: a function that returns the exit status.
      arguments: of ``work``.
    """

    def __init__(self, errors: Path, work: Callable[..., int], *arguments: Any) -> None:
        self._errors = errors
        self._process = _SERVER.Process(target=_run, args=(errors, work, *arguments), daemon=False)
        self._process.start()

    def status(self) -> int | None:
        """Return its exit status, if negative the signal that killed it; None while it runs."""
        return self._process.exitcode

    def kill(self, number: int = signal.SIGKILL) -> int:
        """Send it a signal, wait for its end, and return its exit status."""
        assert self._process.pid is not None
        os.kill(self._process.pid, number)
        return self.wait()

    def wait(self) -> int:
        """Wait for its end, and return its exit status."""
        self._process.join(PATIENCE_SEC)
        assert self._process.exitcode is not None, f"has not ended: {self.errors()}"
        return self._process.exitcode

    def errors(self) -> str:
        """Return its standard error so far."""
        return self._errors.read_text(encoding="utf-8") if self._errors.exists() else ""

    def succeed(self) -> None:
        """Wait for its end, which has to be a success."""
        assert self.wait() == 0, self.errors()


class Printing:
    """A process that calls a function and prints to a pipe, with the part of `subprocess.Popen` that tests use.

    Args:
      work: a function that returns the exit status; None is 0.
      arguments: of ``work``.
    """

    def __init__(self, work: Callable[..., int | None], *arguments: Any) -> None:
        reader, writer = _SERVER.Pipe(duplex=False)
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        self._process = _SERVER.Process(target=_print, args=(writer, environment, work, *arguments), daemon=False)
        self._process.start()
        writer.close()
        assert self._process.pid is not None
        self.pid: int = self._process.pid
        self.stdout = os.fdopen(os.dup(reader.fileno()), encoding="utf-8")
        reader.close()

    def kill(self) -> None:
        """Send it SIGKILL, if it has not ended."""
        self._process.kill()

    def wait(self) -> int:
        """Wait for its end, and return its exit status."""
        self._process.join(PATIENCE_SEC)
        assert self._process.exitcode is not None, "the process has not ended"
        return self._process.exitcode

    def communicate(self) -> str:
        """Wait for its end, and return the rest of what it printed."""
        with self.stdout:
            printed = self.stdout.read()
        self.wait()
        return printed


class ForkedWorker:
    """What :class:`rlhf.run.processes.Worker` starts, as a fork, with the part of `subprocess.Popen` that it uses.

    It ends with its parent, as the process does that takes its place outside tests.

    Args:
      connection: the worker's side of its pipe.
    """

    stdin = None

    def __init__(self, connection: Connection) -> None:
        outputs = [Connection(os.dup(number), readable=False) for number in (1, 2)]
        self._process = _SERVER.Process(target=_work, args=(connection, dict(os.environ), outputs), daemon=True)
        self._process.start()
        for output in outputs:
            output.close()
        assert self._process.pid is not None
        self.pid: int = self._process.pid

    @property
    def returncode(self) -> int | None:
        """Its exit status, if negative the signal that killed it; None while it runs."""
        return self._process.exitcode

    def kill(self) -> None:
        """Send it SIGKILL, if it has not ended."""
        self._process.kill()

    def wait(self, timeout_sec: float | None = None) -> int:
        """Wait for its end, and return its exit status."""
        self._process.join(timeout_sec)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired("a forked worker", timeout_sec or 0.0)
        return self._process.exitcode


def rlhf(folder: Path, *words: str) -> Forked:
    """Start the command `rlhf`.

    Args:
      folder: where its standard error is written.
      words: what is typed.
    """
    return Forked(_errors(folder), main, list(words))


def kill_rlhf(folder: Path, when: Callable[[], bool], later: int, *words: str) -> None:
    """Start the command `rlhf`, and wait until it is killed; see :func:`killed`.

    Args:
      folder: where its standard error is written.
      when: whether the moment has come.
      later: how many files it still touches then.
      words: what is typed.
    """
    process = Forked(_errors(folder), killed, when, later, main, list(words))
    assert process.wait() == -signal.SIGKILL, process.errors()


def killed(when: Callable[[], bool], later: int, work: Callable[..., int], *arguments: Any) -> int:
    """Call ``work`` in this process, which kills itself (``kill -9``) in the middle of it.

    Another process could come too late: while that waits for its turn on a busy machine, the work may end. So this one
    looks whether the moment has come whenever it is about to touch a file.

    Args:
      when: whether the moment has come, as far as files show it; only the process looks that was called.
      later: how many files it still opens, makes, renames or removes after that moment.
      work: what is done.
      arguments: of ``work``.
    """
    left, looking, process = later, False, os.getpid()

    def look(event: str, _: tuple[Any, ...]) -> None:
        nonlocal left, looking
        if event not in _TOUCHING or looking or os.getpid() != process:
            return
        looking = True
        if left < later or when():
            left -= 1
        if left < 0:
            os.kill(process, signal.SIGKILL)
        looking = False

    sys.addaudithook(look)
    return work(*arguments)


def _errors(folder: Path) -> Path:
    return folder / f"errors-{len(list(folder.glob('errors-*')))}"


def _work(connection: Connection, environment: dict[str, str], outputs: list[Connection]) -> None:
    _begin_fork()
    os.setsid()
    os.environ.clear()
    os.environ.update(environment)
    for number, output in enumerate(outputs, 1):
        os.dup2(output.fileno(), number)
        output.close()
    sys.stdout, sys.stderr = (open(number, "w", encoding="utf-8", closefd=False) for number in (1, 2))
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, name="end with parent", daemon=True).start()
    processes.run_given(connection)


def _begin_fork() -> None:
    gc.freeze()  # what was imported is no garbage, and stays shared with the other forks
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # Its workers are forks, too, of the same server: a fork would begin with one of its own.
    forkserver._forkserver.ensure_running = lambda: None
    processes.start_python = ForkedWorker


def _print(out: Connection, environment: dict[str, str], work: Callable[..., int | None], *arguments: Any) -> None:
    _begin_fork()
    os.environ.clear()
    os.environ.update(environment)
    os.dup2(out.fileno(), 1)
    out.close()
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)
    sys.exit(work(*arguments))


def _run(errors: Path, work: Callable[..., int], *arguments: Any) -> None:
    _begin_fork()
    os.dup2(os.open(errors, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666), 2)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.stderr = open(2, "w", encoding="utf-8", closefd=False)
    sys.exit(work(*arguments))
