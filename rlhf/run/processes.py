"""Worker processes that end with their parent, however it ends.

A worker is a fresh Python that imports what it is given to do, and nothing of the script that started it: that needs no
``if __name__ == "__main__":``. It is in a session of its own, so Ctrl-C in a terminal reaches only its parent. Its
standard input is a pipe that is closed when the parent ends, by ``kill -9`` too.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import select
import signal
import subprocess
import sys
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from multiprocessing.connection import Connection, Pipe, wait
from typing import Any, Generic, TypeVar

from rlhf.run.terminal import guard_process
from worlds.errors import RunError
from worlds.foreign_code.witness import leave_to_parent

Item = TypeVar("Item")
Result = TypeVar("Result")

_LOOK_EVERY_SEC = 1.0
_PATIENCE_SEC = 5.0  # for a process that has closed its pipe to end


class Worker:
    """A process that runs ``function(connection, *given)``.

    Args:
      function: found by its name in a module, as pickle has it; so are the classes of what it is given.

    Attributes:
      connection: this side of the pipe whose other side ``function`` gets.
    """

    def __init__(self, function: Callable[..., None], *given: Any) -> None:
        self.connection, theirs = Pipe()
        with contextlib.closing(theirs):
            self._process = start_python(theirs)
        with contextlib.suppress(OSError):  # it may be dead already, which is noticed where its answer is waited for
            self.connection.send((function, given))

    @property
    def pid(self) -> int:
        """Of the process."""
        return self._process.pid

    def join(self, timeout_sec: float) -> bool:
        """Wait for the process to end; whether it has ended in time."""
        try:
            self._process.wait(timeout_sec)
        except subprocess.TimeoutExpired:
            return False
        return True

    def kill(self) -> None:
        """End the process at once; nothing happens where it has ended."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """End the process at once and close the pipes to it."""
        self.kill()
        self.connection.close()
        if self._process.stdin is not None:
            self._process.stdin.close()

    def ending(self) -> str:
        """Return how the process ended, e.g. "was killed by SIGKILL"; it has ended or ends at once."""
        if not self.join(_PATIENCE_SEC):
            return "closed its pipe"
        status = self._process.returncode
        if status >= 0:
            return f"ended with status {status}"
        name = signal.Signals(-status).name
        return f"was killed by {name}" + (", perhaps for lack of memory," if -status == signal.SIGKILL else "")


@dataclass(frozen=True)
class LastResult(Generic[Result]):
    """A result of a process that cannot go on, as one of its threads does not return; another one takes its place."""

    result: Result


def divide(
    begin: Callable[..., Callable[[Item], Result | LastResult[Result]]],
    given: tuple[Any, ...],
    items: Iterable[Item],
    workers: int,
    saying: Callable[[Item], str] = str,
    died: Callable[[Item, str], Result] | None = None,
) -> Iterator[Result]:
    """Yield a function's result for every item, computed in several processes, each as it is finished.

    Args:
      begin: called in every worker with ``given``; returns the function. A :class:`LastResult` of the function is the
        last of its worker.
      given: arguments of ``begin``.
      saying: returns what a worker does with an item, for messages: "playing episode 7".
      died: returns the result of an item at which a worker died, another of which takes its place; it is given a
        message that says how.

    Raises:
      RunError: if a worker is killed or dies, unless ``died`` is given; what others have finished is yielded before.
      Exception: what ``begin`` or the function raises.
    """
    waiting = iter(items)
    busy: dict[Connection, tuple[Worker, deque[Item]]] = {}
    with contextlib.ExitStack() as opened:
        # One more item for each than it works on, so that none waits for work and few results are in memory.
        def start(queue: deque[Item]) -> None:
            worker = Worker(_answer)
            opened.callback(worker.close)
            busy[worker.connection] = worker, queue
            for part in ((begin, given), *queue):
                _give(worker, part)

        while len(busy) < workers and (first := deque(islice(waiting, 1))):
            start(first)
        for worker, queue in busy.values():
            _give_next(worker, queue, waiting)
        while busy:
            for connection in wait(list(busy)):
                assert isinstance(connection, Connection)
                worker, queue = busy[connection]
                try:
                    result, failure = connection.recv()
                except (EOFError, OSError):
                    del busy[connection]
                    message = f"process {worker.pid} {worker.ending()} while {saying(queue[0])}"
                    if died is None:
                        yield from _finished(busy)
                        raise RunError(message) from None
                    worker.close()
                    lost = queue.popleft()
                    queue.extend(islice(waiting, 1))
                    if queue:
                        start(queue)
                    yield died(lost, message)
                    continue
                if failure is not None:
                    error, text = failure
                    raise error from _InWorker(text)
                queue.popleft()
                _give_next(worker, queue, waiting)
                if not queue or isinstance(result, LastResult):
                    del busy[connection]
                if isinstance(result, LastResult):
                    worker.close()
                    if queue:
                        start(queue)
                yield result.result if isinstance(result, LastResult) else result


def _give(worker: Worker, item: Any) -> None:
    with contextlib.suppress(OSError):  # it is dead, which is noticed where its answer is waited for
        worker.connection.send(item)


def _give_next(worker: Worker, queue: deque[Any], waiting: Iterator[Any]) -> None:
    for item in islice(waiting, 1):
        queue.append(item)
        _give(worker, item)


def _finished(busy: Iterable[Connection]) -> Iterator[Any]:
    """Results that lie ready in the pipes."""
    for connection in busy:
        with contextlib.suppress(EOFError, OSError):
            while connection.poll():
                result, failure = connection.recv()
                if failure is None:
                    yield result.result if isinstance(result, LastResult) else result


def _answer(connection: Connection) -> None:
    """In a worker: turn every item that comes into a pair of result and failure (an error and its traceback)."""
    try:
        begin, given = connection.recv()
        function = begin(*given)
        while True:
            result = function(connection.recv())
            connection.send((result, None))
            if isinstance(result, LastResult):
                os._exit(0)  # not by way of the thread that does not return
    except (EOFError, BrokenPipeError):
        return  # the parent has closed the pipe
    except BaseException as error:
        connection.send((None, _portable(error)))


class _InWorker(Exception):
    """The traceback of an error in a worker, shown as its cause."""


def _portable(error: BaseException) -> tuple[Exception, str]:
    """Return ``error`` for another process, or its text if it cannot be pickled, and its traceback."""
    text = "".join(traceback.format_exception(error))
    try:
        same = pickle.loads(pickle.dumps(error))
        if isinstance(same, Exception):
            return same, text
    except Exception:  # whatever an exception's own pickling may raise
        pass
    return RunError(f"{type(error).__name__}: {error}"), text


def start_python(connection: Connection) -> subprocess.Popen[bytes]:
    """Start a Python that runs what comes through a connection and ends with this process."""
    code = f"from rlhf.run.processes import serve; serve({connection.fileno()}, {os.getpid()})"
    return subprocess.Popen(
        [sys.executable, "-P", "-c", code],
        stdin=subprocess.PIPE, pass_fds=(connection.fileno(),), start_new_session=True, env=_environment(),
    )  # fmt: skip


def serve(descriptor: int, parent: int) -> None:
    """In a worker: run what the process ``parent`` sends through the pipe ``descriptor``, and end with that process."""
    end_with(parent, sys.stdin.fileno())
    run_given(Connection(descriptor))


def run_given(connection: Connection) -> None:
    """In a worker: receive a function and its arguments, and call it with the connection before them."""
    guard_process()
    leave_to_parent()
    function, given = connection.recv()
    function(connection, *given)


def end_with(parent: int, lifeline: int | None = None) -> None:
    """End this process when the process ``parent``, which started it, has ended.

    Args:
      lifeline: a descriptor that is at its end then, if there is one; without it the end is noticed within a second.
    """

    def watch() -> None:
        while os.getppid() == parent:
            ready, _, _ = select.select([] if lifeline is None else [lifeline], [], [], _LOOK_EVERY_SEC)
            if ready and lifeline is not None and not os.read(lifeline, 1):
                break
        os._exit(1)

    threading.Thread(target=watch, name="end with parent", daemon=True).start()


def _environment() -> dict[str, str]:
    """The environment of a process that is to find the modules that this one finds."""
    return os.environ | {"PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path)}
