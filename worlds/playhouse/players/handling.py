"""Deeds of a scripted solver with one thing in its hand."""

from __future__ import annotations

from worlds.playhouse.games.choices import Choice
from worlds.playhouse.games.registry import Arguments
from worlds.playhouse.players import behaviours
from worlds.playhouse.players.behaviours import Behaviour
from worlds.playhouse.players.body import Body
from worlds.playhouse.players.deeds import deed
from worlds.playhouse.players.manner import Manner


@deed("pick up")
def pick_up(body: Body, arguments: Arguments, manner: Manner) -> Behaviour:
    """Lift the nearest of what is meant."""
    del manner
    nearest = min(Choice.of(arguments).among, key=body.far)
    return (yield from behaviours.lift(body, nearest))
