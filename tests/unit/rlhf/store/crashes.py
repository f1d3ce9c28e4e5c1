"""Processes that change a dataset and are killed before one of their system calls, and disks that fill up."""

from __future__ import annotations

import errno
import os
import shutil
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

from rlhf.store import ParquetStore, open_store
from tests.forked import forked
from worlds.errors import UserError

Change = Callable[[ParquetStore], object]
CALLS = ("write", "rename", "link", "unlink", "fsync")


def kills(folder: Path, change: Change, every: int = 1) -> Iterator[Path]:
    """Copies of a dataset whose ``change`` was killed before a system call, a later one in each; the last one's not."""
    for moment in count(1, every):
        copy = folder.parent / f"killed-{moment}"
        shutil.copytree(folder, copy)
        interrupted = killed(copy, change, moment)
        yield copy
        shutil.rmtree(copy)
        if not interrupted:
            break


@contextmanager
def at_call(moment: int, names: Sequence[str], act: Callable[[], object], after: bool = False) -> Iterator[list[str]]:
    """Have ``act`` done before, or after, call number ``moment`` of functions of ``os``; yield the calls so far."""
    calls: list[str] = []

    def counting(name: str, real: Callable) -> Callable:
        def call(*arguments: object) -> object:
            calls.append(name)
            if after:
                real(*arguments)
            if len(calls) == moment:
                act()
            return None if after else real(*arguments)

        return call

    with pytest.MonkeyPatch.context() as patch:
        for name in names:
            patch.setattr(os, name, counting(name, getattr(os, name)))
        yield calls


def killed(folder: Path, change: Change, moment: int) -> bool:
    """Change a dataset in a forked process that SIGKILL ends before its system call number ``moment``, from 1 on.

    Returns:
      Whether the process was killed; False where it made fewer calls.
    """

    def run() -> None:
        store = open_store(folder)
        with at_call(moment, CALLS, lambda: os.kill(os.getpid(), signal.SIGKILL)):
            change(store)

    status = forked(run)
    assert status in (0, -signal.SIGKILL)
    return status != 0


def full_disks(folder: Path, change: Change) -> Iterator[tuple[Path, str]]:
    """Copies of a dataset whose ``change`` found the disk full, a later write in each, and the errors; the last "".

    The last write that has room writes half of what it should.
    """
    write = os.write
    for allowed in count():
        copy, left, message = folder.parent / f"full-{allowed}", allowed, ""
        shutil.copytree(folder, copy)
        store = open_store(copy)

        def write_until_full(descriptor: int, data: memoryview) -> int:
            nonlocal left
            left -= 1
            if left < 0:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return write(descriptor, data[: max(1, len(data) // 2)] if left == 0 else data)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(os, "write", write_until_full)
            try:
                change(store)
            except UserError as error:
                message = str(error)
        yield copy, message
        shutil.rmtree(copy)
        if not message:
            break
