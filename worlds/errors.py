"""Errors whose messages are written for people. Imports nothing heavy."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator


class UserError(Exception):
    """Bad input. The message is one line that names the file or setting and the fix; the command line
    prints it without a traceback and exits with a non-zero status."""


class RunError(RuntimeError):
    """A run that has failed. The message says what failed and where; the command line prints it as one line."""


def check_utf8(path: object) -> None:
    """Check a path that is written into text, or opened by a library that takes no other names.

    Raises:
      UserError: if it is not in UTF-8.
    """
    try:
        str(path).encode()
    except UnicodeEncodeError:
        raise UserError(f"the name of {path} is not in UTF-8; rename it") from None


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """Yield ``error`` and its causes, one after another."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def disk_is_full(error: BaseException) -> bool:
    """Return True if a full disk, quota or limit caused ``error``. Libraries wrap it; some keep only its text."""
    texts = ("No space left on device", "os error 28", "disk is full", "PytorchStreamWriter failed writing")
    return any(
        (isinstance(link, OSError) and link.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG))
        or any(text in str(link) for text in texts)
        for link in chain(error)
    )


def device_is_full(error: BaseException) -> bool:
    """Return True if a GPU without free memory caused ``error``: by the class's name, as PyTorch is slow to import.

    Ray's errors have the name of the class that they pass on in theirs, and one of its own is about other memory.
    """
    return any(
        any(name in type(link).__name__ for name in ("OutOfMemoryError", "AcceleratorError"))
        and "CUDA" in str(link)
        and "out of memory" in str(link)
        for link in chain(error)
    )


_HINT = "_resume_hint"


def set_resume_hint(error: BaseException, hint: str) -> None:
    """Note on ``error`` how to resume the run that it ended; an enclosing run overwrites the note.

    Args:
      hint: what is kept and the command that resumes, e.g. "resume with: rlhf clone --resume runs/clone".
    """
    setattr(error, _HINT, hint)


def resume_hint(error: BaseException) -> str | None:
    """Return the note of :func:`set_resume_hint` on ``error``; None without one."""
    return getattr(error, _HINT, None)


def shows_tracebacks() -> bool:
    """Return True if errors are raised with their tracebacks instead of being reported in one line: RLHF_DEBUG=1."""
    return os.environ.get("RLHF_DEBUG", "") not in ("", "0")
