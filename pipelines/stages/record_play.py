"""Scripted play of `rlhf record`, an episode at a time: in this process, or in a worker that limits a step's time."""

from __future__ import annotations

import importlib
import queue
import threading
from collections.abc import Callable
from dataclasses import replace

from pipelines.stages.record_failures import PlayedEpisode, guard
from pipelines.stages.record_plans import RecordingPlans
from rlhf.replay.guard import Failure, Guard
from rlhf.replay.play import ScriptedSolvers, play
from rlhf.run.processes import LastResult
from worlds import registry

_LOOK_EVERY_SEC = 0.5


class ScriptedPlay:
    """Scripted players in one world, which is kept from episode to episode, until it fails.

    Args:
      step_limit_sec: seconds that the world may take for a reset or a step; None where :func:`within_limit` times it.
    """

    def __init__(self, plans: RecordingPlans, step_limit_sec: float | None = None) -> None:
        self._plans = plans
        self._entry, self._worlds = plans.config.world.entry(), plans.config.world.make(1)
        self._settings = plans.config.players.solver_settings()
        self._entry.make_solver(**self._settings)  # refuses unknown settings before anything is played
        self.guard: Guard | None = guard(self._note, step_limit_sec)
        self._failed: list[Failure] = []

    def play(self, number: int) -> PlayedEpisode:
        """Play the episode of this number."""
        self._failed.clear()
        if not self._worlds:
            self._worlds = self._plans.config.world.make(1)
        (plan,) = self._plans.of([number])
        plan = replace(plan, solver=self._entry.make_solver(**self._settings))
        episodes = list(play(self._entry, self._worlds, [plan], ScriptedSolvers(1), threads=1, guard=self.guard))
        failure = self._failed[0] if self._failed else None
        if failure is not None:
            self.close()
        return PlayedEpisode(episodes[0] if episodes else None, failure)

    def cut_short(self, doing: str, seconds: float) -> PlayedEpisode:
        """Return what has been played of an episode whose world hangs."""
        assert self.guard is not None
        self._failed.clear()
        episode = self.guard.slots[0].cut_short(doing, f"no answer within {seconds:g} s (--step-limit-sec)")
        return PlayedEpisode(episode, self._failed[0])

    def close(self) -> None:
        """Close the world. A worker keeps it until the worker ends."""
        for world in self._worlds:
            world.close()
        self._worlds = []

    def _note(self, failure: Failure) -> None:
        self._failed.append(failure)


def begin_worker(plans: RecordingPlans, module: str) -> Callable[[int], PlayedEpisode | LastResult[PlayedEpisode]]:
    """Return, in a worker, the function that plays an episode by its number.

    Args:
      module: that registers the world, if its name alone does not lead to it.
    """
    if not registry.is_found_anywhere(plans.config.world.world_name):
        importlib.import_module(module)
    scripted = ScriptedPlay(plans)

    def play_one(number: int) -> PlayedEpisode | LastResult[PlayedEpisode]:
        return within_limit(scripted, number, plans.config.step_limit_sec)

    return play_one


def within_limit(scripted: ScriptedPlay, number: int, seconds: float) -> PlayedEpisode | LastResult[PlayedEpisode]:
    """Play an episode in a thread of its own, and end it when a reset or a step takes longer than ``seconds``.

    Returns:
      What was played, as the last result of this process where the world hangs: its thread cannot be ended.
    """
    if scripted.guard is None:
        return scripted.play(number)
    results: queue.SimpleQueue[PlayedEpisode | BaseException] = queue.SimpleQueue()

    def run() -> None:
        try:
            results.put(scripted.play(number))
        except BaseException as error:
            results.put(error)

    threading.Thread(target=run, name=f"episode {number}", daemon=True).start()
    while True:
        try:
            played = results.get(timeout=min(_LOOK_EVERY_SEC, seconds))
        except queue.Empty:
            doing, waited = scripted.guard.waiting()
            if waited > seconds:
                return LastResult(scripted.cut_short(doing, seconds))
            continue
        if isinstance(played, BaseException):
            raise played
        return played
