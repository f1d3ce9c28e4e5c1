"""The household: two people in an apartment of some 350 things, who act at the same step (Puig et al., 2021)."""

from __future__ import annotations

from worlds.contract.tiers import EXACT
from worlds.household.tasks import NAMES, make_task, probe, sample
from worlds.household.world import HouseholdWorld, player_spec
from worlds.registry import Later, WorldEntry, register

# Of :class:`worlds.household.players.helpers.HelpingSolver`, by what they know of the setter's goal.
HELPERS = ("true_goal", "revising", "random_goal", "random", "nobody")

__all__ = ["HELPERS", "HouseholdWorld", "player_spec", "sample"]


HOUSEHOLD = register(
    WorldEntry(
        name="household",
        make=HouseholdWorld,
        sample_config=sample,
        make_setter=Later("worlds.household.players.setter:ScriptedSetter"),
        make_solver=Later("worlds.household.players.solver:make_solver"),
        make_task=make_task,
        probe=probe,
        probes=NAMES,
        splits_requests=True,
        tier=EXACT,
        live_play=Later("worlds.household.live_play:HouseholdLivePlay"),
        helpers=HELPERS,
        make_helper=Later("worlds.household.players.helpers:HelpingSolver"),
        goal_choices=Later("worlds.household.tasks.choices:household_goals"),
        declares={"solver": Later("worlds.household.players.solver:SolverSettings").load},
    )
)
