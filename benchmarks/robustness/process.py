"""Forks of this process: all modules are imported, so they start fast and are safe to kill."""

from __future__ import annotations

import os
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn

_MORE_MEMORY = 6 * 2**30  # bytes of address space beyond this process's; larger allocations raise MemoryError
_POLL_SEC = 0.005


@dataclass(frozen=True)
class Ended:
    """Result of a process.

    Args:
      status: exit status; if negative, the signal that killed it.
      timed_out: True if it was killed after its time limit.
      interrupted: True if it was sent a signal after a while.
    """

    status: int
    out: str
    err: str
    timed_out: bool = False
    interrupted: bool = False


class Forked:
    """A fork of this process that runs ``work`` in its own session.

    Args:
      work: function that returns the exit status; an exception is printed with a traceback, and the status is 1.
      folder: its working directory, into which ``out`` and ``err`` are written.
    """

    def __init__(self, work: Callable[[], int], folder: Path) -> None:
        self._out, self._err = folder / ".out", folder / ".err"
        self._status: int | None = None
        self.pid = os.fork()
        if self.pid == 0:
            _be_the_child(work, folder, self._out, self._err)

    def running(self) -> bool:
        """Return True if it has not ended."""
        if self._status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self._status = os.waitstatus_to_exitcode(status) if pid else None
        return self._status is None

    def send(self, number: int) -> None:
        """Send a signal to it, not to the processes that it started."""
        if self.running():
            os.kill(self.pid, number)

    def wait(self, limit_sec: float) -> Ended:
        """Wait for its end; after the limit, kill it and all processes that it started."""
        until = time.monotonic() + limit_sec
        while self.running() and time.monotonic() < until:
            time.sleep(_POLL_SEC)
        timed_out = self.running()
        if timed_out:
            self.kill_session()
            while self.running():
                time.sleep(_POLL_SEC)
        assert self._status is not None
        out, err = (_text(path) for path in (self._out, self._err))
        return Ended(self._status, out, err, timed_out)

    def wait_or_send(self, patience_sec: float, number: int, limit_sec: float) -> Ended:
        """Wait for its end; if it has not ended after ``patience_sec``, send it a signal and wait again."""
        until = time.monotonic() + patience_sec
        while self.running() and time.monotonic() < until:
            time.sleep(_POLL_SEC)
        interrupted = self.running()
        self.send(number)
        return replace(self.wait(limit_sec), interrupted=interrupted)

    def left(self) -> list[int]:
        """Return the other living processes of its session."""
        return [pid for pid in _session(self.pid) if pid != self.pid]

    def left_after(self, limit_sec: float) -> list[int]:
        """Return the other living processes of its session after up to ``limit_sec`` for their end."""
        until = time.monotonic() + limit_sec
        while (left := self.left()) and time.monotonic() < until:
            time.sleep(0.05)
        return left

    def kill_session(self) -> None:
        """Kill it and all processes of its session with ``kill -9``."""
        for pid in _session(self.pid):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass


def forked(work: Callable[[], int], folder: Path, limit_sec: float = 120.0) -> Ended:
    """Run ``work`` in a process of its own and wait for its end."""
    process = Forked(work, folder)
    ended = process.wait(limit_sec)
    process.kill_session()
    return ended


def _be_the_child(work: Callable[[], int], folder: Path, out: Path, err: Path) -> NoReturn:
    status = 1
    try:
        os.setsid()
        os.chdir(folder)
        for number, path in ((0, Path(os.devnull)), (1, out), (2, err)):
            flags = os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT | os.O_TRUNC
            os.dup2(os.open(path, flags, 0o666), number)
        sys.stdin, sys.stdout, sys.stderr = (
            open(number, mode, encoding="utf-8", closefd=False) for number, mode in enumerate("rww")
        )
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        _limit_memory()
        status = work()
    except BaseException:
        traceback.print_exc()
    finally:
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(status & 0xFF)


def _text(path: Path) -> str:
    """Read ``path``; "" if its writer was killed before it created the file."""
    return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""


def _limit_memory() -> None:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    limit = pages * resource.getpagesize() + _MORE_MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.getrlimit(resource.RLIMIT_AS)[1]))


def _session(leader: int) -> list[int]:
    """Return the living processes of a session."""
    found = []
    for entry in os.scandir("/proc"):
        if not entry.name.isdigit():
            continue
        try:
            stat = Path(entry.path, "stat").read_text(encoding="utf-8", errors="replace")
        except OSError:  # it has just ended
            continue
        state, _, _, session = stat.rpartition(")")[2].split()[:4]
        if int(session) == leader and state not in "ZX":
            found.append(int(entry.name))
    return found
