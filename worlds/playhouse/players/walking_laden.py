"""Walking with something in hand, so that it meets neither walls nor high furniture nor tall things.

Generators of actions like those of :mod:`worlds.playhouse.players.behaviours`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from worlds.contract import SETTER, SOLVER, TICKS_PER_SECOND, silent
from worlds.playhouse.house.record import AVATAR_RADIUS
from worlds.playhouse.navigation.carrying_plan import AHEAD, BACK, LEFT, TURN, Goal, Leg, Load
from worlds.playhouse.physics.avatar import EYE_HEIGHT, HOLD_CLEARANCE, HOLD_LIFT, WALK_SPEED
from worlds.playhouse.players.behaviours import CARRY, Behaviour
from worlds.playhouse.players.body import WALK_PITCH, Body
from worlds.playhouse.players.steering import BACKWARD_BIN, FORWARD, STRAFE, Aim
from worlds.playhouse.requests.ground_truth import bearing, distance, half_width

REPLANS = 5  # times that it looks for a way
FACING = math.radians(5.0)  # yaw error of having turned
TURN_STEPS = 6  # steps after which a turn is given up
STRIDE = 0.3  # metres of walking in a step, the least that is expected
THERE = 0.1  # metres from the end of a leg that count as having walked it
BACK_STEPS = 2  # of walking back from a leaf that it got stuck at
CATCH_UP = 2  # steps for which it waits for what lags behind the hand
LAGS = 0.4  # metres behind the hand, at which what is in hand is stuck somewhere
TALL = 0.03  # metres over a thing at which what is carried passes over it
_LEFT_BIN, _RIGHT_BIN = 0, 2  # of strafing


def walk_laden(body: Body, goals: Sequence[Goal]) -> Behaviour:
    """Walk with what is in hand to one of some places to stand, and turn to what is to be faced there.

    Args:
      goals: where to stand and what to face there, None for anything.
    """
    for _ in range(REPLANS):
        if body.held is None:
            return False
        me, (discs, posts) = body.me, _in_the_way(body)
        legs = body.carrying_plan.way((*me.position[:2], me.yaw), load_of(body), goals, discs, posts)
        if legs is None:
            return False
        if (yield from _walk(body, legs)):
            return True
        if body.is_at_a_leaf():
            yield from _step_back(body)
        yield from _free(body)
    return False


def load_of(body: Body) -> Load:
    """Return the size of what is in hand, and where it is while it is carried."""
    assert body.held is not None, "nothing is in hand"
    thing = body.world.house.objects_by_id[body.held]
    middle = EYE_HEIGHT + HOLD_LIFT + CARRY * math.sin(WALK_PITCH)
    ahead = max(CARRY * math.cos(WALK_PITCH), HOLD_CLEARANCE + thing.radius)
    core = min(half_width(body.world.house, thing.id), thing.radius)
    return Load(thing.radius, core, middle - thing.height / 2 - TALL, middle + thing.height / 2 + TALL, ahead)


def lag(body: Body) -> float:
    """Return how far (m) what is in hand is along the floor from where it is carried."""
    assert body.held is not None, "nothing is in hand"
    me, ahead = body.me, load_of(body).ahead
    hand = me.position[:2] + ahead * np.array([math.cos(me.yaw), math.sin(me.yaw)])
    return distance(hand, body.where(body.held))


def _in_the_way(body: Body) -> tuple[np.ndarray, np.ndarray]:
    """What the walker and what the load had better not meet: both float64 [N, 3], x, y, radius."""
    other, load, things = body.world.avatar(SETTER if body.agent == SOLVER else SOLVER), load_of(body), []
    records = body.world.house.objects_by_id
    for name, at in body.world.object_positions().items():
        half = records[name].height / 2
        if name != body.held and at[2] + half > load.bottom and at[2] - half < load.top:
            things.append((at[0], at[1], records[name].radius))
    posts = [(other.position[0], other.position[1], AVATAR_RADIUS), *things]
    return body.obstacles(), np.concatenate([np.array(posts), body.open_leaves()])


def _walk(body: Body, legs: Sequence[Leg]) -> Behaviour:
    """Walk legs. False if what is in hand does not come along, or the walker does not get on."""
    for leg in legs:
        for action in _leg(body, leg):
            yield action
            if body.held is None:
                return False
            waited = 0
            while waited < CATCH_UP and lag(body) > LAGS:
                waited += 1
                body.stand()
                yield silent()
                if body.held is None:
                    return False
            if waited == CATCH_UP and lag(body) > LAGS:
                return False
        if leg.kind != TURN and distance(body.me.position, np.array([leg.x, leg.y])) > 2 * THERE:
            return False
    return True


def _leg(body: Body, leg: Leg) -> Behaviour:
    if leg.kind == TURN:
        return (yield from _turn(body, leg.yaw))
    spot = np.array([leg.x, leg.y])
    if leg.kind == AHEAD:
        for _ in range(3 + math.ceil(distance(body.me.position, spot) / STRIDE)):
            if distance(body.me.position, spot) < THERE:
                return True
            yield silent(body.move(Aim((leg.x, leg.y), THERE / 2, WALK_PITCH), CARRY))
        return False
    yield from _turn(body, leg.yaw)
    for _ in range(2 + math.ceil(distance(body.me.position, spot) / STRIDE)):
        left = _lacking(body, leg)
        if left < THERE / 2:
            return True
        movement = body.move(Aim(pitch=WALK_PITCH), CARRY)
        ticks = max(1, round(left * TICKS_PER_SECOND / WALK_SPEED))
        if leg.kind == BACK:
            movement[:ticks, FORWARD] = BACKWARD_BIN
        else:
            movement[:ticks, STRAFE] = _LEFT_BIN if leg.kind == LEFT else _RIGHT_BIN
        yield silent(movement)
    return False


def _lacking(body: Body, leg: Leg) -> float:
    """Metres that are left of a walk backward or to a side."""
    yaw = body.me.yaw + (math.pi if leg.kind == BACK else math.pi / 2 if leg.kind == LEFT else -math.pi / 2)
    dx, dy = leg.x - float(body.me.position[0]), leg.y - float(body.me.position[1])
    return dx * math.cos(yaw) + dy * math.sin(yaw)


def _turn(body: Body, yaw: float) -> Behaviour:
    """Turn on the spot to a heading."""
    for _ in range(TURN_STEPS):
        ahead = body.me.position[:2] + np.array([math.cos(yaw), math.sin(yaw)])
        if abs(bearing(body.me, ahead)) < FACING:
            return True
        yield silent(body.move(Aim((float(ahead[0]), float(ahead[1])), None, WALK_PITCH), CARRY))
    return False


def _step_back(body: Body) -> Behaviour:
    """Walk back from a door leaf, so as to push it at another place."""
    for _ in range(BACK_STEPS):
        movement = body.move(Aim(pitch=WALK_PITCH), CARRY)
        movement[:, FORWARD] = BACKWARD_BIN
        yield silent(movement)
    return True


def _free(body: Body) -> Behaviour:
    """Turn back to what is in hand and could not come along."""
    if body.held is None:
        return False
    at = body.where(body.held)
    return (yield from _turn(body, math.atan2(*(at - body.me.position)[1::-1])))
