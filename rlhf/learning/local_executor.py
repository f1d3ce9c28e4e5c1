"""BC+RL on one machine: runners play, the learner learns, in turns or at the same time.

The schedule is fixed, whatever the speed of either side, so a run is determined by its seeds in both modes.
"""

from __future__ import annotations

import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import numpy as np

from rlhf.data.dataset import WindowStream
from rlhf.learning.config import ExecutorConfig
from rlhf.learning.learner import Learner
from rlhf.replay.fragment import Fragment, concatenate
from rlhf.replay.packing import pack_fragment, unpack_fragment
from rlhf.replay.runner import EpisodeResult, Runner
from worlds.errors import RunError

__all__ = ["ExecutorConfig", "LocalExecutor", "RecordedPlay", "RunStalled", "UpdateReport"]


class RunStalled(RunError):
    """A run that makes no progress; the message says what it was waiting for."""


RecordedPlay = WindowStream  # of T+1 steps


@dataclass(frozen=True)
class UpdateReport:
    """Result of one update, and of the play since the update before.

    Args:
      metrics: the learner's, and ``seconds/play`` (time spent waiting for play) and ``seconds/update``.
    """

    update: int
    played: int
    metrics: dict[str, float]
    results: tuple[EpisodeResult, ...]


class LocalExecutor:
    """Runs BC+RL in this process.

    Args:
      runners: play with their own copies of the agent; their slots are the columns of one batch, side by side.
      recorded: windows of T+1 steps to imitate.
    """

    def __init__(
        self, runners: Sequence[Runner], learner: Learner, recorded: RecordedPlay, config: ExecutorConfig | None = None
    ) -> None:
        if len({runner.steps for runner in runners}) != 1:
            raise ValueError("runners are needed, all of which play fragments of equally many steps")
        self.config = config or ExecutorConfig()
        self.learner = learner
        self._runners = list(runners)
        self._recorded = recorded
        self._rng = np.random.default_rng(self.config.seed)
        self._recent: deque[Fragment] = deque(maxlen=self.config.recent)
        self._players = [_Player(runner, f"runner {index}") for index, runner in enumerate(runners)]
        self._played = 0
        self._updates_left = 0  # on the newest fragment

    def steps(self) -> Iterator[UpdateReport]:
        """Yield one report an update, for ever. The loop may be left and entered again at any update.

        Raises:
          RunStalled: if a fragment takes longer than ``stall_sec`` to play.
          RunnerError: naming the slot, if its play fails.
          FloatingPointError: if a loss or the gradient is not finite.
        """
        while True:
            began = time.monotonic()
            results: tuple[EpisodeResult, ...] = ()
            if self._updates_left == 0:
                results = self._play()
                fragment = self._recent[-1]
            else:
                fragment = self._recent[int(self._rng.integers(len(self._recent)))]
            self._updates_left -= 1
            window = self._recorded.next(self.learner.device)
            played = time.monotonic()
            metrics = self.learner.update(fragment, window)
            metrics["seconds/play"], metrics["seconds/update"] = played - began, time.monotonic() - played
            yield UpdateReport(self.learner.updates, self._played, metrics, results)

    def fetch_agent(self) -> None:
        """Do nothing: the agent is the learner's own."""

    def state_dict(self) -> dict[str, Any]:
        """Return everything that determines the updates to come but the agent's weights.

        Weights are saved separately (:mod:`rlhf.run.checkpoint`). A fragment in progress is waited for and is part of
        the state, as the weights that it was begun with are older. Taking the state does not change the run.
        """
        self._collect()
        drawn_from = self._recent if self.config.reuse > 1 else ()  # else every fragment is learned from once, at once
        return {
            "learner": self.learner.state_dict(),
            "recorded": self._recorded.state_dict(),
            "runners": [runner.state_dict() for runner in self._runners],
            "ready": [None if player.ready is None else pack_fragment(player.ready) for player in self._players],
            "recent": [pack_fragment(fragment) for fragment in drawn_from],
            "updates_left": self._updates_left,
            "rng": self._rng.bit_generator.state,
            "played": self._played,
        }

    def load_state_dict(self, state: Mapping[str, Any], plays: bool = True) -> bool:
        """Resume from what :meth:`state_dict` returned; the learner's agent has to have its weights already.

        Play can be resumed only from the state of a local executor with as many runners. From a state of another number
        of runners, of a run on Ray or of an older version it is dropped, and new play takes its place.

        Args:
          state: what ``state_dict`` of this or another executor returned.
          plays: resume fragments and plays in progress, too; without, they are dropped.

        Returns:
          True if play was resumed, and the run with it to the last bit.

        Raises:
          UserError: if it was of other recorded play.
          RunnerError: naming the slot, if a play in progress cannot be rebuilt exactly.
        """
        self._collect()
        exact = plays and len(state.get("ready", ())) == len(self._players)
        self.learner.load_state_dict(state["learner"])
        self._recorded.load_state_dict(state["recorded"])
        for player, runner_state in zip_longest(self._players, state["runners"][: len(self._players)]):
            player.ready = None
            player.runner.load_state_dict(runner_state or player.runner.state_dict(plays=False), exact)
        self._rng.bit_generator.state = state["rng"]
        self._recent.clear()
        self._played, self._updates_left = state["played"], 0
        if exact:
            for player, ready in zip(self._players, state["ready"], strict=True):
                player.ready = None if ready is None else unpack_fragment(ready)
            self._recent.extend(map(unpack_fragment, state["recent"]))
            self._updates_left = state["updates_left"]
        return exact

    def close(self) -> None:
        """End the threads and close the runners, when the fragments being played are finished.

        A runner that hangs is left to the end of the process: to close a world while it steps could crash.
        """
        for player in self._players:
            if player.stop(patience_sec=min(self.config.stall_sec, 30.0)):
                player.runner.close()

    def _play(self) -> tuple[EpisodeResult, ...]:
        """Put a fresh fragment into the recent ones; with ``overlap``, have the one after it played meanwhile."""
        self._request()
        self._collect()
        fragment = concatenate([player.take() for player in self._players])
        results = tuple(result for runner in self._runners for result in runner.finished())
        self._recent.append(fragment)
        self._played += fragment.steps * fragment.columns
        self._updates_left = self.config.reuse
        if self.config.overlap:
            self._request()
        return results

    def _request(self) -> None:
        """Have every runner play a fragment with the newest weights, unless it has one or is playing."""
        weights = self.learner.agent.state_dict()
        for player in self._players:
            if player.ready is None and not player.busy:
                player.runner.set_weights(weights)
                player.request()

    def _collect(self) -> None:
        """Wait for the fragments that are being played."""
        began = time.monotonic()
        for player in self._players:
            if player.busy:
                player.wait(began, self.config.stall_sec)


class _Player:
    """A runner on a thread of its own, so that playing and learning overlap and a hung world is reported.

    The thread is a daemon: a world that hangs for good does not keep the process from ending.
    """

    def __init__(self, runner: Runner, name: str) -> None:
        self.runner, self.name = runner, name
        self.busy = False
        self.ready: Fragment | None = None
        self._requests: queue.SimpleQueue[Callable[[], Fragment] | None] = queue.SimpleQueue()
        self._replies: queue.SimpleQueue[Fragment | BaseException] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    def request(self) -> None:
        self.busy = True
        self._requests.put(self.runner.sample)

    def wait(self, began: float, stall_sec: float) -> None:
        """Make the fragment that is being played ready.

        Args:
          stall_sec: seconds that the fragment may take, beside those in which the runner waits for a world that hangs.

        Raises:
          RunStalled: it takes longer; or what the runner raised.
        """
        reply, patience_sec = None, stall_sec + (self.runner.step_limit_sec or 0.0)
        while reply is None:
            since = max(began, self.runner.failed_at)
            try:
                reply = self._replies.get(timeout=max(0.0, since + patience_sec - time.monotonic()))
            except queue.Empty:
                if self.runner.failed_at > since:  # a world that hung has been left meanwhile
                    continue
                raise RunStalled(
                    f"no progress: {self.name} has not played {self.runner.steps} steps in {self.runner.columns} slots "
                    f"within {time.monotonic() - began:.1f} s; its world hangs, or stall_sec is too short"
                ) from None
        self.busy = False
        if isinstance(reply, BaseException):
            raise reply
        self.ready = reply

    def take(self) -> Fragment:
        assert self.ready is not None
        fragment, self.ready = self.ready, None
        return fragment

    def stop(self, patience_sec: float) -> bool:
        """End the thread; return whether it has ended in time."""
        self._requests.put(None)
        self._thread.join(patience_sec)
        return not self._thread.is_alive()

    def _work(self) -> None:
        while (play := self._requests.get()) is not None:
            try:
                self._replies.put(play())
            except BaseException as error:  # raised again where the fragment is waited for
                self._replies.put(error)
