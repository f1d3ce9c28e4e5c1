"""Moments at which the solver helps the setter towards a goal that she pursues herself, or is in her way."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np

from worlds.contract import SETTER, Event, TaskSpec
from worlds.household.rules.joint import Act
from worlds.household.rules.refusals import SENTENCES, Refusal, points
from worlds.household.state.home import NO_ROW, Home, State
from worlds.household.state.vocabulary import Held, Verb
from worlds.household.tasks.goals import parse_goal
from worlds.household.tasks.predicates import Relation
from worlds.household.tasks.progress import GoalCheck, goal_check

PROGRESS, REGRESS = 1, -1
_PUTS = (Verb.PUT_ON, Verb.PUT_IN)
_PLACES = (Relation.ON, Relation.INSIDE)
_FIRST = SENTENCES[Refusal.OTHER_FIRST].partition("{")[0]  # how the sentence begins that a person reads who was slower


class Moment(Protocol):
    """What is judged of a world's state."""

    home: Home
    state: State
    feedback: tuple[str, str]
    acts: tuple[Act, Act]


class HelpTask:
    """The success check of a request for help with a goal that the setter pursues herself.

    Whose work it was is not asked for success, and what the setter does is no event. An action of the solver is

    - progress where it brings a thing to where it is still wanted, or takes into a hand a thing that is still wanted
      somewhere;
    - regress where it takes away what satisfied the goal, puts a thing that is wanted elsewhere, takes or closes what
      the setter was about to use, or takes what only she is to hold;
    - regress where it makes her action fail, because he was first.

    What she is about to use is what she walked towards, or tried to handle, in the step before or in the same one.

    Args:
      spec: of the request; its argument "goal" is the setter's.

    Attributes:
      succeeded: True once the goal was reached.
    """

    def __init__(self, spec: TaskSpec) -> None:
        self.spec, self.succeeded = spec, False
        self._before: State | None = None
        self._aim = NO_ROW  # of the setter, at the last step
        self._check: GoalCheck | None = None

    def update(self, world: Any, utterance: str) -> tuple[bool, tuple[Event, ...]]:
        """See :meth:`worlds.contract.Task.update`."""
        now: Moment = world.state
        if self._check is None:
            goal = parse_goal(self.spec.arguments["goal"], now.home.classes)
            self._check = goal_check(now.home, goal, now.home.persons[0])
        before, self._before = self._before, now.state.copy()
        aim = now.acts[0][1] if points(now.acts[0][0]) else NO_ROW
        aims, self._aim = {self._aim, aim} - {NO_ROW}, aim
        if before is None:
            return False, ()
        self.succeeded |= self._check.reached(now.state)
        found = self._judged(self._check, before, now, aims)
        return self.succeeded, tuple(Event(world.step_index, sign, reason) for sign, reason in found)

    def _judged(self, check: GoalCheck, before: State, now: Moment, aims: set[int]) -> Iterator[tuple[int, str]]:
        """Yield signs and reasons of what the solver has done in one step."""
        home, (verb, row, hand) = now.home, now.acts[1]
        if now.feedback[0].startswith(_FIRST):
            yield REGRESS, f"in the way at the {home.name_of(now.acts[0][1])}"
        elif now.feedback[1]:
            return
        elif verb == Verb.CLOSE and row in aims:
            yield REGRESS, f"closes the {home.name_of(row)} that she was about to use"
        elif verb == Verb.GRAB:
            yield from self._taken(check, before, home, row, row in aims)
        elif verb in _PUTS:
            yield from self._put(check, before, now, before.in_hand(home.persons[1], Held(hand)))

    @staticmethod
    def _taken(check: GoalCheck, before: State, home: Home, row: int, aimed: bool) -> Iterator[tuple[int, str]]:
        """Yield the judgement of taking a thing."""
        name, counts = home.name_of(row), check.counts(before)
        where = check.satisfied_by(row, int(before.held[row]), int(before.parent[row]))
        places = [each for each in check.predicates if each.thing == name and each.relation in _PLACES]
        if (where & (counts <= check.wanted)).any():
            yield REGRESS, f"{name} taken from where it is wanted"
        elif any(each.thing == name and each.relation is Relation.HOLDS for each in check.predicates) and not places:
            yield REGRESS, f"{name} taken, which she is to hold"
        elif places and not where.any() and missing(check, before, name) > carried(home, before, name):
            yield (REGRESS, f"{name} taken that she was about to use") if aimed else (PROGRESS, f"{name} in hand")

    @staticmethod
    def _put(check: GoalCheck, before: State, now: Moment, row: int) -> Iterator[tuple[int, str]]:
        """Yield the judgement of putting a thing, from a hand."""
        name, state = now.home.name_of(row), now.state
        here = check.satisfied_by(row, int(state.held[row]), int(state.parent[row]))
        if (here & (check.counts(before) < check.wanted)).any():
            yield PROGRESS, f"{name} put where it is wanted"
        elif not here.any() and missing(check, before, name):
            yield REGRESS, f"{name} put elsewhere"


def missing(check: GoalCheck, state: State, name: str) -> int:
    """Return how many more things of a class are wanted in places than are there.

    Args:
      check: of the goal.
      state: of the home.
      name: of the class.
    """
    lacks = np.maximum(check.wanted - check.counts(state), 0)
    wanted = [each.thing == name and each.relation in _PLACES for each in check.predicates]
    return int(lacks[np.array(wanted, dtype=np.bool_)].sum())


def carried(home: Home, state: State, name: str) -> int:
    """Return how many things of a class anybody has in a hand."""
    held = state.held[home.rows_of(name)]
    return int(((held == Held.RIGHT_HAND) | (held == Held.LEFT_HAND)).sum())


def is_help(spec: TaskSpec) -> bool:
    """Return True for a request of help with the setter's own goal."""
    return spec.arguments.get("whose") == SETTER and "goal" in spec.arguments
