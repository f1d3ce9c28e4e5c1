"""Deeds of a scripted solver with one thing in its hand and another before it: to touch, hit and push with."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from worlds.contract import silent
from worlds.playhouse.games.choices import Choice
from worlds.playhouse.games.geometry import touches
from worlds.playhouse.games.instructions.touching import PUSHED
from worlds.playhouse.games.reaching import (
    BEYOND,
    arm_to_push,
    nearest_edge,
    places_to_push_from,
    places_to_touch_from,
    places_to_touch_piece_from,
)
from worlds.playhouse.games.registry import Arguments
from worlds.playhouse.physics.avatar import HOLD_CLEARANCE, HOLD_GAP
from worlds.playhouse.players.behaviours import CARRY, Behaviour, while_held
from worlds.playhouse.players.body import WALK_PITCH, Body
from worlds.playhouse.players.deeds import deed
from worlds.playhouse.players.fetching import fetch
from worlds.playhouse.players.manner import Manner
from worlds.playhouse.players.putting import EXTENDING, hold_at, hold_ready, turn_to
from worlds.playhouse.players.steering import BACKWARD_BIN, FORWARD, Aim
from worlds.playhouse.players.walking_laden import walk_laden
from worlds.playhouse.requests.ground_truth import distance

ATTEMPTS = 5
LOW = 0.5  # metres, the most at which furniture is touched
LOWERING = 7  # steps of lowering what is in hand to the height of what is to be touched
LEVEL, LITTLE = 0.05, 0.01  # metres: near enough to that height; what comes no lower in a step
TOUCHING = 12  # steps of reaching out for what is before the player
PRESSING = 0.05  # metres nearer than there is room for what is in hand, which is pressed against the target
STRIKES = 3  # times that it steps back and walks against what is to be hit
LITTLE_BEYOND = 0.15  # metres of free floor beyond what is pushed, where there is no more
FINELY = math.radians(5.0)  # between directions from which a thing is pushed
KICKED = 0.1  # metres by which what is to be pushed has moved when one must walk around it again
CLEARLY = 0.05  # metres by which it is pushed farther than is asked for
PUSHING = 10  # steps of pushing it ahead


@deed("hit with")
def hit_with(body: Body, arguments: Arguments, manner: Manner) -> Behaviour:
    """Touch the target with what is meant, then step back and walk into it, in case that was too soft."""
    if not (yield from touch_with(body, arguments, manner)):
        return False
    thing = body.held
    assert thing is not None
    target = next(i for i in Choice.of(arguments, "target").among if i != thing)
    return (yield from while_held(body, thing, _strike(body, target)))


@deed("touch with")
def touch_with(body: Body, arguments: Arguments, manner: Manner) -> Behaviour:
    """Take the nearest of what is meant, walk up to the target and reach out until they touch."""
    del manner
    for thing, target in _pairs(body, arguments):
        for _ in range(ATTEMPTS):
            if not (yield from fetch(body, thing)):
                break
            yield from while_held(body, thing, _reach_out(body, thing, target))
            if body.held == thing and touches(body.world, thing, target):
                return True
    return False


@deed("push with")
def push_with(body: Body, arguments: Arguments, manner: Manner) -> Behaviour:
    """Take the nearest of what is meant, lower it before the target and walk against it."""
    del manner
    for thing, target in _pairs(body, arguments):
        first = body.where(target)
        for _ in range(ATTEMPTS):
            if not (yield from fetch(body, thing)):
                break
            moved = distance(first, body.where(target)) > PUSHED
            act = _reach_out if moved else _push
            yield from while_held(body, thing, act(body, thing, target))
            if distance(first, body.where(target)) > PUSHED and touches(body.world, thing, target):
                return True
    return False


def _pairs(body: Body, arguments: Arguments) -> list[tuple[str, str]]:
    """What could be done with what, the nearest first."""
    things, targets = Choice.of(arguments).among, Choice.of(arguments, "target").among
    far = {i: body.far(i) if i in body.world.house.objects_by_id else 0.0 for i in (*things, *targets)}
    pairs = [(thing, target) for thing in things for target in targets if thing != target]
    return sorted(pairs, key=lambda pair: (pair[0] != body.held, far[pair[0]] + far[pair[1]]))


def _middle(body: Body, entity: str) -> np.ndarray:
    """Where to aim at a thing, or at the nearest edge of a piece of furniture: float64 [3]."""
    piece = body.world.house.furniture_by_id.get(entity)
    if piece is None:
        return body.where(entity)
    return np.array([*nearest_edge(piece, body.me.position), min(piece.spec.height / 2, LOW)])


def _reach_out(body: Body, thing: str, target: str) -> Behaviour:
    """Walk up to the target, lower what is in hand before it and move it ahead."""
    yield from hold_ready(body)
    if not (yield from _come_near(body, thing, target)):
        return False
    record, middle = body.world.house.objects_by_id[thing], _middle(body, target)
    yield from turn_to(body, middle, WALK_PITCH, CARRY)
    arm = HOLD_CLEARANCE + record.radius + HOLD_GAP
    height = max(float(middle[2]), record.height / 2 + HOLD_GAP)
    yield from _lower(body, thing, target, arm, height)
    far = arm
    for _ in range(TOUCHING):
        if touches(body.world, thing, target):
            return True
        middle = _middle(body, target)
        far = min(far + EXTENDING, max(distance(body.me.position, middle), arm))
        aim, hold = hold_at(middle, far, height)
        yield silent(body.move(replace(aim, stop=arm - PRESSING), hold))
    return touches(body.world, thing, target)


def _strike(body: Body, target: str) -> Behaviour:
    """Step back and walk against a target with what is in hand held as it is, a few times."""
    for _ in range(STRIKES):
        pitch, hold = body.me.pitch, body.reach()
        back = body.move(Aim(pitch=pitch), hold)
        back[:, FORWARD] = BACKWARD_BIN
        yield silent(back)
        for _ in range(2):
            middle = _middle(body, target)
            yield silent(body.move(Aim((float(middle[0]), float(middle[1])), 0.3, pitch), hold))
    return True


def _come_near(body: Body, thing: str, target: str) -> Behaviour:
    """Walk to where the target can be touched with what is in hand."""
    middle = _middle(body, target)
    if target in body.world.house.objects_by_id:
        spots = places_to_touch_from(body.situation(), thing, target)
        return (yield from walk_laden(body, [(spot, middle) for spot in spots]))
    piece = body.world.house.furniture_by_id[target]
    spots = places_to_touch_piece_from(body.situation(), thing, piece)
    return (yield from walk_laden(body, [(spot, nearest_edge(piece, spot)) for spot in spots]))


def _push(body: Body, thing: str, target: str) -> Behaviour:
    """From a side of the target from which it can be pushed, lower what is in hand and walk ahead."""
    yield from hold_ready(body)
    things = body.world.house.objects_by_id
    arm = arm_to_push(things[thing].radius)
    situation = body.situation()
    for around_things, beyond in ((True, BEYOND), (True, LITTLE_BEYOND), (False, LITTLE_BEYOND)):
        stands = list(places_to_push_from(situation, thing, target, around_things, FINELY, beyond))
        if stands:
            break
    else:
        return False
    middle = _middle(body, target)
    if not (yield from walk_laden(body, [(stand, middle) for stand in stands])):
        return False
    before, middle = middle, _middle(body, target)
    if distance(before, middle) > KICKED:
        return False
    yield from turn_to(body, middle, WALK_PITCH, CARRY)
    height = max(float(middle[2]), things[thing].height / 2 + HOLD_GAP)
    yield from _lower(body, thing, target, arm, height)
    ahead = (middle[:2] - body.me.position[:2]) / max(distance(middle, body.me.position), 1e-6)
    goal = middle[:2] + ahead * BEYOND
    for _ in range(PUSHING):
        if distance(middle, body.where(target)) > PUSHED + CLEARLY:
            return True
        aim, hold = hold_at(goal, arm, height)
        yield silent(body.move(replace(aim, stop=CLEARLY), hold))
    return False


def _lower(body: Body, thing: str, target: str, arm: float, height: float) -> Behaviour:
    """Lower what is in hand, so far ahead, to a height (m), or until it touches the target or comes no lower."""
    middle, before = _middle(body, target), math.inf
    for _ in range(LOWERING):
        above = float(body.where(thing)[2]) - height
        if abs(above) < LEVEL or before - above < LITTLE or touches(body.world, thing, target):
            break
        before = above
        yield silent(body.move(*hold_at(middle, arm, height)))
    return True
