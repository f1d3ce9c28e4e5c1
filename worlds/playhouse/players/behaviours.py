"""Behaviours of a scripted solver as generators of actions: each ``yield`` is one step, ``return`` is the outcome.

The player searches by turning to the left until the target comes into view, and approaches with its eyes on it, so that
a learner with only a camera could do the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator

import numpy as np

from worlds.contract import HAND_GRAB, HAND_RELEASE, Action, neutral_movement, silent
from worlds.playhouse.house.record import AVATAR_RADIUS
from worlds.playhouse.players.body import WALK_PITCH, Body, toward
from worlds.playhouse.players.steering import LEFT_BIN, TURN, Aim, pitch_to, with_hand
from worlds.playhouse.requests.ground_truth import bearing, distance, gap, grab_distance, support_of
from worlds.playhouse.requests.success import LIFT_HEIGHT, NEXT_TO

Behaviour = Generator[Action, None, bool]

SEARCH_PITCH = math.radians(-18.0)
RAISED_PITCH = math.radians(6.0)
LOWERED_PITCH = math.radians(-52.0)
FACING = math.radians(3.0), math.radians(3.0)  # yaw and pitch error of looking straight at something
CARRY = 0.7  # metres from the eye at which things are carried
PUT = 1.2  # metres from the eye at which things are put down
UNDERFOOT = 0.9  # metres; a nearer thing needs no search, only a look down
SPACE = 0.12  # metres left between two things put side by side
READ_COLOUR = 2.5  # metres from which a colour is recognised
FULL_TURN = math.radians(400.0)
STEP_TURN = math.radians(32.0)
ARRIVED = 0.2  # metres from a place to stand that count as being there
OVER_THE_RIM = (-0.04, -0.06, 0.0, -0.02)  # metres between a player and a box, less 0.1, of one who looks into it
SETTLE = 4  # steps in which a thing that was let go comes to rest
PATIENCE = 150  # steps after which an approach is given up


def search(body: Body, target: str) -> Behaviour:
    """Turn to the left until ``target`` is in view or everything around has been; other rooms are not searched."""
    turned = 0.0
    while body.same_room(target) and body.far(target) > UNDERFOOT and not body.sees(target) and turned < FULL_TURN:
        yield silent(turn_left(body))
        turned += STEP_TURN
    return body.sees(target)


def look_around(body: Body, enough: Callable[[], bool] = lambda: False) -> Behaviour:
    """Turn to the left until everything around has been in view, or ``enough``."""
    turned = 0.0
    while turned < math.radians(290.0) and not enough():
        yield silent(turn_left(body))
        turned += STEP_TURN
    return True


def approach(body: Body, target: str, within: float, hold: float | None = None) -> Behaviour:
    """Search for ``target``, then walk until it is ``within`` metres and straight ahead. False if that fails."""
    yield from search(body, target)
    return (yield from walk_up(body, target, within, hold))


def walk_up(body: Body, target: str, within: float, hold: float | None = None) -> Behaviour:
    """Walk until ``target``, whose place is known, is ``within`` metres and straight ahead. False if that fails."""
    for _ in range(PATIENCE):
        position, me = body.where(target), body.me
        near = body.same_room(target) and distance(me.position, position) <= within + 0.1
        if near and _looks_at(body, position):
            return True
        aim = toward(position, None) if near else _next_aim(body, target, within)
        if aim is None:
            return False
        yield silent(body.move(aim, hold))
    return False


def face(body: Body, target: str) -> Behaviour:
    """Turn and look until ``target`` is straight ahead, from where the player stands."""
    return (yield from approach(body, target, math.inf))


def go(body: Body, target: str) -> Behaviour:
    """Walk up to ``target``, near enough to take it."""
    return (yield from approach(body, target, _taking_distance(body, target)))


def get(body: Body, target: str) -> Behaviour:
    """Take ``target`` into the hand, from wherever it is; let go of anything else first."""
    if body.held not in (None, target):
        yield from put_down(body)
    for within in _distances(body, target):
        if body.held == target:
            return True
        if not (yield from approach(body, target, within)):
            return False
        for _ in range(3):
            if body.world.target_under_crosshair(body.agent) == target:
                yield silent(with_hand(body.move(toward(body.where(target), None)), HAND_GRAB))
            else:
                yield silent(body.move(toward(body.where(target), None)))
            if body.held == target:
                return True
    return False


def _distances(body: Body, target: str) -> tuple[float, ...]:
    """From how far to try to take a thing (m), one after the other; over the rim of a box it is seen from near by."""
    boxes = (thing for thing in body.world.house.objects if thing.spec.inside is not None and thing.id != target)
    box = next((box for box in boxes if body.world.inside(target, box.id)), None)
    if box is not None:
        return tuple(AVATAR_RADIUS + box.radius + more for more in OVER_THE_RIM)
    return tuple(nearer * _taking_distance(body, target) for nearer in (1.0, 0.9, 0.8, 0.7, 0.9, 0.8))


def lift(body: Body, target: str) -> Behaviour:
    """Take ``target`` and raise it; take it again if it falls."""
    floor = float(body.where(target)[2])
    for _ in range(4):
        if not (yield from get(body, target)):
            return False
        if support_of(body.world.house, target, body.where(target)):
            yield from draw_in(body)
        for _ in range(12):
            raised = body.where(target)[2] - floor > LIFT_HEIGHT + 0.05
            if body.held != target or (raised and body.me.pitch >= RAISED_PITCH - FACING[1]):
                break
            yield silent(body.move(Aim(pitch=RAISED_PITCH)))
        if body.held == target:
            return True
    return False


def draw_in(body: Body) -> Behaviour:
    """Bring what is in the hand near, for instance out of a shelf, before turning anywhere."""
    for _ in range(6):
        if body.held is None or body.reach() < CARRY + 0.08:
            break
        yield silent(body.move(Aim(), CARRY))
    return True


def put_down(body: Body) -> Behaviour:
    """Lower what is in the hand to the floor ahead and let go."""
    yield from lower(body)
    yield silent(with_hand(body.move(Aim()), HAND_RELEASE))
    return True


def lower(body: Body, ahead: np.ndarray | None = None) -> Behaviour:
    """Bring what is in the hand down, looking at ``ahead`` if given."""
    towards = None if ahead is None else (float(ahead[0]), float(ahead[1]))
    before = math.inf
    for _ in range(8):
        if body.held is None:
            return False
        height = float(body.where(body.held)[2])
        if body.me.pitch <= LOWERED_PITCH + FACING[1] and before - height < 0.02:
            return True
        before = height
        yield silent(body.move(Aim(towards=towards, pitch=LOWERED_PITCH), PUT))
    return True


def place(body: Body, target: str, beside: str) -> Behaviour:
    """Take ``target``, carry it to ``beside`` and put it down next to it; again if it falls or ends up elsewhere."""
    for _ in range(5):
        if not (yield from get(body, target)):
            return False
        yield from while_held(body, target, _carry_beside(body, target, beside))
        if body.held != target:
            continue
        yield silent(with_hand(body.move(Aim()), HAND_RELEASE))
        yield from settle(body)
        if gap(body.world.house, target, beside, body.world.object_positions()) < NEXT_TO:
            return True
    return False


def settle(body: Body, steps: int = SETTLE) -> Behaviour:
    """Stand still while what was let go comes to rest."""
    for _ in range(steps):
        body.stand()
        yield silent()
    return True


def while_held(body: Body, target: str, behaviour: Behaviour) -> Behaviour:
    """Go on with ``behaviour`` until it ends or ``target`` falls."""
    for action in behaviour:
        yield action
        if body.held != target:
            return False
    return True


def _carry_beside(body: Body, target: str, beside: str) -> Behaviour:
    yield from draw_in(body)
    yield from search(body, beside)
    far = _arm() + _between(body, target, beside)
    spot = _place_to_stand(body, target, beside)
    if spot is not None:
        yield from walk_to(body, spot)
    yield from walk_up(body, beside, far, CARRY)
    return (yield from lower(body, body.where(beside)))


def walk_to(body: Body, spot: np.ndarray) -> Behaviour:
    """Walk to ``spot`` [2] with something in hand."""
    for _ in range(PATIENCE):
        here = body.me.position
        if distance(here, spot) < ARRIVED:
            return True
        obstacles = body.obstacles()
        if body.plan.straight(here, spot, obstacles):
            aim = Aim((float(spot[0]), float(spot[1])), 0.05, WALK_PITCH)
        else:
            route = body.plan.route(here, spot, ARRIVED / 2, obstacles)
            if route is None:
                return False
            aim = body.along(route)
        yield silent(body.move(aim, CARRY))
    return False


def _place_to_stand(body: Body, target: str, beside: str) -> np.ndarray | None:
    """Return a place with room an arm's length ahead for ``target`` beside ``beside``.

    Of the places around, the one nearest in direction, first among those with room to turn with something in hand.
    """
    middle, here = body.where(beside), body.me.position
    things, radius = body.obstacles(target)[1:], body.world.house.objects_by_id[target].radius
    first = math.atan2(here[1] - middle[1], here[0] - middle[0])
    between, fallback = _between(body, target, beside), None
    for i in range(24):
        angle = first + math.radians(15.0) * ((i + 1) // 2) * (-1) ** i
        way = np.array([math.cos(angle), math.sin(angle)])
        put, stand = middle[:2] + between * way, middle[:2] + (between + _arm()) * way
        free = all(math.hypot(x - put[0], y - put[1]) > r + radius for x, y, r in things)
        clear_floor = all(f.gap_to(*put) > radius + 0.03 for f in body.world.house.obstacles)
        if free and clear_floor and body.plan.straight(stand, put):
            if body.plan.roomy(*stand):
                return stand
            fallback = stand if fallback is None else fallback
    return fallback


def _between(body: Body, a: str, b: str) -> float:
    """Distance (m) between the middles of two things put side by side."""
    things = body.world.house.objects_by_id
    return things[a].radius + things[b].radius + SPACE


def _arm() -> float:
    """Distance (m) from the avatar at which what is in the lowered hand is."""
    return PUT * math.cos(LOWERED_PITCH)


def reachable(body: Body, target: str) -> bool:
    """Return True if there is a way to where ``target`` can be taken."""
    return body.plan.route(body.me.position, body.where(target), _taking_distance(body, target)) is not None


def _taking_distance(body: Body, target: str) -> float:
    return grab_distance(body.world.house, target, body.where(target))


def _next_aim(body: Body, target: str, within: float) -> Aim | None:
    """Straight to ``target`` where nothing is in the way, else along a route; None if there is none."""
    position, here = body.where(target), body.me.position
    obstacles = body.obstacles(target)
    far = distance(here, position)
    stop = here[:2] + (position[:2] - here[:2]) * max(0.0, 1.0 - within / max(far, 1e-6))
    if body.same_room(target) and body.plan.straight(here, stop, obstacles):
        return toward(position, within)
    route = body.plan.route(here, position, within, obstacles)
    return None if route is None else body.along(route)


def _looks_at(body: Body, position: np.ndarray) -> bool:
    me = body.me
    rise = max(pitch_to(distance(me.position, position), float(position[2])), math.radians(-74.0))
    return abs(bearing(me, position)) < FACING[0] and abs(rise - me.pitch) < FACING[1]


def turn_left(body: Body) -> np.ndarray:
    """The movement of turning to the left for a step, at the height at which things are searched."""
    movement = body.move(Aim(pitch=SEARCH_PITCH))
    movement[:, TURN] = LEFT_BIN
    return movement


def answer(body: Body, words: str) -> Action:
    """The action of saying ``words`` while standing still."""
    body.stand()
    return {"movement": neutral_movement(), "utterance": words}
