"""Deeds of a scripted solver with one thing in its hand."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from worlds.contract import HAND_RELEASE, HAND_THROW, silent
from worlds.playhouse.games import geometry, places, reaching
from worlds.playhouse.games.choices import Choice
from worlds.playhouse.games.instructions.stacking import is_on, is_under
from worlds.playhouse.games.registry import Arguments
from worlds.playhouse.players import behaviours, building
from worlds.playhouse.players.behaviours import Behaviour, settle
from worlds.playhouse.players.body import Body
from worlds.playhouse.players.deeds import deed
from worlds.playhouse.players.fetching import fetch
from worlds.playhouse.players.manner import Manner
from worlds.playhouse.players.putting import CAREFUL, hold_ready, push_under, put_at, turn_to
from worlds.playhouse.players.steering import Aim, with_hand
from worlds.playhouse.requests.ground_truth import distance
from worlds.playhouse.requests.success import LIFT_HEIGHT
from worlds.playhouse.world import HANDS

HIGHER = 4  # steps of raising what was on a high shelf
HIGH_PITCH = math.radians(25.0)
CLEARLY = 0.05  # metres more than is asked for
THROWING_PITCH = math.radians(10.0)
AFTER_THROWING = 6  # steps in which what was thrown comes down
AWRY = 0.1  # metres by which a careless player misses a place, for each half-width


@deed("pick up")
def pick_up(body: Body, arguments: Arguments, manner: Manner) -> Behaviour:
    del manner
    for thing in sorted(Choice.of(arguments).among, key=body.far):
        floor = float(body.where(thing)[2])
        if (yield from fetch(body, thing)):
            yield from behaviours.lift(body, thing)
            for _ in range(HIGHER):
                if body.held != thing or body.where(thing)[2] - floor > LIFT_HEIGHT + CLEARLY:
                    break
                yield silent(body.move(Aim(pitch=HIGH_PITCH)))
            if body.held == thing:
                return True
    return False


@deed("put on")
def put_on(body: Body, arguments: Arguments, manner: Manner) -> Behaviour:
    """Put the nearest of what is meant on the target, one after the other."""
    (target, *_) = Choice.of(arguments, "target").among
    house = body.world.house

    def put(thing: str) -> Behaviour:
        if target not in house.furniture_by_id:
            return (yield from building.stack(body, thing, target, manner.aside, CAREFUL))
        piece = house.furniture_by_id[target]

        def choose(failed: Sequence[np.ndarray]) -> np.ndarray | None:
            situation = body.situation()
            found = (places.on_furniture(situation, thing, piece, failed, places.MORE_PLACES, f) for f in (True, False))
            return next((place for place in found if place is not None), None)

        return (yield from put_at(body, thing, choose, manner.aside() * AWRY, lambda: is_on(body.world, thing, target)))

    return (yield from each(body, arguments, put, lambda thing: is_on(body.world, thing, target)))


@deed("put under")
def put_under(body: Body, arguments: Arguments, manner: Manner) -> Behaviour:
    """Push the nearest of what is meant under the target, or put a loose target on top of it."""
    (target, *_) = Choice.of(arguments, "target").among
    house = body.world.house

    def put(thing: str) -> Behaviour:
        if target not in house.furniture_by_id:
            return (yield from building.stack(body, target, thing, manner.aside, CAREFUL))
        piece = house.furniture_by_id[target]

        def choose(failed: Sequence[np.ndarray]) -> reaching.Way | None:
            ways = (
                reaching.under_furniture(body.situation(), thing, piece, failed, surely) for surely in (True, False)
            )
            return next((way for way in ways if way is not None), None)

        return (yield from push_under(body, thing, choose, lambda: is_under(body.world, thing, target)))

    return (yield from each(body, arguments, put, lambda thing: is_under(body.world, thing, target)))


def each(
    body: Body, arguments: Arguments, act: Callable[[str], Behaviour], is_done: Callable[[str], bool]
) -> Behaviour:
    """Do something with the nearest of the things, then the next, until it is done with as many as are meant."""
    things = Choice.of(arguments)
    tried: set[str] = set()
    while True:
        done = {i for i in things.among if i != body.held and is_done(i)}
        left = sorted(set(things.among) - done - tried, key=lambda i: (i != body.held, body.far(i)))
        if len(done) >= things.number:
            return True
        if not left:
            return False
        tried.add(left[0])
        yield from act(left[0])


@deed("throw")
def throw(body: Body, arguments: Arguments, manner: Manner) -> Behaviour:
    """Take the nearest of what is meant, turn to where the room is widest and throw it."""
    del manner
    for thing in sorted(Choice.of(arguments).among, key=lambda i: (i != body.held, body.far(i))):
        if not (yield from fetch(body, thing)):
            continue
        yield from hold_ready(body)
        room = body.world.house.rooms_by_id.get(body.world.room_at(body.me.position) or "")
        if room is not None:
            corners = [np.array(corner) for corner in geometry.corners(room)]
            farthest = max(corners, key=lambda corner: distance(corner, body.me.position))
            yield from turn_to(body, farthest, THROWING_PITCH)
        if body.held == thing:
            throws = body.world.body is HANDS["full"]  # simple hands can only let go
            yield silent(with_hand(body.move(Aim()), HAND_THROW if throws else HAND_RELEASE))
            return (yield from settle(body, AFTER_THROWING))
    return False
