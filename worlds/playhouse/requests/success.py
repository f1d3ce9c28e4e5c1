"""Hard-coded success checks of the six probe tasks (paper, section 6.3).

Each check also reports, step by step, what the paper's guidelines for raters (A.2) call progress and regress. Only
evaluation and scripted raters may read that.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator

import numpy as np

from worlds.contract import SOLVER, Event, TaskSpec
from worlds.playhouse.requests.ground_truth import distance, faces, gap, is_over
from worlds.playhouse.requests.language import answer_in, is_courtesy
from worlds.playhouse.world import Playhouse

GO_DISTANCE = 1.3  # metres between avatar and target, measured on the floor
GO_ANGLE = math.radians(20.0)
GO_STEPS = 2  # consecutive steps of standing there that count as being there
WRONG_STEPS = 3  # consecutive steps of standing before a wrong thing that count as having gone to it
STANDING = (0.15, math.radians(10.0))  # metres and angle that a standing solver may still move in a step
LIFT_HEIGHT = 0.25  # metres above where the target was
NEXT_TO = 0.5  # metres between two things, surface to surface
AT_REST = 0.01  # metres a thing at rest may move in a step


class PlayhouseTask:
    """The success check of one instruction.

    ``update`` is called once after every step, also after success. At the first call the solver has not yet heard
    the instruction; that call only notes the state of the world.

    Attributes:
      succeeded: True once the task has been done.
      over: True once it was done or can no longer be.
      latest: the last event so far; None before the first.
    """

    def __init__(self, spec: TaskSpec) -> None:
        self.spec = spec
        self.succeeded = self.over = False
        self.latest: Event | None = None
        self._heard = False

    def update(self, world: Playhouse, utterance: str) -> tuple[bool, tuple[Event, ...]]:
        """See :meth:`worlds.contract.Task.update`. An event's step is the index of the observation that shows it."""
        events: tuple[Event, ...] = ()
        if not self._heard:
            self._begin(world)
        elif not self.over:
            events = tuple(Event(world.step_index, sign, why) for sign, why in self._judge(world, utterance))
            self.latest = events[-1] if events else self.latest
        self._heard = True
        return self.succeeded, events

    def _succeed(self, why: str) -> tuple[int, str]:
        self.succeeded = self.over = True
        return 1, why

    @abstractmethod
    def _begin(self, world: Playhouse) -> None:
        """Look at the world as it is when the instruction is given."""

    @abstractmethod
    def _judge(self, world: Playhouse, utterance: str) -> Iterator[tuple[int, str]]:
        """Yield signs and reasons of the events of the last step."""


class Doing(PlayhouseTask):
    """A task that is done by moving; ``target`` is the object it is about."""

    def _begin(self, world: Playhouse) -> None:
        self.target: str = self.spec.arguments["target"]
        self._start = world.object_position(self.target).copy()
        self._held = world.avatar(SOLVER).held
        self._rooms_to_tell = self._room_of_target(world) is not None and self._in_room_of_target(world) is False
        self._left = False

    def _judge(self, world: Playhouse, utterance: str) -> Iterator[tuple[int, str]]:
        if utterance and not is_courtesy(utterance):
            yield -1, "says something that was not asked for"
        yield from self._judge_rooms(world)
        yield from self._judge_movement(world)
        self._held = world.avatar(SOLVER).held

    @abstractmethod
    def _judge_movement(self, world: Playhouse) -> Iterator[tuple[int, str]]:
        """The part that is the task's own."""

    def _judge_rooms(self, world: Playhouse) -> Iterator[tuple[int, str]]:
        """Coming into the target's room is progress once; leaving it without the target is regress once."""
        inside = self._in_room_of_target(world)
        if self._rooms_to_tell and inside:
            self._rooms_to_tell = False
            yield 1, "comes into the right room"
        elif inside is False and not (self._rooms_to_tell or self._left or self._held == self.target):
            self._left = True
            yield -1, "leaves the right room"

    def _judge_hand(self, world: Playhouse) -> Iterator[tuple[int, str]]:
        """Taking the target is progress, taking anything else regress."""
        held = world.avatar(SOLVER).held
        if held is not None and held != self._held:
            yield (1, "takes the right thing") if held == self.target else (-1, "takes a wrong thing")

    def _room_of_target(self, world: Playhouse) -> str | None:
        return world.room_at(world.object_position(self.target)[:2])

    def _in_room_of_target(self, world: Playhouse) -> bool | None:
        """None while the avatar or the target is in no room."""
        here, there = world.room_at(world.avatar(SOLVER).position[:2]), self._room_of_target(world)
        return None if here is None or there is None else here == there


class Go(Doing):
    """Going to X: the solver stands near X and faces it, for ``GO_STEPS`` steps; walking by is not enough."""

    def _begin(self, world: Playhouse) -> None:
        super()._begin(world)
        self._there = self._elsewhere = 0  # steps for which it has stood before the target, before something else
        self._counted: set[str] = set()  # wrong things that have been counted as regress
        self._pose = _pose(world)

    def _judge_movement(self, world: Playhouse) -> Iterator[tuple[int, str]]:
        held, stands = world.avatar(SOLVER).held, self._stands(world)
        if held is not None and held != self._held:
            yield -1, "takes a thing when asked to go"
        before_target = stands and _faces(world, self.target)
        self._there = self._there + 1 if before_target else 0
        self._elsewhere = self._elsewhere + 1 if stands and not before_target else 0
        if self._there >= GO_STEPS:
            yield self._succeed("is at the right thing")
        elif self._elsewhere >= WRONG_STEPS:
            yield from self._judge_wrong_arrival(world)

    def _judge_wrong_arrival(self, world: Playhouse) -> Iterator[tuple[int, str]]:
        """Standing before a wrong thing is regress, once for each thing."""
        nearest = _nearest_ahead(world)
        if nearest is not None and nearest not in self._counted:
            self._counted.add(nearest)
            yield -1, "goes to a wrong thing"

    def _stands(self, world: Playhouse) -> bool:
        """Return True if the solver hardly moved in the last step."""
        pose, last = _pose(world), self._pose
        self._pose = pose
        turned = abs((pose[2] - last[2] + math.pi) % (2 * math.pi) - math.pi)
        return distance(pose, last) <= STANDING[0] and turned <= STANDING[1]


class Lift(Doing):
    """Lifting X: X is held, ``LIFT_HEIGHT`` higher than it was."""

    def _judge_movement(self, world: Playhouse) -> Iterator[tuple[int, str]]:
        yield from self._judge_hand(world)
        held = world.avatar(SOLVER).held
        if held is not None and held == self.target and world.object_position(held)[2] - self._start[2] >= LIFT_HEIGHT:
            yield self._succeed("has lifted the right thing")
        elif self._held == self.target and held != self.target:
            yield -1, "drops the right thing"


class Position(Doing):
    """Putting X next to Y: X was moved and rests, let go, no farther than ``NEXT_TO`` from Y, in the same room.

    What lies on Y, or Y on it, is on top and not beside.
    """

    def _begin(self, world: Playhouse) -> None:
        super()._begin(world)
        self._beside: str = self.spec.arguments["next_to"]
        self._carried = False
        self._last = self._start

    def _judge_movement(self, world: Playhouse) -> Iterator[tuple[int, str]]:
        yield from self._judge_hand(world)
        held, positions = world.avatar(SOLVER).held, world.object_positions()
        here = positions[self.target].copy()
        near = self._is_beside(world, positions)
        self._carried |= held == self.target
        if self._held == self.target != held and not near:
            yield -1, "puts the right thing in a wrong place"
        at_rest = float(np.linalg.norm(here - self._last)) <= AT_REST
        self._last = here
        if self._carried and held != self.target and near and at_rest:
            yield self._succeed("has put it in the right place")

    def _is_beside(self, world: Playhouse, positions: dict[str, np.ndarray]) -> bool:
        target, other = positions[self.target], positions[self._beside]
        stacked = any(
            is_over(world.house, upper, lower, positions) and positions[upper][2] > positions[lower][2]
            for upper, lower in ((self.target, self._beside), (self._beside, self.target))
        )
        together = world.room_at(target[:2]) == world.room_at(other[:2])
        return together and not stacked and gap(world.house, self.target, self._beside, positions) <= NEXT_TO


class Question(PlayhouseTask):
    """A question; the first answer counts, right or wrong."""

    def _begin(self, world: Playhouse) -> None:
        self._held = world.avatar(SOLVER).held

    def _judge(self, world: Playhouse, utterance: str) -> Iterator[tuple[int, str]]:
        held = world.avatar(SOLVER).held
        if held is not None and held != self._held:
            yield -1, "takes a thing when asked a question"
        self._held = held
        if not utterance or is_courtesy(utterance):
            return
        answer = answer_in(utterance, self.spec.name)
        if answer is None:
            yield -1, "says what is no answer"
        elif answer == self.spec.arguments["answer"]:
            yield self._succeed("answers right")
        else:
            self.over = True
            yield -1, "answers wrong"


def _faces(world: Playhouse, object_id: str) -> bool:
    """Return True if the solver is near an object, in its room, and faces it."""
    avatar, position = world.avatar(SOLVER), world.object_position(object_id)
    if not faces(avatar, position, GO_DISTANCE, GO_ANGLE):
        return False
    return world.room_at(avatar.position[:2]) == world.room_at(position[:2])


def _nearest_ahead(world: Playhouse) -> str | None:
    """The nearest of the things that the solver faces and does not hold."""
    avatar, positions = world.avatar(SOLVER), world.object_positions()
    ahead = (i for i in positions if i != avatar.held and _faces(world, i))
    return min(ahead, key=lambda i: distance(avatar.position, positions[i]), default=None)


def _pose(world: Playhouse) -> np.ndarray:
    avatar = world.avatar(SOLVER)
    return np.array([avatar.position[0], avatar.position[1], avatar.yaw])
