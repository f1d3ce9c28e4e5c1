"""Looking at things before speaking of them: at one thing, at a piece of furniture, around whole rooms.

Generators of actions like those of :mod:`worlds.playhouse.players.behaviours`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from worlds.contract import SETTER, SOLVER, silent
from worlds.playhouse.house.rules import LARGEST_ROOM
from worlds.playhouse.players import behaviours
from worlds.playhouse.players.behaviours import READ_COLOUR, Behaviour
from worlds.playhouse.players.body import Body, toward
from worlds.playhouse.requests.ground_truth import bearing, distance
from worlds.playhouse.requests.views import sees_thing

PATIENCE = 120  # steps after which a way is given up
STRAIGHT = math.radians(8.0)  # from straight ahead, within which a piece of furniture is looked at
BESIDE = 1.3  # metres from the edge of furniture that is looked at
ELBOW_ROOM = 0.8  # metres from the other player at which one does not go to stand
LONG_ENOUGH = 10  # steps in a room after which it is looked at from wherever one is
ARRIVED = 0.4  # metres from the middle of a room, or from as near to it as one can stand


def look_at(body: Body, entity_id: str) -> Behaviour:
    """Go to where an object or a piece of furniture can be seen well, and face it."""
    if entity_id in body.world.house.objects_by_id:
        return (yield from behaviours.approach(body, entity_id, READ_COLOUR))
    return (yield from _look_at_piece(body, entity_id))


def look_around_rooms(body: Body, rooms: Sequence[str], enough: Callable[[], bool] = lambda: False) -> Behaviour:
    """Look around each of the rooms, the one that the player is in first, then the nearest, until it is ``enough``."""
    left = list(rooms)
    while left and not enough():
        here = body.world.room_at(body.me.position)
        room = min(left, key=lambda r: (r != here, distance(body.me.position, _middle(body, r))))
        left.remove(room)
        if room != here and not (yield from enter(body, room)):
            continue
        yield from behaviours.look_around(body, enough)
    return True


def enter(body: Body, room_id: str) -> Behaviour:
    """Walk to the middle of a room, or as near to it as one can stand."""
    room, middle = body.world.house.rooms_by_id[room_id], _middle(body, room_id)
    spots = body.plan.free_spots()
    inside = spots[[room.contains(float(x), float(y), 0.3) for x, y in spots]]
    if len(inside) == 0:
        return False
    other = body.world.avatar(SETTER if body.agent == SOLVER else SOLVER).position
    away = np.hypot(*(inside - other[:2]).T)
    spot = inside[np.argmin(np.hypot(*(inside - middle).T) + np.where(away < ELBOW_ROOM, LARGEST_ROOM, 0.0))]
    been_inside = 0
    for _ in range(PATIENCE):
        been_inside += body.world.room_at(body.me.position) == room_id
        if distance(body.me.position, spot) < ARRIVED or been_inside > LONG_ENOUGH:
            return True
        route = body.plan.route(body.me.position, spot, ARRIVED / 2, body.obstacles())
        if route is None:
            return body.world.room_at(body.me.position) == room_id
        yield silent(body.move(body.along(route)))
    return False


def face_what_setter_looks_at(body: Body) -> Behaviour:
    """Go near to the setter to see what it looks at."""
    for _ in range(PATIENCE):
        setter = body.world.avatar(SETTER)
        here = body.world.room_at(body.me.position) == body.world.room_at(setter.position)
        if here and distance(body.me.position, setter.position) < 2.5:
            return True
        route = body.plan.route(body.me.position, setter.position, 2.0)
        if route is None:
            return False
        yield silent(body.move(body.along(route)))
    return False


def _look_at_piece(body: Body, piece_id: str) -> Behaviour:
    piece = body.world.house.furniture_by_id[piece_id]
    point = np.array([piece.x, piece.y, (piece.spec.bottom + piece.spec.height) / 2])
    for _ in range(PATIENCE):
        me = body.me
        near = piece.gap_to(float(me.position[0]), float(me.position[1])) <= BESIDE
        if near and body.world.room_at(me.position) == piece.room:
            if abs(bearing(me, point)) < STRAIGHT:
                return True
            yield silent(body.move(toward(point, None)))
            continue
        route = body.plan.route(me.position, point, BESIDE + max(piece.half), body.obstacles())
        if route is None or distance(me.position, route[-1]) < 0.1:
            return sees_thing(body.world, body.agent, piece_id)
        yield silent(body.move(body.along(route)))
    return False


def _middle(body: Body, room_id: str) -> np.ndarray:
    room = body.world.house.rooms_by_id[room_id]
    return np.array([(room.x0 + room.x1) / 2, (room.y0 + room.y1) / 2])
