"""What a player has in its picture now, of everything that words can be about."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from worlds.playhouse.navigation.sight import Sight
from worlds.playhouse.requests.facts import Entity, facts_of
from worlds.playhouse.requests.ground_truth import bearing
from worlds.playhouse.world import Playhouse

MARGIN = math.radians(2.0)  # from the edge of the picture, within which nothing is noticed
BEFORE = 0.03  # metres before a surface that is looked at
SMALLEST = math.radians(1.0)  # height in the picture of the smallest thing that is noticed


def sees(world: Playhouse, agent: str, entity: Entity, sight: Sight) -> bool:
    """Return True if some part of ``entity`` is in the picture of ``agent`` and nothing fixed, nor a leaf, hides it."""
    avatar = world.avatar(agent)
    half_y = math.radians(world.fov_y_deg) / 2
    half_x = math.atan(math.tan(half_y) * world.width / world.height)
    for point in _points(entity, avatar.eye):
        far = math.hypot(float(point[0] - avatar.eye[0]), float(point[1] - avatar.eye[1]))
        rise = math.atan2(float(point[2] - avatar.eye[2]), max(far, 1e-6))
        if entity.height < SMALLEST * far:
            return False
        inside = abs(bearing(avatar, point)) <= half_x - MARGIN and abs(rise - avatar.pitch) <= half_y - MARGIN
        if inside and sight.clear(avatar.eye, point):
            return True
    return False


def sees_thing(world: Playhouse, agent: str, entity_id: str) -> bool:
    """Return True if an agent sees an object or a piece of furniture, by id."""
    return sees(world, agent, facts_of(world).by_id[entity_id], Sight.of(world))


def _points(entity: Entity, eye: np.ndarray) -> Iterator[np.ndarray]:
    """Points just before the near side of a thing, in its middle and at its top, left and right."""
    (mx, my), low, high = entity.middle, entity.low, entity.high
    nearest = np.array([min(max(eye[0], low[0]), high[0]), min(max(eye[1], low[1]), high[1])])
    corners = [np.array([x, y]) for x in (low[0], high[0]) for y in (low[1], high[1])]
    corners.sort(key=lambda corner: math.dist(corner, eye[:2]))
    for x, y in (np.array([mx, my]), nearest, *corners[:3]):
        for z in ((low[2] + high[2]) / 2, high[2] - 0.02):
            point = np.array([x, y, z])
            way = eye - point
            yield point + way * min(1.0, BEFORE / max(float(np.linalg.norm(way)), 1e-6))
