"""A planner's belief and sight as its compiled model has them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from worlds.household.players import model as m
from worlds.household.players.belief import Belief
from worlds.household.players.places import Places
from worlds.household.players.settings import PlannerSettings
from worlds.household.players.sight import Sight
from worlds.household.players.subgoals import Subgoals
from worlds.household.state.vocabulary import Held


class Metres:
    """Metres to walk between the fixtures and rooms of a home, as ``distances`` returns them from a position."""

    def __init__(self, places: Places, centre: np.ndarray, distances: Callable[[np.ndarray], np.ndarray]) -> None:
        self._rows, self._distances = np.concatenate([places.fixtures, places.rooms]), distances
        here = [distances(centre[row, :2])[self._rows] for row in self._rows]
        self._between = np.stack([*here, np.zeros_like(here[0])]).astype(np.float32)

    def with_here(self, position: np.ndarray) -> np.ndarray:
        """Return the ways between fixtures and rooms, and in the last row those from a position."""
        self._between[-1] = self._distances(position)[self._rows]
        return self._between


class Supposition:
    """What a planner supposes to be so: the arrays of its model at one step.

    Attributes:
      rows: int64 [F + T], home rows of the model's items.
      around: int64 [F], the fixture that each one is supposed to be in; -1 if it stands in the room.
      items: int64 [F + T, 3]; this, ``body`` and ``remaining`` are explained in Situation.
    """

    def __init__(self, belief: Belief, sight: Sight, subgoals: Subgoals, rows: int = 1) -> None:
        places = belief.places
        self.fixtures = len(places.fixtures)
        self.rows = np.concatenate([places.fixtures, subgoals.things])
        self._belief, self._sight, self._subgoals = belief, sight, subgoals
        index = belief.index[subgoals.things]
        place = belief.sample[index].copy()
        held = np.isin(sight.held[subgoals.things], (Held.RIGHT_HAND, Held.LEFT_HAND))
        place[held] = m.TAKEN
        place[held & (sight.parent[subgoals.things] == sight.person)] = m.IN_HAND
        number, predicates = len(self.rows), len(subgoals.wanted)
        self.situations = m.Situation(
            np.empty((rows, number, 3), dtype=np.int64),
            np.full((rows, 5), m.NONE, dtype=np.int64),
            np.empty((rows, predicates), dtype=np.int64),
        )
        self.items, self.body, self.remaining = (array[0] for array in self.situations)
        rooms, self.around = self._where_fixtures_are()
        self.items[:, m.PLACE] = np.concatenate([rooms, place])
        self.items[:, m.STATE] = np.concatenate([belief.is_open, belief.possible[index].sum(axis=1) == 1])
        self.items[:, m.NEAR] = sight.near[self.rows]
        self._fill_body()
        self._count()

    def model(
        self, target: np.ndarray, barred: np.ndarray, metres: Metres | None, settings: PlannerSettings
    ) -> m.Model:
        """Return the model that goes with the situation, without the ``barred`` sub-goals; without metres, walking has
        fixed costs.
        """
        places, subgoals, known = self._belief.places, self._subgoals, self._belief.known
        rooms = self.items[: self.fixtures, m.PLACE]
        anchor = np.where(known, np.arange(self.fixtures), self.fixtures + rooms).astype(np.int64)
        table = np.empty((len(subgoals), 6), dtype=np.int64)
        table[:, m.SORT], table[:, m.PREDICATE], table[:, m.THING] = subgoals.table.T
        shown = np.append(self._sight.visible[subgoals.things], True)
        table[:, m.TARGET], table[:, m.SHOWN], table[:, m.BARRED] = target, shown[subgoals.table[:, 2]], barred
        if metres is None:
            between = np.zeros((1, self.fixtures + len(places.rooms)), dtype=np.float32)
        else:
            between = metres.with_here(self._sight.position)
        return m.Model(
            places.table,
            subgoals.satisfies,
            table,
            self.around,
            anchor,
            between,
            settings.metre_cost if metres else 0.0,
        )

    def is_in(self, item: int, fixture: int) -> bool:
        """Return True if an item of the model is supposed to be in a fixture, at any depth."""
        if item >= self.fixtures:
            place = int(self.items[item, m.PLACE])
            item = int(self._belief.places.fixture[place]) if place >= 0 else -1
            if item == fixture:
                return True
        while item >= 0 and self.around[item] != fixture:
            item = int(self.around[item])
        return item >= 0

    def _where_fixtures_are(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the place of the room of each fixture, and the fixture in which it is or -1: int64 [F] both."""
        places = self._belief.places
        room = self._belief.sample[: self.fixtures].astype(np.int64)
        around = np.where(room < len(places.rooms), -1, places.fixture[room])
        for _ in range(m.MOST_AROUND):
            enclosed = room >= len(places.rooms)
            room[enclosed] = self._belief.sample[places.fixture[room[enclosed]]]
        enclosed = room >= len(places.rooms)  # in one another, or too deep
        room[enclosed], around[enclosed] = 0, -1
        return room, around

    def _fill_body(self) -> None:
        """Write where the person is and what it has in its hands."""
        sight, places, body = self._sight, self._belief.places, self.body
        body[m.ROOM] = places.in_room[sight.own_room]
        body[m.ANCHOR] = self.fixtures + len(places.rooms)
        body[m.FREE] = 2 - len(sight.hands())
        if sight.held[sight.person] == Held.SITS:
            seats = np.flatnonzero(places.fixtures == sight.parent[sight.person])
            body[m.SEAT] = seats[0] if len(seats) else m.NONE

    def _count(self) -> None:
        """Take off what is wanted that is satisfied already, and find the thing in hand that is to be put somewhere."""
        subgoals, remaining = self._subgoals, self.remaining
        things = self.items[self.fixtures :]
        place = things[:, m.PLACE]
        placed = np.flatnonzero((things[:, m.STATE] == 1) & (place >= 0))
        remaining[:] = subgoals.wanted - subgoals.satisfies[:, placed, place[placed]].sum(axis=1)
        held = place == m.IN_HAND
        for number in np.flatnonzero(subgoals.sorts != m.PUT):
            if subgoals.sorts[number] == m.HOLD:
                remaining[number] -= (held & subgoals.member[number]).sum()
            else:
                remaining[number] -= int(self.body[m.SEAT]) in subgoals.targets[number]
        carried = np.flatnonzero(held & subgoals.member[(remaining > 0) & (subgoals.sorts == m.PUT)].any(axis=0))
        if len(carried):
            self.body[m.HAND] = carried[0]
