"""From where a thing can be taken, and where to look for it: of several, a hand takes one."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from worlds.contract import SETTER, SOLVER
from worlds.playhouse.navigation.floor_plan import FloorPlan
from worlds.playhouse.physics.avatar import AIM_TOLERANCE, EYE_HEIGHT, PITCH_MIN, REACH
from worlds.playhouse.world import Playhouse

SURE = 0.05  # metres by which another thing is farther from the crosshair, where nobody would miss
WITHIN = 0.05  # metres less than the reach from which a thing is taken
STEADY = 0.03  # metres less than the tolerance by which the crosshair may miss it
AROUND = np.arange(0.0, 2 * math.pi, math.radians(45.0))  # rad, of aims beside the middle of a thing
IN_IT = 0.25  # metres between the middles of a thing and of what it may lie in
FARTHEST = 1.5  # metres from a thing, of places to take it from
APART = 0.15  # metres between them
BESIDE = (0.5, 1.0, 1.4)  # times the radius of a thing, of these aims


@dataclass(frozen=True)
class Gaze:
    """A direction in which a player looks to take a thing.

    Args:
      yaw: radians.
      pitch: radians, up positive.
      margin: metres by which the crosshair is deeper in the thing than in any other.
    """

    yaw: float
    pitch: float
    margin: float


def gaze_to_take(world: Playhouse, agent: str, target: str, eye: np.ndarray) -> Gaze | None:
    """Return how ``agent`` can take ``target`` with its eye at ``eye``, float64 [3]; None if it cannot from there.

    It looks as near to the middle of the thing as makes it sure that the hand takes no other.
    """
    way, radius = world.object_position(target) - eye, _radius(world, target)
    far = float(np.linalg.norm(way))
    if far - radius > REACH - WITHIN or not world.in_sight_from(eye, target, agent):
        return None
    ahead = way / far
    side = np.cross(ahead, [0.0, 0.0, 1.0])
    side /= max(float(np.linalg.norm(side)), 1e-9)
    up, rivals = np.cross(side, ahead), _rivals(world, agent, target, eye)
    best = None
    for off in (0.0, *(share * radius for share in BESIDE)):
        if off > radius + AIM_TOLERANCE - STEADY:
            continue
        for angle in AROUND[: 1 if off == 0.0 else None]:
            aim = way + off * (math.cos(angle) * side + math.sin(angle) * up)
            aim /= float(np.linalg.norm(aim))
            pitch = math.asin(float(aim[2]))
            margin = min((_miss(rival, size, aim) for rival, size in rivals), default=1.0) - _miss(way, radius, aim)
            if pitch > PITCH_MIN and (best is None or margin > best.margin):
                best = Gaze(math.atan2(float(aim[1]), float(aim[0])), pitch, margin)
        if best is not None and best.margin >= SURE:
            break
    return best if best is not None and best.margin > 0.0 else None


def things_around(world: Playhouse, target: str) -> list[str]:
    """Return the ids of loose things about where a thing is: it may lie in one of them."""
    at = world.object_position(target)
    return [i for i, other in world.object_positions().items() if i != target and math.dist(other[:2], at[:2]) < IN_IT]


def places_to_take_from(
    world: Playhouse, agent: str, target: str, plan: FloorPlan, discs: np.ndarray
) -> Iterator[tuple[np.ndarray, Gaze]]:
    """Yield places to stand, float64 [2], from which ``agent`` can take a thing, and where to look; the nearest first.

    Args:
      discs: float64 [N, 3], see FloorPlan; none of the places is in one of them.
    """
    at, here, cells = world.object_position(target), world.avatar(agent).position, plan.free_spots()
    cells = cells[np.hypot(*(cells - at[:2]).T) < FARTHEST]
    cells = cells[np.argsort(np.hypot(*(cells - here[:2]).T), kind="stable")]
    found: list[np.ndarray] = []
    for cell in cells:
        eye = np.array([*cell, EYE_HEIGHT])
        if not world.in_sight_from(eye, target, agent) or not plan.straight(cell, cell, discs):
            continue
        if any(math.dist(cell, other) < APART for other in found) or world.room_at(cell) != world.room_at(at):
            continue
        gaze = gaze_to_take(world, agent, target, eye)
        if gaze is not None:
            found.append(cell)
            yield cell, gaze


def _rivals(world: Playhouse, agent: str, target: str, eye: np.ndarray) -> list[tuple[np.ndarray, float]]:
    """Ways from the eye to the other things that a hand could take, and their radii."""
    held, found = [world.avatar(player).held for player in (SETTER, SOLVER)], []
    way = world.object_position(target) - eye
    for other, at in world.object_positions().items():
        size = _radius(world, other)
        near = float(np.linalg.norm(at - eye)) - size <= REACH + WITHIN
        beside = near and _miss(at - eye, size, way / float(np.linalg.norm(way))) < 3 * AIM_TOLERANCE
        if beside and other != target and other not in held and world.in_sight_from(eye, other, agent):
            found.append((at - eye, size))
    return found


def _radius(world: Playhouse, object_id: str) -> float:
    """Metres, of the sphere as which the hand sees a thing."""
    thing = world.house.objects_by_id[object_id]
    return 0.5 * thing.scale * float(np.mean(thing.spec.extent))


def _miss(way: np.ndarray, radius: float, ahead: np.ndarray) -> float:
    """Metres by which the crosshair misses a thing, negative inside; large behind the player."""
    along = float(way @ ahead)
    return math.sqrt(max(float(way @ way) - along * along, 0.0)) - radius if along > 0.0 else 9.0
