"""The SocialAI school: grid rooms in which an agent learns social skills from a scripted peer (Kovač et al., 2024)."""

from __future__ import annotations

from worlds.contract.tiers import EXACT
from worlds.registry import Later, WorldEntry, register
from worlds.school.environments import register_ids
from worlds.school.sampling import sample
from worlds.school.tasks import NAMES, make_task, probe
from worlds.school.world import SchoolWorld

__all__ = ["SchoolWorld", "sample"]

register_ids()


SCHOOL = register(
    WorldEntry(
        name="school",
        make=SchoolWorld,
        sample_config=sample,
        make_setter=Later("worlds.school.players.setter:ScriptedSetter"),
        make_solver=Later("worlds.school.players.solver:make_solver"),
        make_task=make_task,
        probe=probe,
        probes=NAMES,
        tier=EXACT,
        declares={"solver": Later("worlds.school.players.solver:SolverSettings").load},
    )
)
