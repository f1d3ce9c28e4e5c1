"""An oracle of feasibility: can a person reach a goal in a home, as it is now?

It knows everything and acts out the goal thing by thing: it walks to each, takes it, and puts it where it belongs. It
shares no code with what samples goals and places, so that it finds their faults.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from worlds.household.homes.placing import lay
from worlds.household.navigation.ways import Ways
from worlds.household.observing import near
from worlds.household.state.home import NO_ROW, Home, State
from worlds.household.state.vocabulary import Condition, Held, Property

_FAR = 1e6  # metres, more than any way
_IN_HAND = (Held.RIGHT_HAND, Held.LEFT_HAND)
_HANDS = 2


class Oracle:
    """A person who knows everything, in a copy of a state."""

    def __init__(self, home: Home, state: State, person: int) -> None:
        self.home, self.state, self.person = home, state.copy(), person
        self._ways = Ways(home, self.state)
        self._start = self.state.centre[person].copy(), int(self.state.room[person])
        self._reached: dict[int, bool] = {}  # by row
        self._used: set[int] = set()

    def obstacles(self, goal: Mapping[str, int]) -> list[str]:
        """Return why the goal cannot be reached, a sentence each; nothing if it can."""
        found: list[str] = []
        hands = _HANDS
        # What is to be held or sat on comes last.
        for text, count in sorted(goal.items(), key=lambda each: each[0].startswith(("holds_", "sit_"))):
            relation, *words = text.split("_")
            if relation == "sit":
                found += self._sit(words[-1])
            elif relation == "holds":
                hands -= count
                found += [f"{self.home.name}: {text}: too few hands"] if hands < 0 else self._hold(words[0], count)
            else:
                found += self._place(Held.ON if relation == "on" else Held.INSIDE, words[0], words[1], count)
        return found

    def _place(self, held: Held, thing: str, place: str, count: int) -> Iterator[str]:
        """Put things where they belong in the copy; yield what cannot be done."""
        home, state = self.home, self.state
        targets = [int(row) for row in home.rows_of(place) if self._can_take(int(row), held)]
        if not targets:
            yield f"{home.name}: no {place} can be reached and have something {held.name}"
            return
        there = [row for row in self._rows(thing) if state.held[row] == held and state.parent[row] in targets]
        self._used.update(there[:count])
        for _ in range(count - len(there)):
            row = next(self._free(thing), None)
            if row is None:
                yield f"{home.name}: too few things of the class {thing} can be taken"
                return
            self._used.add(row)
            if not any(self._moves(row, held, target) for target in targets):
                yield f"{home.name}: no room for a {thing} {held.name} {place}"

    def _moves(self, row: int, held: Held, target: int) -> bool:
        """Move a thing in the copy; return False if there is no room for it."""
        return lay(self.home, self.state, row, held, target)

    def _hold(self, thing: str, count: int) -> Iterator[str]:
        held = [row for row in self._rows(thing) if self._is_held(row)]
        self._used.update(held)
        free = [row for row, _ in zip(self._free(thing), range(count - len(held)), strict=False)]
        self._used.update(free)
        if len(held) + len(free) < count:
            yield f"{self.home.name}: too few things of the class {thing} can be held"

    def _sit(self, place: str) -> Iterator[str]:
        home, state = self.home, self.state
        for row in home.rows_of(place).tolist():
            taken = ((state.parent == row) & (state.held == Held.SITS)).sum()
            mine = state.parent[self.person] == row and state.held[self.person] == Held.SITS
            if mine or (home.has(row, Property.SITTABLE) and taken < home.places[row] and self._reaches(row)):
                return
        yield f"{home.name}: no {place} has a free seat that can be reached"

    def _free(self, thing: str) -> Iterator[int]:
        """Yield the things of a class that can be taken and serve no other predicate."""
        for row in self._rows(thing):
            if row not in self._used and self._can_be_taken(row):
                yield row

    def _rows(self, thing: str) -> list[int]:
        return self.home.rows_of(thing).tolist()

    def _is_held(self, row: int) -> bool:
        return int(self.state.parent[row]) == self.person and self.state.held[row] in _IN_HAND

    def _can_be_taken(self, row: int) -> bool:
        """Return True if a thing can be grabbed, is in nobody else's hand, and its containers can be opened."""
        home, state = self.home, self.state
        if not home.has(row, Property.GRABBABLE):
            return False
        above, below = int(state.parent[row]), row
        while above != NO_ROW:
            if state.held[below] in _IN_HAND and above != self.person:
                return False
            if state.held[below] == Held.INSIDE and not self._opens(above):
                return False
            above, below = int(state.parent[above]), above
        return self._is_held(row) or self._reaches(row)

    def _can_take(self, row: int, held: Held) -> bool:
        """Return True if something can be put on or in a thing."""
        needed = Property.SURFACES if held is Held.ON else Property.CONTAINERS
        return self.home.has(row, needed) and (held is Held.ON or self._opens(row)) and self._reaches(row)

    def _opens(self, row: int) -> bool:
        """Return True if a container is open, or can be opened. What is switched on cannot."""
        conditions = int(self.state.conditions[row])
        if not conditions & Condition.CLOSED:
            return True
        return self.home.has(row, Property.CAN_OPEN) and not conditions & Condition.ON

    def _reaches(self, row: int) -> bool:
        """Return True if the person can walk towards a thing until it is near."""
        if row not in self._reached:
            self._reached[row] = self._walks_near(row)
        return self._reached[row]

    def _walks_near(self, row: int) -> bool:
        state, person = self.state, self.person
        centre, room = self._start
        if not np.isfinite(self._ways.distance(centre[:2], row)):
            return False
        (x, y), _ = self._ways.advance(centre[:2], row, _FAR)
        state.centre[person, :2], state.room[person] = (x, y), self._ways.room_at((x, y))
        arrived = bool(near(self.home, state, person)[row])
        state.centre[person], state.room[person] = centre, room
        return arrived


def obstacles(home: Home, state: State, goal: Mapping[str, int], person: int) -> list[str]:
    """Return why a person cannot reach a goal, a sentence each; nothing if it can."""
    return Oracle(home, state, person).obstacles(goal)
