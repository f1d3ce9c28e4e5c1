"""Processes for tests that send signals: forks of a server that has imported everything, so they start at once."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pipelines.cli.main import VERBS, main
from tests.patience import PATIENCE_SEC

# A fork of the tests' own process would not do: PyTorch computes no gradients in forks of a process that has.
_SERVER = multiprocessing.get_context("forkserver")
_SERVER.set_forkserver_preload([__name__, "agents.acting", "agents.folder", *{verb.module for verb in VERBS.values()}])


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


def rlhf(folder: Path, *words: str) -> Forked:
    """Start the command `rlhf`.

    Args:
      folder: where its standard error is written.
      words: what is typed.
    """
    return Forked(folder / f"errors-{len(list(folder.glob('errors-*')))}", main, list(words))


def _run(errors: Path, work: Callable[..., int], *arguments: Any) -> None:
    os.dup2(os.open(errors, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666), 2)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.stderr = open(2, "w", encoding="utf-8", closefd=False)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit(work(*arguments))
