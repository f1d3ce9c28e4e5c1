"""Sub-goals of a goal: one thing put at one place, held, or one seat taken; and which of them a planner pursues."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from worlds.contract import WorldError
from worlds.household.players.model import HOLD, PUT, SIT
from worlds.household.players.places import Places, places_of
from worlds.household.state.home import NO_ROW, Home
from worlds.household.tasks.goals import Goal
from worlds.household.tasks.predicates import Predicate, Relation, parse

_SORTS = {Relation.ON: PUT, Relation.INSIDE: PUT, Relation.HOLDS: HOLD, Relation.SIT: SIT}


@dataclass(frozen=True)
class Subgoal:
    """A predicate of a goal, with the thing and the place that are to satisfy it."""

    predicate: str
    thing: int
    target: int

    def describe(self, home: Home) -> str:
        """Return the sub-goal in words of the record, e.g. "on_plate_kitchentable 1003 -> 72"."""
        ids = [str(home.ids[row]) for row in (self.thing, self.target) if row != NO_ROW]
        return f"{self.predicate} {' -> '.join(ids)}"


class Subgoals:
    """All sub-goals of a goal in a home, in arrays: S sub-goals of G predicates about T things.

    Attributes:
      wanted: int64 [G].
      sorts: int8 [G], PUT, HOLD or SIT.
      things: int64 [T], rows of all things that could satisfy a predicate.
      member: bool [G, T], things of each predicate.
      satisfies: bool [G, T, P], True if a thing at a place satisfies a predicate.
      table: int64 [S, 3], sort, index of the predicate, and index of the thing, -1 for seats.
    """

    def __init__(self, home: Home, places: Places, goal: Goal, puts_only: bool = False) -> None:
        parsed = [(parse(text), count) for text, count in goal.items() if count > 0]
        kept = [(one, count) for one, count in parsed if not puts_only or _SORTS[one.relation] == PUT]
        self.predicates: list[Predicate] = [one for one, _ in kept]
        self.wanted = np.array([count for _, count in kept], dtype=np.int64)
        self.sorts = np.array([_SORTS[one.relation] for one in self.predicates], dtype=np.int8)
        rows = [home.rows_of(one.thing) for one in self.predicates if one.relation is not Relation.SIT]
        self.things = np.unique(np.concatenate([np.empty(0, np.int64), *rows]))
        names = np.array([home.name_of(int(row)) for row in self.things])
        self.member = np.array([names == one.thing for one in self.predicates], dtype=bool)
        self.member = self.member.reshape(len(self.predicates), len(self.things))
        self.targets = [_targets(home, places, one) for one in self.predicates]
        self.satisfies = np.zeros((len(self.predicates), len(self.things), len(places)), dtype=bool)
        found: list[tuple[int, int, int]] = []
        for number in range(len(self.predicates)):
            sort = int(self.sorts[number])
            if sort == PUT:
                self.satisfies[np.ix_([number], self.member[number], self.targets[number])] = True
            things = [-1] if sort == SIT else np.flatnonzero(self.member[number]).tolist()
            found += [(sort, number, thing) for thing in things]
        self.table = np.array(found, dtype=np.int64).reshape(-1, 3)

    def __len__(self) -> int:
        return len(self.table)


def _targets(home: Home, places: Places, predicate: Predicate) -> list[int]:
    """Return the places, or the fixtures of the seats, that a predicate names; none for what is held."""
    if predicate.relation is Relation.HOLDS:
        return []
    rows = home.rows_of(predicate.place)
    if predicate.relation is Relation.SIT:
        found = np.flatnonzero(np.isin(places.fixtures, rows)).tolist()
    else:
        table = places.in_fixture if predicate.relation is Relation.INSIDE else places.on_fixture
        found = [int(place) for place in table[rows] if place >= 0]
    if not found:
        raise WorldError(f"goal: {predicate.text!r} cannot be in {home.name}: no {predicate.place} there serves for it")
    return found


def feasible_part(home: Home, goal: Goal) -> dict[str, int]:
    """Return the predicates of a goal whose places are in a home: a guess may name others."""

    def is_possible(text: str) -> bool:
        try:
            Subgoals(home, places_of(home), {text: 1})
        except WorldError:
            return False
        return True

    return {text: count for text, count in goal.items() if is_possible(text)}
