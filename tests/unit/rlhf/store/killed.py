"""Processes that change a dataset and are killed before one of their system calls."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

from rlhf.store import ParquetStore, open_store
from tests.forked import forked


def killed(folder: Path, change: Callable[[ParquetStore], object], moment: int) -> bool:
    """Run ``change`` in a forked process that SIGKILL ends before its system call number ``moment``.

    Args:
      folder: of the dataset.
      change: gets the dataset, opened in that process.
      moment: counted from 1 over calls of write, rename, link, unlink and fsync.

    Returns:
      Whether the process was killed; False where it made fewer calls.
    """
    calls = 0

    def dying(real: Callable) -> Callable:
        def call(*arguments: object) -> object:
            nonlocal calls
            calls += 1
            if calls == moment:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*arguments)

        return call

    def run() -> None:
        store = open_store(folder)
        for name in ("write", "rename", "link", "unlink", "fsync"):
            setattr(os, name, dying(getattr(os, name)))
        change(store)

    status = forked(run)
    assert status in (0, -signal.SIGKILL)
    return status != 0
