"""Success checks of requests: which things came to be as the goal wants, step by step."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from worlds.contract import SETTER, SOLVER, Event, TaskSpec, WorldError
from worlds.household.state.home import Home, State
from worlds.household.tasks.goals import Goal, parse_goal
from worlds.household.tasks.predicates import Relation, parse
from worlds.household.tasks.progress import goal_check


class Moment(Protocol):
    """What tasks use of a world's state."""

    home: Home
    state: State


class HouseholdTask:
    """The success check of a request.

    The first look, at the step in which the request is said, is only compared with: the solver has not heard it yet.
    Each thing that newly satisfies a predicate is progress, each that no longer does is regress; more things than are
    wanted change nothing.

    Args:
      spec: of the request; its arguments are "goal", and "whose": the player who is to hold and sit, by default the
        solver.

    Attributes:
      succeeded: True once the goal was reached.

    Raises:
      WorldError: the arguments are not of this kind.
    """

    def __init__(self, spec: TaskSpec) -> None:
        if "goal" not in spec.arguments or spec.arguments.get("whose", SOLVER) not in (SETTER, SOLVER):
            raise WorldError(f"a task of the household needs a goal, and a player whose it is; not {spec.arguments!r}")
        self.spec, self.succeeded = spec, False
        self._last: np.ndarray | None = None
        self._goal: Goal | None = None

    def update(self, world: Any, utterance: str) -> tuple[bool, tuple[Event, ...]]:
        """See :meth:`worlds.contract.Task.update`."""
        now: Moment = world.state
        if self._goal is None:
            self._goal = parse_goal(self.spec.arguments["goal"], now.home.classes)
        person = now.home.persons[self.spec.arguments.get("whose", SOLVER) == SOLVER]
        check = goal_check(now.home, self._goal, person)
        counts = np.minimum(check.counts(now.state), check.wanted)
        last, self._last = self._last, counts
        if last is None:
            return False, ()
        events = [
            Event(world.step_index, int(np.sign(count - before)), _reason(text, int(count), int(wanted)))
            for text, before, count, wanted in zip(self._goal, last, counts, check.wanted, strict=True)
            for _ in range(abs(int(count - before)))
        ]
        self.succeeded |= bool((counts >= check.wanted).all())
        return self.succeeded, tuple(events)


def _reason(text: str, count: int, wanted: int) -> str:
    """Return words about a predicate, e.g. "apple inside fridge: 1 of 2"."""
    predicate = parse(text)
    what = {
        Relation.HOLDS: f"{predicate.thing} in hand",
        Relation.SIT: f"sits on {predicate.place}",
    }.get(predicate.relation, f"{predicate.thing} {predicate.relation.name.lower()} {predicate.place}")
    return f"{what}: {count} of {wanted}"
