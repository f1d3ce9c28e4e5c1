"""A process that has everything imported already, because it is a fork of this one: cheap to start and safe to kill."""

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

_MORE_MEMORY = 6 * 2**30  # bytes of addresses beyond those of this process: what asks for more gets a MemoryError
_POLL_SEC = 0.005


@dataclass(frozen=True)
class Ended:
    """How a process ended.

    Args:
      status: its exit status; negative, the signal that killed it.
      out, err: what it wrote.
      timed_out: whether it was killed because it would not end.
      interrupted: whether it was sent a signal because it was at work for long.
    """

    status: int
    out: str
    err: str
    timed_out: bool = False
    interrupted: bool = False


class Forked:
    """A fork of this process that does ``work`` in a session of its own.

    Args:
      work: its return value is the exit status; what it raises is printed with a traceback, and the status is 1.
      folder: where ``out`` and ``err`` are written; its working directory.
    """

    def __init__(self, work: Callable[[], int], folder: Path) -> None:
        self._out, self._err = folder / ".out", folder / ".err"
        self._status: int | None = None
        self.pid = os.fork()
        if self.pid == 0:
            _be_the_child(work, folder, self._out, self._err)

    def running(self) -> bool:
        """Whether it has not ended yet."""
        if self._status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self._status = os.waitstatus_to_exitcode(status) if pid else None
        return self._status is None

    def send(self, number: int) -> None:
        """Send a signal to it, not to the processes that it started."""
        if self.running():
            os.kill(self.pid, number)

    def wait(self, limit_sec: float) -> Ended:
        """Wait for it to end; where it does not, it and all that it started are killed."""
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
        """Wait for its end; where it is still at work after ``patience_sec``, send it a signal and wait further."""
        until = time.monotonic() + patience_sec
        while self.running() and time.monotonic() < until:
            time.sleep(_POLL_SEC)
        interrupted = self.running()
        self.send(number)
        return replace(self.wait(limit_sec), interrupted=interrupted)

    def left(self) -> list[int]:
        """Processes of its session that are alive, itself not among them."""
        return [pid for pid in _session(self.pid) if pid != self.pid]

    def left_after(self, limit_sec: float) -> list[int]:
        """The same, once they have had so much time to notice that it has gone."""
        until = time.monotonic() + limit_sec
        while (left := self.left()) and time.monotonic() < until:
            time.sleep(0.05)
        return left

    def kill_session(self) -> None:
        """``kill -9`` of it and of every process that it started."""
        for pid in _session(self.pid):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass


def forked(work: Callable[[], int], folder: Path, limit_sec: float = 120.0) -> Ended:
    """Do ``work`` in a process of its own and wait for its end."""
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
    """What was written to ``path``; nothing if its writer was killed before it made the file."""
    return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""


def _limit_memory() -> None:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    limit = pages * resource.getpagesize() + _MORE_MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.getrlimit(resource.RLIMIT_AS)[1]))


def _session(leader: int) -> list[int]:
    """Living processes of a session."""
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
