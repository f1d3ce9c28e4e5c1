"""Refusal of named pipes in place of files: to open one waits, perhaps forever, for another program."""

from __future__ import annotations

import functools
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from worlds.errors import UserError

_commands = 0  # that run now in this process


@contextmanager
def without_pipes() -> Iterator[None]:
    """While inside, have Python refuse to open a named pipe, wherever it lies, e.g. in a dataset from elsewhere.

    Raises:
      UserError: naming it, from whatever opens it.
    """
    global _commands
    _watch()
    _commands += 1
    try:
        yield
    finally:
        _commands -= 1


@functools.cache
def _watch() -> None:
    sys.addaudithook(_refuse_pipe)  # a hook cannot be removed


def _refuse_pipe(event: str, details: tuple[Any, ...]) -> None:
    if event != "open" or not _commands or not isinstance(path := details[0], (str, bytes)):
        return
    try:
        is_pipe = stat.S_ISFIFO(os.stat(path).st_mode)
    except (OSError, ValueError):
        return
    if is_pipe:
        raise UserError(f"{os.fsdecode(path)} is a pipe, not a file; put the file there")
