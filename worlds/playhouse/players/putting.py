"""Putting things down precisely: on a spot of the floor or of a surface, and underneath what has room below.

Generators of actions like those of :mod:`worlds.playhouse.players.behaviours`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from worlds.contract import HAND_RELEASE, silent
from worlds.playhouse.games.containing import into_container
from worlds.playhouse.games.places import MORE_PLACES, OVER, headroom, places_to_put_from
from worlds.playhouse.games.reaching import Way, arm_under
from worlds.playhouse.navigation.floor_plan import ARM_LENGTH, HALF_WAY
from worlds.playhouse.physics.avatar import EYE_HEIGHT, HOLD_CLEARANCE, HOLD_GAP, HOLD_LIFT
from worlds.playhouse.players.behaviours import CARRY, FACING, Behaviour, draw_in, settle
from worlds.playhouse.players.body import WALK_PITCH, Body
from worlds.playhouse.players.building import NEAR_ENOUGH, Craft, raise_up
from worlds.playhouse.players.fetching import fetch
from worlds.playhouse.players.steering import Aim, with_hand
from worlds.playhouse.players.walking_laden import walk_laden
from worlds.playhouse.requests.ground_truth import bearing, distance

ATTEMPTS = 6
LET_GO = 0.025  # metres over its place at which it is let go
PRECISE = 0.04  # metres by which its middle may miss
HARDLY = 0.01  # metres; what moves less in a step has arrived, as near as it gets
_Chosen = TypeVar("_Chosen")
Chooser = Callable[[Sequence[np.ndarray]], np.ndarray | None]  # places that have failed -> x, y and height of one
SHELTERED = 0.8  # metres over a thing, where what is less is reached from the front
EXTENDING = 0.14  # metres in a step of reaching out
AT = 0.25  # metres from its place at which a thing counts as put there


def put_at(
    body: Body,
    target: str,
    choose: Chooser,
    aside: float = 0.0,
    is_done: Callable[[], bool] | None = None,
    attempts: int = ATTEMPTS,
) -> Behaviour:
    """Take ``target`` and put it at a place; again, perhaps elsewhere, if it falls or ends up where it should not be.

    Args:
      choose: (places that have failed) -> x, y and the height of what it is to stand on, float64 [3]; or None.
      aside: metres by which a careless player misses it.
      is_done: () -> whether it is where it should be; None asks whether it is at the place.
    """
    failed: list[np.ndarray] = []
    for _ in range(attempts):
        place = _next(choose, failed)
        if place is None or not (yield from fetch(body, target)):
            return False
        if not (yield from _still_held(body, target, _carry_to(body, target, place, aside))):
            failed.append(place)
            continue
        yield from let_go(body)
        aside = 0.0
        if is_done is None:
            there = distance(body.where(target), place) < AT and body.where(target)[2] > place[2]
        else:
            there = is_done()
        if there:
            return True
        failed.append(place)
    return False


def _next(choose: Callable[[Sequence[np.ndarray]], _Chosen | None], failed: list[np.ndarray]) -> _Chosen | None:
    """Return what is chosen next; where nothing is left, what failed is forgotten and may be chosen again."""
    found = choose(failed)
    if found is None and failed:
        failed.clear()
        found = choose(failed)
    return found


def always(place: np.ndarray | None) -> Chooser:
    return lambda failed: place


def drop_into(body: Body, target: str, container: str, aside: float = 0.0) -> Behaviour:
    """Take ``target``, bring it over the middle of a container and let it go; again if it falls beside it."""
    for _ in range(ATTEMPTS):
        if not (yield from fetch(body, target)):
            return False
        if not (yield from _still_held(body, target, _carry_over(body, target, container, aside))):
            continue
        yield from let_go(body)
        aside = 0.0
        if body.world.inside(target, container):
            return True
    return False


def let_go(body: Body) -> Behaviour:
    """Let go of what is in hand and stand still while it comes to rest."""
    yield silent(with_hand(body.move(Aim()), HAND_RELEASE))
    return (yield from settle(body))


def _still_held(body: Body, target: str, behaviour: Behaviour) -> Behaviour:
    """Go on with ``behaviour`` until it ends or ``target`` falls. True if it was done and the thing is in hand."""
    while body.held == target:
        try:
            action = next(behaviour)
        except StopIteration as end:
            return bool(end.value)
        yield action
    return False


def _carry_over(body: Body, target: str, container: str, aside: float) -> Behaviour:
    yield from hold_ready(body)
    situation = body.situation()
    drops = (into_container(situation, target, container, MORE_PLACES, crowded) for crowded in (False, True))
    drop = next((found for found in drops if found is not None), None)
    if drop is None:
        return False
    spots = places_to_put_from(body.situation(), target, drop.over, container)
    if not (yield from walk_laden(body, [(spot, drop.over) for spot in spots])):
        return False
    there = drop.over + aside * np.array([math.sin(body.me.yaw), -math.cos(body.me.yaw), 0.0])
    yield from turn_to(body, there, WALK_PITCH, CARRY)
    yield from _bring_over(body, target, there)
    return (yield from _let_down(body, target, np.array([there[0], there[1], drop.bottom])))


def hold_ready(body: Body) -> Behaviour:
    """Draw in what is in hand and raise it."""
    yield from draw_in(body)
    return (yield from raise_up(body))


def carry_before(body: Body, target: str, base: str) -> Behaviour:
    """Carry what is in hand to an arm's length before ``base``, the way that it meets nothing."""
    yield from hold_ready(body)
    there, least = body.where(base), HOLD_CLEARANCE + body.world.house.objects_by_id[target].radius + HOLD_GAP
    spots = body.plan.free_spots()
    far = np.hypot(*(spots - there[:2]).T)
    spots = spots[(far >= max(least, ARM_LENGTH - 0.15)) & (far <= ARM_LENGTH + NEAR_ENOUGH)]
    half_way = (there[:2] + HALF_WAY / ARM_LENGTH * (spot - there[:2]) for spot in spots)
    goals = [(spot, there) for spot, near in zip(spots, half_way, strict=True) if body.plan.straight(spot, near)]
    if not (yield from walk_laden(body, goals)):
        return False
    return (yield from turn_to(body, there, WALK_PITCH, CARRY))


CAREFUL = Craft(fetch, carry_before)  # how things are stacked in language games


def _carry_to(body: Body, target: str, place: np.ndarray, aside: float) -> Behaviour:
    yield from hold_ready(body)
    spots = places_to_put_from(body.situation(), target, place)
    if not (yield from walk_laden(body, [(spot, place) for spot in spots])):
        return False
    there = place + aside * np.array([math.sin(body.me.yaw), -math.cos(body.me.yaw), 0.0])
    yield from turn_to(body, there, WALK_PITCH, CARRY)
    free = headroom(body.situation(), place) - body.world.house.objects_by_id[target].height
    if free < SHELTERED:
        yield from _slide_in(body, target, there, min(OVER, free / 2))
    else:
        yield from _bring_over(body, target, there)
    return (yield from _let_down(body, target, there))


def _slide_in(body: Body, target: str, place: np.ndarray, above: float) -> Behaviour:
    """Lower ``target`` before a shelf, then reach out into it at that height."""
    record = body.world.house.objects_by_id[target]
    far, height = HOLD_CLEARANCE + record.radius + HOLD_GAP, float(place[2]) + record.height / 2 + above
    before = math.inf
    for _ in range(8):
        off = abs(float(body.where(target)[2]) - height)
        if off < PRECISE or before - off < HARDLY:
            break
        before = off
        yield silent(body.move(*hold_at(place, far, height)))
    before = math.inf
    for _ in range(12):
        left, most = distance(place, body.where(target)), distance(body.me.position, place)
        if left < PRECISE or (before - left < HARDLY and far >= most):
            return True
        before, far = left, min(far + EXTENDING, most)
        yield silent(body.move(*hold_at(place, far, height)))
    return True


def hold_at(towards: np.ndarray, far: float, height: float) -> tuple[Aim, float]:
    """Return the aim and reach of one who holds something so far ahead, towards a point [2+], and so high (m)."""
    pitch = math.atan2(height - HOLD_LIFT - EYE_HEIGHT, max(far, 0.1))
    return Aim((float(towards[0]), float(towards[1])), None, pitch), far / math.cos(pitch)


def turn_to(body: Body, there: np.ndarray, pitch: float, hold: float | None = None) -> Behaviour:
    """Turn on the spot until ``there`` [2+] is ahead and the gaze at ``pitch``."""
    for _ in range(14):
        if abs(bearing(body.me, there)) < FACING[0] and abs(body.me.pitch - pitch) < FACING[1]:
            return True
        yield silent(body.move(Aim((float(there[0]), float(there[1])), None, pitch), hold))
    return True


def _bring_over(body: Body, target: str, place: np.ndarray) -> Behaviour:
    """Reach out until ``target`` is over its place, well above it, or comes no nearer."""
    before: np.ndarray | None = None
    for _ in range(14):
        at = body.where(target)
        if distance(place, at) < PRECISE or (before is not None and math.dist(at, before) < HARDLY):
            return True
        before = at
        yield silent(body.move(*reach_for(body, target, place, OVER)))
    return False


def _let_down(body: Body, target: str, place: np.ndarray) -> Behaviour:
    """Lower ``target`` until it nearly touches what is below its place, or comes no lower."""
    before = math.inf
    for _ in range(8):
        above = float(body.where(target)[2] - place[2]) - body.world.house.objects_by_id[target].height / 2
        if above < 1.6 * LET_GO or before - above < HARDLY:
            return True
        before = above
        yield silent(body.move(*reach_for(body, target, place, LET_GO)))
    return True


def reach_for(body: Body, target: str, place: np.ndarray, above: float) -> tuple[Aim, float]:
    """Return the aim and reach for the underside of ``target`` to be ``above`` metres over a place [3]."""
    height = float(place[2]) + body.world.house.objects_by_id[target].height / 2 + above
    return hold_at(place, distance(body.me.position, place), height)


def push_under(
    body: Body, target: str, choose: Callable[[Sequence[np.ndarray]], Way | None], is_done: Callable[[], bool]
) -> Behaviour:
    """Take ``target``, lower it before a piece of furniture and push it in along the floor; again if it falls.

    Args:
      choose: (places that have failed) -> where to stand, straight before a place under the furniture, and the place.
      is_done: () -> whether it is where it should be.
    """
    failed: list[np.ndarray] = []
    for _ in range(ATTEMPTS):
        way = _next(choose, failed)
        if way is None or not (yield from fetch(body, target)):
            return False
        if (yield from _still_held(body, target, _push_in(body, target, *way))):
            yield from let_go(body)
            if is_done():
                return True
        failed.append(way[1])
    return False


def _push_in(body: Body, target: str, stand: np.ndarray, place: np.ndarray) -> Behaviour:
    yield from hold_ready(body)
    if not (yield from walk_laden(body, [(stand, place)])):
        return False
    yield from turn_to(body, place, WALK_PITCH, CARRY)
    far = arm_under(body.world.house.objects_by_id[target].radius)
    ahead = (place[:2] - stand) / max(distance(place, stand), 1e-6)
    before = math.inf
    for _ in range(10):  # lower it, clear of the furniture
        low = np.array([*(body.me.position[:2] + far * ahead), 0.0])
        height = float(body.where(target)[2])
        if before - height < HARDLY and body.me.pitch < WALK_PITCH - FACING[1]:
            break
        before = height
        yield silent(body.move(*reach_for(body, target, low, LET_GO)))
    aim, hold = reach_for(body, target, low, LET_GO)
    before = math.inf
    for _ in range(12):  # walk up to the furniture, with it ahead
        lacking = distance(body.me.position, place)
        if lacking < far + 0.04 or before - lacking < HARDLY:
            break
        before = lacking
        yield silent(body.move(Aim((float(place[0]), float(place[1])), far, aim.pitch), hold))
    return True
