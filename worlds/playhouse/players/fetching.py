"""Taking a thing that is hard to get at: from another side, or from farther away, if it cannot be taken at first.

Generators of actions like those of :mod:`worlds.playhouse.players.behaviours`.
"""

from __future__ import annotations

import math
from itertools import islice

import numpy as np

from worlds.contract import HAND_GRAB, neutral_movement, silent
from worlds.playhouse.navigation.grasping import SURE, Gaze, gaze_to_take, places_to_take_from, things_around
from worlds.playhouse.players.behaviours import ARRIVED, CARRY, FACING, Behaviour, approach, draw_in, put_down
from worlds.playhouse.players.body import WALK_PITCH, Body
from worlds.playhouse.players.steering import Aim, with_hand
from worlds.playhouse.requests.ground_truth import bearing, distance, grab_distance

SIDES = 4  # other places from which it is tried
IN_THE_WAY = 0.6  # metres from a thing, of another that may keep hands and feet from it
MOST_IN_THE_WAY = 2  # things that are taken out of the way
LOOKED_AT = 25  # places of which the surest are taken
TRIES = 3  # grabs at each place
TURNING = 12  # steps after which a turn is given up
STUCK = 10  # steps in one place after which a way is given up
PATIENCE = 200  # steps after which a way is given up


def fetch(body: Body, target: str) -> Behaviour:
    """Take ``target`` into the hand, from wherever it is; let go of anything else first."""
    if body.held not in (None, target):
        yield from put_down(body)
    if body.held == target:
        return True
    yield from approach(body, target, grab_distance(body.world.house, target, body.where(target)))
    if (yield from _take(body, target)) or (yield from _take_from_elsewhere(body, target)):
        return True
    for _ in range(MOST_IN_THE_WAY):
        if not (yield from _make_way(body, target)):
            return False
        if (yield from _take_from_elsewhere(body, target)):
            return True
    return False


def _take_from_elsewhere(body: Body, target: str) -> Behaviour:
    for spot in _spots(body, target):
        yield from walk_to_spot(body, spot)
        if (yield from _take(body, target)):
            return True
    return False


def _make_way(body: Body, target: str) -> Behaviour:
    """Take the nearest thing beside one that cannot be taken, turn away and put it down."""
    at = body.where(target)
    others = {i: math.dist(body.where(i), at) for i in body.world.object_positions() if i != target}
    for other in sorted((i for i in others if others[i] < IN_THE_WAY), key=lambda i: others[i]):
        if (yield from _take(body, other)) or (yield from _take_from_elsewhere(body, other)):
            yield from draw_in(body)
            away = 2.0 * body.me.position - at
            for _ in range(TURNING):
                if body.held is None or abs(bearing(body.me, away)) < FACING[0]:
                    break
                yield silent(body.move(Aim((float(away[0]), float(away[1])), None, WALK_PITCH), CARRY))
            yield from put_down(body)
            return True
    return False


def _take(body: Body, target: str) -> Behaviour:
    """Take a thing from where the player stands, looking where no other thing is taken instead."""
    for _ in range(TRIES):
        gaze = gaze_to_take(body.world, body.agent, target, body.me.eye)
        if gaze is None:
            return False
        ahead = body.me.position[:2] + np.array([math.cos(gaze.yaw), math.sin(gaze.yaw)])
        aim = Aim((float(ahead[0]), float(ahead[1])), None, gaze.pitch)
        for _ in range(TURNING):
            if body.world.target_under_crosshair(body.agent) == target and _looks(body, gaze):
                break
            yield silent(body.move(aim))
        if body.world.target_under_crosshair(body.agent) == target:
            body.stand()
            yield silent(with_hand(neutral_movement(), HAND_GRAB))
        if body.held == target:
            return True
    return False


def _looks(body: Body, gaze: Gaze) -> bool:
    ahead = body.me.position[:2] + np.array([math.cos(gaze.yaw), math.sin(gaze.yaw)])
    return abs(bearing(body.me, ahead)) < FACING[0] and abs(body.me.pitch - gaze.pitch) < FACING[1]


def walk_to_spot(body: Body, spot: np.ndarray, within: float = 0.12) -> Behaviour:
    """Walk to a spot [2], around things. False if there is no way, or something that cannot be pushed is in it."""
    been: list[np.ndarray] = []
    for _ in range(PATIENCE):
        here = body.me.position
        been.append(here)
        if len(been) > STUCK and max(distance(here, other) for other in been[-STUCK:]) < within:
            return False
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
    """Places around a thing from which it can be taken, the surest first, of these the nearest."""
    around, found = things_around(body.world, target), []
    for discs in (body.obstacles(target, *around), body.obstacles(*body.world.object_positions())):
        places = places_to_take_from(body.world, body.agent, target, body.plan, discs)
        found = sorted(islice(places, LOOKED_AT), key=lambda entry: -min(entry[1].margin, SURE))
        if found:
            break  # else other things must be pushed aside
    reachable = (spot for spot, _ in found if body.plan.route(body.me.position, spot, 0.1) is not None)
    return list(islice(reachable, SIDES))
