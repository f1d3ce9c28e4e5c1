"""Deeds of a scripted solver with one thing in its hand."""

from __future__ import annotations

from collections.abc import Callable

from worlds.playhouse.games import places
from worlds.playhouse.games.choices import Choice
from worlds.playhouse.games.registry import Arguments
from worlds.playhouse.games.stacking import is_on, is_under
from worlds.playhouse.players import behaviours, building
from worlds.playhouse.players.behaviours import Behaviour
from worlds.playhouse.players.body import Body
from worlds.playhouse.players.deeds import deed
from worlds.playhouse.players.manner import Manner
from worlds.playhouse.players.putting import push_under, put_at

AWRY = 0.1  # metres by which a careless player misses a place, for each half-width


@deed("pick up")
def pick_up(body: Body, arguments: Arguments, manner: Manner) -> Behaviour:
    """Lift the nearest of what is meant."""
    del manner
    nearest = min(Choice.of(arguments).among, key=body.far)
    return (yield from behaviours.lift(body, nearest))


@deed("put on")
def put_on(body: Body, arguments: Arguments, manner: Manner) -> Behaviour:
    """Put the nearest of what is meant on the target, one after the other."""
    (target, *_) = Choice.of(arguments, "target").among
    house = body.world.house

    def put(thing: str) -> Behaviour:
        if target not in house.furniture_by_id:
            return (yield from building.stack(body, thing, target, manner.aside))
        place = places.on_furniture(body.situation(), thing, house.furniture_by_id[target])
        if place is None:
            return False
        return (yield from put_at(body, thing, place, manner.aside() * AWRY))

    return (yield from each(body, arguments, put, lambda thing: is_on(body.world, thing, target)))


@deed("put under")
def put_under(body: Body, arguments: Arguments, manner: Manner) -> Behaviour:
    """Push the nearest of what is meant under the target, or put a loose target on top of it."""
    (target, *_) = Choice.of(arguments, "target").among
    house = body.world.house

    def put(thing: str) -> Behaviour:
        if target not in house.furniture_by_id:
            return (yield from building.stack(body, target, thing, manner.aside))
        way = places.under_furniture(body.situation(), thing, house.furniture_by_id[target])
        return way is not None and (yield from push_under(body, thing, *way))

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
