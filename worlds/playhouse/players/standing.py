"""Deeds of a scripted solver that are done by walking."""

from __future__ import annotations

import numpy as np

from worlds.playhouse.games.registry import Arguments
from worlds.playhouse.games.whereabouts import CORNER, Where, is_there_as_asked, spot_for_player
from worlds.playhouse.players.behaviours import Behaviour, settle
from worlds.playhouse.players.body import WALK_PITCH, Body
from worlds.playhouse.players.deeds import deed
from worlds.playhouse.players.fetching import walk_to_spot
from worlds.playhouse.players.manner import Manner
from worlds.playhouse.players.putting import turn_to
from worlds.playhouse.requests.facts import facts_of

ATTEMPTS = 3  # spots that are tried
WAIT = 3  # steps of standing there


@deed("stand by", "go somewhere")
def stand_at(body: Body, arguments: Arguments, manner: Manner) -> Behaviour:
    """Walk to the nearest spot at the place, turn to what it is in relation to, and stand."""
    del manner
    where, asked = Where.of(arguments["place"]), body.situation()
    failed: list[np.ndarray] = []
    for _ in range(ATTEMPTS):
        situation = body.situation()
        spot = spot_for_player(situation, where, avoid=failed)
        if spot is None:
            return False
        yield from walk_to_spot(body, spot)
        if where.relation != CORNER and where.anchors[0] not in situation.house.rooms_by_id:
            anchor = situation.facts.by_id[where.anchors[0]]
            yield from turn_to(body, np.array(anchor.middle), WALK_PITCH)
        yield from settle(body, WAIT)
        if is_there_as_asked(where, body.agent, facts_of(body.world), asked.facts, situation.house):
            return True
        failed.append(spot)
    return False
