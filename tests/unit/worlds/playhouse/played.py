"""Play of a scripted setter and a scripted solver, with what was said, done and judged."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from worlds.contract import SETTER, SOLVER, Event, silent
from worlds.playhouse import Playhouse
from worlds.playhouse.players.setter import ScriptedSetter
from worlds.playhouse.players.solver import ScriptedSolver


class Idle(ScriptedSolver):
    """A solver that does nothing."""

    def act(self, observation: Any) -> Any:
        """See :meth:`worlds.contract.Solver.act`."""
        return silent()


@dataclass
class Played:
    """What happened: utterances of the setter by step, events, actions, and the step of the first success."""

    said: list[tuple[int, str]] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    actions: list[dict[str, Any]] = field(default_factory=list)
    success: int | None = None

    def besides(self, setter: ScriptedSetter) -> list[tuple[int, str]]:
        """Return what the setter said that was no request."""
        asked = {step for step, _ in setter.requests}
        return [(step, words) for step, words in self.said if step not in asked]


def play(world: Playhouse, setter: Any, solver: ScriptedSolver, seed: int, steps: int) -> Played:
    """Play some steps of the house of a seed."""
    played, (seen, _) = Played(), world.reset(seed=seed)
    setter.reset(world, seed)
    solver.reset(world, seed + 1)
    for step in range(steps):
        actions = {SETTER: setter.act(seen[SETTER]), SOLVER: solver.act(seen[SOLVER])}
        played.actions.append(actions)
        if actions[SETTER]["utterance"]:
            played.said.append((step, actions[SETTER]["utterance"]))
        seen, *_ = world.step(actions)
        if setter.task is not None:
            done, events = setter.task.update(world, actions[SOLVER]["utterance"])
            played.events += events
            if done and played.success is None:
                played.success = world.step_index
    return played
