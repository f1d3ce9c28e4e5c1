"""What a person remembers of a home: where it saw each thing last, and where it has looked."""

from __future__ import annotations

import numpy as np

from worlds.household.observing.senses import near, visible
from worlds.household.state.home import NO_ROW, Home, State
from worlds.household.state.vocabulary import Condition, Held, Property

NEVER = -1


class Memory:
    """Memory of one person, which learns only from what it sees. Rows are those of the home.

    Attributes:
      step: steps that it has seen.
      seen: bool [N], visible at the last step.
      near: bool [N], visible and within reach at the last step.
      known: bool [N], things of which it believes to know the place.
      parent: int16 [N], of each thing when it was seen last; NO_ROW for what it never saw.
      held: int8 [N], likewise.
      room: int16 [N], likewise.
      centre: float32 [N, 3], likewise, metres.
      looked: int32 [N], step at which it was last in a room, or saw a container open; NEVER.
    """

    def __init__(self, home: Home, person: int) -> None:
        self._home, self._person = home, person
        count = len(home)
        self.step = 0
        self.seen, self.near, self.known = (np.zeros(count, np.bool_) for _ in range(3))
        self.parent, self.room = (np.full(count, NO_ROW, np.int16) for _ in range(2))
        self.held = np.zeros(count, np.int8)
        self.centre = np.zeros((count, 3), np.float32)
        self.looked = np.full(count, NEVER, np.int32)
        self._containers = (home.properties & int(Property.CONTAINERS)) != 0

    def update(self, state: State) -> None:
        """Take in what is visible in a state; what is not where it was remembered is forgotten.

        What lay on or in a thing that was forgotten is forgotten at the next step.

        Args:
          state: of the home, of which only what is visible to the person is used.
        """
        seen = visible(self._home, state, self._person)
        own = int(state.room[self._person])
        self.seen, self.near = seen, near(self._home, state, self._person) & seen
        shut = (state.conditions & int(Condition.CLOSED)) != 0
        above = self.parent
        open_to_view = seen[above] & ~((self.held == Held.INSIDE) & shut[above])
        gone = self.known & ~seen & (self.room == own) & (open_to_view | ~self.known[above])
        self.known = (self.known & ~gone) | seen
        for mine, current in ((self.parent, state.parent), (self.held, state.held), (self.room, state.room)):
            mine[seen] = current[seen]
        self.centre[seen] = state.centre[seen]
        self.looked[own] = self.step
        self.looked[seen & self._containers & ~shut] = self.step
        self.step += 1

    def satisfying(self, rows: np.ndarray, places: np.ndarray, relation: Held) -> np.ndarray:
        """Return which things are remembered on or in some places: bool [rows]."""
        return self.known[rows] & (self.held[rows] == relation) & np.isin(self.parent[rows], places)

    def in_hand(self, rows: np.ndarray) -> np.ndarray:
        """Return which things the person itself holds: bool [rows]."""
        in_hands = (self.held[rows] == Held.RIGHT_HAND) | (self.held[rows] == Held.LEFT_HAND)
        return self.known[rows] & in_hands & (self.parent[rows] == self._person)

    def with_others(self, rows: np.ndarray) -> np.ndarray:
        """Return which things somebody else holds: bool [rows]."""
        in_hands = (self.held[rows] == Held.RIGHT_HAND) | (self.held[rows] == Held.LEFT_HAND)
        return self.known[rows] & in_hands & (self.parent[rows] != self._person)
