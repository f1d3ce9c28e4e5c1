"""Taking a thing that is hard to get at: from another side, or from farther away, if it cannot be taken at first.

Generators of actions like those of :mod:`worlds.playhouse.players.behaviours`.
"""

from __future__ import annotations

import math

import numpy as np

from worlds.contract import HAND_GRAB, silent
from worlds.playhouse.physics.avatar import EYE_HEIGHT
from worlds.playhouse.players.behaviours import ARRIVED, Behaviour, face, get
from worlds.playhouse.players.body import WALK_PITCH, Body, toward
from worlds.playhouse.players.steering import Aim, with_hand
from worlds.playhouse.requests.ground_truth import distance, grab_distance

SIDES = 4  # other places from which it is tried
FARTHER = 1.15  # times as far as usual, from where one sees under a shelf
TRIES = 3  # grabs at each place
PATIENCE = 60  # steps after which a way is given up


def fetch(body: Body, target: str) -> Behaviour:
    """Take ``target`` into the hand, from wherever it is; let go of anything else first."""
    if (yield from get(body, target)):
        return True
    for spot in _spots(body, target):
        yield from walk_to_spot(body, spot)
        yield from face(body, target)
        for _ in range(TRIES):
            movement = body.move(toward(body.where(target), None))
            aimed = body.world.target_under_crosshair(body.agent) == target
            yield silent(with_hand(movement, HAND_GRAB) if aimed else movement)
            if body.held == target:
                return True
    return False


def walk_to_spot(body: Body, spot: np.ndarray, within: float = 0.12) -> Behaviour:
    """Walk to a spot [2], around things."""
    for _ in range(PATIENCE):
        here = body.me.position
        if distance(here, spot) < within:
            return True
        obstacles = body.obstacles()
        if body.plan.straight(here, spot, obstacles) or distance(here, spot) < ARRIVED:
            aim = Aim((float(spot[0]), float(spot[1])), 0.05, WALK_PITCH)
        else:
            route = body.plan.route(here, spot, 0.1, obstacles)
            if route is None:
                return False
            aim = body.along(route)
        yield silent(body.move(aim))
    return False


def _spots(body: Body, target: str) -> list[np.ndarray]:
    """Places around a thing from which it can be seen, those with the fewest other things in between first."""
    situation, at = body.situation(), body.where(target)
    discs, usual = situation.discs(target), grab_distance(body.world.house, target, at)
    found = []
    for far in (usual, FARTHER * usual, 0.8 * usual):
        for angle in np.arange(0.0, 2 * math.pi, math.radians(30.0)):
            spot = at[:2] + far * np.array([math.cos(angle), math.sin(angle)])
            seen = situation.sight.clear(np.array([*spot, EYE_HEIGHT]), at)
            if seen and situation.plan.straight(spot, spot, discs) and situation.room_at(spot) == situation.room_at(at):
                found.append((_between(spot, at, discs), distance(spot, body.me.position), spot))
    found.sort(key=lambda entry: entry[:2])
    reachable = (spot for _, _, spot in found[:12] if situation.can_be_reached(*spot, within=0.1))
    return [spot for spot, _ in zip(reachable, range(SIDES), strict=False)]


def _between(spot: np.ndarray, at: np.ndarray, discs: np.ndarray) -> int:
    """How many discs [N, 3] lie on the line from a spot to a thing."""
    way = at[:2] - spot
    along = np.clip(((discs[:, :2] - spot) @ way) / float(way @ way), 0.0, 1.0)
    off = np.linalg.norm(spot + along[:, None] * way - discs[:, :2], axis=1)
    return int((off < discs[:, 2]).sum())
