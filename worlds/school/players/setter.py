"""The scripted setter: asks for the apple, and leaves the peer to its script or plays it out."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from worlds.contract import SETTER, Action, Observation
from worlds.contract.requests import AskingSetter
from worlds.school.grid.codes import PEER_ACTS
from worlds.school.peers.script import Decision
from worlds.school.tasks import INSTRUCTION, NAMES, make_task, probe, task_name
from worlds.school.world import PEER_ACT_OF

_NAMES = {act: name for name, act in PEER_ACT_OF.items()}


class ScriptedSetter(AskingSetter):
    """A setter that says the instruction at the first step.

    Args:
      tasks: how often each task is asked for, relative to the others; a place has one task, which is not asked for
        where its weight is zero.
      split: "train" or "held_out", of the requests; both are the same.
      acts: plays the script by acts and words of its own. Recordings then have what the peer did, and repeat it
        whatever the agent does; by default they leave it to the script, which answers to whom it meets.
    """

    def __init__(self, tasks: Mapping[str, float], split: str = "train", acts: bool = False) -> None:
        super().__init__(probe, make_task, NAMES, tasks, split)
        self._weights, self._acts = dict(tasks), acts

    def reset(self, world: Any, seed: int) -> None:
        """Begin an episode in ``world``, which has just been reset."""
        super().reset(world, seed)
        self._asked, self._seed = False, seed
        self._copied: Any = None
        self._script: Any = None
        self._body = world.spec(SETTER).action

    def act(self, observation: Observation) -> Action:
        """Return the instruction, then what the peer does."""
        action: Any = self._body.silent()
        world: Any = self._world
        problem = world.state.problem
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
