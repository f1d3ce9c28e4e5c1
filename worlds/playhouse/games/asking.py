"""Requests of the Playhouse: asked by name, checked, and read from anybody's words.

Scripted setters know what they mean. Of what people and learned setters say only the words are known. A request of a
probe or of the tower counts where it can be fulfilled and means one thing; one of a language game where the game can
read it (:mod:`worlds.playhouse.requests.reading`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from worlds.contract import TaskSpec, WorldError
from worlds.playhouse.games import registry
from worlds.playhouse.games.situation import Situation
from worlds.playhouse.games.splits import SPLITS
from worlds.playhouse.navigation.floor_plan import FloorPlan
from worlds.playhouse.navigation.sight import Sight
from worlds.playhouse.requests.success import PlayhouseTask
from worlds.playhouse.world import Playhouse


def make_task(spec: TaskSpec) -> PlayhouseTask:
    """Return the success check of ``spec``. Raises WorldError for a task that the Playhouse does not have."""
    return registry.get(spec.name).check(spec)


def is_held_out(name: str, arguments: Mapping[str, Any]) -> bool:
    """Return True if a request of game ``name`` is held out: training never asks for it in this game."""
    return registry.is_held_out(name, arguments, registry.get(name).held_out_from)


def probe(name: str, world: Playhouse, seed: int, split: str | None = None) -> TaskSpec | None:
    """Return a feasible, unambiguous request of game ``name`` in ``world`` at present; None if there is none.

    Args:
      split: "train" or "held_out" restricts it to combinations of that split.

    Raises:
      WorldError: the game or the split does not exist.
    """
    return Asker(world).ask(name, np.random.default_rng(seed), split)


class Asker:
    """Choice of requests in one house; its floor plan is kept from request to request."""

    def __init__(self, world: Playhouse) -> None:
        self.world, self.plan, self._sight = world, FloorPlan.of(world), Sight.of(world)

    def ask(
        self,
        name: str,
        rng: np.random.Generator,
        split: str | None = None,
        modifier: str | None = None,
        wanted: Callable[[Mapping[str, Any]], bool] | None = None,
    ) -> TaskSpec | None:
        """Return a request, chosen as :func:`worlds.playhouse.games.registry.ask` does.

        Raises:
          WorldError: the game, the split or the modifier does not exist.
        """
        if split not in (None, *SPLITS):
            raise WorldError(f"no split named {split!r}; known: {', '.join(SPLITS)}")
        return registry.ask(name, Situation(self.world, self.plan, self._sight), rng, split, modifier, wanted)


def read_request(words: str, world: Playhouse) -> TaskSpec | None:
    """Return what ``words`` of a setter ask for in ``world`` at present, with these words as its instruction.

    Returns:
      The request; None where no check is known for the words, or they ask for what cannot be done.
    """
    situation = Situation(world)
    heard = (game.heard(arguments, words, situation) for game, arguments in registry.readings(words, situation))
    return next((spec for spec in heard if spec is not None), None)
