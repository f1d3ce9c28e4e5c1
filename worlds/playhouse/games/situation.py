"""The house at one moment: what requests are proposed from and read in."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise

import numpy as np

from worlds.contract import SETTER, SOLVER
from worlds.playhouse.house.record import AVATAR_RADIUS
from worlds.playhouse.navigation.floor_plan import FloorPlan, discs_in_the_way, place_to_stand
from worlds.playhouse.navigation.grasping import Gaze, gaze_to_take, places_to_take_from, things_around
from worlds.playhouse.navigation.sight import Sight
from worlds.playhouse.physics.avatar import EYE_HEIGHT
from worlds.playhouse.requests.facts import Facts, facts_of
from worlds.playhouse.requests.ground_truth import can_be_seen_over_rim, describe_all, grab_distance
from worlds.playhouse.requests.language import Described
from worlds.playhouse.world import AvatarState, Playhouse

HIGHEST_TARGET = 0.95  # metres to the middle of a thing that is to be taken


class Situation:
    """A Playhouse between two steps, with its ways and sights, for those who ask and those who understand.

    Args:
      world: between two steps; a situation is made again after each step.
      plan: ways through the house, kept from situation to situation; None makes them.
      sight: lines of sight, likewise.

    Attributes:
      world: the Playhouse.
      house: as it was when the episode began: kinds, colours, furniture, rooms.
      positions: middles of all loose things by id, float64 [3] each, metres.
      solver: where the solver is.
      setter: where the setter is.
    """

    def __init__(self, world: Playhouse, plan: FloorPlan | None = None, sight: Sight | None = None) -> None:
        self.world, self.house = world, world.house
        self.plan, self.sight = plan or FloorPlan.of(world), sight or Sight.of(world)
        self.positions = world.object_positions()
        self.solver: AvatarState = world.avatar(SOLVER)
        self.setter: AvatarState = world.avatar(SETTER)
        self._graspable: dict[str, bool] = {}

    @cached_property
    def things(self) -> dict[str, Described]:
        """The words that describe each loose thing, by id."""
        return describe_all(self.world)

    @cached_property
    def facts(self) -> Facts:
        """Everything that words can be about, as the setter speaks of it."""
        return facts_of(self.world)

    @cached_property
    def room(self) -> str | None:
        """Id of the room the solver is in."""
        return self.world.room_at(self.solver.position)

    @cached_property
    def here(self) -> tuple[str, ...]:
        """Ids of the loose things in the solver's room: those that words without a place are about."""
        return tuple(i for i, at in self.positions.items() if self.world.room_at(at) == self.room)

    @cached_property
    def free(self) -> tuple[str, ...]:
        """Ids of the loose things that nobody holds."""
        return tuple(i for i in self.positions if i not in (self.solver.held, self.setter.held))

    def room_at(self, point: np.ndarray) -> str | None:
        """Return the id of the room that a point [2+] of the floor is in."""
        return self.world.room_at(point)

    def room_of(self, object_id: str) -> str | None:
        """Return the id of the room that a loose thing is in."""
        return self.world.room_at(self.positions[object_id])

    def can_be_taken(self, object_id: str) -> bool:
        """Return True if the solver can walk to where it sees a thing and can take it; it may have it already."""
        if object_id == self.solver.held:
            return True
        if object_id not in self.free or self.positions[object_id][2] >= HIGHEST_TARGET:
            return False
        stop = self._stop_before(object_id)
        if stop is None:
            return False
        if gaze_to_take(self.world, SOLVER, object_id, stop) is not None:
            self._graspable[object_id] = True
        return self._can_be_grasped(object_id)

    def is_in_reach(self, object_id: str) -> bool:
        """Return True if there is a way to a place from which a thing can be seen and reached."""
        return self._stop_before(object_id) is not None

    def places_to_take_from(self, object_id: str) -> Iterator[tuple[np.ndarray, Gaze]]:
        """Yield places to stand, float64 [2], from which the solver can take a thing, and how it looks at it there."""
        discs = self.discs(object_id, *things_around(self.world, object_id))
        yield from places_to_take_from(self.world, SOLVER, object_id, self.plan, discs)

    def _can_be_grasped(self, object_id: str) -> bool:
        """Return True if there is a place from which the hand takes a thing, and none of those beside it."""
        if object_id not in self._graspable:
            spots = (spot for spot, _ in self.places_to_take_from(object_id))
            self._graspable[object_id] = any(self.can_be_reached(*spot, within=0.1) for spot in spots)
        return self._graspable[object_id]

    def can_be_reached(self, x: float, y: float, within: float = 0.3) -> bool:
        """Return True if the solver can walk to within ``within`` metres of a point."""
        return self.plan.route(self.solver.position, (x, y), within) is not None

    def can_be_walked_to(self, x: float, y: float, within: float) -> bool:
        """Return True if the solver can walk to within ``within`` metres of a point without pushing the setter."""
        at, here = self.setter.position, self.solver.position[:2]
        setter = np.array([[at[0], at[1], AVATAR_RADIUS]])
        route = self.plan.route(here, (x, y), within, self.discs())
        if route is None:
            return False
        corners = (here, *route)
        return all(self.plan.is_free_of(setter, a, b) for a, b in pairwise(corners))

    def can_be_built_on(self, object_id: str) -> bool:
        """Return True if there is a place to stand from which things can be put on an object, clear of the setter."""
        at = self.setter.position
        in_the_way = np.array([[at[0], at[1], AVATAR_RADIUS]])
        return place_to_stand(self.plan, self.solver.position, self.positions[object_id], in_the_way) is not None

    def discs(self, *ignored: str) -> np.ndarray:
        """The loose things and the setter in the solver's way, without ``ignored``: float64 [N, 3], see FloorPlan."""
        hands = (self.solver.held, self.setter.held)
        return discs_in_the_way(self.house, self.setter.position, self.positions, (*ignored, *hands))

    def _stop_before(self, object_id: str) -> np.ndarray | None:
        """Where the solver's eye is [3] when it has walked up to a thing; None if it cannot, or sees nothing there."""
        at = self.positions[object_id]
        if not can_be_seen_over_rim(self.world, object_id):
            return None
        route = self.plan.route(self.solver.position, at, grab_distance(self.house, object_id, at))
        eye = None if route is None else np.array([*route[-1], EYE_HEIGHT])
        return eye if eye is not None and self.sight.clear(eye, at) else None
