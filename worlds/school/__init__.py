"""The SocialAI school: grid rooms in which an agent learns social skills from a scripted peer (Kovač et al., 2024)."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from worlds.contract.tiers import EXACT
from worlds.registry import WorldEntry, register
from worlds.school.environments.registration import register_ids
from worlds.school.places import sample
from worlds.school.tasks import NAMES, make_task, probe
from worlds.school.world import SchoolWorld

__all__ = ["SchoolWorld", "sample"]

register_ids()


def _later(module: str, name: str) -> Callable[..., Any]:
    """``worlds.school.players.<module>.<name>``, imported at its first call: environments need no players."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return getattr(importlib.import_module(f"worlds.school.players.{module}"), name)(*args, **kwargs)

    return call


SCHOOL = register(
    WorldEntry(
        name="school",
        make=SchoolWorld,
        sample_config=sample,
        make_setter=_later("setter", "make_setter"),
        make_solver=_later("solver", "make_solver"),
        make_task=make_task,
        probe=probe,
        probes=NAMES,
        tier=EXACT,
        declares={
            "setter": lambda: importlib.import_module("worlds.school.players.setter").ScriptedSetter,
            "solver": lambda: importlib.import_module("worlds.school.players.solver").SolverSettings,
        },
    )
)
