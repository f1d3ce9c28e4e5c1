"""Errors in the code of worlds, as one line that names the world and the call."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from worlds.contract import WorldError
from worlds.errors import RunError, UserError

_LONGEST = 300  # characters of a foreign error's own message


@contextmanager
def named_failure(world: str, doing: str) -> Iterator[None]:
    """Raise any error of the body as a WorldError, with the original error as its cause.

    Args:
      world: the name of the world whose code runs in the body.
      doing: the call, e.g. "step 3 of episode play-7".

    Raises:
      WorldError: the body raises an exception; errors that are messages already pass as they are.
    """
    try:
        yield
    except (UserError, RunError):
        raise
    except Exception as error:  # foreign code may raise anything
        raise WorldError(f"world {world!r} fails at {doing}: {described(error)}; RLHF_DEBUG=1 shows where") from error


def described(error: BaseException) -> str:
    """Return the class and the message of ``error`` in one line."""
    message = " ".join(str(error).split())[:_LONGEST]
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


class OutOfTime(BaseException):
    """The time limit of a call has passed. No handler of ordinary errors in the call's own code catches it."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise :class:`OutOfTime` in the body once it has run for ``seconds``.

    A signal ends it, so the limit holds in the main thread only, and not in compiled code that never returns.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(*_: object) -> None:
        raise OutOfTime(f"no answer within {seconds:g} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
