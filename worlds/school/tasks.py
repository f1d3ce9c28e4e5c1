"""What is asked for in the school, and what counts as progress there: the apple, and the steps towards it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from worlds.contract import Event, TaskSpec, WorldError
from worlds.school.problems.types import TYPES

INSTRUCTION = "eat the apple"
_STEAL = "steal"


def _names() -> tuple[str, ...]:
    found: dict[str, None] = {}
    for kind, problem in TYPES.items():
        found |= dict.fromkeys(_name(kind, one) for one in problem.kinds)
    return tuple(found)


def _name(kind: str, problem: str) -> str:
    if kind == "AppleStealing":
        return _STEAL
    return f"joint-{problem}".lower() if kind == "Collaboration" else problem.lower()


NAMES = _names()


def task_name(parameters: Mapping[str, str]) -> str:
    """Return the name of the task of an episode."""
    return _name(parameters["Env_type"], parameters.get("Problem", ""))


def probe(name: str, world: Any, seed: int, split: str = "train") -> TaskSpec | None:
    """Return the task of the place at hand, if it has this name; None if another one is to be solved there.

    Places differ by their seeds only, so that both splits ask for the same.
    """
    if name not in NAMES:
        raise WorldError(f"the school has no task {name!r}; known: {', '.join(NAMES)}")
    if split not in ("train", "held_out"):
        raise WorldError(f"no split named {split!r}; known: train, held_out")
    if task_name(world.state.problem.parameters) != name or world.state.problem.ended:
        return None
    return TaskSpec(name, INSTRUCTION, {}, world.max_steps)


class SchoolTask:
    """The success check of an episode.

    Progress is what brings the agent nearer to its apple, regress what bars the way to it.
    """

    def __init__(self, spec: TaskSpec) -> None:
        if spec.name not in NAMES:
            raise WorldError(f"the school has no task {spec.name!r}; known: {', '.join(NAMES)}")
        self.spec, self.succeeded = spec, False
        self._known: set[str] | None = None

    def update(self, world: Any, utterance: str) -> tuple[bool, tuple[Event, ...]]:
        problem = world.state.problem
        now = problem.milestones()
        known, self._known = self._known, {reason for reason, _ in now}
        self.succeeded |= problem.success
        if known is None:
            return self.succeeded, ()
        return self.succeeded, tuple(
            Event(world.step_index, sign, reason) for reason, sign in now if reason not in known
        )


def make_task(spec: TaskSpec) -> SchoolTask:
    """Return the success check of a request. Raises WorldError for a task that the school does not have."""
    return SchoolTask(spec)
