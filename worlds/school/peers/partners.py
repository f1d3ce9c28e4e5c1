"""Partners of Collaboration: each does its side's part of the work, waits for the agent's, and never speaks."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from worlds.school.grid.codes import EAST, GO_FORWARD, NO_OP, ROTATE_LEFT, ROTATE_RIGHT
from worlds.school.grid.room import Cell
from worlds.school.grid.things import AppleGenerator, LockableBox, Marble, Switch
from worlds.school.peers.script import Decision, Script

WANDERS = 10  # random acts with which the partners of levers begin, so that fixed sequences of acts do not succeed


class Partner(Script):
    """A script of one side."""

    def __init__(self, rng: np.random.Generator, on_left: bool, wanders: int = 0) -> None:
        super().__init__(rng)
        self.on_left, self.wanders = on_left, wanders

    def respond(self, problem: Any) -> Decision:
        if self.meets and not self.introduced:
            return NO_OP, None
        if self.wanders:
            self.wanders -= 1
            return self._wander(problem), None
        return (self.left(problem) if self.on_left else self.right(problem)), None

    @abstractmethod
    def left(self, problem: Any) -> int:
        """Return its act on the left side."""

    @abstractmethod
    def right(self, problem: Any) -> int:
        """Return its act on the right side."""

    def _wander(self, problem: Any) -> int:
        """Return a random step or turn. It walks into nothing: a marble that it happened to push would be lost."""
        act = int(self.rng.choice((GO_FORWARD, ROTATE_LEFT, ROTATE_RIGHT)))
        there = problem.room.at(*problem.peer.front)
        is_free = there is None or there.can_overlap()
        return act if act != GO_FORWARD or is_free else ROTATE_LEFT

    def push(self, problem: Any, thing: Marble, direction: int) -> int:
        """Return the act that leads it behind a thing and then into it, in a direction."""
        peer, cell = problem.peer, problem.room.beside(thing.place, (direction + 2) % 4)
        return self.walk_to(problem.room, peer, thing.place if peer.place == cell else cell)


class PairPartner(Partner):
    """Boxes, Switches, Generators and Marble: opens a box on the right, or uses its colour's object on the left.

    As in the published code, it acts without an introduction and counts as a stranger throughout.
    """

    meets = False
    cell: Cell | None = None  # of the box that it opens

    def left(self, problem: Any) -> int:
        """Wait for a box to be opened, then use the object of its colour and eat."""
        thing, apple = problem.chosen, problem.partner_apple
        if thing is None or apple.eaten:
            return self.look_at(problem.peer, problem.room.agent)
        if apple.at is not None:
            return self.use_at(problem.room, problem.peer, apple.at)
        if isinstance(thing, Switch) and thing.is_on:
            return self.use_at(problem.room, problem.peer, problem.apple_cell)
        if isinstance(thing, LockableBox | Switch):
            return self.use_at(problem.room, problem.peer, thing.place)
        return self._generate(problem, thing)

    def _generate(self, problem: Any, generator: AppleGenerator) -> int:
        if not generator.by_marble:
            return self.walk_to(problem.room, problem.peer, generator.place)
        (x, y), (a, b) = problem.marble.place, generator.place
        if problem.marble.direction is not None or (x != a and y != b):
            return NO_OP
        return self.push(problem, problem.marble, direction_towards((x, y), (a, b)))

    def right(self, problem: Any) -> int:
        """Open a random box, eat, and watch the agent."""
        if problem.partner_apple.eaten:
            return self.look_at(problem.peer, problem.room.agent)
        cell: Cell = self.cell or problem.boxes[int(self.rng.integers(len(problem.boxes)))].place
        self.cell = cell
        return self.use_at(problem.room, problem.peer, cell)


class MarblePassPartner(Partner):
    """MarblePass: pushes the marble once."""

    pushed = False

    def left(self, problem: Any) -> int:
        """Push the marble to the right."""
        return self._push_once(problem, EAST)

    def right(self, problem: Any) -> int:
        """Wait for the marble, and push it into the generator."""
        marble, generator = problem.marble.place, problem.generator.place
        return self._push_once(problem, direction_towards(marble, generator)) if marble[0] == generator[0] else NO_OP

    def _push_once(self, problem: Any, direction: int) -> int:
        if self.pushed:
            return NO_OP
        act = self.push(problem, problem.marble, direction)
        self.pushed = act == GO_FORWARD and problem.peer.front == problem.marble.place
        return act


class MarblePushPartner(Partner):
    """MarblePush: does its part once the agent is in its place."""

    pushed = pulls = False

    def __init__(self, rng: np.random.Generator, on_left: bool) -> None:
        super().__init__(rng, on_left, WANDERS)

    def left(self, problem: Any) -> int:
        """Stand behind the marble, and push it once the agent is at the lever."""
        peer, room, marble = problem.peer, problem.room, problem.marble
        if self.pushed:
            return NO_OP
        cell = room.beside(marble.place, (EAST + 2) % 4)
        if peer.place != cell:
            return self.walk_to(room, peer, cell)
        turn = self.look_at(peer, room.agent)
        if turn != NO_OP or distance(room.agent, problem.lever.place) > 1:
            return turn
        act = self.walk_to(room, peer, marble.place)
        self.pushed = act == GO_FORWARD
        return act

    def right(self, problem: Any) -> int:
        """Stand at the lever, and pull it once the agent is beside the marble, in its row."""
        (x, y), (a, b) = problem.room.agent, problem.marble.place
        return self._pull(problem, (abs(x - a), abs(y - b)) == (1, 0))

    def _pull(self, problem: Any, now: bool) -> int:
        """Return the act that leads it to the lever, has it look at the agent, and pull it once it is time."""
        peer, room, lever = problem.peer, problem.room, problem.lever
        if lever.was_activated:
            return NO_OP
        if distance(peer.place, lever.place) > 1:
            return self.walk_to(room, peer, lever.place)
        turn = self.look_at(peer, room.agent)
        if turn != NO_OP and not self.pulls:
            return turn
        self.pulls = self.pulls or now
        return self.use_at(room, peer, lever.place) if self.pulls else NO_OP


class LeverDoorPartner(MarblePushPartner):
    """LeverDoor: pulls the lever once the agent is at the door, or walks to the generator once the door is open."""

    def left(self, problem: Any) -> int:
        """Stand at the lever, and pull it once the agent is at the door."""
        return self._pull(problem, distance(problem.room.agent, problem.door.place) <= 1)

    def right(self, problem: Any) -> int:
        """Walk to the generator, or up to the door while it is closed."""
        if problem.generator.is_pressed:
            return NO_OP
        act = self.walk_to(problem.room, problem.peer, problem.generator.place)
        return self.walk_to(problem.room, problem.peer, problem.door.place) if act == NO_OP else act


def distance(one: Cell, other: Cell) -> int:
    """Return the Manhattan distance between two cells."""
    return abs(one[0] - other[0]) + abs(one[1] - other[1])


def direction_towards(start: Cell, end: Cell) -> int:
    """Return the direction of one cell from another in its row or column: east, south, west or north."""
    if start[1] == end[1]:
        return 0 if end[0] > start[0] else 2
    return 1 if end[1] > start[1] else 3
