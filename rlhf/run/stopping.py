"""The end of a command that is asked to stop: SIGINT (Ctrl-C) and SIGTERM are handled alike.

The first signal raises :class:`Stopped` in the main thread. Inside :func:`between_updates` it is noted instead, and the
training saves a checkpoint after the update at hand. The second signal ends the process at once, which loses nothing
either: whatever is written to disk withstands ``kill -9``.

While a library is imported the signal is noted, too, and raised when that import is complete: libraries swallow what
interrupts them there, or turn it into an ImportError. Code of worlds is interrupted all the same, as it may never end.
An exception that is swallowed elsewhere is raised again where progress is shown.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType

from worlds.foreign_code import witness

SIGNALS = (signal.SIGINT, signal.SIGTERM)
# What `timeout` and some wrappers send twice is one request.
_SAME_REQUEST_SEC = 0.5
_LOOK_EVERY_SEC = 0.05  # while a module is imported
_SAY_AFTER_SEC = 2.0
_IMPORTING = "<frozen importlib."
_OURS = ("worlds", "agents", "rlhf", "annotation", "reward_models", "pipelines")


class Stopped(KeyboardInterrupt):
    """A signal has asked this process to end."""

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
        self._outside = len(list(_outwards(sys._getframe()))) - 3  # without this, stoppable and contextlib
        self._waits = self._again = False  # for an import to end; sent by the thread that waits for it

    def receive(self, number: int, frame: FrameType | None) -> None:
        """Handle the signal ``number``; see :func:`signal.signal`."""
        now = time.monotonic()
        if self._again:
            self._again = False
            if not self._imports(frame):
                self._waits = False
                if not self.deferred:
                    raise Stopped(self.number or number)
        elif self.number is None:
            self.number, self._since = number, now
            if self.deferred:
                _say("\nstopping after this update, with a checkpoint; a second signal ends at once\n")
            elif self._imports(frame):
                self._waits = True
                sys.meta_path.insert(0, self)  # type: ignore[arg-type]
                threading.Thread(target=self._send_again, args=(number,), name="stop", daemon=True).start()
            else:
                raise Stopped(number)
        elif now - self._since >= _SAME_REQUEST_SEC:
            _say("\nended at once\n")
            witness.dismiss()
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)

    def _imports(self, frame: FrameType | None) -> bool:
        """Return whether a library is being imported, further in than this was made, and not by code of a world."""
        frames = list(_outwards(frame))
        library = imports = False
        for each in frames[: max(0, len(frames) - self._outside)]:
            if each.f_code.co_filename.startswith(_IMPORTING):
                imports |= library
            elif each.f_code.co_name == "load_foreign":
                return False
            else:
                library |= str(each.f_globals.get("__name__")).partition(".")[0] not in _OURS
        return imports

    def _send_again(self, number: int) -> None:
        """Send the signal to the main thread, again and again, until no library is imported."""
        said = False
        while self._waits and _current is self:
            time.sleep(_LOOK_EVERY_SEC)
            if not said and time.monotonic() - self._since > _SAY_AFTER_SEC:
                said = True
                _say("\nstopping as soon as a package is imported; a second signal ends at once\n")
            if self._waits and not self._again:
                self._again = True
                signal.pthread_kill(_main_thread(), number)

    def find_spec(self, *_: object) -> None:
        """As the first finder of modules, while a signal waits: raise it between two imports of libraries."""
        if self._waits and _is_main_thread() and not self._imports(sys._getframe()):
            self._waits = False
            if not self.deferred:
                assert self.number is not None
                raise Stopped(self.number)

    def check(self) -> None:
        """Raise :class:`Stopped` again if a signal was received and something has swallowed the exception."""
        if self.number is not None and not self.deferred and not self._waits:
            raise Stopped(self.number)

    @property
    def requested(self) -> bool:
        """Return whether a signal has been received."""
        return self.number is not None


_current: Stop | None = None


@contextlib.contextmanager
def stoppable() -> Iterator[Stop]:
    """Handle SIGINT and SIGTERM while the block runs, as the module's docstring describes, if this is the main thread.

    A signal that was ignored before (``nohup``, a job in the background) stays ignored. The former handlers are back in
    place afterwards.
    """
    global _current
    if not _is_main_thread():
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
        if stop in sys.meta_path:
            sys.meta_path.remove(stop)  # type: ignore[arg-type]
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def between_updates() -> Iterator[Stop]:
    """While the block runs, a signal is only noted (:attr:`Stop.requested`): leave the block where it may end.

    Raises:
      Stopped: at the end of the block, if a signal was received.
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


def check() -> None:
    """Raise :class:`Stopped` again if something has swallowed it; called in the main thread where progress is shown."""
    if _current is not None and _is_main_thread():
        _current.check()


def _outwards(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def _is_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


def _main_thread() -> int:
    number = threading.main_thread().ident
    assert number is not None
    return number


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
