"""What the success checks of games about moving things have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator

import numpy as np

from worlds.contract import SETTER, SOLVER, TaskSpec
from worlds.playhouse.games.choices import Choice
from worlds.playhouse.requests.language import is_courtesy
from worlds.playhouse.requests.success import AT_REST, PlayhouseTask
from worlds.playhouse.world import Playhouse


class Doing(PlayhouseTask):
    """A game that is played by moving. Words that nobody asked for are regress.

    Attributes:
      held: id of what the solver holds now.
      before: id of what it held a step ago.
      moved: metres by which each loose thing moved in the last step, by id.
      carried: ids of what has been in the solver's hand since the request.
    """

    def __init__(self, spec: TaskSpec) -> None:
        super().__init__(spec)
        self.carried: set[str] = set()

    def _begin(self, world: Playhouse) -> None:
        self.start = world.object_positions()
        self.held = self.before = world.avatar(SOLVER).held
        self._last = self.start
        self.moved = dict.fromkeys(self.start, 0.0)
        self.begin(world)

    def _judge(self, world: Playhouse, utterance: str) -> Iterator[tuple[int, str]]:
        positions = world.object_positions()
        self.moved = {i: float(np.linalg.norm(at - self._last[i])) for i, at in positions.items()}
        self.held = world.avatar(SOLVER).held
        if self.held is not None:
            self.carried.add(self.held)
        if utterance and not is_courtesy(utterance):
            yield -1, "says something that was not asked for"
        yield from self.judge(world)
        self._last, self.before = positions, self.held

    @abstractmethod
    def begin(self, world: Playhouse) -> None:
        """Look at the world as it is when the request is made."""

    @abstractmethod
    def judge(self, world: Playhouse) -> Iterator[tuple[int, str]]:
        """Yield signs and reasons of the events of the last step."""

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
        return object_id not in hands and self.moved[object_id] <= AT_REST

    def risen(self, world: Playhouse, object_id: str) -> float:
        """Return by how many metres a thing is higher than it was at the request."""
        return float(world.object_position(object_id)[2] - self.start[object_id][2])


class Moving(Doing):
    """So many of ``things`` have to be moved until each :meth:`is_done`.

    Taking one of them is progress and so is every further one that is done; taking another thing, letting one go where
    it does not belong, and undoing what was done is regress.
    """

    done_reason = "has moved it where it belongs"

    def begin(self, world: Playhouse) -> None:
        """See :meth:`Doing.begin`."""
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
        """See :meth:`Doing.judge`."""
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
