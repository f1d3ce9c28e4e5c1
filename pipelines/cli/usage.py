"""Error of a wrong command line, in a module of its own as the parser is slow to import."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable

from worlds.errors import UserError


class UsageError(UserError):
    """No such command, preset or setting, or a value of the wrong kind. The command exits with status 2."""


def check_paths(words: Iterable[str]) -> None:
    """Check that no word is the path of a pipe, a socket or a device, of which some never end, or of an endless link.

    Raises:
      UsageError: naming the first; also for "NAME=PATH" and "KIND:PATH", and if the current folder is gone.
    """
    try:
        os.getcwd()
    except FileNotFoundError:
        raise UsageError("the current folder has been removed; change to another") from None
    for word in words:
        for path in {word, word.partition("=")[2], word.rpartition(":")[2]} - {""}:
            try:
                mode = os.stat(path).st_mode
            except ValueError:
                raise UsageError(f"{word!r} holds a character that no file's name can have") from None
            except OSError as error:
                if error.errno == errno.ELOOP:
                    raise UsageError(f"{path} is a link that leads back to itself; name a file or a folder") from None
                continue
            if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
                raise UsageError(f"{path} is a pipe, a socket or a device; name a file or a folder")
