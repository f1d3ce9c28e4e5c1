"""Where things and players are to each other and to the house, for success checks: lengths in metres."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from worlds.playhouse.house.record import House, Room
from worlds.playhouse.requests.ground_truth import gap
from worlds.playhouse.world import Playhouse

Positions = Mapping[str, np.ndarray]  # middles of loose things, float64 [3]
TOUCH = 0.03  # between two things that touch, as far as anybody can see
FAR_CORNER = 1.5  # from a corner of a room to whoever is in it
CLEAR_CORNER = 1.1  # likewise, where nobody would deny it
MOST_STACKED = 1.0  # of things on each other on a piece of furniture
UNDER_SLACK = 0.03  # by which the middle of what is under a piece may lie outside its footprint
FLOOR_SLACK = 0.06  # under what lies on the floor, whichever way it has fallen


def touches(world: Playhouse, a: str, b: str) -> bool:
    """Return True if a loose thing touches another one or a piece of furniture."""
    house, positions = world.house, world.object_positions()
    thing, at = house.objects_by_id[a], positions[a]
    if b in house.furniture_by_id:
        piece = house.furniture_by_id[b]
        aside = piece.gap_to(float(at[0]), float(at[1])) - thing.radius
        return aside <= TOUCH and float(at[2]) - thing.height / 2 <= piece.spec.height + TOUCH
    rise = abs(float(at[2] - positions[b][2])) - (thing.height + house.objects_by_id[b].height) / 2
    return gap(house, a, b, dict(positions)) <= TOUCH and rise <= TOUCH


def lowest(house: House, object_id: str, at: np.ndarray) -> float:
    """Height of the underside of an upright thing."""
    return float(at[2]) - house.objects_by_id[object_id].height / 2


def is_on_floor(house: House, object_id: str, at: np.ndarray) -> bool:
    """Return True if a thing lies on the floor, upright or fallen over."""
    thing = house.objects_by_id[object_id]
    return float(at[2]) <= max(thing.height / 2, thing.radius) + FLOOR_SLACK and lowest(house, object_id, at) < 0.3


def is_on_piece(house: House, piece_id: str, at: np.ndarray) -> bool:
    """Return True if the middle of a thing is over a piece of furniture, higher than the lowest of its surfaces."""
    piece = house.furniture_by_id[piece_id]
    surface = min((s.at[2] for s in piece.spec.surfaces), default=piece.spec.height)
    over = piece.gap_to(float(at[0]), float(at[1])) == 0.0
    return over and surface < float(at[2]) <= piece.spec.height + MOST_STACKED


def is_under_piece(house: House, object_id: str, piece_id: str, at: np.ndarray) -> bool:
    """Return True if a thing lies on the floor within the footprint of a piece of furniture and below its top."""
    piece = house.furniture_by_id[piece_id]
    inside = piece.gap_to(float(at[0]), float(at[1])) <= UNDER_SLACK
    return inside and is_on_floor(house, object_id, at) and float(at[2]) < piece.spec.height


def corners(room: Room) -> tuple[tuple[float, float], ...]:
    return tuple((x, y) for x in (room.x0, room.x1) for y in (room.y0, room.y1))


def is_in_corner(room: Room, point: np.ndarray, within: float = FAR_CORNER) -> bool:
    """Return True if a point of a room is no farther than ``within`` from one of its corners."""
    return any(math.dist(corner, (float(point[0]), float(point[1]))) <= within for corner in corners(room))
