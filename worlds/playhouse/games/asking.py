"""Requests of the Playhouse by name, of probe tasks and of language games alike, and their success checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from worlds.contract import TaskSpec, WorldError
from worlds.playhouse.games import registry
from worlds.playhouse.games.situation import Situation
from worlds.playhouse.requests import tasks
from worlds.playhouse.requests.success import PlayhouseTask
from worlds.playhouse.requests.tasks import SPLITS, TASKS
from worlds.playhouse.world import Playhouse


def known() -> tuple[str, ...]:
    """Return the names of everything that can be asked for: probes, the tower, language games."""
    return (*TASKS, *registry.games())


def make_task(spec: TaskSpec) -> PlayhouseTask:
    """Return the success check of ``spec``. Raises WorldError for a task that the Playhouse does not have."""
    if spec.name in registry.games():
        return registry.get(spec.name).check(spec)
    check_name(spec.name)
    return tasks.make_task(spec)


def probe(name: str, world: Playhouse, seed: int, split: str | None = None) -> TaskSpec | None:
    """Return a feasible, unambiguous request of task or game ``name`` in ``world`` at present; None if there is none.

    Args:
      name: of the task or game.
      world: the Playhouse, between two steps.
      seed: of the choice among the possible requests.
      split: "train" or "held_out" restricts it to combinations of that split.

    Raises:
      WorldError: the task or the split does not exist.
    """
    return Asker(world).ask(name, np.random.default_rng(seed), split)


class Asker:
    """Choice of requests in one house; its floor plan is kept from request to request."""

    def __init__(self, world: Playhouse) -> None:
        self.world = world
        self._tasks = tasks.Asker(world)
        self.plan = self._tasks.plan

    def ask(
        self,
        name: str,
        rng: np.random.Generator,
        split: str | None = None,
        modifier: str | None = None,
        wanted: Callable[[Mapping[str, Any]], bool] | None = None,
    ) -> TaskSpec | None:
        """See :func:`probe`.

        Args:
          name: of the task or game.
          rng: of the choice.
          split: see :func:`probe`.
          modifier: of a language game, see :func:`worlds.playhouse.games.registry.ask`.
          wanted: (arguments) -> whether to ask for this; None allows anything.

        Raises:
          WorldError: the task, the split or the modifier does not exist.
        """
        check_name(name)
        if split not in (None, *SPLITS):
            raise WorldError(f"no split named {split!r}; known: {', '.join(SPLITS)}")
        if name in TASKS:
            return self._tasks.ask(name, rng, split, wanted)
        return registry.ask(name, Situation(self.world, self.plan, self._tasks.sight), rng, split, modifier, wanted)


def check_name(name: str) -> None:
    """Raise WorldError, which lists the known names, unless ``name`` is that of a task or a game."""
    if name not in known():
        raise WorldError(f"the playhouse has no task named {name!r}; known: {', '.join(known())}")
