"""Building by a scripted solver: carry a thing high, bring it over another, lower it, let go, check that it stands.

Generators of actions like those of :mod:`worlds.playhouse.players.behaviours`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from worlds.contract import HAND_RELEASE, TICKS_PER_SECOND, silent
from worlds.playhouse.games.tower import FLAT
from worlds.playhouse.navigation.floor_plan import ARM_LENGTH, place_to_stand
from worlds.playhouse.physics.avatar import EYE_HEIGHT, HOLD_CLEARANCE, HOLD_GAP, HOLD_LIFT, WALK_SPEED
from worlds.playhouse.players.behaviours import (
    ARRIVED,
    CARRY,
    FACING,
    Behaviour,
    draw_in,
    get,
    put_down,
    search,
    settle,
    walk_to,
    while_held,
)
from worlds.playhouse.players.body import WALK_PITCH, Body
from worlds.playhouse.players.steering import BACKWARD_BIN, FORWARD, Aim, with_hand
from worlds.playhouse.requests.ground_truth import (
    bearing,
    clearance,
    distance,
    half_width,
    is_over,
    rests_on,
    tallest_tower,
)

NEAR_ENOUGH = 0.06  # metres by which it may stand farther
OVER = 0.10  # metres over a top at which a thing is brought to its place
LET_GO = 0.025  # metres over a top at which it is let go
PRECISE = 0.04  # metres by which its middle may miss the middle of the top
HARDLY = 0.01  # metres; what moves less in a step has arrived, as near as it gets
ATTEMPTS = 4
PATIENCE = 60  # steps after which coming near is given up
TURNING_AWAY = 3  # steps of turning aside to put something down

Aside = Callable[[], float]  # by which share of the half-width of what is below a thing is let go off its middle


@dataclass(frozen=True)
class Craft:
    """How a builder does what building is made of.

    Args:
      take: (body, target) -> taking a thing into the hand.
      carry: (body, target, base) -> carrying it from there to an arm's length before another.
    """

    take: Callable[[Body, str], Behaviour]
    carry: Callable[[Body, str, str], Behaviour]


def straight() -> float:
    """Of a builder who takes care."""
    return 0.0


def carry_high(body: Body, target: str, base: str) -> Behaviour:
    """Draw in what is in hand, raise it, look for ``base`` and walk up to it."""
    yield from draw_in(body)
    yield from raise_up(body)
    if body.could_see(base):
        yield from search(body, base)
    return (yield from _come_near(body, target, base))


PLAIN = Craft(get, carry_high)


def build(body: Body, pieces: Sequence[str], height: int, aside: Aside = straight, craft: Craft = PLAIN) -> Behaviour:
    """Build a tower of ``height`` of the ``pieces``, those first that come first; on what stands of it already."""
    for _ in range(ATTEMPTS + height):
        tower = tallest_tower(body.world.house, pieces, body.world.object_positions())
        if len(tower) >= height and body.held not in tower:
            return True
        tower = tower if len(tower) > 1 else tuple(pieces[:1])
        following = next((piece for piece in pieces if piece not in tower), None)
        if following is None or not (yield from stack(body, following, tower[-1], aside, craft)):
            return False
    return False


def stack(body: Body, target: str, base: str, aside: Aside = straight, craft: Craft = PLAIN) -> Behaviour:
    """Put ``target`` on ``base``, from which anything else is taken away; again if it falls, unless it always will."""
    stays = body.world.house.objects_by_id[target].kind in FLAT
    for _ in range(ATTEMPTS if stays else 1):
        yield from clear(body, base, target)
        if not (yield from craft.take(body, target)):
            return False
        yield from while_held(body, target, _carry_onto(body, target, base, aside(), craft))
        if body.held != target:
            continue
        if body.far(base) > ARM_LENGTH + 2 * NEAR_ENOUGH:  # there is no way, or none any more
            yield from put_down(body)
            continue
        yield silent(with_hand(body.move(Aim()), HAND_RELEASE))
        yield from settle(body)
        if rests_on(body.world.house, target, base, body.world.object_positions()):
            return True
    return False


def clear(body: Body, base: str, target: str) -> Behaviour:
    """Take away what is on ``base`` and is not ``target``."""
    for _ in range(ATTEMPTS):
        positions = body.world.object_positions()
        others = (i for i in positions if i not in (target, body.held))
        on_it = next((i for i in others if rests_on(body.world.house, i, base, positions)), None)
        if on_it is None:
            return True
        if not (yield from get(body, on_it)):
            return False
        yield from draw_in(body)
        yield from raise_up(body)
        yield from _turn_away(body)
        yield from put_down(body)
    return False


def raise_up(body: Body) -> Behaviour:
    """Bring what is in the hand to the height at which it is carried over other things, without turning."""
    for _ in range(8):
        if body.held is None or body.me.pitch >= WALK_PITCH - FACING[1]:
            break
        yield silent(body.move(Aim(pitch=WALK_PITCH), CARRY))
    return True


def _carry_onto(body: Body, target: str, base: str, aside: float, craft: Craft) -> Behaviour:
    """From having it in hand to holding it where it can be let go."""
    if not (yield from craft.carry(body, target, base)):
        return False
    off = aside * half_width(body.world.house, base)
    yield from _bring_over(body, target, base, off)
    return (yield from _let_down(body, target, base, off))


def _come_near(body: Body, target: str, base: str) -> Behaviour:
    """Walk, or step back, until ``base`` is an arm's length away and there is room for ``target`` before the body."""
    least = HOLD_CLEARANCE + body.world.house.objects_by_id[target].radius + HOLD_GAP
    for _ in range(PATIENCE):
        here, there, obstacles = body.me.position, body.where(base), _in_the_way(body, base)
        far = distance(here, there)
        if body.same_room(base) and least <= far <= ARM_LENGTH + NEAR_ENOUGH:
            return True
        stop = there[:2] + (here[:2] - there[:2]) * ARM_LENGTH / max(far, 1e-6)
        direct = distance(here, stop) < ARRIVED or body.plan.straight(here, stop, obstacles)
        if body.same_room(base) and direct:
            yield silent(_step_back(body, there) if far < ARM_LENGTH else body.move(_toward(there, ARM_LENGTH), CARRY))
            continue
        spot = place_to_stand(body.plan, here, there, obstacles)
        if spot is None or not (yield from walk_to(body, spot)):
            return False
    return False


def _step_back(body: Body, there: np.ndarray) -> np.ndarray:
    """The movement of one step back from ``there`` [3], once it is straight ahead."""
    movement = body.move(_toward(there, None), CARRY)
    if abs(bearing(body.me, there)) < FACING[0]:
        lacking = ARM_LENGTH - distance(body.me.position, there)
        movement[: math.ceil(lacking * TICKS_PER_SECOND / WALK_SPEED), FORWARD] = BACKWARD_BIN
    return movement


def can_stand_at(body: Body, base: str) -> bool:
    """Return True if there is a place, and a way to it, from which things can be put on ``base``."""
    others = _in_the_way(body, base)
    spot = place_to_stand(body.plan, body.me.position, body.where(base), others)
    return spot is not None and body.plan.route(body.me.position, spot, ARRIVED, others) is not None


def _in_the_way(body: Body, base: str) -> np.ndarray:
    """The obstacles of one who walks up to ``base``, without it and what is under it: float64 [N, 3]."""
    house, positions = body.world.house, body.world.object_positions()
    return body.obstacles(*(i for i in positions if i == base or is_over(house, base, i, positions)))


def _toward(there: np.ndarray, stop: float | None) -> Aim:
    """Walk up to ``stop`` metres before ``there``, looking ahead so that what is in hand stays high."""
    return Aim((float(there[0]), float(there[1])), stop, WALK_PITCH)


def _bring_over(body: Body, target: str, base: str, off: float) -> Behaviour:
    """Reach out until ``target`` is over its place, well above it, or comes no nearer."""
    before: np.ndarray | None = None
    for _ in range(12):
        place, at = _place(body, base, off), body.where(target)
        if distance(place, at) < PRECISE or (before is not None and math.dist(at, before) < HARDLY):
            return True
        before = at
        yield silent(body.move(*_reach_for(body, target, base, place, OVER)))
    return False


def _let_down(body: Body, target: str, base: str, off: float) -> Behaviour:
    """Lower ``target`` until it nearly touches, or comes no lower."""
    before = math.inf
    for _ in range(8):
        above = clearance(body.world.house, target, base, body.world.object_positions())
        if above < 1.6 * LET_GO or before - above < HARDLY:
            return True
        before = above
        yield silent(body.move(*_reach_for(body, target, base, _place(body, base, off), LET_GO)))
    return True


def _place(body: Body, base: str, off: float) -> np.ndarray:
    """The middle of ``base``, moved ``off`` metres to the left of one who looks at it: float64 [3]."""
    middle, here = body.where(base), body.me.position
    ahead = (middle[:2] - here[:2]) / max(distance(middle, here), 1e-6)
    return middle + off * np.array([-ahead[1], ahead[0], 0.0])


def _reach_for(body: Body, target: str, base: str, place: np.ndarray, above: float) -> tuple[Aim, float]:
    """Return the aim and reach for ``target`` to be ``above`` metres over the top of ``base``."""
    things, far = body.world.house.objects_by_id, distance(body.me.position, place)
    height = float(place[2]) + (things[base].height + things[target].height) / 2 + above
    pitch = math.atan2(height - HOLD_LIFT - EYE_HEIGHT, far)
    return Aim((float(place[0]), float(place[1])), None, pitch), far / math.cos(pitch)


def _turn_away(body: Body) -> Behaviour:
    """Turn about a quarter to the left, where what is put down is not in the way."""
    heading = body.me.yaw + math.pi / 2
    beside = body.me.position[:2] + np.array([math.cos(heading), math.sin(heading)])
    for _ in range(TURNING_AWAY):
        yield silent(body.move(Aim((float(beside[0]), float(beside[1])), None, WALK_PITCH), CARRY))
    return True
