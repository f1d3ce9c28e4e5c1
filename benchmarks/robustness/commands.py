"""The ``rlhf`` command in a process of its own, and checks of its end."""

from __future__ import annotations

import importlib
from functools import cache
from pathlib import Path

from benchmarks.robustness.process import Ended, Forked, forked
from pipelines.cli.main import VERBS, main

LIMIT_SEC = 120.0


@cache
def import_commands() -> None:
    """Import what the commands import, so that forks of this process need not."""
    for module in {verb.module for verb in VERBS.values()} | {
        "agents.acting",
        "agents.folder",
        "worlds.playhouse.world",
    }:
        importlib.import_module(module)


def begin(folder: Path, *words: object) -> Forked:
    """Start `rlhf` with ``words`` in ``folder``."""
    typed = [str(word) for word in words]
    return Forked(lambda: main(typed), folder)


def rlhf(folder: Path, *words: object, limit_sec: float = LIMIT_SEC) -> Ended:
    """Run `rlhf` with ``words`` in ``folder`` and wait for its end."""
    typed = [str(word) for word in words]
    return forked(lambda: main(typed), folder, limit_sec)


def fault(ended: Ended, *, must_fail: bool = False, speaks: bool = True) -> str | None:
    """Describe the fault in a command's end; None if there is none.

    An exit status of 0 is no fault, nor another one with exactly one line that begins with "error: ". A traceback, a
    death by a signal and a command that does not end are faults.

    Args:
      must_fail: True if status 0 is a fault.
      speaks: True if a failing command must print the reason on standard error; `episodes verify` prints it on standard
        output.
    """
    if ended.timed_out:
        return "does not end"
    if "Traceback (most recent call last)" in ended.err:
        last = [line for line in ended.err.splitlines() if line.strip()][-1]
        return f"traceback: {last[:200]}"
    if ended.status < 0:
        return f"killed by signal {-ended.status}"
    errors = [line for line in ended.err.splitlines() if line.startswith("error: ")]
    if ended.status == 0:
        return "succeeds" if must_fail else None
    if speaks and len(errors) != 1:
        return f"exits with {ended.status} and {len(errors)} lines of error: {ended.err[-200:]!r}"
    if errors and ended.err.splitlines()[-1] != errors[-1]:
        return f"prints more after its error: {ended.err.splitlines()[-1][:200]!r}"
    return None
