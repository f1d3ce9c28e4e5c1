"""Deed of a scripted solver that does one thing after another."""

from __future__ import annotations

from worlds.playhouse.games.registry import Arguments
from worlds.playhouse.players.behaviours import Behaviour
from worlds.playhouse.players.body import Body
from worlds.playhouse.players.deeds import deed
from worlds.playhouse.players.game_play import act_on
from worlds.playhouse.players.manner import Manner


@deed("do then")
def do_then(body: Body, arguments: Arguments, manner: Manner) -> Behaviour:
    """Do the first, then the second."""
    first, second = arguments["first"], arguments["second"]
    yield from act_on(body, first["game"], first["arguments"], manner)
    return (yield from act_on(body, second["game"], second["arguments"], manner))
