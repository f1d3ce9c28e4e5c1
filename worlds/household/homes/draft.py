"""A home while it is put together, thing by thing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from worlds.errors import UserError
from worlds.household.catalogue.classes import CLASSES, NUMBER_OF, first_conditions
from worlds.household.homes.packing import pack
from worlds.household.homes.surfaces import Box, place_on
from worlds.household.state.home import MOST_THINGS, NO_ROW, Home, State, ThingClass
from worlds.household.state.vocabulary import Condition, Held, Property


@dataclass
class Thing:
    """One thing of a draft; its fields are those of :class:`~worlds.household.state.home.Home` and of ``State``."""

    id: int
    kind: int
    box: Box
    yaw: float
    held: Held
    parent: int
    conditions: Condition
    between: tuple[int, int] = (NO_ROW, NO_ROW)


class Draft:
    """Things in the order of their rows."""

    def __init__(self, classes: Sequence[ThingClass] = CLASSES) -> None:
        self.classes = classes
        self.things: list[Thing] = []
        self._children: dict[int, list[int]] = {}

    @classmethod
    def of(cls, home: Home, state: State) -> Draft:
        """Return the draft of a home that is finished."""
        draft = cls(home.classes)
        for row in range(len(home)):
            box = Box(tuple(state.centre[row].tolist()), tuple(home.size[row].tolist()))
            held, parent = Held(int(state.held[row])), int(state.parent[row])
            between = (int(home.between[row, 0]), int(home.between[row, 1]))
            condition = Condition(int(state.conditions[row]))
            thing = Thing(int(home.ids[row]), int(home.kind[row]), box, float(home.yaw[row]), held, parent, condition)
            thing.between = between
            draft.append(thing)
        return draft

    def append(self, thing: Thing) -> int:
        """Add a thing and return its row."""
        self.things.append(thing)
        self._children.setdefault(thing.parent, []).append(len(self.things) - 1)
        return len(self.things) - 1

    def add(self, name: str, box: Box, yaw: float, held: Held, parent: int) -> int:
        """Add a thing of the catalogue in its first conditions, and return its row."""
        kind = NUMBER_OF[name]
        return self.append(Thing(NO_ROW, kind, box, yaw, held, parent, self.first_conditions(kind)))

    def first_conditions(self, kind: int) -> Condition:
        """Return the conditions of a thing of a class of which nothing else is known."""
        return first_conditions(self.classes[kind].properties)

    def class_of(self, row: int) -> ThingClass:
        """Return the class of a thing."""
        return self.classes[self.things[row].kind]

    def spot(
        self, size: Sequence[float], held: Held, parent: int, near: tuple[float, float] | None = None
    ) -> Box | None:
        """Return a free box for another thing on or in a thing, near a point or the middle; None if there is none."""
        thing = self.things[parent]
        others = [self.things[row].box for row in self._children.get(parent, ()) if self.things[row].held == held]
        return place_on(thing.box, thing.yaw, self.class_of(parent).properties, held, tuple(size), others, near)

    def make_room(self, size: Sequence[float], held: Held, parent: int) -> Box | None:
        """Move what can be carried on or in a thing so that another thing fits, and return the free box for it.

        Returns None and moves nothing if there is no way.
        """
        thing = self.things[parent]
        there = [row for row in self._children.get(parent, ()) if self.things[row].held == held]
        loose = [row for row in there if Property.GRABBABLE in self.class_of(row).properties]
        sizes = [tuple(size), *(self.things[row].box.size for row in loose)]
        fixed = [self.things[row].box for row in there if row not in loose]
        found = pack(thing.box, thing.yaw, self.class_of(parent).properties, held, sizes, fixed)
        if found is None:
            return None
        for row, box in zip(loose, found[1:], strict=True):
            x, y, z = (after - before for after, before in zip(box.centre, self.things[row].box.centre, strict=True))
            self._shift(row, (x, y, z))
        return found[0]

    def _shift(self, row: int, by: tuple[float, float, float]) -> None:
        """Move a thing with all that lies on or in it."""
        box = self.things[row].box
        x, y, z = (at + step for at, step in zip(box.centre, by, strict=True))
        self.things[row].box = Box((x, y, z), box.size)
        for below in self._children.get(row, ()):
            self._shift(below, by)

    def finish(self, name: str, persons: tuple[int, int]) -> tuple[Home, State]:
        """Return the home and its first state."""
        if len(self.things) > MOST_THINGS:
            raise UserError(f"home {name!r} has {len(self.things)} things; at most {MOST_THINGS} are possible")
        things = self.things
        home = Home(
            name=name,
            classes=self.classes,
            ids=np.array([each.id for each in things], dtype=np.int32),
            kind=np.array([each.kind for each in things], dtype=np.int16),
            size=np.array([each.box.size for each in things], dtype=np.float32),
            yaw=np.array([each.yaw for each in things], dtype=np.float32),
            between=np.array([each.between for each in things], dtype=np.int16),
            persons=persons,
        )
        state = State(
            held=np.array([each.held for each in things], dtype=np.int8),
            parent=np.array([each.parent for each in things], dtype=np.int16),
            room=np.array([self.room_of(row) for row in range(len(things))], dtype=np.int16),
            conditions=np.array([int(each.conditions) for each in things], dtype=np.int16),
            centre=np.array([each.box.centre for each in things], dtype=np.float32),
            facing=np.array([things[person].yaw for person in persons], dtype=np.float32),
        )
        return home, state

    def room_of(self, row: int) -> int:
        """Return the row of the room in which a thing is."""
        while self.things[row].parent != NO_ROW:
            row = self.things[row].parent
        return row

    def rows(self, name: str) -> list[int]:
        """Return the rows of all things of a class."""
        return [row for row, each in enumerate(self.things) if self.classes[each.kind].name == name]
