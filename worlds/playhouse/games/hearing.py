"""Requests in anybody's words: what they ask for in the house at hand, as far as a success check is known for it.

Scripted setters know what they mean. Of what people and learned setters say only the words are known. A request of a
probe task or of the tower counts where it can be fulfilled and means one thing; one of a language game where the game
can read it (:mod:`worlds.playhouse.requests.reading`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from worlds.contract import TaskSpec
from worlds.playhouse.games import registry
from worlds.playhouse.games.situation import Situation
from worlds.playhouse.requests import language, tasks
from worlds.playhouse.requests.ground_truth import describe_all
from worlds.playhouse.requests.language import NUMBERS, Understood
from worlds.playhouse.requests.tower import LOWEST
from worlds.playhouse.world import Playhouse

_OPEN = ("count", "exist")  # tasks whose words speak of a combination and not of one thing


def read_request(words: str, world: Playhouse) -> TaskSpec | None:
    """Return what ``words`` ask for in ``world`` at present, with these words as its instruction.

    Args:
      words: of the setter.
      world: between two steps.

    Returns:
      The request; None where no check is known for the words, or they ask for what cannot be done.
    """
    request = language.understand(words)
    found = None if request is None else _of_task(request, world)
    if found is None:
        found = _of_game(words, world)
    return None if found is None else replace(found, instruction=words)


def _of_task(request: Understood, world: Playhouse) -> TaskSpec | None:
    """Return a request of a probe task or of the tower that means the same; None if there is none."""
    meant = _meant(request, world)
    if meant is None:
        return None

    def is_meant(arguments: Mapping[str, Any]) -> bool:
        return all(arguments.get(name) == value for name, value in meant.items())

    return tasks.Asker(world).ask(request.name, np.random.default_rng(0), None, is_meant)


def _meant(request: Understood, world: Playhouse) -> dict[str, Any] | None:
    """Return arguments of the task that the words fix; None if they speak of nothing, or of several things."""
    x, y = request.slots.get("x", ""), request.slots.get("y", "")
    if request.name in _OPEN or (request.name == "tower" and not y):
        pair = language.combination(x) if x else (None, None)
        if pair is None:
            return None
        meant: dict[str, Any] = {"colour": pair[0], "kind": pair[1]}
        if request.name == "tower":
            meant |= {"target": None, "height": NUMBERS.index(request.slots.get("n", NUMBERS[LOWEST]))}
        return meant
    things = list(describe_all(world).values())
    found = [language.resolve(expression, things) for expression in (x, y) if expression]
    if any(len(some) != 1 for some in found):
        return None
    ids = [some[0].id for some in found]
    other = {"position": "next_to", "tower": "on"}.get(request.name)
    return {"target": ids[0]} | ({other: ids[1]} if other is not None and len(ids) > 1 else {})


def _of_game(words: str, world: Playhouse) -> TaskSpec | None:
    """Return a request of a language game; None if no game can read the words."""
    situation = Situation(world)
    heard = registry.understand(words, situation)
    if heard is None:
        return None
    game, arguments = heard
    limit = game.steps(arguments) + registry.ANOTHER_ROOM * (len(situation.house.rooms) - 1)
    return TaskSpec(game.name, words, arguments, limit)
