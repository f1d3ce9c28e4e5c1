"""A home of two rooms and some twenty things, for tests, and play in it: what a verb needs, and nothing else.

The kitchen is the square from (0, 0) to (4, 4), the living room that from (4, 0) to (8, 4), the door lies between them
at (4, 2). The setter begins in the kitchen, the solver in the living room.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from worlds.household.navigation.ways import Ways
from worlds.household.observing.senses import visible_rows
from worlds.household.rules import apply
from worlds.household.rules.bodies import stand_at
from worlds.household.rules.joint import WAITING, Act
from worlds.household.rules.legal import legal_mask
from worlds.household.state.home import NO_ROW, Home, State, ThingClass
from worlds.household.state.tables import tables
from worlds.household.state.vocabulary import Condition, Held, Property, Verb

_SEAT = Property.SITTABLE | Property.SURFACES
_MACHINE = Property.CONTAINERS | Property.CAN_OPEN | Property.HAS_SWITCH | Property.SURFACES
CLASSES = (
    ThingClass("kitchen", "Rooms", Property(0), (4.0, 4.0, 2.5)),
    ThingClass("livingroom", "Rooms", Property(0), (4.0, 4.0, 2.5)),
    ThingClass("door", "Doors", Property(0), (0.2, 0.9, 2.0)),
    ThingClass("character", "Characters", Property(0), (0.4, 0.4, 1.6)),
    ThingClass("kitchentable", "Furniture", Property.SURFACES | Property.MOVABLE, (1.4, 0.8, 0.75)),
    ThingClass("fridge", "Appliances", Property.CONTAINERS | Property.CAN_OPEN, (0.7, 0.7, 1.8)),
    ThingClass("microwave", "Appliances", _MACHINE, (0.5, 0.4, 0.3)),
    ThingClass("counter", "Furniture", Property.SURFACES, (1.6, 0.6, 0.9)),
    ThingClass("sofa", "Furniture", _SEAT | Property.LIEABLE, (1.8, 0.8, 0.8)),
    ThingClass("chair", "Furniture", _SEAT | Property.MOVABLE, (0.45, 0.45, 0.9)),
    ThingClass("coffeetable", "Furniture", Property.SURFACES | Property.MOVABLE, (1.4, 0.8, 0.4)),
    ThingClass("floorlamp", "Lamps", Property.HAS_SWITCH | Property.HAS_PLUG, (0.3, 0.3, 1.5)),
    ThingClass("plate", "Props", Property.GRABBABLE | Property.SURFACES | Property.RECIPIENT, (0.22, 0.22, 0.02)),
    ThingClass("apple", "Food", Property.GRABBABLE | Property.EATABLE, (0.08, 0.08, 0.08)),
    ThingClass("book", "Props", Property.GRABBABLE | Property.READABLE, (0.2, 0.15, 0.03)),
    ThingClass("box", "Props", Property.GRABBABLE | Property.CONTAINERS | Property.CAN_OPEN, (0.4, 0.3, 0.25)),
)
_KIND = {each.name: number for number, each in enumerate(CLASSES)}


class Thing(NamedTuple):
    """A row of the small home: its name here, its class, its parent's name here, and the centre of its floor."""

    name: str
    kind: str
    held: Held
    parent: str
    bottom: tuple[float, float, float]
    condition: Condition = Condition(0)
    yaw: float = 0.0


_SOUTH, _NORTH = -math.pi / 2, math.pi / 2
THINGS = (
    Thing("kitchen", "kitchen", Held.NOWHERE, "", (2.0, 2.0, 0.0)),
    Thing("livingroom", "livingroom", Held.NOWHERE, "", (6.0, 2.0, 0.0)),
    Thing("setter", "character", Held.ROOM, "kitchen", (1.0, 1.0, 0.0)),
    Thing("solver", "character", Held.ROOM, "livingroom", (7.0, 3.0, 0.0)),
    Thing("door", "door", Held.ROOM, "kitchen", (4.0, 2.0, 0.0)),
    Thing("table", "kitchentable", Held.ROOM, "kitchen", (2.0, 3.2, 0.0), yaw=_SOUTH),
    Thing("fridge", "fridge", Held.ROOM, "kitchen", (0.4, 3.5, 0.0), Condition.CLOSED, _SOUTH),
    Thing("counter", "counter", Held.ROOM, "kitchen", (2.5, 0.4, 0.0), yaw=_NORTH),
    Thing("microwave", "microwave", Held.ON, "counter", (2.5, 0.4, 0.9), Condition.CLOSED | Condition.OFF, _NORTH),
    Thing("chair", "chair", Held.ROOM, "kitchen", (3.2, 3.2, 0.0), yaw=math.pi),
    Thing("sofa", "sofa", Held.ROOM, "livingroom", (7.0, 0.5, 0.0), yaw=_NORTH),
    Thing("coffeetable", "coffeetable", Held.ROOM, "livingroom", (6.5, 1.8, 0.0)),
    Thing("lamp", "floorlamp", Held.ROOM, "livingroom", (7.7, 3.7, 0.0), Condition.OFF | Condition.PLUGGED_IN),
    Thing("plate", "plate", Held.ON, "table", (1.7, 3.1, 0.75)),
    Thing("plate 2", "plate", Held.ON, "coffeetable", (6.7, 1.8, 0.4)),
    Thing("apple", "apple", Held.INSIDE, "fridge", (0.4, 3.5, 0.9)),
    Thing("apple 2", "apple", Held.ON, "plate", (1.7, 3.1, 0.77)),
    Thing("book", "book", Held.ON, "coffeetable", (6.3, 1.8, 0.4)),
    Thing("box", "box", Held.ROOM, "livingroom", (5.0, 3.5, 0.0), Condition.CLOSED),
    Thing("book 2", "book", Held.INSIDE, "box", (5.0, 3.5, 0.1)),
)
ROW = {thing.name: row for row, thing in enumerate(THINGS)}  # row of a thing, by its name here


def small_home() -> tuple[Home, State]:
    """Return the home, and the state in which it begins; ids of the persons are 1 and 2, those of others row + 100."""
    kind = np.array([_KIND[thing.kind] for thing in THINGS], np.int16)
    size = np.array([CLASSES[each].size for each in kind], np.float32)
    parent = np.array([ROW.get(thing.parent, NO_ROW) for thing in THINGS], np.int16)
    between = np.full((len(THINGS), 2), NO_ROW, np.int16)
    between[ROW["door"]] = ROW["kitchen"], ROW["livingroom"]
    persons = ROW["setter"], ROW["solver"]
    ids = np.arange(len(THINGS), dtype=np.int32) + 100
    ids[list(persons)] = 1, 2
    room = np.arange(len(THINGS), dtype=np.int16)
    while (parent[room] != NO_ROW).any():
        room = np.where(parent[room] == NO_ROW, room, parent[room]).astype(np.int16)
    centre = np.array([thing.bottom for thing in THINGS], np.float32)
    centre[:, 2] += size[:, 2] / 2
    yaw = np.array([thing.yaw for thing in THINGS], np.float32)
    state = State(
        held=np.array([thing.held for thing in THINGS], np.int8),
        parent=parent,
        room=room,
        conditions=np.array([thing.condition for thing in THINGS], np.int16),
        centre=centre,
        facing=np.zeros(2, np.float32),
    )
    return Home("small", CLASSES, ids, kind, size, yaw, between, persons), state


class SmallWays:
    """The floor plan of the small home, where furniture is in nobody's way: straight lines, and through the door.

    Args:
      home: the small home.
      state: of the home; where loose things are is looked up at every question.
    """

    DOOR = (4.0, 2.0)
    STOP_M = 0.4  # from the box of the thing

    def __init__(self, home: Home, state: State) -> None:
        self._home, self._state = home, state

    def advance(self, xy: tuple[float, float], row: int, metres: float) -> tuple[tuple[float, float], float]:
        """Return the point so many metres on along the shortest way to a thing, and the direction of walking there."""
        (x, y), (centre_x, centre_y) = xy, self._state.centre[row, :2].tolist()
        if (x < self.DOOR[0]) == (centre_x < self.DOOR[0]) or row == ROW["door"]:
            reach = self.STOP_M + max(self._home.size[row, :2].tolist()) / 2
            to_x, to_y, stop = centre_x, centre_y, 0.0 if row in self._home.rooms else reach
        elif math.dist(xy, self.DOOR) > 0.1:
            (to_x, to_y), stop = self.DOOR, 0.0
        else:
            to_x, to_y, stop = self.DOOR[0] + math.copysign(1.0, centre_x - x), self.DOOR[1], 0.0
        far = math.dist(xy, (to_x, to_y))
        part = max(0.0, min(metres, far - stop)) / far if far > 1e-9 else 0.0
        towards = math.atan2(to_y - y, to_x - x)
        return (x + part * (to_x - x), y + part * (to_y - y)), towards

    def forward(self, xy: tuple[float, float], facing: float, metres: float) -> tuple[float, float]:
        """Return the point so many metres on in a direction, or where a wall of the home is in the way."""
        x, y = xy[0] + metres * math.cos(facing), xy[1] + metres * math.sin(facing)
        return min(max(x, 0.3), 7.7), min(max(y, 0.3), 3.7)

    def room_at(self, xy: tuple[float, float]) -> int:
        """Return the row of the room of a point."""
        return ROW["kitchen"] if xy[0] < self.DOOR[0] else ROW["livingroom"]

    def floor(self, xy: tuple[float, float]) -> tuple[float, float]:
        """Return the nearest point at which a person can stand: anywhere, as if furniture were flat."""
        return xy


RIGHT, LEFT = Held.RIGHT_HAND, Held.LEFT_HAND
ARRAYS = ("held", "parent", "room", "conditions", "centre", "facing")


class Play:
    """The small home in which the setter acts, and the solver where a test says so."""

    def __init__(self, seed: int = 0) -> None:
        self.home, self.state = small_home()
        self.ways, self.seed = Ways(self.home, self.state), seed

    def __call__(self, verb: Verb, name: str = "", hand: Held = RIGHT, full: bool = False) -> str:
        """Let the setter act and return why it failed."""
        return self.both(act(verb, name, hand), WAITING, full)[0]

    def both(self, setter: Act, solver: Act, full: bool = False) -> tuple[str, str]:
        """Let both act and return why each failed."""
        return apply(self.home, self.state, self.ways, (setter, solver), self.seed, full)

    def bring(self, person: str, x: float, y: float) -> None:
        """Set a person down somewhere, with what it holds."""
        number = self.home.persons.index(ROW[person])
        facing, room = float(self.state.facing[number]), self.ways.room_at((x, y))
        stand_at(tables(self.home, self.state), number, x, y, facing, room)

    def become(self, name: str, condition: Condition) -> None:
        """Set the conditions of a thing."""
        self.state.conditions[ROW[name]] = condition

    def where(self, name: str) -> tuple[Held, str]:
        """Return where a thing is."""
        row = ROW[name]
        names = {number: each for each, number in ROW.items()} | {NO_ROW: ""}
        return Held(int(self.state.held[row])), names[int(self.state.parent[row])]

    def bits(self) -> list[bytes]:
        """Return the bits of the state, without the number of the step."""
        return [getattr(self.state, name).tobytes() for name in ARRAYS]


def act(verb: Verb, name: str = "", hand: Held = RIGHT) -> Act:
    """Return an action that points at a thing by its name in the small home."""
    return verb, ROW[name] if name else NO_ROW, hand


def possible(home: Home, state: State, number: int, full: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Return the verbs, bool [verbs], and things, bool [N], that the mask of a person's actions allows."""
    t, things = tables(home, state), np.zeros(len(home), np.bool_)
    rows = visible_rows(t, number, full)
    mask = legal_mask(t, number, rows)
    things[rows] = mask[len(Verb) + 1 :][: len(rows)]
    return mask[: len(Verb)], things
