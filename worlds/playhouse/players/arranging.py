"""Deeds of a scripted solver that puts several things in an order, on the floor or on each other."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from worlds.playhouse.games import places
from worlds.playhouse.games.choices import Choice
from worlds.playhouse.games.instructions.arranging import is_arranged, volume
from worlds.playhouse.games.instructions.towers import pieces_for
from worlds.playhouse.games.registry import Arguments
from worlds.playhouse.players import building
from worlds.playhouse.players.behaviours import Behaviour
from worlds.playhouse.players.body import Body
from worlds.playhouse.players.deeds import deed
from worlds.playhouse.players.handling import AWRY
from worlds.playhouse.players.manner import Manner
from worlds.playhouse.players.putting import CAREFUL, always, put_at
from worlds.playhouse.requests.ground_truth import distance

PLANS = 3  # times that it chooses places
ROUNDS = 2  # times that it looks for things that are not where they should be
TRIES = 2  # at putting a thing at its place
NEAR, ON_THE_FLOOR = 0.15, 0.5  # metres from its place, and over the floor, of what is there


@deed("arrange", "line up")
def arrange(body: Body, arguments: Arguments, manner: Manner) -> Behaviour:
    """Carry the nearest of what is meant to free places on the floor in the shape, the farthest places first."""
    things, shape, by_size = Choice.of(arguments), arguments["shape"], arguments.get("by_size", False)
    situation = body.situation()
    every = sorted((i for i in things.among if situation.can_be_taken(i)), key=body.far)
    able = every[: things.number]
    if len(able) < things.number:
        return False
    if by_size:
        able.sort(key=lambda i: volume(body.world, i))
    for _ in range(PLANS):
        situation = body.situation()
        spots = places.for_arrangement(situation, shape, able, things.number, able)
        if spots is None:
            spots = places.for_arrangement(situation, shape, every, things.number)
        if spots is None:
            return False
        pairs = list(zip(able, spots, strict=True))
        entrance = _entrance(body, spots)
        pairs.sort(key=lambda pair: -distance(pair[1], entrance))
        for _ in range(ROUNDS):
            for thing, spot in pairs:
                if not _is_at(body, thing, spot):
                    yield from _make_way(body, thing, spot)
                    done = partial(_is_at, body, thing, spot)
                    yield from put_at(body, thing, always(spot), manner.aside() * AWRY, done, TRIES)
            if is_arranged(body.world, shape, able, set(able), things.number, by_size):
                return True
    return False


@deed("build")
def build(body: Body, arguments: Arguments, manner: Manner) -> Behaviour:
    """Build on what stands free, large things before small ones."""
    things = Choice.of(arguments)
    pieces = pieces_for(body.situation(), things, arguments.get("different"))
    if pieces is None:
        return False
    return (yield from building.build(body, pieces, things.number, manner.aside, CAREFUL))


def _is_at(body: Body, thing: str, spot: np.ndarray) -> bool:
    return distance(body.where(thing), spot) <= NEAR and bool(body.where(thing)[2] <= ON_THE_FLOOR)


def _entrance(body: Body, spots: np.ndarray) -> np.ndarray:
    """From where it comes to the arrangement: float64 [2]."""
    middle = spots.mean(axis=0)
    way = body.me.position[:2] - middle[:2]
    return middle[:2] + 2.0 * way / max(math.hypot(*way), 1e-6)


def _make_way(body: Body, thing: str, spot: np.ndarray) -> Behaviour:
    """Take what lies on the spot of another thing out of the way."""
    situation = body.situation()
    for other, at in situation.positions.items():
        records = body.world.house.objects_by_id
        if other == thing or distance(at, spot) > records[other].radius + records[thing].radius or at[2] > 0.5:
            continue
        free = places.on_floor(situation, other, at, 1.5)
        if free is not None:
            yield from put_at(body, other, always(free))
    return True
