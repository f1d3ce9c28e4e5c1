"""Deeds of a scripted solver that are done by walking."""

from __future__ import annotations

import numpy as np

from worlds.contract import silent
from worlds.playhouse.games.registry import Arguments
from worlds.playhouse.games.whereabouts import CORNER, Where, spot_for_player
from worlds.playhouse.players.behaviours import Behaviour
from worlds.playhouse.players.body import WALK_PITCH, Body
from worlds.playhouse.players.deeds import deed
from worlds.playhouse.players.manner import Manner
from worlds.playhouse.players.putting import settle, turn_to
from worlds.playhouse.players.steering import Aim

PATIENCE = 120  # steps after which a way is given up
WAIT = 3  # steps of standing there


@deed("stand by", "go somewhere")
def stand_at(body: Body, arguments: Arguments, manner: Manner) -> Behaviour:
    """Walk to the nearest spot at the place, turn to what it is in relation to, and stand."""
    del manner
    where = Where.of(arguments["place"])
    situation = body.situation()
    spot = spot_for_player(situation, where)
    if spot is None:
        return False
    yield from walk_to_spot(body, spot)
    if where.relation != CORNER and where.anchors[0] not in situation.house.rooms_by_id:
        anchor = situation.facts.by_id[where.anchors[0]]
        yield from turn_to(body, np.array(anchor.middle), WALK_PITCH)
    return (yield from settle(body, WAIT))


def walk_to_spot(body: Body, spot: np.ndarray, within: float = 0.12) -> Behaviour:
    """Walk to a spot [2] with empty hands, around things."""
    for _ in range(PATIENCE):
        here = body.me.position
        if float(np.hypot(*(here[:2] - spot))) < within:
            return True
        obstacles = body.obstacles()
        if body.plan.straight(here, spot, obstacles):
            aim = Aim((float(spot[0]), float(spot[1])), 0.05, WALK_PITCH)
        else:
            route = body.plan.route(here, spot, 0.1, obstacles)
            if route is None:
                return False
            aim = body.along(route)
        yield silent(body.move(aim))
    return False
