"""Success checks of requests: which things came to be as the goal wants, or nearer to it, step by step."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from worlds.contract import SOLVER, Event, TaskSpec, WorldError
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
    Each thing that newly satisfies a predicate is progress, each that no longer does is regress. So is a thing that is
    still wanted and that anybody takes into a hand, or puts elsewhere. More things than are wanted change nothing.

    Args:
      spec: of the request; its argument "goal" is what the solver is to reach. Help with the setter's own goal is
        judged by :class:`worlds.household.tasks.helping.HelpTask`.

    Attributes:
      succeeded: True once the goal was reached.

    Raises:
      WorldError: the arguments are not of this kind.
    """

    def __init__(self, spec: TaskSpec) -> None:
        if "goal" not in spec.arguments or spec.arguments.get("whose", SOLVER) != SOLVER:
            raise WorldError(f"a task of the household needs a goal, and a player whose it is; not {spec.arguments!r}")
        self.spec, self.succeeded = spec, False
        self._last: tuple[np.ndarray, dict[str, int]] | None = None  # satisfied by predicate, carried by class
        self._goal: Goal | None = None

    def update(self, world: Any, utterance: str) -> tuple[bool, tuple[Event, ...]]:
        """See :meth:`worlds.contract.Task.update`."""
        now: Moment = world.state
        if self._goal is None:
            self._goal = parse_goal(self.spec.arguments["goal"], now.home.classes)
        check = goal_check(now.home, self._goal, now.home.persons[1])
        counts = np.minimum(check.counts(now.state), check.wanted)
        carried = check.carried(now.state, counts)
        last, self._last = self._last, (counts, carried)
        if last is None:
            return False, ()
        events: list[Event] = []
        moved = dict.fromkeys(carried, 0)  # things of a class that came to their places, less those that left them
        for text, before, count, wanted in zip(self._goal, last[0], counts, check.wanted, strict=True):
            change, thing = int(count - before), parse(text).thing
            events += [Event(world.step_index, _sign(change), _reason(text, int(count), int(wanted)))] * abs(change)
            if thing in moved:
                moved[thing] += change
        for thing, count in carried.items():
            taken = count - last[1][thing]
            if moved[thing] * taken < 0:  # the same things: from hands to their places, or from there to hands
                taken = _sign(taken) * max(0, abs(taken) - abs(moved[thing]))
            reason = f"{thing} {'in hand' if taken > 0 else 'put elsewhere'}"
            events += [Event(world.step_index, _sign(taken), reason)] * abs(taken)
        self.succeeded |= bool((counts >= check.wanted).all())
        return self.succeeded, tuple(events)


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


def _reason(text: str, count: int, wanted: int) -> str:
    """Return words about a predicate, e.g. "apple inside fridge: 1 of 2"."""
    predicate = parse(text)
    what = {
        Relation.HOLDS: f"{predicate.thing} in hand",
        Relation.SIT: f"sits on {predicate.place}",
    }.get(predicate.relation, f"{predicate.thing} {predicate.relation.name.lower()} {predicate.place}")
    return f"{what}: {count} of {wanted}"
