"""What is known of a world whose code ends the process: a line that names the call.

Most ends can be prevented: ``sys.exit`` is an exception, and :func:`attend` makes ``os._exit`` one while a call of a
world is under way. A crash in native code, ``abort`` or a kill cannot. For these a second process, the witness, waits
for the end of this one, and prints the call that was under way. It costs a copy of some bytes a call.
"""

from __future__ import annotations

import itertools
import mmap
import os
import sys
import threading
from collections.abc import Sequence
from typing import NoReturn

from worlds.errors import visible

_BYTES, _THREADS = 512, 64  # of the text of one thread; threads with a text of their own
_places = itertools.count()
_really_exit = os._exit
_page: mmap.mmap | None = None  # shared with the witness
_attending: int | None = None  # the process that does
_left_to_parent = False

_WAIT = """
import os, select, sys
parent = int(sys.argv[1])
try:
    ended = [os.pidfd_open(parent)]
except (AttributeError, OSError):
    ended = []
while os.getppid() == parent and not select.select(ended, [], [], 0.5)[0]:
    pass
"""
_WITNESS = """
texts = [text for text in os.pread(int(sys.argv[2]), 1 << 20, 0).decode(errors="replace").split("\\0") if text]
if texts:
    print("error: the process has ended in " + ", or ".join(texts) + "; " + sys.argv[3], file=sys.stderr)
"""
_ADVICE = "the world's code has crashed or ended it, or it was killed; what was saved before is kept"


class _Calls(threading.local):
    """The calls under way in a thread, each within the one before it."""

    def __init__(self) -> None:
        self.texts: list[tuple[str, str]] = []
        self.start = next(_places) % _THREADS * _BYTES


_calls = _Calls()


def begin(world: str, doing: str) -> None:
    """Note that the call ``doing`` of a world begins, e.g. "step 3 of episode play-7"."""
    _calls.texts.append((world, doing))
    if _page is not None:
        _write(doing, world)


def end() -> None:
    """Note that the call that began last has ended."""
    texts = _calls.texts
    texts.pop()
    if _page is not None:
        if texts:
            _write(texts[-1][1], texts[-1][0])
        else:
            _page[_calls.start : _calls.start + _BYTES] = bytes(_BYTES)


def attend() -> None:
    """Have ends of this process in a call of a world named from now on; called before foreign code is loaded."""
    global _page, _attending
    if _attending == os.getpid():
        return
    _attending = os.getpid()
    os._exit = _exit
    if not _left_to_parent:
        _page = _watched_page()


def leave_to_parent() -> None:
    """Start no witness in this process: its parent reports how it ends."""
    global _left_to_parent
    _left_to_parent = True


def dismiss() -> None:
    """Have the end of this process, which is at hand, reported by nobody else."""
    if _page is not None:
        _page[:] = bytes(len(_page))


def after_end(code: str, *arguments: str, pass_fds: Sequence[int] = ()) -> None:
    """Start a process that runs ``code`` once this one has ended, however it does, by ``kill -9`` too.

    Args:
      arguments: passed on as ``sys.argv[2:]``.
    """
    import subprocess  # here, as most commands need none

    subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _WAIT + code, str(os.getpid()), *arguments],
        pass_fds=pass_fds, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip


def _write(doing: str, world: str) -> None:
    assert _page is not None
    text = visible(f"{doing} of world {world!r}").encode(errors="replace")[: _BYTES - 1]
    _page[_calls.start : _calls.start + _BYTES] = text.ljust(_BYTES, b"\0")


def _watched_page() -> mmap.mmap | None:
    """Start the witness; return what it reads, or None where the system has no room for either."""
    import tempfile

    try:
        with tempfile.TemporaryFile() as file:
            file.truncate(_BYTES * _THREADS)
            after_end(_WITNESS, str(file.fileno()), _ADVICE, pass_fds=[file.fileno()])
            return mmap.mmap(file.fileno(), 0)
    except OSError:
        return None


def _exit(status: int) -> NoReturn:
    """In place of ``os._exit``: an exception where a world calls it, as ``sys.exit`` is."""
    if _calls.texts and os.getpid() == _attending:
        raise SystemExit(f"os._exit({status})")
    _really_exit(status)


def _forget() -> None:
    """A fork has no witness."""
    global _page
    _page = None


os.register_at_fork(after_in_child=_forget)
