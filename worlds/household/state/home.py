"""Arrays of a home: what never changes (:class:`Home`) and what play changes (:class:`State`).

Row ``i`` of every array is the same thing. Rooms, doors and persons are things, too. Coordinates are metres, z up; a
box is its centre and its size along x, y and z. Every thing but a room has exactly one parent, so things form a tree
whose roots are the rooms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np
from pydantic import PlainValidator

from worlds.household.state.vocabulary import Held, Property
from worlds.settings import BadValue

PERSONS = 2  # rows of the setter's and of the solver's body, in this order
MOST_THINGS = 512  # rows of a home
NO_ROW = -1
_PLACES = {"couch": 4, "bed": 4, "sofa": 4, "loveseat": 2, "bench": 2, "pianobench": 2}  # of seats for more than one


def _properties(names: list[str]) -> Property:
    wanted = Property(0)
    for name in names:
        if name not in Property.__members__:
            raise BadValue(f"{name!r} is unknown; known: {', '.join(Property.__members__)}")
        wanted |= Property[name]
    return wanted


def _colour(digits: str) -> tuple[int, int, int]:
    try:
        red, green, blue = bytes.fromhex(digits)
    except (TypeError, ValueError):
        raise BadValue(f"{digits!r} is not RGB in six hexadecimal digits") from None
    return red, green, blue


@dataclass(frozen=True)
class ThingClass:
    """A class of things.

    Args:
      category: VirtualHome's, e.g. "Furniture".
      size: along x, y and z, metres, by default; things have sizes of their own.
      colour: RGB, 0 to 255.
    """

    name: str
    category: str
    properties: Annotated[Property, PlainValidator(_properties)]
    size: tuple[float, float, float]
    colour: Annotated[tuple[int, int, int], PlainValidator(_colour)] = (160, 160, 160)


@dataclass(frozen=True, eq=False)
class Home:
    """What never changes in a home. Its arrays are read-only.

    Args:
      name: e.g. "apartment-3".
      ids: int32 [N], unique, as graphs have them.
      kind: int16 [N], index in ``classes``.
      size: float32 [N, 3], of the box along x, y and z, metres.
      yaw: float32 [N], direction of the front, radians, 0 along +x, counter-clockwise from above.
      between: int16 [N, 2], rows of the rooms that a door joins; NO_ROW for other things.
    """

    name: str
    classes: Sequence[ThingClass]
    ids: np.ndarray
    kind: np.ndarray
    size: np.ndarray
    yaw: np.ndarray
    between: np.ndarray
    persons: tuple[int, int]

    def __post_init__(self) -> None:
        for array in (self.ids, self.kind, self.size, self.yaw, self.between):
            array.setflags(write=False)

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def properties(self) -> np.ndarray:
        """Properties of each thing as bits: int64 [N]."""
        return np.array([int(each.properties) for each in self.classes], dtype=np.int64)[self.kind]

    @cached_property
    def places(self) -> np.ndarray:
        """Persons who can sit on each thing at once: int8 [N], 0 for what is no seat."""
        counts = [_PLACES.get(each.name, 1) if each.properties & Property.SITTABLE else 0 for each in self.classes]
        return np.array(counts, dtype=np.int8)[self.kind]

    @cached_property
    def person_rows(self) -> np.ndarray:
        """Rows of the setter's and of the solver's body: int64 [2]."""
        return np.array(self.persons, dtype=np.int64)

    @cached_property
    def row_of(self) -> Mapping[int, int]:
        """Row of each thing, by id."""
        return {int(number): row for row, number in enumerate(self.ids)}

    @cached_property
    def rooms(self) -> np.ndarray:
        """Rows of the rooms: int64 [rooms]."""
        return self._of_category("Rooms")

    @cached_property
    def doors(self) -> np.ndarray:
        """Rows of the doors: int64 [doors]."""
        return self._of_category("Doors")

    def name_of(self, row: int) -> str:
        """Return the class name of a thing."""
        return self.classes[int(self.kind[row])].name

    def rows_of(self, name: str) -> np.ndarray:
        """Return the rows of all things of a class: int64 [things]."""
        return np.flatnonzero(self.kind == self._number_of.get(name, -1))

    def has(self, row: int, wanted: Property) -> bool:
        """Return True if a thing has all these properties."""
        return int(self.properties[row]) & wanted == wanted

    @cached_property
    def _number_of(self) -> Mapping[str, int]:
        return {each.name: number for number, each in enumerate(self.classes)}

    def _of_category(self, category: str) -> np.ndarray:
        return np.flatnonzero(np.array([each.category == category for each in self.classes])[self.kind])


@dataclass(eq=False)
class State:
    """What play changes.

    Args:
      held: int8 [N], values of Held: where each thing is, relative to its parent.
      room: int16 [N], row of the room around each thing, at any depth; a room's own row.
      conditions: int16 [N], values of Condition as bits.
      centre: float32 [N, 3], of the box, metres.
      facing: float32 [2], directions in which the persons look, radians.
      parent: int16 [N], row of the room, support, container, seat or person; NO_ROW for rooms.
    """

    held: np.ndarray
    parent: np.ndarray
    room: np.ndarray
    conditions: np.ndarray
    centre: np.ndarray
    facing: np.ndarray
    step: int = 0

    def copy(self) -> State:
        """Return a copy that later play leaves as it is."""
        arrays = (self.held, self.parent, self.room, self.conditions, self.centre, self.facing)
        return State(*(array.copy() for array in arrays), step=self.step)

    def in_hand(self, person: int, hand: Held) -> int:
        """Return the row of what a person holds in a hand; NO_ROW if it is empty."""
        found = np.flatnonzero((self.parent == person) & (self.held == hand))
        return int(found[0]) if len(found) else NO_ROW
