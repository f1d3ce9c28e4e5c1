"""Where to stand to have the hand at a point: what places to put things and to touch them have in common."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from worlds.playhouse.games.situation import Situation
from worlds.playhouse.physics.avatar import EYE_HEIGHT, HOLD_FARTHEST, HOLD_LIFT
from worlds.playhouse.requests.ground_truth import distance

STANDS_TRIED = 6  # places to stand to which ways are looked for


def stand_for(situation: Situation, middle: np.ndarray, least: float, discs: np.ndarray) -> np.ndarray | None:
    """Return the nearest place to stand from which the hand can be at a point [3], ``least`` metres from it or more."""
    farthest = _farthest(middle)
    spots = [spot for spot in _around(middle, least, farthest) if _can_stand(situation, spot, middle, discs)]
    roomy = [spot for spot in spots if situation.plan.roomy(*spot)] or spots
    near = sorted(roomy, key=lambda spot: distance(spot, situation.solver.position))[:STANDS_TRIED]
    return next((spot for spot in near if situation.can_be_reached(*spot, within=0.1)), None)


def stands_for(situation: Situation, middle: np.ndarray, least: float, discs: np.ndarray) -> list[np.ndarray]:
    """Return the middles of all cells of the floor plan to stand in, with the hand ``least`` metres off or more."""
    farthest = _farthest(middle)
    spots = situation.plan.free_spots()
    far = np.hypot(*(spots - middle[:2]).T)
    spots = spots[(far >= min(least, farthest) - 0.05) & (far <= farthest)]
    return [spot for spot in spots if _can_stand(situation, spot, middle, discs)]


def _farthest(middle: np.ndarray) -> float:
    """Distance (m) along the floor from which the hand just reaches a point [3]."""
    drop = EYE_HEIGHT + HOLD_LIFT - float(middle[2])
    return math.sqrt(max((HOLD_FARTHEST - 0.03) ** 2 - drop * drop, 0.01))


def _around(middle: np.ndarray, least: float, farthest: float) -> Iterator[np.ndarray]:
    for far in np.arange(min(least, farthest), farthest + 0.01, 0.1):
        for angle in np.arange(0.0, 2 * math.pi, math.radians(15.0)):
            yield np.array([middle[0] + far * math.cos(angle), middle[1] + far * math.sin(angle)])


def _can_stand(situation: Situation, spot: np.ndarray, middle: np.ndarray, discs: np.ndarray) -> bool:
    """Return True if a player can stand at a spot, clear of things, and see a point in the same room."""
    house = situation.house
    rooms = house.room_at(float(spot[0]), float(spot[1])), house.room_at(float(middle[0]), float(middle[1]))
    if rooms[0] is None or rooms[0] is not rooms[1] or not situation.plan.straight(spot, spot, discs):
        return False
    return situation.sight.clear(np.array([*spot, EYE_HEIGHT]), middle)
