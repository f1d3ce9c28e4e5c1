"""A world as people play it: tick by tick where it can be, a step at once where it cannot."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from annotation.games.config import GameConfig
from worlds.conformance import refuse, space_problems
from worlds.contract import SETTER, SOLVER, TICKS_PER_STEP, Observation, TickWise, World, neutral_movement
from worlds.registry import WorldEntry

PLAYERS = (SETTER, SOLVER)


class LiveWorld:
    """One world and the step under way in it.

    Args:
      config: the game's. entry: of its world.
    """

    def __init__(self, config: GameConfig, entry: WorldEntry) -> None:
        self._view = config.view
        world: World = entry.make(height=config.height, width=config.width, views=(SOLVER,), **config.world_options)
        self._smooth = isinstance(world, TickWise)
        if not self._smooth:  # the setter's only picture is then the one observed
            world = entry.make(height=config.height, width=config.width, views=PLAYERS, **config.world_options)
        refuse(entry.name, space_problems(world, config.height, config.width))
        self.world = world
        place = config.place
        if place is None:
            place = entry.sample_config(config.seed, **{**entry.people_settings, **config.place_settings})
        self.observations: Mapping[str, Observation] = world.reset(seed=config.seed, options={"config": place})[0]
        self.place = world.config
        self._begin()

    def tick(self, rows: Mapping[str, np.ndarray]) -> None:
        """Play one tick of the step: int8 [components] by player."""
        for player, row in rows.items():
            self.movement[player][self._tick] = row
        self._tick += 1
        if self._smooth:
            self.world.play_ticks({player: row[None] for player, row in rows.items()})  # type: ignore[attr-defined]

    def end(self, said: Mapping[str, str]) -> bool:
        """End the step, in which each said this; whether the world goes on."""
        assert self._tick == TICKS_PER_STEP
        if self._smooth:
            result = self.world.end_step(said)  # type: ignore[attr-defined]
        else:
            actions = {p: {"movement": self.movement[p], "utterance": said[p]} for p in PLAYERS}
            result = self.world.step(actions)  # type: ignore[arg-type]
        self.observations, _, terminated, truncated, _ = result
        self._begin()
        return not any((*terminated.values(), *truncated.values()))

    def changed(self) -> bool:
        """Whether a picture taken now may differ from one of the tick before."""
        return self._smooth or self._tick == 0

    def picture(self, player: str) -> np.ndarray:
        """What ``player`` sees now: uint8 [height, width, 3]."""
        if self._smooth:
            return self.world.view(player, *self._view)  # type: ignore[attr-defined]
        return self.observations[player]["image"]

    def close(self) -> None:
        """Close the world."""
        self.world.close()

    def _begin(self) -> None:
        """The next step; its movement, int8 [TICKS_PER_STEP, components] by player, fills up tick by tick."""
        self.movement = {player: neutral_movement() for player in PLAYERS}
        self._tick = 0
