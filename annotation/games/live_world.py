"""A world in which people play: tick by tick where the world can, else a step at once."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from annotation.games.config import GameConfig
from worlds.conformance import body_problems, refuse, space_problems
from worlds.contract import (
    SETTER,
    SOLVER,
    TICKS_PER_SECOND,
    TICKS_PER_STEP,
    GrabHints,
    Observation,
    TickWise,
    World,
    neutral_movement,
)
from worlds.registry import WorldEntry

PLAYERS = (SETTER, SOLVER)
FAILURE_TICKS = 3 * TICKS_PER_SECOND  # for which the reason of a failed grab is shown


class LiveWorld:
    """One world and the step that is being played in it.

    Args:
      config: settings of the game.
      entry: entry of its world in the registry.

    Attributes:
      world: the world.
      place: configuration that the world was reset to.
      observations: what each player saw at the beginning of the step.
      movement: movement of each player in this step, int8 [TICKS_PER_STEP, components]; it fills up tick by tick.
    """

    def __init__(self, config: GameConfig, entry: WorldEntry) -> None:
        self._view = config.view
        world: World = entry.make(height=config.height, width=config.width, views=(SOLVER,), **config.world_options)
        self._tick_wise = world if isinstance(world, TickWise) else None
        if self._tick_wise is None:  # the setter then sees the observed image
            world = entry.make(height=config.height, width=config.width, views=PLAYERS, **config.world_options)
        refuse(entry.name, space_problems(world, config.height, config.width) or body_problems(world))
        self.world = world
        place = config.place
        if place is None:
            place = entry.sample_config(config.seed, **{**entry.people_settings, **config.place_settings})
        self.observations: Mapping[str, Observation] = world.reset(seed=config.seed, options={"config": place})[0]
        self.place = world.config
        self._ticks_played = 0
        self._begin_step()

    def tick(self, rows: Mapping[str, np.ndarray]) -> None:
        """Play one tick of the step.

        Args:
          rows: movement of each player in this tick, int8 [components].
        """
        for player, row in rows.items():
            self.movement[player][self._tick] = row
        self._tick += 1
        self._ticks_played += 1
        if self._tick_wise is not None:
            self._tick_wise.play_ticks({player: row[None] for player, row in rows.items()})

    def end(self, said: Mapping[str, str]) -> bool:
        """End the step.

        Args:
          said: what each player says in it.

        Returns:
          False if the world has ended the episode.
        """
        assert self._tick == TICKS_PER_STEP
        if self._tick_wise is not None:
            result = self._tick_wise.end_step(said)
        else:
            actions = {p: {"movement": self.movement[p], "utterance": said[p]} for p in PLAYERS}
            result = self.world.step(actions)  # type: ignore[arg-type]
        self.observations, _, terminated, truncated, _ = result
        self._begin_step()
        return not any((*terminated.values(), *truncated.values()))

    def changed(self) -> bool:
        """Return True if a picture drawn now may differ from one of the tick before."""
        return self._tick_wise is not None or self._tick == 0

    def picture(self, player: str) -> np.ndarray:
        """Return what ``player`` sees now: uint8 [height, width, 3]."""
        if self._tick_wise is not None:
            return self._tick_wise.view(player, *self._view)
        return self.observations[player]["image"]

    def grab_hint(self, player: str) -> tuple[str, str]:
        """Return what a grab by ``player`` would take now, and why a recent one failed; "" where there is nothing."""
        if not isinstance(self.world, GrabHints):
            return "", ""
        failure = self.world.last_grab_failure(player)
        recent = failure is not None and self._ticks_played - failure.tick <= FAILURE_TICKS
        return self.world.graspable(player) or "", failure.reason if failure is not None and recent else ""

    def close(self) -> None:
        """Close the world."""
        self.world.close()

    def _begin_step(self) -> None:
        self.movement = {player: neutral_movement() for player in PLAYERS}
        self._tick = 0
