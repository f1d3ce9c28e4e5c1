"""Progress of a goal: how many things satisfy each of its predicates, and what a person has seen of it.

Only a thing's own parent counts: an apple on a plate on the table is not on the table.
"""

from __future__ import annotations

from functools import lru_cache

import numba
import numpy as np

from worlds.household.state.home import Home, State
from worlds.household.state.vocabulary import Condition, Held
from worlds.household.tasks.goals import Goal
from worlds.household.tasks.predicates import Relation, parse

HORIZON = 250  # steps of an episode (Puig et al., 2021, Section 5.1)

_ON, _INSIDE, _HOLDS, _SIT = (int(each) for each in Relation)
_HELD_ON, _HELD_INSIDE, _SITS = int(Held.ON), int(Held.INSIDE), int(Held.SITS)
_RIGHT, _LEFT = int(Held.RIGHT_HAND), int(Held.LEFT_HAND)


@numba.njit(nogil=True, cache=True)
def _count(relation, first, rows, is_place, person, held, parent, counts):
    """Write how many things satisfy each predicate into ``counts``: int64 [predicates].

    Things that may satisfy predicate p are ``rows[first[p] : first[p + 1]]``, its places ``is_place[p]``.
    """
    for p in range(len(relation)):
        counts[p] = 0
        for i in range(first[p], first[p + 1]):
            row = rows[i]
            where, at = held[row], parent[row]
            if at < 0:
                continue
            if relation[p] == _ON:
                counts[p] += where == _HELD_ON and is_place[p, at]
            elif relation[p] == _INSIDE:
                counts[p] += where == _HELD_INSIDE and is_place[p, at]
            elif relation[p] == _HOLDS:
                counts[p] += (where == _RIGHT or where == _LEFT) and at == person
            else:
                counts[p] += where == _SITS and is_place[p, at]


class GoalCheck:
    """A goal in a home, prepared for comparison with states."""

    def __init__(self, home: Home, goal: Goal, person: int) -> None:
        self.predicates = [parse(text) for text in goal]
        self.wanted = np.fromiter(goal.values(), dtype=np.int64, count=len(goal))
        self._texts, self._person = tuple(goal), np.int64(person)
        candidates = [
            np.array([person]) if each.relation is Relation.SIT else home.rows_of(each.thing)
            for each in self.predicates
        ]
        self._relation = np.array([int(each.relation) for each in self.predicates], dtype=np.int64)
        self._first = np.cumsum([0, *map(len, candidates)]).astype(np.int64)
        self._rows = np.concatenate(candidates).astype(np.int64)
        self._is_place = np.zeros((len(goal), len(home)), dtype=np.bool_)
        for number, each in enumerate(self.predicates):
            self._is_place[number, home.rows_of(each.place)] = True

    def counts(self, state: State) -> np.ndarray:
        """Return how many things satisfy each predicate, not capped: int64 [predicates]."""
        counts = np.empty(len(self.wanted), dtype=np.int64)
        _count(
            self._relation, self._first, self._rows, self._is_place, self._person, state.held, state.parent, counts
        )  # fmt: skip
        return counts

    def carried(self, state: State, counts: np.ndarray) -> dict[str, int]:
        """Return how many things in anybody's hands are still wanted somewhere, by class; ``counts`` are capped."""
        missing: dict[str, int] = {}
        in_hands: dict[str, int] = {}
        for number, each in enumerate(self.predicates):
            if each.relation in (Relation.ON, Relation.INSIDE):
                held = state.held[self._rows[self._first[number] : self._first[number + 1]]]
                in_hands[each.thing] = int(((held == _RIGHT) | (held == _LEFT)).sum())
                missing[each.thing] = missing.get(each.thing, 0) + int(self.wanted[number] - counts[number])
        return {thing: min(count, missing[thing]) for thing, count in in_hands.items()}

    def satisfied_by(self, row: int, held: int, parent: int) -> np.ndarray:
        """Return which predicates a thing satisfies in a place: bool [predicates]."""
        found = np.zeros(len(self.wanted), dtype=np.bool_)
        for number, relation in enumerate(self._relation.tolist()):
            about = row in self._rows[self._first[number] : self._first[number + 1]]
            if relation in (_ON, _INSIDE):
                there = self._is_place[number, parent] and held == (_HELD_ON if relation == _ON else _HELD_INSIDE)
            elif relation == _HOLDS:
                there = parent == self._person and held in (_RIGHT, _LEFT)
            else:
                there = self._is_place[number, parent] and held == _SITS
            found[number] = about and there
        return found

    def progress(self, state: State) -> dict[str, int]:
        """Return how many things satisfy each predicate, no more than are wanted."""
        return dict(zip(self._texts, np.minimum(self.counts(state), self.wanted).tolist(), strict=True))

    def reached(self, state: State) -> bool:
        """Return True if every predicate is satisfied as often as the goal wants."""
        return bool((self.counts(state) >= self.wanted).all())


@lru_cache(maxsize=256)
def _check_of(home: Home, goal: tuple[tuple[str, int], ...], person: int) -> GoalCheck:
    return GoalCheck(home, dict(goal), person)


def goal_check(home: Home, goal: Goal, person: int) -> GoalCheck:
    """Return the prepared goal of these arguments; the last ones are kept. See :class:`GoalCheck`."""
    return _check_of(home, tuple(goal.items()), int(person))


def progress(home: Home, state: State, goal: Goal, person: int) -> dict[str, int]:
    """Return how many things satisfy each predicate of a goal, no more than are wanted."""
    return goal_check(home, goal, person).progress(state)


def reached(home: Home, state: State, goal: Goal, person: int) -> bool:
    """Return True if a goal is reached; arguments as those of :func:`progress`."""
    return goal_check(home, goal, person).reached(state)


class SeenProgress:
    """Progress of a goal as a person knows it: each place as it was when it was last seen."""

    def __init__(self, home: Home, goal: Goal, person: int) -> None:
        self._check, self._person = GoalCheck(home, goal, person), person
        self._things = [home.rows_of(each.thing) for each in self._check.predicates]
        self._places = [home.rows_of(each.place) for each in self._check.predicates]
        self._seen: dict[tuple[int, int], int] = {}  # count by number of the predicate and row of the place

    def update(self, state: State, visible: np.ndarray) -> dict[str, int | None]:
        """Take in a step, and return how many things are known to satisfy each predicate, capped at what is wanted.

        The count is None as long as no place of the predicate has been seen. The inside of a closed container is not
        seen.
        """
        known: dict[str, int | None] = {}
        exact = self._check.counts(state)
        for number, each in enumerate(self._check.predicates):
            wanted = int(self._check.wanted[number])
            if each.relation in (Relation.HOLDS, Relation.SIT):
                known[each.text] = min(int(exact[number]), wanted)
                continue
            self._look(number, each.relation, state, visible)
            counts = [self._seen[key] for place in self._places[number] if (key := (number, int(place))) in self._seen]
            known[each.text] = min(sum(counts), wanted) if counts else None
        return known

    def _look(self, number: int, relation: Relation, state: State, visible: np.ndarray) -> None:
        """Count what satisfies a predicate at each place that is seen."""
        held = Held.ON if relation is Relation.ON else Held.INSIDE
        things = self._things[number]
        there = things[state.held[things] == held]
        for place in self._places[number]:
            shut = relation is Relation.INSIDE and state.conditions[place] & Condition.CLOSED
            if visible[place] and not shut:
                self._seen[number, int(place)] = int((state.parent[there] == place).sum())
