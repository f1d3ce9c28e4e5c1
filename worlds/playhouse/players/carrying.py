"""Deeds of a scripted solver that carries things somewhere and puts them on the floor."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from worlds.contract import SETTER
from worlds.playhouse.games import places
from worlds.playhouse.games.choices import Choice
from worlds.playhouse.games.geometry import is_on_floor
from worlds.playhouse.games.instructions.bringing import is_brought
from worlds.playhouse.games.instructions.containers import is_at, is_in
from worlds.playhouse.games.instructions.positioning import FLOOR_PLACE
from worlds.playhouse.games.registry import Arguments
from worlds.playhouse.games.whereabouts import AWAY, ELSEWHERE, Where, is_there_as_asked, spot_for_thing
from worlds.playhouse.players.behaviours import Behaviour, settle
from worlds.playhouse.players.body import Body
from worlds.playhouse.players.deeds import deed
from worlds.playhouse.players.handling import AWRY, each
from worlds.playhouse.players.manner import Manner
from worlds.playhouse.players.putting import drop_into, put_at
from worlds.playhouse.requests.facts import facts_of
from worlds.playhouse.requests.ground_truth import distance

TAKING = 40  # steps for which it waits until what it has brought is taken


@deed("bring")
def bring(body: Body, arguments: Arguments, manner: Manner) -> Behaviour:
    """Put the nearest of what is meant at the setter's feet, one after the other."""

    def put(thing: str) -> Behaviour:
        choose = lambda failed: places.before_setter(body.situation(), thing, failed, places.MORE_PLACES)  # noqa: E731
        return (yield from put_at(body, thing, choose, manner.aside() * AWRY, lambda: is_brought(body.world, thing)))

    return (yield from each(body, arguments, put, lambda thing: is_brought(body.world, thing)))


@deed("hand over")
def hand_over(body: Body, arguments: Arguments, manner: Manner) -> Behaviour:
    """Put the nearest of what is meant at the setter's feet, and wait until it is taken."""
    among = Choice.of(arguments).among
    if not (yield from bring(body, arguments, manner)):
        return False
    for _ in range(TAKING):
        if body.world.avatar(SETTER).held in among:
            return True
        yield from settle(body, 1)
    return False


@deed("place by", "reposition")
def place_by(body: Body, arguments: Arguments, manner: Manner) -> Behaviour:
    """Carry the nearest of what is meant to a free spot of the place."""
    where, asked = Where.of(arguments["place"]), body.situation()

    def put(thing: str) -> Behaviour:
        goal = Where("in", (asked.room_of(thing) or "",)) if where == FLOOR_PLACE else where

        def choose(failed: Sequence[np.ndarray]) -> np.ndarray | None:
            return spot_for_thing(body.situation(), thing, goal, asked, failed)

        def is_done() -> bool:
            at = body.where(thing)
            if where == FLOOR_PLACE:
                return is_on_floor(body.world.house, thing, at)
            if where.relation == AWAY:
                return distance(at, asked.positions[thing]) >= ELSEWHERE
            return is_there_as_asked(where, thing, facts_of(body.world), asked.facts, body.world.house)

        return (yield from put_at(body, thing, choose, manner.aside() * AWRY, is_done))

    for thing in sorted(Choice.of(arguments).among, key=lambda i: (i != body.held, body.far(i))):
        if (yield from put(thing)):
            return True
    return False


@deed("put in", "tidy")
def put_in(body: Body, arguments: Arguments, manner: Manner) -> Behaviour:
    """Drop the nearest of what is meant into the container, one after the other."""
    container = min(Choice.of(arguments, "target").among, key=lambda i: _far(body, i))

    def put(thing: str) -> Behaviour:
        return (yield from drop_into(body, thing, container, manner.aside() * AWRY))

    return (yield from each(body, arguments, put, lambda thing: is_in(body.world, thing, container)))


@deed("take out", "clear")
def take_out(body: Body, arguments: Arguments, manner: Manner) -> Behaviour:
    """Take each of what is meant and put it on a free spot of the floor."""
    targets = Choice.of(arguments, "target").among

    def put(thing: str) -> Behaviour:
        room = Where("in", (body.situation().room_of(thing) or "",))
        choose = lambda failed: spot_for_thing(body.situation(), thing, room, avoid=failed)  # noqa: E731
        return (yield from put_at(body, thing, choose, manner.aside() * AWRY, lambda: is_out(thing)))

    def is_out(thing: str) -> bool:
        return not any(is_at(body.world, thing, target) for target in targets)

    return (yield from each(body, arguments, put, is_out))


def _far(body: Body, entity: str) -> float:
    piece = body.world.house.furniture_by_id.get(entity)
    return body.far(entity) if piece is None else distance(body.me.position, np.array([piece.x, piece.y]))
