"""The scripted setter: asks for the apple, and leaves the peer to its script or plays it out."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from inspect import signature
from typing import Any

from worlds.contract import SETTER, Action, Observation, Task, WorldError
from worlds.contract.known_settings import check_known
from worlds.school.grid.codes import PEER_ACTS
from worlds.school.peers.script import Decision
from worlds.school.tasks import INSTRUCTION, NAMES, make_task, probe, task_name
from worlds.school.world import PEER_ACT_OF

_NAMES = {act: name for name, act in PEER_ACT_OF.items()}


class ScriptedSetter:
    """A setter that says the instruction at the first step.

    Args:
      tasks: how often each task is asked for, relative to the others; a place has one task, which is not asked for
        where its weight is zero.
      split: "train" or "held_out", of the requests; both are the same.
      acts: plays the script by acts and words of its own. Recordings then have what the peer did, and repeat it
        whatever the agent does; by default they leave it to the script, which answers to whom it meets.

    Raises:
      WorldError: a task that the school does not have, or no task at all.
    """

    def __init__(self, tasks: Mapping[str, float], split: str = "train", acts: bool = False) -> None:
        unknown = next((name for name in tasks if name not in NAMES), None)
        if unknown is not None:
            raise WorldError(f"the school has no task {unknown!r}; known: {', '.join(NAMES)}")
        if min(tasks.values(), default=-1.0) < 0 or sum(tasks.values()) <= 0:
            raise WorldError("setter setting tasks: give at least one task with a weight above 0, and none below")
        self._weights, self._split, self._acts = dict(tasks), split, acts
        self._task: Task | None = None

    @property
    def task(self) -> Task | None:
        """The task of the place; None before it is asked for."""
        return self._task

    def reset(self, world: Any, seed: int) -> None:
        """Begin an episode in ``world``, which has just been reset."""
        self._world, self._task, self._asked, self._seed = world, None, False, seed
        self._copied: Any = None
        self._script: Any = None
        self._body = world.spec(SETTER).action

    def act(self, observation: Observation) -> Action:
        """Return the instruction, then what the peer does."""
        action: Any = self._body.silent()
        problem = self._world.state.problem
        if not self._asked:
            self._asked = True
            name = task_name(problem.parameters)
            spec = probe(name, self._world, self._seed, self._split) if self._weights.get(name, 0.0) > 0 else None
            if spec is not None:
                self._task, action["utterance"] = make_task(spec), INSTRUCTION
                return action
        if self._acts and problem.script is not None and not problem.peer.hidden and not problem.ended:
            act, reply = self._decide(problem)
            bins = self._body.components[0].bins
            action["movement"][:] = bins.index(_NAMES[PEER_ACTS[act]])
            action["utterance"] = reply or ""
        return action

    def _decide(self, problem: Any) -> Decision:
        """Return what the script decides, by a copy of it: what is not recorded must not change the world's own."""
        if self._copied is not problem.script:
            self._copied, self._script = problem.script, copy.deepcopy(problem.script)
        self._script.introduced = problem.script.introduced
        return self._script.respond(problem)


def make_setter(tasks: Mapping[str, float], split: str = "train", **settings: Any) -> ScriptedSetter:
    """Return the scripted setter.

    Args:
      tasks: how often each task is asked for, relative to the others.
      split: "train" or "held_out", of the requests.
      settings: the others of :class:`ScriptedSetter`, by name.

    Raises:
      WorldError: a setting that does not exist.
    """
    check_known(settings, list(signature(ScriptedSetter).parameters)[2:], "setter")
    return ScriptedSetter(tasks, split, **settings)
