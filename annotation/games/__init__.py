"""A running game: people and stand-ins play one world in real time, recorded to the last bit. No HTTP here.

game = Game(GameConfig(kind=Kind.HUMAN_HUMAN, seed=3), open_store("data/people", create=True))
game.start()                                    # a thread of its own
game.join(Role.SETTER, "p1"); game.join(Role.SOLVER, "p2")
game.do(Role.SETTER, SessionEvent.READY); game.do(Role.SOLVER, SessionEvent.READY)
game.give(Role.SETTER, Inputs(say="lift the duck"))
async for view in game.screen(Role.SETTER).views():   # as fast as this reads, and no faster
    await socket.send_bytes(view.message())
"""

from __future__ import annotations

from annotation.games.config import GameConfig
from annotation.games.game import Game
from annotation.games.inputs import Inputs, Key
from annotation.games.screen import Screen, SpokenLine, View
from annotation.games.stand_ins import AgentComputing, AgentPlayer, StandIn

__all__ = [
    "AgentComputing",
    "AgentPlayer",
    "Game",
    "GameConfig",
    "Inputs",
    "Key",
    "Screen",
    "SpokenLine",
    "StandIn",
    "View",
]
