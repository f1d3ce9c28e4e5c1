"""Table of what the scripted solver does about each game, by the game's name.

A deed is a generator of actions, registered where it is written, in one of :data:`MODULES` or with its probe
(:mod:`worlds.playhouse.probes`)::

    @deed("put under")
    def put_under(body: Body, arguments: Arguments, manner: Manner) -> Behaviour: ...

Its arguments are those that the game has read out of the words that were heard. A deed of a question ends with the
action of saying the answer (:meth:`Manner.say`).
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache

from worlds.playhouse.games.registry import Arguments, games
from worlds.playhouse.players.behaviours import Behaviour
from worlds.playhouse.players.body import Body
from worlds.playhouse.players.manner import Manner

Deed = Callable[[Body, Arguments, Manner], Behaviour]
MODULES: tuple[str, ...] = (
    "handling",
    "touching",
    "standing",
    "carrying",
    "arranging",
    "game_play",
    "answering",
)  # of this folder

_deeds: dict[str, Deed] = {}


def deed(*names: str) -> Callable[[Deed], Deed]:
    """Register a generator function as what is done about these games."""

    def keep(function: Deed) -> Deed:
        _deeds.update(dict.fromkeys(names, function))
        return function

    return keep


@cache
def deeds() -> dict[str, Deed]:
    """Return all deeds by the name of their game."""
    games()  # probes bring theirs
    for module in MODULES:
        importlib.import_module(f"worlds.playhouse.players.{module}")
    return _deeds
