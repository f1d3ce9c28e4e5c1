"""An errand: bring a thing of a class to a place of a class. What there is to choose, and the steps of a choice."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from experiments.watch_and_help.policies.memory import NEVER, Memory
from experiments.watch_and_help.policies.network import View
from worlds.household.observing.entities import UNKNOWN, looks
from worlds.household.rules.joint import WAITING, Act
from worlds.household.state.home import NO_ROW, Home, State
from worlds.household.state.vocabulary import Condition, Held, Property, Verb
from worlds.household.tasks.predicates import Predicate, Relation
from worlds.spaces.observation import Category, Entities

MOST, MOST_WANTED, MOST_TARGETS = 40, 8, 5  # candidates: of all, of things that are wanted, and of places for them
LONGEST_WALK = 8  # steps of a choice
_SCALE = 10.0  # metres and steps, in numbers of about 1


class Option(IntEnum):
    """What is done with a candidate."""

    WAIT = 0  # only where nothing else is possible
    WALK = 1  # towards it, until it is within reach, or a thing that is wanted comes into view
    GRAB = 2
    OPEN = 3
    PUT = 4
    FETCH = 5  # let the policy of the first phase grab a thing that is wanted


class Role(IntEnum):
    """What a candidate is for the errand."""

    SELF = 0
    ROOM = 1
    CONTAINER = 2
    WANTED = 3
    TARGET = 4


GRABBING = (Option.WALK, Option.GRAB, Option.OPEN)  # options of the first phase
PUTTING = (Option.WALK, Option.OPEN, Option.PUT, Option.FETCH)  # and of the second

CANDIDATES = Entities(
    most=MOST,
    categorical=(
        Category("class", UNKNOWN + 1),
        Category("role", len(Role)),
        Category("open", 3),  # neither, closed, open
        Category("where", 3),  # elsewhere, in the own room, within reach
        Category("looked", 2),  # never, before
        Category("mine", 2),  # in a hand of the person
        Category("thing", UNKNOWN + 1),  # class of what is wanted
        Category("place", UNKNOWN + 1),  # class of the place for it
        Category("has", 2),  # the person holds a thing that is wanted
    ),
    real=("forward", "left", "metres", "age", "unopened"),
    position=("forward", "left"),
)
_HELD = {Relation.ON: Held.ON, Relation.INSIDE: Held.INSIDE}


class Errand:
    """One predicate that a person pursues, and the choice that it is carrying out.

    Args:
      predicate: of the relation ON, INSIDE or HOLDS; of the last, the thing only has to be grabbed.
      settled: things of the class that are not to be taken from some places: rows of the places and ON or INSIDE.

    Attributes:
      rows: int64 [candidates], rows of the home of the last view.
    """

    def __init__(
        self,
        home: Home,
        person: int,
        memory: Memory,
        predicate: Predicate,
        settled: tuple[tuple[np.ndarray, Held], ...] = (),
    ) -> None:
        self.home, self.person, self.memory, self.predicate = home, person, memory, predicate
        self._things, self._targets = home.rows_of(predicate.thing), home.rows_of(predicate.place)
        self._held = _HELD.get(predicate.relation, Held.NOWHERE)
        self._settled = (*settled, (self._targets, self._held)) if self._held else settled
        properties = home.properties
        needed = int(Property.CONTAINERS | Property.CAN_OPEN)
        self._containers = np.flatnonzero((properties & (needed | int(Property.GRABBABLE))) == needed)
        self.rows = np.empty(0, np.int64)
        self._option, self._row, self._steps = Option.WAIT, NO_ROW, 0
        self._known_before = 0

    # -- what there is -----------------------------------------------------------------------------------------

    def wanted(self) -> np.ndarray:
        """Rows of things that serve the errand, as far as is known: not yet placed, and in nobody else's hand."""
        rows, memory = self._things, self.memory
        taken = memory.with_others(rows)
        for places, held in self._settled:
            taken |= memory.satisfying(rows, places, held)
        return rows[memory.known[rows] & ~taken]

    def has(self) -> int:
        """Return the row of a thing in hand that is wanted; NO_ROW without one."""
        mine = self._things[self.memory.in_hand(self._things)]
        return int(mine[0]) if len(mine) else NO_ROW

    def is_close(self) -> bool:
        """Return True if what is to be reached next is within reach: a thing that is wanted, or a place for it."""
        rows = self._targets if self.has() != NO_ROW and self._held else self.wanted()
        return bool(self.memory.near[rows].any())

    def view(self, state: State, options: tuple[Option, ...]) -> View:
        """Return what there is to choose; the memory has seen the state before."""
        memory, home, person = self.memory, self.home, self.person
        wanted, targets = self.wanted(), self._targets[memory.known[self._targets]]
        order = np.argsort(~memory.near[targets], kind="stable")
        wanted = wanted[np.argsort(self._metres(wanted, state), kind="stable")][:MOST_WANTED]
        targets = targets[order][:MOST_TARGETS] if self._held else targets[:0]
        here = memory.seen[self._containers] & (memory.room[self._containers] == state.room[person])
        containers = np.setdiff1d(self._containers[here], targets)
        containers = containers[np.argsort(self._metres(containers, state), kind="stable")]
        groups = ([person], home.rooms, wanted, targets, containers)
        rows = np.concatenate(groups).astype(np.int64)[:MOST]
        roles = np.concatenate([np.full(len(each), role) for each, role in zip(groups, _ROLES, strict=True)])[:MOST]
        self.rows = rows
        return self._features(state, rows, roles, options)

    def _metres(self, rows: np.ndarray, state: State) -> np.ndarray:
        offset = self.memory.centre[rows, :2] - state.centre[self.person, :2]
        return np.hypot(offset[:, 0], offset[:, 1])

    def _features(self, state: State, rows: np.ndarray, roles: np.ndarray, options: tuple[Option, ...]) -> View:
        memory, person, count = self.memory, self.person, len(rows)
        conditions = np.where(memory.seen[rows], state.conditions[rows], 0)
        is_open, is_shut = (conditions & int(Condition.OPEN)) != 0, (conditions & int(Condition.CLOSED)) != 0
        is_room = roles == Role.ROOM
        own = state.room[person]
        same = np.where(is_room, rows == own, memory.room[rows] == own)
        near = np.where(is_room, rows == own, memory.near[rows])
        mine, has = memory.in_hand(rows), self.has() != NO_ROW
        kinds = looks(self.home).kind
        categories = np.zeros((MOST, len(CANDIDATES.categorical)), np.int16)
        categories[:count, 0] = kinds[rows]
        categories[:count, 1] = roles
        categories[:count, 2] = np.where(is_open, 2, is_shut)
        categories[:count, 3] = np.where(near, 2, same)
        categories[:count, 4] = memory.looked[rows] != NEVER
        categories[:count, 5] = mine
        categories[:count, 6] = kinds[self._things[0]] if len(self._things) else UNKNOWN
        categories[:count, 7] = kinds[self._targets[0]] if len(self._targets) and self._held else UNKNOWN
        categories[:count, 8] = has
        values = np.zeros((MOST, len(CANDIDATES.real)), np.float32)
        offset = np.where(is_room[:, None], state.centre[rows, :2], memory.centre[rows, :2])
        offset = offset - state.centre[person, :2]
        facing = float(state.facing[self.home.persons.index(person)])
        cos, sin = np.cos(facing), np.sin(facing)
        values[:count, 0] = cos * offset[:, 0] + sin * offset[:, 1]
        values[:count, 1] = cos * offset[:, 1] - sin * offset[:, 0]
        values[:count, 2] = np.hypot(offset[:, 0], offset[:, 1]) / _SCALE
        values[:count, 3] = np.where(memory.looked[rows] != NEVER, (memory.step - memory.looked[rows]) / _SCALE, 0.0)
        unopened = self._containers[memory.known[self._containers] & (memory.looked[self._containers] == NEVER)]
        values[:count, 4] = (memory.room[unopened][None, :] == rows[:, None]).sum(1) / _SCALE
        present = np.arange(MOST) < count
        mask = np.zeros((MOST, len(Option)), np.bool_)
        mask[:count] = self._legal(state, rows, roles, near & memory.seen[rows], is_open, is_shut, mine)
        mask &= np.isin(np.arange(len(Option)), options)
        mask[0, Option.WAIT] = not mask.any()
        return View(categories, values, present, mask)

    def _legal(
        self,
        state: State,
        rows: np.ndarray,
        roles: np.ndarray,
        near: np.ndarray,
        is_open: np.ndarray,
        is_shut: np.ndarray,
        mine: np.ndarray,
    ) -> np.ndarray:
        """Return which options of the candidates have their preconditions: bool [candidates, V]."""
        legal = np.zeros((len(rows), len(Option)), np.bool_)
        has, free = self.has() != NO_ROW, _free_hand(state, self.person) is not None
        legal[:, Option.WALK] = (roles != Role.SELF) & ~near & ~mine
        legal[:, Option.GRAB] = (roles == Role.WANTED) & near & ~mine & free
        openable = (self.home.properties[rows] & int(Property.CAN_OPEN)) != 0
        legal[:, Option.OPEN] = openable & is_shut & near & free & (roles >= Role.CONTAINER) & (roles != Role.WANTED)
        ready = (self._held == Held.ON) | is_open | ~openable
        legal[:, Option.PUT] = (roles == Role.TARGET) & near & has & ready
        legal[:, Option.FETCH] = (roles == Role.SELF) & (not has) & free
        return legal

    # -- steps -------------------------------------------------------------------------------------------------

    def begin(self, chosen: int) -> Option:
        """Begin to carry out a choice of the last view, and return what it is."""
        candidate, option = divmod(int(chosen), len(Option))
        self._option, self._row, self._steps = Option(option), int(self.rows[candidate]), 0
        self._known_before = len(self.wanted())
        return self._option

    def goes_on(self, state: State, reason: str) -> bool:
        """Return True if the choice takes another step.

        Args:
          reason: why the last action failed; "" if it succeeded.
        """
        if self._option != Option.WALK or reason or self._steps >= LONGEST_WALK:
            return False
        if len(self.wanted()) > self._known_before:
            return False
        is_room = self._row in self.home.rooms
        there = state.room[self.person] == self._row if is_room else self.memory.near[self._row]
        return bool(not there and (is_room or self.memory.known[self._row]))

    def act(self, state: State) -> Act:
        """Return the next action of the choice."""
        self._steps += 1
        row, option = self._row, self._option
        if option == Option.WALK:
            towards = row if row in self.home.rooms or self.memory.seen[row] else int(self.memory.room[row])
            return Verb.WALK_TOWARDS, towards, Held.RIGHT_HAND
        if option == Option.PUT:
            thing = self.has()
            hand = Held(int(state.held[thing]))
            return (Verb.PUT_IN if self._held == Held.INSIDE else Verb.PUT_ON), row, hand
        hand = _free_hand(state, self.person) or Held.RIGHT_HAND
        if option in (Option.GRAB, Option.OPEN):
            return (Verb.GRAB if option == Option.GRAB else Verb.OPEN), row, hand
        return WAITING


_ROLES = (Role.SELF, Role.ROOM, Role.WANTED, Role.TARGET, Role.CONTAINER)


def _free_hand(state: State, person: int) -> Held | None:
    """Return a hand that holds nothing; None if both are full."""
    hands = (Held.RIGHT_HAND, Held.LEFT_HAND)
    return next((hand for hand in hands if state.in_hand(person, hand) == NO_ROW), None)
