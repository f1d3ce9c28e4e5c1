"""Success checks of requests: which things came to be as the goal wants, or nearer to it, step by step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np

from worlds.contract import SETTER, SOLVER, Event, TaskSpec, WorldError
from worlds.household.rules.joint import Act
from worlds.household.rules.refusals import Refusal, points
from worlds.household.state.home import NO_ROW, Home, State
from worlds.household.state.vocabulary import Held, Verb
from worlds.household.tasks.goals import Goal, parse_goal
from worlds.household.tasks.predicates import Relation, parse
from worlds.household.tasks.progress import GoalCheck, goal_check


class Moment(Protocol):
    """What success checks use of a world's state."""

    home: Home
    state: State
    feedback: tuple[str, str]
    acts: tuple[Act, Act]


class HouseholdTask:
    """The success check of a request.

    The first look, at the step in which the request is said, is only compared with: the solver has not heard it yet.
    Each thing that newly satisfies a predicate is progress, each that no longer does is regress. So is a thing that is
    still wanted and that anybody takes into a hand, or puts elsewhere. More things than are wanted change nothing.
    """

    def __init__(self, spec: TaskSpec) -> None:
        if "goal" not in spec.arguments or spec.arguments.get("whose", SOLVER) != SOLVER:
            raise WorldError(f"a task of the household needs a goal, and a player whose it is; not {spec.arguments!r}")
        self.spec, self.succeeded = spec, False
        self._last: tuple[np.ndarray, dict[str, int]] | None = None  # satisfied by predicate, carried by class
        self._goal: Goal | None = None

    def update(self, world: Any, utterance: str) -> tuple[bool, tuple[Event, ...]]:
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


PROGRESS, REGRESS = 1, -1
_PUTS = (Verb.PUT_ON, Verb.PUT_IN)
_PLACES = (Relation.ON, Relation.INSIDE)
_FIRST = Refusal.OTHER_FIRST.sentence.partition("{")[0]  # how the sentence begins that a person reads who was slower


class HelpTask:
    """The success check of a request for help with a goal that the setter pursues herself.

    Whose work it was is not asked for success, and what the setter does is no event. An action of the solver is

    - progress where it brings a thing to where it is still wanted, or takes into a hand a thing that is still wanted
      somewhere;
    - regress where it takes away what satisfied the goal, puts a thing that is wanted elsewhere, takes or closes what
      the setter was about to use, or takes what only she is to hold;
    - regress where it makes her action fail, because he was first.

    What she is about to use is what she walked towards, or tried to handle, in the step before or in the same one.
    """

    def __init__(self, spec: TaskSpec) -> None:
        self.spec, self.succeeded = spec, False
        self._before: State | None = None
        self._aim = NO_ROW  # of the setter, at the last step
        self._check: GoalCheck | None = None

    def update(self, world: Any, utterance: str) -> tuple[bool, tuple[Event, ...]]:
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
    """Return how many more things of a class are wanted in places than are there."""
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
