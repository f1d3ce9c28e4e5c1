"""Belief of a person about what is where: a distribution over places for each thing, and one sample of it."""

from __future__ import annotations

from typing import Literal

import numpy as np

from worlds.household.players.places import Places, places_of
from worlds.household.players.sight import Sight
from worlds.household.state.home import NO_ROW, Home
from worlds.household.state.vocabulary import Condition, Held, Property

Prior = Literal["uniform", "reference"]
# Containers of the reference's belief, and those of them in which it looks for books.
REFERENCE_CONTAINERS = ("bathroomcabinet", "kitchencabinet", "cabinet", "fridge", "stove", "dishwasher", "microwave")
BOOK_CONTAINERS = ("kitchencabinet", "cabinet")


class Belief:
    """Belief about the places of things, and about which fixtures are open or switched on.

    A person knows which things exist, not where they are. Of each thing, places are possible until they are seen
    without it. Its distribution is the prior over the possible places. A visible thing is where it is seen. Where
    every place has been refuted, all are possible again but those in view. The sample is drawn once; only refuted
    entries are drawn again.

    The rows of the belief are the home's fixtures, of which only the room is unknown, and then the things that can be
    grabbed. A fixture that is in none of the rooms is in another one that was seen closed.

    Args:
      prior: "uniform" is uniform over the open floor of each room and the inside and top of each fixture. "reference"
        is what Watch-And-Help's softmax of nearly equal numbers amounts to: each container of seven classes is as
        probable as all rooms together, and books are only looked for in cabinets.
      chance_open: probability that an unseen fixture is open, and that it is switched on.

    Attributes:
      rows: int64 [F + T], rows of the fixtures and of the things.
      index: int16 [N], where each row is in the belief; -1 for what is not in it.
      possible: bool [F + T, P], places that have not been refuted.
      sample: int16 [F + T], index of the place at which each thing is supposed to be.
      is_open: bool [F], supposed to be open; True for what cannot be closed.
      is_on: bool [F], supposed to be switched on.
      known: bool [F], fixtures that have been seen.
      missed: bool [F + T], not seen since every place was refuted.
    """

    def __init__(
        self,
        home: Home,
        rng: np.random.Generator,
        prior: Prior = "uniform",
        chance_open: float = 0.5,
    ) -> None:
        self.places: Places = places_of(home)
        self._rng, self._prior = rng, prior
        fixtures = self.places.fixtures
        self.rows = np.concatenate([fixtures, np.flatnonzero(home.properties & Property.GRABBABLE)])
        self.index = np.full(len(home), -1, dtype=np.int16)
        self.index[self.rows] = np.arange(len(self.rows))
        self._allowed = _allowed(home, self.places, self.rows, prior)
        self.possible = self._allowed.copy()
        self.known = np.zeros(len(fixtures), dtype=bool)
        self.missed = np.zeros(len(self.rows), dtype=bool)
        self._within = np.full(len(fixtures), -1, dtype=np.int64)  # fixture that can be closed, in which each was seen
        self.is_open = ~self.places.can_open | (rng.random(len(fixtures)) < chance_open)
        self.is_on = rng.random(len(fixtures)) < chance_open
        self.chance_open = np.where(self.places.can_open, chance_open, 1.0)
        self.chance_on = np.full(len(fixtures), chance_open)
        self.sample = np.zeros(len(self.rows), dtype=np.int16)
        self._draw(np.arange(len(self.rows)))

    def probabilities(self) -> np.ndarray:
        """Return the distribution of each thing over the places: float64 [F + T, P]."""
        weights = self._weights(np.arange(len(self.rows)))
        return weights / weights.sum(axis=1, keepdims=True)

    def update(self, sight: Sight) -> np.ndarray:
        """Refute what is seen to be otherwise. Return True for rows whose supposed place was refuted: bool [F + T]."""
        self._see_conditions(sight)
        seen = sight.visible[self.rows]
        in_view = self._in_view(sight)
        self.possible &= seen[:, None] | ~in_view
        lost = np.flatnonzero(~seen & ~self.possible.any(axis=1))
        self.missed[lost] = True
        self.missed &= ~seen
        self.possible[lost] = self._allowed[lost] & ~in_view
        hidden = lost[lost < len(self.known)]
        self.possible[hidden] = self._closets() & ~in_view
        nowhere = lost[~self.possible[lost].any(axis=1)]
        self.possible[nowhere] = self._allowed[nowhere]
        self.possible[seen] = False
        self.possible[seen, self._places_seen(sight)[seen]] = True
        refuted = ~self.possible[np.arange(len(self.rows)), self.sample]
        if refuted.any():
            self._draw(np.flatnonzero(refuted))
        return refuted

    def doubt(self, things: np.ndarray, sight: Sight) -> None:
        """Suppose no longer that things which are out of sight are certainly where they were."""
        rows = self.index[things[~sight.visible[things]]]
        self.possible[rows] |= self._allowed[rows] & ~self._in_view(sight)

    def _closets(self) -> np.ndarray:
        """Return True for the insides of fixtures that can be closed and have been seen: bool [P]."""
        fixture = self.places.fixture
        return self.places.inside & self.places.can_open[fixture] & self.known[fixture]

    def _closet_around(self, sight: Sight, row: int) -> int:
        """Return the fixture that can be closed in which a visible thing is, at any depth; -1 for none."""
        while (parent := int(sight.parent[row])) != NO_ROW:
            around = int(self.index[parent])
            if sight.held[row] == Held.INSIDE and 0 <= around < len(self.known) and self.places.can_open[around]:
                return around
            row = parent
        return -1

    def _see_conditions(self, sight: Sight) -> None:
        fixtures, can_open = self.places.fixtures, self.places.can_open
        seen = sight.visible[fixtures]
        conditions = sight.conditions[fixtures]
        for number in np.flatnonzero(seen & ~self.known):
            self._within[number] = self._closet_around(sight, int(fixtures[number]))
        self.known |= seen
        self.is_open = np.where(seen & can_open, (conditions & Condition.OPEN) != 0, self.is_open)
        self.is_on = np.where(seen, (conditions & Condition.ON) != 0, self.is_on)
        self.chance_open = np.where(seen, self.is_open, self.chance_open)
        self.chance_on = np.where(seen, self.is_on, self.chance_on)

    def _in_view(self, sight: Sight) -> np.ndarray:
        """Return True for places of which everything is seen: bool [P]."""
        places = self.places
        number = len(places.rooms)
        in_view = np.empty(len(places), dtype=bool)
        in_view[:number] = places.rooms == sight.own_room
        visible = sight.visible[places.fixtures]
        fixture = places.fixture[number:]
        in_view[number:] = visible[fixture] & (self.is_open[fixture] | ~places.inside[number:])
        return in_view

    def _places_seen(self, sight: Sight) -> np.ndarray:
        """Return the place at which each row of the belief is, if it is visible: int16 [F + T]."""
        rows = self.rows
        place = self.places.of(sight.held[rows], sight.parent[rows], sight.room[rows])
        fixtures = self.places.fixtures
        closets = self.places.in_fixture[fixtures[self._within]]
        place[: len(fixtures)] = np.where(self._within < 0, self.places.in_room[sight.room[fixtures]], closets)
        return place

    def _weights(self, rows: np.ndarray) -> np.ndarray:
        """Return the distribution of rows of the belief, not normalised: float64 [rows, P]."""
        weights = self.possible[rows].astype(np.float64)
        if self._prior == "reference":
            in_rooms = weights[:, : len(self.places.rooms)]
            in_rooms /= np.maximum(in_rooms.sum(axis=1, keepdims=True), 1.0)
        return weights

    def _draw(self, rows: np.ndarray) -> None:
        """Draw the supposed places of rows of the belief."""
        cumulated = self._weights(rows).cumsum(axis=1)
        drawn = self._rng.random(len(rows)) * cumulated[:, -1]
        self.sample[rows] = (cumulated > drawn[:, None]).argmax(axis=1)


def _allowed(home: Home, places: Places, rows: np.ndarray, prior: Prior) -> np.ndarray:
    """Return the places at which things can be: bool [rows, P]."""
    allowed = np.ones((len(rows), len(places)), dtype=bool)
    number, fixtures = len(places.rooms), len(places.fixtures)
    allowed[:fixtures, number:] = False
    if prior == "reference":
        names = np.array([home.name_of(int(row)) for row in places.fixtures])[places.fixture]
        searched = places.inside & np.isin(names, REFERENCE_CONTAINERS)
        allowed[fixtures:, number:] = searched[number:]
        books = np.array([home.name_of(int(row)) == "book" for row in rows[fixtures:]], dtype=bool)
        allowed[fixtures:][books, number:] = (places.inside & np.isin(names, BOOK_CONTAINERS))[number:]
    return allowed
