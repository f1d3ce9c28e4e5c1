"""A world in which people play: tick by tick where the world can, else a step at once."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from annotation.games.body_keys import check_playable, is_turn_based
from annotation.games.config import GameConfig
from annotation.games.places import sample_place
from rlhf.records.episode import as_rgb
from rlhf.records.spaces import EpisodeSpaces
from rlhf.replay.views import NoPictures, fitted, rendered
from worlds.checks.problems import refuse, space_problems
from worlds.contract import SETTER, SOLVER, TICKS_PER_SECOND, GrabHints, Observation, TickWise, World
from worlds.contract.live_play import Board, LivePlay
from worlds.contract.plain_pictures import PlainPictures
from worlds.registry import WorldEntry

PLAYERS = (SETTER, SOLVER)
HEARD = "heard"  # text in which a world's solver observes what a partner, which the world scripts, said last
_DARK = 11  # grey level beside the picture, as on the page
FAILURE_TICKS = 3 * TICKS_PER_SECOND  # for which the reason of a failed grab is shown


class LiveWorld:
    """One world and the step that is being played in it.

    Attributes:
      place: configuration that the world was reset to.
      observations: what each player saw at the beginning of the step.
      boards: by player, what it can do now, where people choose among that; {} where they use keys.
      movement: movement of each player in this step, integers [ticks, components]; it fills up tick by tick.

    Raises WorldError if the world does not keep the contract, or a player cannot be played with keys.
    """

    def __init__(self, config: GameConfig, entry: WorldEntry) -> None:
        self._view = config.view
        world: World = entry.make(height=config.height, width=config.width, views=(SOLVER,), **config.world_options)
        self._tick_wise = world if isinstance(world, TickWise) else None
        if self._tick_wise is None:  # the setter then sees the observed image
            world = entry.make(height=config.height, width=config.width, views=PLAYERS, **config.world_options)
        refuse(entry.name, space_problems(world, config.height, config.width))
        self.world, self.spaces = world, EpisodeSpaces.of(world)
        self.bodies = {player: world.spec(player).action for player in PLAYERS}
        if entry.live_play is None:
            check_playable(entry.name, self.bodies)
        self.ticks, self.tick_sec = self.bodies[SOLVER].ticks, self.bodies[SOLVER].tick_sec
        self.ticks_per_frame = math.gcd(config.ticks_per_frame, self.ticks)
        self.turn_based = self._tick_wise is None and is_turn_based(self.bodies[SOLVER])
        self._plain = PlainPictures(self.spaces.solver.observation)
        place = config.place
        if place is None:
            place = sample_place(entry, config.seed, config.place_settings)
        self.observations: Mapping[str, Observation] = world.reset(seed=config.seed, options={"config": place})[0]
        self.place = world.config
        self._live: LivePlay | None = None if entry.live_play is None else entry.live_play(world)
        self.most_steps = config.steps if self._live is None else min(config.steps, self._live.steps)
        self.boards: dict[str, Board] = {}
        self._ticks_played = self._steps_played = 0
        self._begin_step()

    def tick(self, rows: Mapping[str, np.ndarray]) -> None:
        """Play one tick of the step."""
        for player, row in rows.items():
            self.movement[player][min(self._tick, len(self.movement[player]) - 1)] = row
        self._tick += 1
        self._ticks_played += 1
        if self._tick_wise is not None:
            self._tick_wise.play_ticks({player: row[None] for player, row in rows.items()})

    def end(self, said: Mapping[str, str]) -> bool:
        """End the step.

        Returns False if the world has ended the episode.
        """
        assert self._tick == self.ticks
        if self._tick_wise is not None:
            result = self._tick_wise.end_step(said)
        else:
            result = self.world.step({player: self.action(player, said[player]) for player in PLAYERS})
        self.observations, _, terminated, truncated, _ = result
        self._steps_played += 1
        self._begin_step()
        return not any((*terminated.values(), *truncated.values()))

    def action(self, player: str, words: str) -> Any:
        """Return the action of ``player``, who says ``words`` in this step."""
        return self.bodies[player].silent() | {"movement": self.movement[player], "utterance": words}

    @property
    def moment(self) -> int:
        """Number of the moment that a picture shows now: of a tick, or of the first tick of a step played at once."""
        return self._ticks_played - (0 if self._tick_wise is not None else self._tick)

    def picture(self, player: str) -> np.ndarray:
        """Return what ``player`` sees now: uint8 [height, width, 3].

        Where the world draws no views, a player sees the picture that it observes. One that observes none sees what
        the solver observes: its picture, else the picture that the world draws of itself, else what was observed,
        drawn plainly.
        """
        if self._tick_wise is not None:
            return self._tick_wise.view(player, *self._view)
        if self._live is not None:
            return self._live.picture(player, *self._view)
        own: Mapping[str, Any] = self.observations[player]
        seen: Mapping[str, Any] = own if "image" in own else self.observations[SOLVER]
        if "image" in seen:
            return fitted(as_rgb(seen["image"]), *self._view, _DARK)
        try:
            return fitted(rendered(self.world, "of this game"), *self._view, _DARK)
        except NoPictures:
            return self._plain.draw(seen)

    def grab_hint(self, player: str) -> tuple[str, str]:
        """Return what a grab by ``player`` would take now, and why a recent one failed; "" where there is nothing."""
        if not isinstance(self.world, GrabHints):
            return "", ""
        failure = self.world.last_grab_failure(player)
        recent = failure is not None and self._ticks_played - failure.tick <= FAILURE_TICKS
        return self.world.graspable(player) or "", failure.reason if failure is not None and recent else ""

    def reached(self, player: str) -> bool | None:
        """Return True if a goal of a player's own is reached; None if it has none."""
        return None if self._live is None else self._live.reached(player)

    @property
    def heard(self) -> str:
        """What the world's scripted partner said last; "" for nothing, or without a partner."""
        seen: Mapping[str, Any] = self.observations[SOLVER]
        return seen.get(HEARD, "")

    def close(self) -> None:
        """Close the world."""
        self.world.close()

    def _begin_step(self) -> None:
        self.movement = {player: self.bodies[player].neutral_movement() for player in PLAYERS}
        self._tick = 0
        if self._live is not None:
            for player in PLAYERS:
                choices, status = tuple(self._live.choices(player)), self._live.status(player)
                self.boards[player] = Board(self._steps_played, choices, status)
