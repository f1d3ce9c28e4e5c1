"""Places of a home at which things can be: the columns of a belief."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from worlds.household.state.home import Home
from worlds.household.state.vocabulary import Held, Property

_HOLDS = Property.SURFACES | Property.CONTAINERS
_OF_USE = _HOLDS | Property.SITTABLE | Property.HAS_SWITCH
_NO_FIXTURES = {"floor", "wall", "ceiling", "curtain", "curtains", "window"}
_NO_CATEGORIES = {"Rooms", "Doors", "Characters"}


@dataclass(frozen=True, eq=False)
class Places:
    """Places of a home: in the open in each room, then inside and on each fixture.

    A fixture is a thing that stays where it is and that holds things, seats a person or has a switch. What lies on
    something that is no fixture, e.g. on a plate, is in the open in its room.

    Args:
      rooms: int64 [R], their rows.
      fixtures: int64 [F], their rows.
      table: int64 [P, 2], index of the fixture of each place, -1 for rooms, and 1 for the inside of a fixture.
      can_open: bool [F], True for fixtures that can be opened and closed.
      in_room: int16 [N], place of a row of a room; -1 for other rows.
      in_fixture: int16 [N], place inside a row; -1 where there is none.
      on_fixture: int16 [N], place on a row; -1 where there is none.
    """

    rooms: np.ndarray
    fixtures: np.ndarray
    table: np.ndarray
    can_open: np.ndarray
    in_room: np.ndarray
    in_fixture: np.ndarray
    on_fixture: np.ndarray

    def __len__(self) -> int:
        return len(self.table)

    @property
    def fixture(self) -> np.ndarray:
        """Index of the fixture of each place, -1 for rooms: int64 [P]."""
        return self.table[:, 0]

    @property
    def inside(self) -> np.ndarray:
        """True for the inside of a fixture: bool [P]."""
        return self.table[:, 1] == 1

    def of(self, held: np.ndarray, parent: np.ndarray, room: np.ndarray) -> np.ndarray:
        """Return the places of things: int16 [things]."""
        inside = np.where(held == Held.INSIDE, self.in_fixture[parent], np.int16(-1))
        place = np.where(held == Held.ON, self.on_fixture[parent], inside)
        return np.where(place >= 0, place, self.in_room[room])


@lru_cache(maxsize=64)
def places_of(home: Home) -> Places:
    """Return the places of a home; the same for the same home."""
    rooms = home.rooms
    fixtures = np.array([row for row in range(len(home)) if _is_fixture(home, row)], dtype=np.int64)
    inside = [index for index, row in enumerate(fixtures) if home.has(int(row), Property.CONTAINERS)]
    on = [index for index, row in enumerate(fixtures) if home.has(int(row), Property.SURFACES)]
    number = len(rooms)
    tables = [np.full(len(home) + 1, -1, dtype=np.int16) for _ in range(3)]  # NO_ROW finds the last entry
    in_room, in_fixture, on_fixture = tables
    in_room[rooms] = np.arange(number)
    in_fixture[fixtures[inside]] = number + np.arange(len(inside))
    on_fixture[fixtures[on]] = number + len(inside) + np.arange(len(on))
    table = np.zeros((number + len(inside) + len(on), 2), dtype=np.int64)
    table[:, 0] = [-1] * number + inside + on
    table[number : number + len(inside), 1] = 1
    can_open = np.array([home.has(int(row), Property.CAN_OPEN) for row in fixtures], dtype=bool)
    return Places(rooms, fixtures, table, can_open, in_room, in_fixture, on_fixture)


def _is_fixture(home: Home, row: int) -> bool:
    kind = home.classes[int(home.kind[row])]
    stays = kind.category not in _NO_CATEGORIES and kind.name not in _NO_FIXTURES
    return stays and bool(kind.properties & _OF_USE) and not kind.properties & Property.GRABBABLE
