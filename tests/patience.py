"""Waits of tests for progress. The time limit only ends a test that would hang for ever."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

PATIENCE_SEC = 900.0  # other programs on the machine may make everything ten times slower
PATIENCE_MS = round(1000 * PATIENCE_SEC)


def until(condition: Callable[[], Any], what: str = "", pause_sec: float = 0.01) -> Any:
    """Return what ``condition`` returns as soon as that is true.

    Args:
      condition: function that is called until its result is true.
      what: description of the condition, for the message.
      pause_sec: seconds between two calls.

    Raises:
      AssertionError: if it is still false after ``PATIENCE_SEC``.
    """
    deadline = time.monotonic() + PATIENCE_SEC
    while not (found := condition()):
        assert time.monotonic() < deadline, f"still waiting for {what or condition}"
        time.sleep(pause_sec)
    return found
