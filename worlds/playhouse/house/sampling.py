"""Sampled houses: the same seed and settings give the same house.

Rooms grow one at the side of another with a doorway between them. Furniture stands with its back to a wall, or
free, and always leaves a player room to pass: pieces keep :data:`~worlds.playhouse.house.plain.PASSAGE` from each other
and from the walls that they do not touch, and clear of doorways. Loose things stand apart on the floor and on the
furniture.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from worlds.contract import WorldError
from worlds.playhouse.house.furnished.builder import FurnishedBuilder
from worlds.playhouse.house.plain import NoPlaceError, PlainBuilder
from worlds.playhouse.house.record import AVATAR_RADIUS, House, Start
from worlds.playhouse.house.rules import LARGEST_ROOM
from worlds.playhouse.house.settings import FURNISHED, PLAIN, HouseSettings

__all__ = ["HouseSettings", "facing_the_room", "sample_house"]

HOUSES_TRIED = {PLAIN: 30, FURNISHED: 12}  # a furnished one seldom fails if it can succeed
OPEN_VIEW = 2.0  # metres of free floor ahead with which a player's first view is good enough
DIRECTIONS = 24  # that are tried for a better one


def sample_house(seed: int, settings: HouseSettings | None = None) -> House:
    """The house of a seed.

    Raises:
      WorldError: what the settings ask for does not fit into the rooms they allow.
    """
    settings = settings or HouseSettings()
    settings.check_together()
    rng = np.random.default_rng(seed)
    builder = FurnishedBuilder if settings.style == FURNISHED else PlainBuilder
    problem = ""
    for _ in range(HOUSES_TRIED[settings.style]):
        try:
            house = builder(rng, settings).build()
            return facing_the_room(house) if settings.face_room else house
        except NoPlaceError as error:
            problem = str(error)
    raise WorldError(f"house settings: {problem}; ask for fewer or allow larger rooms (room_size)")


def facing_the_room(house: House) -> House:
    """Return ``house`` with players who look at something near turned to the direction in which they see farthest."""
    return replace(house, starts=tuple(_facing_the_room(start, house) for start in house.starts))


def _facing_the_room(start: Start, house: House) -> Start:
    if _open_distance(start, start.yaw, house) >= OPEN_VIEW:
        return start
    turns = [2 * np.pi * i / DIRECTIONS for i in range(DIRECTIONS)]
    yaws = [round(float((start.yaw + turn + np.pi) % (2 * np.pi) - np.pi), 3) for turn in turns]
    return replace(start, yaw=max(yaws, key=lambda yaw: _open_distance(start, yaw, house)))


def _open_distance(start: Start, yaw: float, house: House) -> float:
    """Metres of floor that lie free before a player who looks along ``yaw``, within its room."""
    room = house.room_at(start.x, start.y)
    ahead = np.arange(AVATAR_RADIUS, 2 * LARGEST_ROOM, 0.1)
    for distance in ahead:
        x, y = start.x + distance * np.cos(yaw), start.y + distance * np.sin(yaw)
        if room is None or not room.contains(x, y) or any(piece.gap_to(x, y) == 0.0 for piece in house.obstacles):
            return float(distance)
    return float(ahead[-1])
