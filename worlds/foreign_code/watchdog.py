"""Calls of a world's code that may take only so long, on any thread, at the cost of two dictionary writes a call.

One daemon thread looks four times a second at the calls under way; nothing else happens while they return in time. A
call that has outlasted its limit gets an exception, which the interpreter raises at the next line of Python that the
call runs: a loop without end, or one that sleeps and tries again, is left, and the caller plays on.

Why not otherwise: a process or a thread for every world costs a hand-over a step, more than the step of a small world;
a signal is handled in the main thread only, where no pool of slots steps its worlds.

An exception cannot end a native call that does not return to Python, such as ``time.sleep(1e6)`` or a lock that nobody
releases. No thread can be ended from outside, and Python waits for it at its exit, so the process is ended with one
line, as by ``kill -9``. Everything on disk is written so that this loses no episode, result or checkpoint of before.

Not covered is compiled code that holds the interpreter's lock and never returns, e.g. an endless loop under
``numba.njit`` without ``nogil``: no thread of Python runs then, this one neither.

Time is counted in looks, not by a clock: a process that was stopped (Ctrl-Z) for an hour has not hung.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import NoReturn, TypeVar

from worlds.contract import WorldError
from worlds.errors import shows_tracebacks
from worlds.foreign_code import witness
from worlds.foreign_code.faults import OutOfTime

__all__ = ["NoAnswer", "call_within", "limit_unless_debugging", "load_foreign"]

T = TypeVar("T")

SETTING = "--step-limit-sec"
LOOK_EVERY_SEC = 0.25
LOAD_LIMIT_SEC = 120.0  # of importing a file or package of a world; large ones take half a minute
GRACE_SEC = 10.0  # that a call gets to end once it was interrupted, e.g. to close what it has opened


class NoAnswer(WorldError):
    """A call of a world has outlasted its limit. The message names the world and the call."""


class _Call:
    """A call under way. The watchdog writes ``waited_sec``, ``sending`` and ``sent``; the calling thread the rest."""

    __slots__ = ("doing", "ended", "hint", "limit_sec", "sending", "sent", "thread", "waited_sec", "world")

    def __init__(self, world: str, doing: str, limit_sec: float, hint: str) -> None:
        self.world, self.doing, self.limit_sec, self.hint = world, doing, limit_sec, hint
        self.thread, self.waited_sec = threading.get_ident(), 0.0
        self.ended = self.sending = self.sent = False

    def no_answer(self) -> str:
        """Return the message about the call, once it has outlasted its limit."""
        return f"world {self.world!r} fails at {self.doing}: no answer within {self.limit_sec:g} s{self.hint}"

    def end(self) -> None:
        """Note that the call has returned or raised. Raises OutOfTime if it was interrupted, however it ended.

        After this nothing is raised in this thread any more. Only one of two threads runs at a time: either the
        watchdog sees ``ended`` and leaves the call alone, or this sees ``sending`` and waits for its decision.
        """
        self.ended = True
        while self.sending:
            time.sleep(0)
        if self.sent:
            _raise_in(self.thread, None)  # not yet raised, or caught by the call's own code
            raise OutOfTime


_calls: dict[int, _Call] = {}  # by thread
_watchdog: threading.Thread | None = None
_starting = threading.Lock()


def call_within(
    limit_sec: float | None, world: str, doing: str, call: Callable[[], T], hint: str = f" ({SETTING})"
) -> T:
    """Return the result of ``call``, a call of a world's code, and interrupt it once it outlasts its limit.

    Args:
      limit_sec: seconds that the call may take; None sets no limit.
      doing: the call, e.g. "step 3 of episode play-7".

    Raises:
      NoAnswer: it has taken longer.
    """
    if limit_sec is None:
        return call()
    if _watchdog is None:
        _start()
    watched = _Call(world, doing, limit_sec, hint)
    try:
        _calls[watched.thread] = watched
        try:
            return call()
        finally:
            watched.end()
    except OutOfTime:
        raise NoAnswer(watched.no_answer()) from None
    finally:
        _calls.pop(watched.thread, None)


def load_foreign(what: str, load: Callable[[], T]) -> T:
    """Return the result of ``load``, which imports the code of a world; the code may also hang or end the process.

    Raises:
      NoAnswer: the import takes too long.
    """
    witness.attend()
    hint = "; put what takes longer into the class that it defines"
    witness.begin(what, "the import")
    try:
        return call_within(limit_unless_debugging(LOAD_LIMIT_SEC), what, "its import", load, hint)
    finally:
        witness.end()


def limit_unless_debugging(limit_sec: float) -> float | None:
    """Return the limit; None with RLHF_DEBUG=1, as a world that a debugger has stopped has not hung."""
    return None if shows_tracebacks() else limit_sec


def _start() -> None:
    global _watchdog
    with _starting:
        if _watchdog is None:
            _watchdog = threading.Thread(target=_watch, name="watchdog", daemon=True)
            _watchdog.start()


def _forget() -> None:
    """Leave calls and watchdog to the process that this one was forked from: a fork has one thread."""
    global _watchdog
    _watchdog = None
    _calls.clear()


os.register_at_fork(after_in_child=_forget)


def _watch() -> None:
    while True:
        time.sleep(LOOK_EVERY_SEC)
        for call in list(_calls.values()):
            call.waited_sec += LOOK_EVERY_SEC
            if call.waited_sec > call.limit_sec and not call.sent:
                _interrupt(call)
            elif call.waited_sec > call.limit_sec + GRACE_SEC and not call.ended:
                _end_process(call)


def _interrupt(call: _Call) -> None:
    """Raise OutOfTime in the call's thread, unless the call has just ended."""
    call.sending = True
    if not call.ended:
        _raise_in(call.thread, OutOfTime)
        call.sent = True
    call.sending = False


def _raise_in(thread: int, error: type[BaseException] | None) -> None:
    """Raise ``error`` in a thread at its next line of Python; None takes back what is not raised yet."""
    raised = ctypes.py_object() if error is None else ctypes.py_object(error)  # without an object: NULL
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), raised)


def _end_process(call: _Call) -> NoReturn:
    print(
        f"error: {call.no_answer()}, in a call that cannot be interrupted (native code, a long sleep or a lock), so "
        "the command ends; give that call a time limit of its own; what was saved before is kept",
        file=sys.stderr, flush=True,
    )  # fmt: skip
    witness.dismiss()
    os._exit(1)
