"""The Playhouse: a house with coloured things in it, two players who move, handle things and talk."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from typing import Any

# MuJoCo's window library starts a process that looks for it, which Ctrl-C would interrupt with a traceback of its own.
# Nothing here draws with it; MUJOCO_GL=egl (glfw, osmesa) brings MuJoCo's own renderer back.
os.environ.setdefault("MUJOCO_GL", "disable")

from worlds.contract.tiers import TICK_WISE  # noqa: E402
from worlds.playhouse.games.registry import games  # noqa: E402
from worlds.playhouse.house.sampling import HouseSettings, sample_house  # noqa: E402
from worlds.playhouse.world import Playhouse  # noqa: E402
from worlds.registry import WorldEntry, register  # noqa: E402

__all__ = ["HouseSettings", "Playhouse", "sample_config", "sample_house"]


def sample_config(seed: int, **settings: Any) -> dict[str, Any]:
    """Return the JSON configuration of the house of a seed; settings are those of :class:`HouseSettings`."""
    return sample_house(seed, HouseSettings.of(**settings)).to_json()


def _later(module: str, name: str) -> Callable[..., Any]:
    """``worlds.playhouse.<module>.<name>``, imported at its first call: a world by itself needs no scripted players."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return getattr(importlib.import_module(f"worlds.playhouse.{module}"), name)(*args, **kwargs)

    return call


PLAYHOUSE = register(
    WorldEntry(
        name="playhouse",
        make=Playhouse,
        sample_config=sample_config,
        make_setter=_later("players.setter", "make_setter"),
        make_solver=_later("players.solver", "make_solver"),
        make_task=_later("scenarios.tasks", "make_task"),
        make_probe_setter=_later("players.probe_setter", "ProbeSetter"),
        probe=_later("games.asking", "probe"),
        read_request=_later("games.hearing", "read_request"),
        probes=("go", "lift", "position", "color", "count", "exist"),
        splits_requests=True,
        games=("tower", *games()),
        tier=TICK_WISE,
        people_settings={"face_room": True},
        scenarios={"appendix-b": _later("players.scenario_setter", "AppendixB")},
        declares={
            "settings": lambda: HouseSettings,
            "setter": lambda: importlib.import_module("worlds.playhouse.players.setter").ScriptedSetter,
            "solver": lambda: importlib.import_module("worlds.playhouse.players.solver").Imperfection,
        },
    )
)
