"""What a command prints about an error that the user can fix, and the status that it ends with."""

from __future__ import annotations

import errno
import os
import select
import sys

from pipelines.cli.usage import UsageError
from rlhf.run.stopping import Stopped
from worlds.errors import RunError, UserError, device_is_full, disk_is_full, resume_hint, shows_tracebacks

EXIT_FAILED, EXIT_USAGE, EXIT_INTERRUPTED = 1, 2, 130
EXIT_UNREAD = 141  # nobody reads what is reported: as of a process that SIGPIPE ends
_SMALLER = (
    "use a smaller batch or fewer slots, or set bf16 or checkpoint-activations of the settings `computing`, or end "
    "other programs that use it"
)


def explain(error: BaseException, kept: str) -> int:
    """Print one line about an error that the user can fix, and return the exit status. Bugs are raised again.

    With ``RLHF_DEBUG=1`` in the environment all errors are raised, with their tracebacks.

    Args:
      error: the error.
      kept: message about finished work.
    """
    if shows_tracebacks():
        raise error
    if isinstance(error, BrokenPipeError):  # the reader, e.g. `head`, has seen enough
        return _end_unread()
    kept = resume_hint(error) or kept
    if isinstance(error, KeyboardInterrupt):
        print(f"\nstopped; {kept}", file=sys.stderr)
        return error.status if isinstance(error, Stopped) else EXIT_INTERRUPTED
    print(f"error: {_line_about(error, kept)}", file=sys.stderr)
    return EXIT_USAGE if isinstance(error, UsageError) else EXIT_FAILED


def _end_unread() -> int:
    """Return the status of a command one of whose readers is gone, and print nothing more.

    Results go to stdout, at the end; what is reported on the way goes to stderr, and its lack of a reader ends a
    command early.
    """
    status = EXIT_UNREAD if _has_no_reader(sys.stderr.fileno()) else 0
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(nowhere, stream.fileno())
    return status


def _has_no_reader(descriptor: int) -> bool:
    waiting = select.poll()
    waiting.register(descriptor, 0)
    return any(event & (select.POLLERR | select.POLLHUP) for _, event in waiting.poll(0))


def _line_about(error: BaseException, kept: str) -> str:
    """Return the line. Raises ``error`` if it is a bug."""
    hinted = resume_hint(error)
    if disk_is_full(error):
        place = f" ({error.filename})" if isinstance(error, OSError) and error.filename else ""
        again = "" if hinted else " and run the command again"
        return f"the disk is full{place}; free some space{again}; {kept}"
    if isinstance(error, PermissionError) and error.filename:
        return f"no permission for {error.filename}; choose another folder or fix its permissions"
    if isinstance(error, UserError):
        return _one_line(error)
    if isinstance(error, MemoryError):
        reason = f" ({_one_line(error)})" if str(error) else ""
        return f"the memory is full{reason}; use smaller pictures, smaller batches or fewer slots; {kept}"
    if device_is_full(error):
        again = "" if hinted else ", and run the command again"
        return f"the GPU's memory is full; {_SMALLER}{again}; {kept}"
    if isinstance(error, (RunError, FloatingPointError)):  # the message is clearer than a traceback
        return f"{_one_line(error)}; {kept}; RLHF_DEBUG=1 shows the traceback"
    if isinstance(error, OSError) and error.errno == errno.ELOOP and error.filename:
        return f"{error.filename} is a link and is not followed; put a copy in its place, or remove it"
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror or type(error).__name__}"
    if isinstance(error, UnicodeEncodeError) and "\ud800" <= str(error.object)[error.start] <= "\udfff":
        return f"{ascii(error.object[error.start : error.start + 40])} is no text in UTF-8; if it is a name, rename it"
    if not isinstance(error, Exception):  # GeneratorExit, or a class of its own
        foreign = f"{type(error).__name__} {_one_line(error)}".rstrip()
        return f"code that the command ran has raised {foreign}; {kept}; RLHF_DEBUG=1 shows the traceback"
    raise error


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())
