"""Requests in own worlds: the base of their tasks, and a setter that asks for what their probes offer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from worlds.contract import SETTER, Action, Event, Observation, Task, TaskSpec, World, WorldError

_TRIES = 4  # to find a request in other words than the last one
TRY_AGAIN = 8  # steps after which a setter that found nothing to ask for looks again


class Goal(ABC):
    """A task that is judged by a look at the world after every step.

    The first look, at the step in which the instruction is said, is not judged: the solver has not heard it yet.
    """

    def __init__(self, spec: TaskSpec) -> None:
        self.spec, self.succeeded = spec, False
        self._heard = False
        self._last: tuple[int, str] = (0, "")

    @abstractmethod
    def judge(self, world: World, utterance: str) -> tuple[int, str]:
        """Judge the world after a step in which the solver said ``utterance``.

        Returns 1 if the task is done, -1 if something is wrong, else 0; and the reason, for reports.
        """

    def update(self, world: World, utterance: str) -> tuple[bool, tuple[Event, ...]]:
        """A judgement that lasts for several steps is one event."""
        judged = self.judge(world, utterance) if self._heard and not self.succeeded else (0, "")
        is_new = judged[0] != 0 and judged != self._last
        self._heard, self._last = True, judged
        self.succeeded |= judged[0] > 0
        return self.succeeded, (Event(world.step_index, *judged),) if is_new else ()


class AskingSetter:
    """A scripted setter that stands still and asks for one task after another.

    Args:
      probe: as in :class:`worlds.registry.WorldEntry`.
      make_task: as in :class:`worlds.registry.WorldEntry`.
      known: the names of all tasks of the world.
      tasks: how often each is asked for, relative to the others.
      split: "train" or "held_out", of the requests.
      first_request: (fewest, most) steps before it first speaks.
      pause: (fewest, most) steps between the end of a request and the next one.
    """

    def __init__(
        self,
        probe: Callable[[str, World, int, str], TaskSpec | None],
        make_task: Callable[[TaskSpec], Task],
        known: Sequence[str],
        tasks: Mapping[str, float],
        split: str = "train",
        first_request: tuple[int, int] = (0, 2),
        pause: tuple[int, int] = (20, 40),
    ) -> None:
        unknown = next((name for name in tasks if name not in known), None)
        if unknown is not None:
            raise WorldError(f"the world has no task named {unknown!r}; known: {', '.join(known)}")
        if min(tasks.values(), default=-1.0) < 0 or sum(tasks.values()) <= 0:
            raise WorldError("setter setting tasks: give at least one task with a weight above 0, and none below")
        self._probe, self._make_task, self._split = probe, make_task, split
        self._names, weights = list(tasks), np.array(list(tasks.values()), float)
        self._chances = weights / weights.sum()
        self._first_request, self._pause = first_request, pause
        self._task: Task | None = None

    @property
    def task(self) -> Task | None:
        """The last task asked for; None before the first request."""
        return self._task

    def reset(self, world: World, seed: int) -> None:
        """Begin an episode in ``world``, which has just been reset."""
        self._world, self._rng, self._task = world, np.random.default_rng([seed, 0]), None
        self._speak_at: int | None = world.step_index + self._some_steps(self._first_request)
        self._give_up_at = 0

    def act(self, observation: Observation) -> Action:
        """Stand still, and speak at most one request."""
        step = self._world.step_index
        action: Any = self._world.spec(SETTER).action.silent()
        done = getattr(self._task, "succeeded", False) or step >= self._give_up_at
        if self._speak_at is None and done:
            self._speak_at = step + self._some_steps(self._pause)
        if self._speak_at is not None and step >= self._speak_at:
            name = self._names[self._rng.choice(len(self._names), p=self._chances)]
            spec = self._other_request(name)
            if spec is None:
                self._speak_at = step + TRY_AGAIN
            else:
                self._task, self._speak_at = self._make_task(spec), None
                self._give_up_at = step + spec.max_steps
                action["utterance"] = spec.instruction
        return action

    def _other_request(self, name: str) -> TaskSpec | None:
        """Return a request in other words than the last one, as a solver cannot hear that the same are said again."""
        last = None if self._task is None else self._task.spec.instruction
        spec = None
        for _ in range(_TRIES):
            spec = self._probe(name, self._world, int(self._rng.integers(2**31)), self._split)
            if spec is None or spec.instruction != last:
                break
        return spec

    def _some_steps(self, fewest_most: tuple[int, int]) -> int:
        return int(self._rng.integers(*fewest_most, endpoint=True))
