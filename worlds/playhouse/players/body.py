"""The body of a scripted player: what it sees, where it can go, and single steps of movement."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from worlds.contract import SETTER, SOLVER, TICKS_PER_SECOND
from worlds.playhouse.games.situation import Situation
from worlds.playhouse.navigation.carrying_plan import CarryingPlan
from worlds.playhouse.navigation.doors import doors_of
from worlds.playhouse.navigation.floor_plan import NO_DISCS, FloorPlan, discs_in_the_way
from worlds.playhouse.navigation.sight import Sight
from worlds.playhouse.physics.avatar import HOLD_LIFT, PUSH_RATE
from worlds.playhouse.players.steering import (
    BACKWARD_BIN,
    FORWARD,
    PULL_BIN,
    PUSH_BIN,
    REACH,
    STRAFE,
    Aim,
    pitch_to,
    steer,
)
from worlds.playhouse.requests.ground_truth import bearing, distance
from worlds.playhouse.world import Playhouse

EDGE = math.radians(4.0)  # a thing's middle this near to the edge of the picture is not seen yet
STUCK_M = 0.08  # metres in a step of walking; a walker that gets less far is stuck
REACHED = 0.15  # metres from a corner of a route at which a walker turns to the next
AT_A_LEAF = 1.0  # metres from a leaf that stops a player or what it carries
WALK_PITCH = math.radians(-15.0)  # radians at which a walker looks who aims at nothing
_ASIDE = (0, 2)  # bins of strafing left and right


class Body:
    """Senses and limbs of one player in one episode.

    Args:
      world: a Playhouse that has just been reset.
      rng: decides to which side it steps when stuck.

    Attributes:
      me: this player's :class:`~worlds.playhouse.world.AvatarState` when it last sensed.
    """

    def __init__(self, world: Playhouse, agent: str, rng: np.random.Generator) -> None:
        self.world, self.agent, self.rng = world, agent, rng
        self.plan, self._sight = FloorPlan.of(world), Sight.of(world)
        half_y = math.radians(world.fov_y_deg) / 2
        half_x = math.atan(math.tan(half_y) * world.width / world.height)
        self._half_view = half_x - EDGE, half_y - EDGE
        self._doors = doors_of(world)
        self._speed = 0.0
        self._was_at: np.ndarray | None = None  # where it was when it last began to walk ahead
        self._stuck = 0
        self.sense()

    def sense(self) -> None:
        """Feel where this player is; to be called once before each action."""
        self.me = self.world.avatar(self.agent)

    @cached_property
    def carrying_plan(self) -> CarryingPlan:
        """Ways for a player with something in hand."""
        return CarryingPlan(self.world.house, self.plan)

    def situation(self) -> Situation:
        """Return the house as it is now, with the ways that this player knows."""
        return Situation(self.world, self.plan, self._sight)

    @property
    def held(self) -> str | None:
        return self.me.held

    def where(self, object_id: str) -> np.ndarray:
        """Middle of an object, float64 [3]."""
        return self.world.object_position(object_id)

    def far(self, object_id: str) -> float:
        """Distance (m) to an object along the floor."""
        return distance(self.me.position, self.where(object_id))

    def same_room(self, object_id: str) -> bool:
        """Return True if this player is in the room of an object."""
        return self.world.room_at(self.me.position[:2]) == self.world.room_at(self.where(object_id)[:2])

    def sees(self, object_id: str) -> bool:
        """Return True if an object's middle or its upper part is in the picture and could be seen."""
        me, middle = self.me, self.where(object_id)
        rise = pitch_to(distance(me.position, middle), float(middle[2]))
        if abs(bearing(me, middle)) > self._half_view[0] or abs(rise - me.pitch) > self._half_view[1]:
            return False
        return self.could_see(object_id)

    def could_see(self, object_id: str) -> bool:
        """Return True if nothing fixed, nor a leaf, hides an object's middle or upper part from one who looks there."""
        me, middle = self.me, self.where(object_id)
        top = middle + [0.0, 0.0, 0.35 * self.world.house.objects_by_id[object_id].height]
        return self._sight.clear(me.eye, middle) or self._sight.clear(me.eye, top)

    def obstacles(self, *ignored: str | None) -> np.ndarray:
        """The loose things and the player in a walker's way, without ``ignored``: float64 [N, 3], see FloorPlan."""
        other = self.world.avatar(SETTER if self.agent == SOLVER else SOLVER)
        ignored += (self.held, other.held)
        return discs_in_the_way(self.world.house, other.position, self.world.object_positions(), ignored)

    def open_leaves(self) -> np.ndarray:
        """Points of door leaves that stand in the way of what is carried: float64 [N, 3], x, y, radius."""
        return NO_DISCS if self._doors is None else self._doors.posts()

    def is_at_a_leaf(self) -> bool:
        """Return True if this player is before or beside a door leaf, near enough to be stuck at it."""
        return self._doors is not None and self._doors.nearest(self.me.position) < AT_A_LEAF

    def along(self, route: np.ndarray) -> Aim:
        """Towards the first corner of ``route``, float64 [K, 2], that has not been reached."""
        here = self.me.position
        ahead = next((corner for corner in route if distance(here, corner) > REACHED), route[-1])
        return Aim((float(ahead[0]), float(ahead[1])), 0.05, WALK_PITCH)

    def move(self, aim: Aim, hold: float | None = None) -> np.ndarray:
        """The movement of one step towards ``aim``; a held thing is brought to ``hold`` metres from the eye."""
        me = self.me
        if self._is_stuck(me.position):
            return self._step_aside()
        movement, self._speed = steer(me.position[0], me.position[1], me.yaw, me.pitch, self._speed, aim)
        if hold is not None and me.held is not None:
            self._reach(movement, hold)
        self._was_at = me.position if (movement[:, FORWARD] == 2).sum() >= 5 else None
        return movement

    def stand(self) -> None:
        """Note that this step is spent standing still."""
        self._speed, self._was_at = 0.0, None

    def reach(self) -> float:
        """Return the distance (m) from the eye at which the hand holds something."""
        me = self.me
        assert me.held is not None, "nothing is in hand"
        return math.dist(self.where(me.held) - [0.0, 0.0, HOLD_LIFT], me.eye)

    def _reach(self, movement: np.ndarray, hold: float) -> None:
        lacking = hold - self.reach()
        ticks = min(len(movement), round(abs(lacking) / (PUSH_RATE / TICKS_PER_SECOND)))
        if ticks > 1:
            movement[:ticks, REACH] = PUSH_BIN if lacking > 0 else PULL_BIN

    def _is_stuck(self, position: np.ndarray) -> bool:
        walked = self._was_at is None or distance(position, self._was_at) > STUCK_M
        self._stuck = 0 if walked else self._stuck + 1
        return self._stuck >= 2

    def _step_aside(self) -> np.ndarray:
        movement, self._speed = steer(0.0, 0.0, 0.0, 0.0, 0.0, Aim())
        movement[:, STRAFE] = _ASIDE[self.rng.integers(2)]
        movement[:4, FORWARD] = BACKWARD_BIN
        self._stuck, self._was_at = 0, None
        return movement


def toward(position: Sequence[float] | np.ndarray, stop: float | None) -> Aim:
    """Walk up to ``stop`` metres before a thing at ``position`` [3] (None: stay) with the eyes on it."""
    return Aim((float(position[0]), float(position[1])), stop, None, float(position[2]))
