"""The household: two people in an apartment of some 350 things, who act at the same step (Puig et al., 2021)."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from worlds.contract.tiers import EXACT
from worlds.household.tasks import NAMES, make_task, probe, sample
from worlds.household.world import HouseholdWorld, player_spec
from worlds.registry import WorldEntry, register

# Of :class:`worlds.household.players.helping.HelpingSolver`, by what they know of the setter's goal.
HELPERS = ("true_goal", "revising", "random_goal", "random", "nobody")

__all__ = ["HELPERS", "HouseholdWorld", "player_spec", "sample"]


def _later(module: str, name: str) -> Callable[..., Any]:
    """``worlds.household.<module>.<name>``, imported at its first call: a world by itself needs no scripted players."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return getattr(importlib.import_module(f"worlds.household.{module}"), name)(*args, **kwargs)

    return call


HOUSEHOLD = register(
    WorldEntry(
        name="household",
        make=HouseholdWorld,
        sample_config=sample,
        make_setter=_later("players.setter", "make_setter"),
        make_solver=_later("players.solver", "make_solver"),
        make_task=make_task,
        probe=probe,
        probes=NAMES,
        splits_requests=True,
        tier=EXACT,
        live_play=_later("live_play", "HouseholdLivePlay"),
        helpers=HELPERS,
        make_helper=_later("players.helping", "HelpingSolver"),
        goal_choices=_later("tasks.choices", "household_goals"),
        declares={
            "setter": lambda: importlib.import_module("worlds.household.players.setter").ScriptedSetter,
            "solver": lambda: importlib.import_module("worlds.household.players.solver").SolverSettings,
        },
    )
)
