"""Which world is played, in which places, and what for: the part of a configuration that several journeys share."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rlhf.errors import UserError
from worlds import registry
from worlds.contract import SOLVER, World
from worlds.registry import WorldEntry

# Places are drawn from seeds; these ranges never meet, so no agent is evaluated in a place it was trained in.
HELD_OUT_SEEDS = 500_000_000
PROBE_SEEDS = 1_000_000_000


@dataclass(frozen=True)
class WorldConfig:
    """A world and how its places are made.

    Args:
      name: registered name. height, width: of the image in pixels.
      settings: the world's own settings for sampling a place, as JSON, e.g. '{"rooms": [1, 1]}'.
      options: the world's own settings for playing in it, as JSON, e.g. '{"fov_y_deg": 60}'.
    """

    name: str = "playhouse"
    height: int = 72
    width: int = 96
    settings: str = "{}"
    options: str = "{}"

    def sampling(self) -> dict[str, Any]:
        """The settings as a mapping. Raises UserError if they are not a JSON object."""
        return _object(self.settings, "world.settings")

    def entry(self) -> WorldEntry:
        """The registered world."""
        return registry.get(self.name)

    def make(self, count: int, images: bool = True) -> list[World]:
        """``count`` worlds; without ``images`` nothing is drawn (for scripted players that need no eyes)."""
        views, options = (SOLVER,) if images else (), _object(self.options, "world.options")
        return [self.entry().make(height=self.height, width=self.width, views=views, **options) for _ in range(count)]

    def place(self, seed: int) -> dict[str, Any]:
        """The configuration of the place that ``seed`` stands for."""
        return self.entry().sample_config(seed, **self.sampling())


@dataclass(frozen=True)
class PlayersConfig:
    """The scripted people: how they ask, and how well they do.

    Args:
      tasks: how often each kind of request is made, relative to the others.
      setter, solver: the scripted setter's and solver's own settings, as JSON.
    """

    tasks: Mapping[str, float] = field(
        default_factory=lambda: {"go": 1.0, "lift": 1.0, "position": 1.0, "color": 1.0, "count": 1.0, "exist": 1.0}
    )
    setter: str = "{}"
    solver: str = "{}"

    def setter_settings(self) -> dict[str, Any]:
        return _object(self.setter, "players.setter")

    def solver_settings(self) -> dict[str, Any]:
        return _object(self.solver, "players.solver")


def _object(text: str, where: str) -> dict[str, Any]:
    try:
        parsed = json.loads(text)
    except json.JSONDecodeError as error:
        raise UserError(f"{where} is not JSON ({error}); write e.g. '{{\"rooms\": [1, 1]}}'") from error
    if not isinstance(parsed, dict):
        raise UserError(f"{where} is a JSON object, e.g. '{{\"rooms\": [1, 1]}}'")
    return parsed
