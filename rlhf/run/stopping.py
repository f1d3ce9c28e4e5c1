"""The end of a command that is asked to stop: SIGINT (Ctrl-C) and SIGTERM are handled alike.

The first signal raises :class:`Stopped` in the main thread. Inside :func:`between_updates` it is noted instead, and the
training saves a checkpoint after the update at hand. The second signal ends the process at once, which loses nothing
either: whatever is written to disk withstands ``kill -9``.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

from rlhf.run.progress import announce
from worlds import witness

if TYPE_CHECKING:
    from rlhf.run.checkpoint import Checkpoint

SIGNALS = (signal.SIGINT, signal.SIGTERM)
# What `timeout` and some wrappers send twice is one request.
_SAME_REQUEST_SEC = 0.5


class Stopped(KeyboardInterrupt):
    """A signal has asked this process to end.

    Args:
      number: of the signal.
    """

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number

    @property
    def status(self) -> int:
        """The exit status of a command that ends because of it: 130 for SIGINT, 143 for SIGTERM."""
        return 128 + self.number


class Stop:
    """State of a request to end this process. Made by :func:`stoppable`."""

    def __init__(self) -> None:
        self.number: int | None = None
        self.deferred = False
        self._since = 0.0

    def receive(self, number: int, frame: FrameType | None) -> None:
        """Handle the signal ``number``; see :func:`signal.signal`."""
        now = time.monotonic()
        if self.number is None:
            self.number, self._since = number, now
            if not self.deferred:
                raise Stopped(number)
            _say("\nstopping after this update, with a checkpoint; a second signal ends at once\n")
        elif now - self._since >= _SAME_REQUEST_SEC:
            _say("\nended at once\n")
            witness.dismiss()
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)

    @property
    def requested(self) -> bool:
        """Return whether a signal has been received."""
        return self.number is not None

    def at_update(self, save: Callable[[], Checkpoint]) -> None:
        """Call this between two updates: it saves a checkpoint and ends the training if a signal has been received.

        Args:
          save: writes a checkpoint of the state between the updates and returns it.

        Raises:
          Stopped: if a signal has been received.
        """
        if self.requested:
            self.end(save())

    def end(self, kept: Checkpoint) -> NoReturn:
        """End the training, as a signal has asked for, and say that ``kept`` is its last checkpoint.

        Raises:
          Stopped: always.
        """
        assert self.number is not None
        announce(f"checkpoint of update {kept.step}: {kept.folder}")
        raise Stopped(self.number)


_current: Stop | None = None


@contextlib.contextmanager
def stoppable() -> Iterator[Stop]:
    """Handle SIGINT and SIGTERM while the block runs, as the module's docstring describes, if this is the main thread.

    A signal that was ignored before (``nohup``, a job in the background) stays ignored. The former handlers are back in
    place afterwards.
    """
    global _current
    if threading.current_thread() is not threading.main_thread():
        yield Stop()  # signals never reach this thread
        return
    if _current is not None:
        yield _current
        return
    _current = stop = Stop()
    before = _install(stop)
    try:
        yield stop
    finally:
        _current = None
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def between_updates() -> Iterator[Stop]:
    """While the block runs, a signal ends it only where it calls :meth:`Stop.at_update`, or at its end.

    Raises:
      Stopped: if a signal was received.
    """
    with stoppable() as stop:
        if stop is _current:
            _install(stop)  # importing Ray has put its own handler of SIGTERM in place
        stop.deferred = True
        try:
            yield stop
        finally:
            stop.deferred = False
        if stop.number is not None:
            raise Stopped(stop.number)


def _install(stop: Stop) -> dict[int, Callable | int]:
    """Have ``stop`` receive the signals; the handlers there were before."""
    before = {}
    for number in SIGNALS:
        if (handler := signal.getsignal(number)) not in (signal.SIG_IGN, None):
            before[number] = handler
            signal.signal(number, stop.receive)
    return before


def _say(text: str) -> None:
    """Write to standard error from a signal's handler, where ``print`` may be interrupted in itself."""
    with contextlib.suppress(OSError):
        os.write(2, text.encode())
