"""What a person sees of a household, in arrays that hold nothing of what is hidden."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from worlds.household.state.home import NO_ROW, State
from worlds.household.state.vocabulary import Held


@dataclass(frozen=True, eq=False)
class Sight:
    """What a person sees at one step. Rows are those of the home.

    Args:
      held: int8 [N]; NOWHERE for what is not visible.
      room: int16 [N]; NO_ROW for what is not visible.
      conditions: int16 [N]; 0 for what is not visible.
      position: float32 [2], of the person, metres.
    """

    person: int
    visible: np.ndarray
    near: np.ndarray
    held: np.ndarray
    parent: np.ndarray
    room: np.ndarray
    conditions: np.ndarray
    position: np.ndarray

    @classmethod
    def of(cls, state: State, person: int, visible: np.ndarray, near: np.ndarray) -> Sight:
        """Return what a person sees."""
        seen = visible.copy()
        seen[person] = True
        return cls(
            person,
            seen,
            near & seen,
            np.where(seen, state.held, np.int8(Held.NOWHERE)),
            np.where(seen, state.parent, np.int16(NO_ROW)),
            np.where(seen, state.room, np.int16(NO_ROW)),
            np.where(seen, state.conditions, np.int16(0)),
            state.centre[person, :2].copy(),
        )

    @property
    def own_room(self) -> int:
        """Row of the room in which the person is."""
        return int(self.room[self.person])

    def hands(self) -> list[tuple[int, Held]]:
        """Return what the person holds: row and hand of each thing."""
        rows = np.flatnonzero(self.parent == self.person)
        found = [(int(row), Held(int(self.held[row]))) for row in rows]
        return [(row, hand) for row, hand in found if hand in (Held.RIGHT_HAND, Held.LEFT_HAND)]
