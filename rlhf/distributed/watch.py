"""Watch over runners in other processes: which deliver, which died and why, and when the run gives up.

Plain Python: nothing here needs Ray.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from rlhf.learning.local_executor import RunStalled
from rlhf.replay.slot import EpisodeResult
from worlds.errors import RunError


class WorkerDied(RunError):
    """A worker of a distributed run has failed for good. The message names it and its exception.

    Its ``__cause__`` shows the traceback as it was in the other process.
    """


class RunStalledOnRay(RunStalled):
    """A distributed run that makes no progress; the message names the workers that are waited for."""


class RemoteTraceback(Exception):
    """The traceback of an exception in another process, as text."""

    def __str__(self) -> str:
        return "\n" + self.args[0]


@dataclass(frozen=True)
class Failure:
    """An exception in another process. ``error``: its type and message, on one line."""

    error: str
    traceback: str

    @classmethod
    def of(cls, error: BaseException) -> Failure:
        """Return the failure that ``error`` is."""
        message = " ".join(str(error).split())
        text = f"{type(error).__name__}: {message}" if message else type(error).__name__
        return cls(text, "".join(traceback.format_exception(error)))


@dataclass(frozen=True)
class Delivery:
    """Report of a runner beside a fragment, or instead of one.

    Args:
      runner: its number, from 1.
      process: where it runs, e.g. "process 4711 on node-a".
      actor: Ray's id of it.
      failure: why there is no fragment and will be none.
    """

    runner: int
    process: str
    actor: str
    results: tuple[EpisodeResult, ...] = ()
    notices: tuple[str, ...] = ()
    failure: Failure | None = None


class Watch:
    """State of the runners of one run.

    Args:
      stall_sec: seconds of silence after which a runner is reported, and without an update after which the run ends.
      replacements: how often one runner is replaced at most.
      clock: seconds, for tests.
    """

    def __init__(
        self, runners: int, stall_sec: float, replacements: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._stall_sec, self._replacements, self._clock = stall_sec, replacements, clock
        self._process = dict.fromkeys(range(1, runners + 1), "never heard of")
        self._actor: dict[int, str] = {}
        self._heard = dict.fromkeys(self._process, clock())
        self._silent: set[int] = set()  # runners whose silence has been reported
        self._progress = clock()
        self._paused: float | None = clock()
        self.deaths = dict.fromkeys(self._process, 0)

    def resume(self) -> None:
        """Continue to wait for the run; the time since :meth:`pause` does not count as silence."""
        if self._paused is not None:
            away = self._clock() - self._paused
            self._progress += away
            self._heard = {runner: heard + away for runner, heard in self._heard.items()}
            self._paused = None

    def pause(self) -> None:
        """Stop waiting for the run until :meth:`resume`."""
        self._paused = self._clock()

    def hear(self, deliveries: Iterable[Delivery]) -> None:
        """Note what runners have delivered.

        Raises:
          WorkerDied: if a runner reports an exception.
        """
        for delivery in deliveries:
            self._process[delivery.runner], self._actor[delivery.runner] = delivery.process, delivery.actor
            self._heard[delivery.runner] = self._clock()
            self._silent.discard(delivery.runner)
            if delivery.failure is not None:
                raise WorkerDied(f"{self.name(delivery.runner)} died of {delivery.failure.error}") from RemoteTraceback(
                    delivery.failure.traceback
                )

    def progressed(self) -> None:
        """Note that the learner has made an update."""
        self._progress = self._clock()

    def lost(self, runner: int, reason: str) -> str:
        """Note that a runner's process has ended; return a line that reports it.

        Raises:
          WorkerDied: if it has been replaced too often already.
        """
        self.deaths[runner] += 1
        report = f"{self.name(runner)} died: {reason}"
        if self.deaths[runner] > self._replacements:
            raise WorkerDied(f"{report}; it has been replaced {self._replacements} times already, so the run gives up")
        return f"{report}; it is replaced"

    def restored(self, runner: int) -> str:
        """Note that a runner was replaced; return a line that reports it."""
        self._heard[runner] = self._clock()
        self._process[runner] = "a new process"
        return f"runner {runner} has been replaced"

    def runner_of(self, actor: str | None) -> int | None:
        """Return the runner that Ray knows as ``actor``; None if it has delivered nothing yet."""
        return next((runner for runner, known in self._actor.items() if known == actor), None)

    def check(self) -> list[str]:
        """Return lines that report runners which have just been silent for too long while others play.

        Raises:
          RunStalledOnRay: if the whole run makes no progress.
        """
        now = self._clock()
        silence = {runner: now - heard for runner, heard in self._heard.items()}
        if now - self._progress > self._stall_sec:
            # All of them: a single runner that plays would have led to an update.
            heard = ", ".join(f"{self.name(runner)} {seconds:.1f} s ago" for runner, seconds in silence.items())
            raise RunStalledOnRay(
                f"no progress: {now - self._progress:.1f} s without fragments for an update; last heard from {heard}: "
                "a world hangs, or stall_sec is too short"
            )
        silent = {runner for runner, seconds in silence.items() if seconds > self._stall_sec}
        news, self._silent = silent - self._silent, silent | self._silent
        return [
            f"{self.name(runner)} has played no fragment for {silence[runner]:.0f} s; the run continues without it"
            for runner in sorted(news)
        ]

    def name(self, runner: int) -> str:
        """Return the name of a runner in messages."""
        return f"runner {runner} ({self._process[runner]})"


def gist(account: str) -> str:
    """Return the cause in Ray's long account of a dead process."""
    if "raised in its creation task" in account:  # it ends with a traceback
        return account.strip().splitlines()[-1].strip()
    for start in ("Worker exit detail: ", "is unavailable: "):
        account = account.rpartition(start)[2]
    for end in ("There are some potential root causes", "Some common causes include"):
        account = account.partition(end)[0]
    return " ".join(account.split()).rstrip(". ")
