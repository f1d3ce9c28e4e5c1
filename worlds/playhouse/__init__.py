"""The Playhouse: a house with coloured things in it, two players who move, handle things and talk."""

from __future__ import annotations

import os
from typing import Any

# MuJoCo's window library starts a process that looks for it, which Ctrl-C would interrupt with a traceback of its own.
# Nothing here draws with it; MUJOCO_GL=egl (glfw, osmesa) brings MuJoCo's own renderer back.
os.environ.setdefault("MUJOCO_GL", "disable")

from worlds.contract.tiers import TICK_WISE  # noqa: E402
from worlds.playhouse.games.registry import PROBES, games  # noqa: E402
from worlds.playhouse.house.sampling import HouseSettings, sample_house  # noqa: E402
from worlds.playhouse.world import Playhouse  # noqa: E402
from worlds.registry import Later, WorldEntry, register  # noqa: E402

__all__ = ["HouseSettings", "Playhouse", "sample_config", "sample_house"]


def sample_config(seed: int, **settings: Any) -> dict[str, Any]:
    """Return the JSON configuration of the house of a seed; settings are those of :class:`HouseSettings`."""
    return sample_house(seed, HouseSettings.of(**settings)).to_json()


PLAYHOUSE = register(
    WorldEntry(
        name="playhouse",
        make=Playhouse,
        sample_config=sample_config,
        make_setter=Later("worlds.playhouse.players.setter:make_setter"),
        make_solver=Later("worlds.playhouse.players.solver:make_solver"),
        make_task=Later("worlds.playhouse.scenarios.tasks:make_task"),
        make_probe_setter=Later("worlds.playhouse.players.probe_setter:ProbeSetter"),
        probe=Later("worlds.playhouse.games.asking:probe"),
        read_request=Later("worlds.playhouse.games.asking:read_request"),
        probes=PROBES,
        splits_requests=True,
        games=tuple(name for name in games() if name not in PROBES),
        tier=TICK_WISE,
        people_settings={"face_room": True},
        scenarios={"appendix-b": Later("worlds.playhouse.players.scenario_setter:AppendixB")},
        declares={
            "settings": lambda: HouseSettings,
            "setter": Later("worlds.playhouse.players.asking.settings:SetterSettings").load,
            "solver": Later("worlds.playhouse.players.solver:Imperfection").load,
        },
    )
)
