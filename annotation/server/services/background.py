"""Background work: a thread does it whenever it is woken, and again after an error."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from worlds.errors import UserError

RETRY_SEC = 30.0

_log = logging.getLogger("rlhf.serve")


class Background:
    """A thread that does ``work`` when it is started and each time that it is woken.

    Args:
      waits: begins the log's line when the work fails: what has to wait for it.

    Attributes:
      trouble: why the work last failed; "" if it did not.
    """

    def __init__(self, work: Callable[[], object], name: str, waits: str) -> None:
        self._do, self._name, self._waits = work, name, waits
        self._wanted = threading.Event()
        self._ending, self._doing = False, threading.Lock()
        self._thread: threading.Thread | None = None
        self.trouble = ""

    def start(self) -> None:
        """Start the thread, with what an earlier server left to do."""
        self._thread = threading.Thread(target=self._work, name=self._name, daemon=True)
        self._wanted.set()
        self._thread.start()

    def wake(self) -> None:
        """Have the work done, as there is something new."""
        self._wanted.set()

    def now(self) -> None:
        """Have the work done before this returns; what fails is tried again later."""
        self._once()
        if self.trouble:
            self.wake()

    def stop(self) -> None:
        """Stop the thread when the work under way is done."""
        self._ending = True
        self._wanted.set()
        if self._thread is not None:
            self._thread.join()

    def _work(self) -> None:
        while not self._ending:
            self._wanted.wait(timeout=RETRY_SEC if self.trouble else None)
            self._wanted.clear()
            self._once()

    def _once(self) -> None:
        with self._doing:
            try:
                self._do()
                self.trouble = ""
            except UserError as error:
                self._complain(str(error))
            except Exception as error:  # the thread must survive; the work is tried again
                self._complain(f"{type(error).__name__}: {error}")

    def _complain(self, trouble: str) -> None:
        if trouble != self.trouble:
            _log.warning("%s: %s", self._waits, trouble)
        self.trouble = trouble
