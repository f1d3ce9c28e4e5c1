"""Errors in the code of worlds, as one line that names the world and the call."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType

from worlds.contract import WorldError
from worlds.errors import RunError, UserError, described
from worlds.foreign_code import witness

# Foreign code may raise anything, and may call sys.exit or os._exit (see :mod:`worlds.foreign_code.witness`).
FOREIGN = (Exception, SystemExit, GeneratorExit)


class EndsProcess(WorldError):
    """A world has tried to end the process, which played on."""


class NamedFailure:
    """Raises any error of the body of ``with`` as a WorldError, with the original error as its cause.

    It is entered several times a step, where a generator with ``contextlib`` would take three times as long.

    Args:
      doing: the call, e.g. "step 3 of episode play-7".

    Raises:
      WorldError: the body raises an exception; errors that are messages already pass as they are.
    """

    __slots__ = ("_doing", "_world")

    def __init__(self, world: str, doing: str) -> None:
        self._world, self._doing = world, doing

    def __enter__(self) -> None:
        witness.begin(self._world, self._doing)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        witness.end()
        if isinstance(error, FOREIGN) and not isinstance(error, (UserError, RunError)):
            message = f"world {self._world!r} fails at {self._doing}: {described(error)}; RLHF_DEBUG=1 shows where"
            raise (EndsProcess if isinstance(error, SystemExit) else WorldError)(message) from error


def named_failure(world: str, doing: str) -> NamedFailure:
    """Return a context in which errors of a world's code name the world and the call; see :class:`NamedFailure`."""
    return NamedFailure(world, doing)


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
