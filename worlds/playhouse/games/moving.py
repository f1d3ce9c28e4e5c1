"""What the success checks of games about moving things have in common."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator

import numpy as np

from worlds.contract import SETTER, SOLVER, TaskSpec
from worlds.playhouse.games.choices import Choice
from worlds.playhouse.requests.ground_truth import distance
from worlds.playhouse.requests.language import is_courtesy
from worlds.playhouse.requests.success import AT_REST, STANDING, PlayhouseTask
from worlds.playhouse.world import Playhouse


class Doing(PlayhouseTask):
    """A game that is played by moving. Words that nobody asked for are regress.

    Attributes:
      held: id of what the solver holds now.
      before: id of what it held a step ago.
      carried: ids of what has been in the solver's hand since the request.
    """

    def __init__(self, spec: TaskSpec) -> None:
        super().__init__(spec)
        self.carried: set[str] = set()

    def _begin(self, world: Playhouse) -> None:
        self.start = self._last = self._positions = world.object_positions()
        self.held = self.before = world.avatar(SOLVER).held
        self.begin(world)

    def _judge(self, world: Playhouse, utterance: str) -> Iterator[tuple[int, str]]:
        self._last, self._positions = self._positions, world.object_positions()
        self.held = world.avatar(SOLVER).held
        if self.held is not None:
            self.carried.add(self.held)
        if utterance and not is_courtesy(utterance):
            yield -1, "says something that was not asked for"
        yield from self.judge(world)
        self.before = self.held

    @abstractmethod
    def begin(self, world: Playhouse) -> None:
        """Look at the world as it is when the request is made."""

    @abstractmethod
    def judge(self, world: Playhouse) -> Iterator[tuple[int, str]]:
        """Yield signs and reasons of the events of the last step."""

    def moved(self, object_id: str) -> float:
        """Return by how many metres a thing moved in the last step; furniture does not."""
        if object_id not in self._positions:
            return 0.0
        return math.dist(self._positions[object_id], self._last[object_id])

    @property
    def taken(self) -> str | None:
        """Id of what the solver took in the last step."""
        return self.held if self.held != self.before else None

    @property
    def let_go(self) -> str | None:
        """Id of what the solver let go in the last step."""
        return self.before if self.held != self.before else None

    def lies_still(self, world: Playhouse, object_id: str) -> bool:
        """Return True if nobody holds a thing and it has come to rest."""
        hands = (self.held, world.avatar(SETTER).held)
        return object_id not in hands and self.moved(object_id) <= AT_REST

    def risen(self, world: Playhouse, object_id: str) -> float:
        """Return by how many metres a thing is higher than it was at the request."""
        return float(world.object_position(object_id)[2] - self.start[object_id][2])


class AboutThing(Doing):
    """A game about one thing, ``target``. Coming into its room is progress, leaving the room without it regress."""

    def begin(self, world: Playhouse) -> None:
        self.target: str = self.spec.arguments["target"]
        self._rooms_to_tell = self._in_room_of_target(world) is False
        self._left = False

    def judge(self, world: Playhouse) -> Iterator[tuple[int, str]]:
        yield from self.judge_rooms(world)
        yield from self.judge_movement(world)

    @abstractmethod
    def judge_movement(self, world: Playhouse) -> Iterator[tuple[int, str]]:
        """Yield signs and reasons of the events of the last step, but for those of rooms."""

    def judge_rooms(self, world: Playhouse) -> Iterator[tuple[int, str]]:
        """Yield progress once when the solver comes into the target's room, regress once when it leaves that."""
        inside = self._in_room_of_target(world)
        if self._rooms_to_tell and inside:
            self._rooms_to_tell = False
            yield 1, "comes into the right room"
        elif inside is False and not (self._rooms_to_tell or self._left or self.before == self.target):
            self._left = True
            yield -1, "leaves the right room"

    def judge_taking(self) -> Iterator[tuple[int, str]]:
        """Yield progress when the target is taken, regress when anything else is."""
        if self.taken is not None:
            yield (1, "takes the right thing") if self.taken == self.target else (-1, "takes a wrong thing")

    def _in_room_of_target(self, world: Playhouse) -> bool | None:
        """None while the avatar or the target is in no room."""
        here = world.room_at(world.avatar(SOLVER).position[:2])
        there = world.room_at(world.object_position(self.target)[:2])
        return None if here is None or there is None else here == there


class Stance:
    """Whether the solver stands: it hardly moved since this was last asked."""

    def __init__(self, world: Playhouse) -> None:
        self.pose = _pose(world)

    def is_kept(self, world: Playhouse) -> bool:
        """Return True if the solver has moved and turned less since the last call than one who stands may."""
        last, self.pose = self.pose, _pose(world)
        turned = abs((self.pose[2] - last[2] + math.pi) % (2 * math.pi) - math.pi)
        return distance(self.pose, last) <= STANDING[0] and turned <= STANDING[1]


def _pose(world: Playhouse) -> np.ndarray:
    avatar = world.avatar(SOLVER)
    return np.array([avatar.position[0], avatar.position[1], avatar.yaw])


class Moving(Doing):
    """So many of ``things`` have to be moved until each :meth:`is_done`.

    Taking one of them is progress and so is every further one that is done; taking another thing, letting one go where
    it does not belong, and undoing what was done is regress.
    """

    done_reason = "has moved it where it belongs"

    def begin(self, world: Playhouse) -> None:
        self.things = Choice.of(self.spec.arguments)
        self.done: set[str] = set()
        self._falling: str | None = None  # what was let go and has not come to rest

    @abstractmethod
    def is_done(self, world: Playhouse, object_id: str) -> bool:
        """Return True if a thing that the solver has moved is as the request wants it."""

    def may_take(self, object_id: str) -> bool:
        """Return True if taking a thing is what the request wants."""
        return object_id in self.things.among and object_id not in self.done

    def candidates(self) -> set[str]:
        """Return what can have become as the request wants it by what the solver did."""
        return self.carried & set(self.things.among)

    def judge(self, world: Playhouse) -> Iterator[tuple[int, str]]:
        if self.taken is not None and self.taken not in self.done:
            yield (1, "takes a right thing") if self.may_take(self.taken) else (-1, "takes a wrong thing")
        done = {i for i in self.candidates() if self.is_done(world, i)}
        undone = {i for i in self.done - done if i == self.held or self.lies_still(world, i)}
        newly, self.done = done - self.done, (self.done | done) - undone
        if len(done) >= self.things.number:
            yield self._succeed(self.done_reason)
            return
        if newly:
            yield 1, self.done_reason
        if undone:
            yield -1, "undoes what was done"
        yield from self._judge_fall(world)

    def _judge_fall(self, world: Playhouse) -> Iterator[tuple[int, str]]:
        """One of the things that comes to rest where it does not belong is regress."""
        if self.let_go in self.things.among:
            self._falling = self.let_go
        if self._falling in (None, self.held, *self.done):
            self._falling = None
        elif self._falling is not None and self.lies_still(world, self._falling):
            self._falling = None
            yield -1, "leaves a right thing in a wrong place"
