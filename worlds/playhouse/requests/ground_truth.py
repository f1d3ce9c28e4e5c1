"""Ground truth of a Playhouse, for scripted players and success checks. Never for agents."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from worlds.contract import SOLVER
from worlds.playhouse.house.record import AVATAR_RADIUS, Furniture, House
from worlds.playhouse.physics.avatar import EYE_HEIGHT, REACH
from worlds.playhouse.requests.language import Described
from worlds.playhouse.world import AvatarState, Playhouse

NEAR = 1.1  # metres; nobody need come nearer than this to do anything with a thing, where its height allows it
_GRAB_MARGIN = 0.2  # metres by which a player who wants to take a thing comes nearer than its reach
_MOVED = 0.15  # metres from where a thing stood at first, beyond which its support is computed again
_BEYOND_BOX = 0.04  # metres between a player and a box that it looks into
_TOUCHING = 0.025  # metres by which an underside and the top it rests on may miss each other


def distance(a: np.ndarray, b: np.ndarray) -> float:
    """Horizontal distance (m) of two points [2+]."""
    return math.hypot(float(a[0] - b[0]), float(a[1] - b[1]))


def bearing(avatar: AvatarState, point: np.ndarray) -> float:
    """Angle (rad, left positive, in [-pi, pi]) by which ``avatar`` would have to turn to face ``point``."""
    ahead = math.atan2(float(point[1] - avatar.position[1]), float(point[0] - avatar.position[0])) - avatar.yaw
    return (ahead + math.pi) % (2 * math.pi) - math.pi


def faces(avatar: AvatarState, point: np.ndarray, within: float, angle: float) -> bool:
    """Return True if ``avatar`` is within ``within`` metres of ``point`` and faces it up to ``angle`` (rad)."""
    return distance(avatar.position, point) <= within and abs(bearing(avatar, point)) <= angle


def gap(house: House, a: str, b: str, positions: dict[str, np.ndarray]) -> float:
    """Horizontal distance (m) between two objects, taken as upright cylinders; negative where they overlap."""
    radii = house.objects_by_id[a].radius + house.objects_by_id[b].radius
    return distance(positions[a], positions[b]) - radii


def grab_distance(house: House, object_id: str, position: np.ndarray) -> float:
    """Distance (m) along the floor from which an object at ``position`` can be taken, with a margin."""
    drop = EYE_HEIGHT - float(position[2])
    reach = REACH - _GRAB_MARGIN + house.objects_by_id[object_id].radius / 2
    return min(math.sqrt(max(reach * reach - drop * drop, 0.25)), NEAR)


def support_of(house: House, object_id: str, position: np.ndarray) -> str | None:
    """Id of the furniture an object rests on; None on the floor and in a loose container."""
    thing = house.objects_by_id[object_id]
    if math.dist((thing.x, thing.y), (float(position[0]), float(position[1]))) < _MOVED:
        return thing.support if thing.support in house.furniture_by_id else None
    x, y, z = (float(v) for v in position[:3])
    below = [(top, f.id) for f in house.furniture if f.gap_to(x, y) == 0.0 for top in _tops(f) if top < z]
    return max(below)[1] if below else None


def _tops(piece: Furniture) -> Sequence[float]:
    """Heights (m) at which things can lie on a piece of furniture; a rug has no surface but itself."""
    return [surface.at[2] for surface in piece.spec.surfaces] or [piece.spec.height]


def can_be_seen_over_rim(world: Playhouse, object_id: str) -> bool:
    """Return True unless a thing lies so deep in a loose box that nobody who stands beside it sees its middle."""
    for box in world.house.objects:
        if box.spec.inside is not None and box.id != object_id and world.inside(object_id, box.id):
            at, rim = world.object_position(object_id), float(world.object_position(box.id)[2]) + box.height / 2
            share = 1.0 - min(box.spec.inside.half) * box.scale / (AVATAR_RADIUS + box.radius + _BEYOND_BOX)
            return EYE_HEIGHT - share * (EYE_HEIGHT - float(at[2])) > rim
    return True


def half_width(house: House, object_id: str) -> float:
    """Half (m) of an object's narrower side: a thing whose middle is no farther from the object's has it below."""
    thing = house.objects_by_id[object_id]
    return 0.5 * thing.scale * min(thing.spec.extent[:2])


def clearance(house: House, upper: str, lower: str, positions: Mapping[str, np.ndarray]) -> float:
    """Height (m) of the underside of one upright object over the top of another; negative where it is lower."""
    heights = house.objects_by_id[upper].height + house.objects_by_id[lower].height
    return float(positions[upper][2] - positions[lower][2]) - heights / 2


def is_over(house: House, upper: str, lower: str, positions: Mapping[str, np.ndarray]) -> bool:
    """Return True if the middle of one object is above the other, at whatever height."""
    return distance(positions[upper], positions[lower]) <= half_width(house, lower)


def rests_on(house: House, upper: str, lower: str, positions: Mapping[str, np.ndarray]) -> bool:
    """Return True if one upright object lies on another, its middle over it, whether or not a hand still holds it."""
    close = abs(clearance(house, upper, lower, positions)) <= _TOUCHING
    return upper != lower and close and is_over(house, upper, lower, positions)


def tallest_tower(house: House, things: Collection[str], positions: Mapping[str, np.ndarray]) -> tuple[str, ...]:
    """The longest row of ``things`` of which each rests on the one before, the lowest first; of one where none does."""
    below: dict[str, str] = {}
    for upper in things:
        under = [lower for lower in things if rests_on(house, upper, lower, positions)]
        if under:
            below[upper] = min(under, key=lambda lower: distance(positions[upper], positions[lower]))
    towers = [_down_from(top, below) for top in things]
    return max(towers, key=len, default=())


def _down_from(top: str, below: Mapping[str, str]) -> tuple[str, ...]:
    tower = [top]
    while tower[-1] in below:
        tower.append(below[tower[-1]])
    return tuple(reversed(tower))


def describe_all(world: Playhouse) -> dict[str, Described]:
    """Return the words that describe each object at present, seen from where the solver is, by id."""
    house: House = world.house
    here = world.room_at(world.avatar(SOLVER).position[:2])
    kinds = [f.kind for f in house.furniture]
    described = {}
    for object_id, position in world.object_positions().items():
        thing, piece = house.objects_by_id[object_id], support_of(house, object_id, position)
        furniture = house.furniture_by_id[piece] if piece else None
        on = None
        if furniture:
            on = furniture.kind if kinds.count(furniture.kind) == 1 else f"{furniture.colour} {furniture.kind}"
        room = None
        if len(house.rooms) > 1:
            room = "this room" if world.room_at(position[:2]) == here else "another room"
        described[object_id] = Described(object_id, thing.kind, thing.colour, thing.size, on, room)
    return described
