"""Deed of a scripted solver that builds the tower that is asked for."""

from __future__ import annotations

from worlds.playhouse.games.choices import Choice
from worlds.playhouse.games.instructions.towers import pieces_for
from worlds.playhouse.games.registry import Arguments
from worlds.playhouse.players import building
from worlds.playhouse.players.behaviours import Behaviour
from worlds.playhouse.players.body import Body
from worlds.playhouse.players.deeds import deed
from worlds.playhouse.players.manner import Manner
from worlds.playhouse.players.putting import CAREFUL


@deed("build")
def build(body: Body, arguments: Arguments, manner: Manner) -> Behaviour:
    """Build on what stands free, large things before small ones."""
    things = Choice.of(arguments)
    pieces = pieces_for(body.situation(), things, arguments.get("different"))
    if pieces is None:
        return False
    return (yield from building.build(body, pieces, things.number, manner.aside, CAREFUL))
