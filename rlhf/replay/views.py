"""An episode replayed to be looked at: the solver's view at any size, step by step or several times a step."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rlhf.records.episode import WORLD_OPTIONS, Episode
from worlds import registry
from worlds.contract import SETTER, SOLVER, TickWise, World
from worlds.errors import UserError


def replayed_views(episode: Episode, height: int, width: int, per_step: int = 1) -> Iterator[tuple[int, np.ndarray]]:
    """The solver's view while both players do again what they did.

    The world is rebuilt from the episode's configuration, so views can be larger than the recorded images. The first
    view of a step is what the solver saw when it decided.

    Args:
      episode: what to replay.
      height: of the views, pixels.
      width: of the views, pixels.
      per_step: views a step, evenly spaced over its ticks; a divisor of their number.

    Yields:
      The step, and the view uint8 [height, width, 3].

    Raises:
      UserError: if the world cannot draw views of other sizes, its replay differs from the recording, or ``per_step``
        does not divide the ticks of a step.
    """
    recorded = episode.pictures().shape[1:3]
    options = dict(episode.notes.get(WORLD_OPTIONS) or {})
    world = registry.get(episode.world).make(height=recorded[0], width=recorded[1], views=(SOLVER,), **options)
    try:
        if not isinstance(world, TickWise):
            raise UserError(f"the world {episode.world} draws no views of other sizes; show its recorded images")
        ticks = world.spec(SOLVER).action.ticks
        if ticks % per_step:
            some = ", ".join(str(number) for number in range(1, ticks + 1) if ticks % number == 0)
            raise UserError(f"{per_step} views a step do not divide a step's {ticks} ticks; use one of {some}")
        yield from _views(world, world, episode, (height, width), ticks // per_step)
    finally:
        world.close()


def _views(
    world: World, screen: TickWise, episode: Episode, size: tuple[int, int], ticks: int
) -> Iterator[tuple[int, np.ndarray]]:
    """Yield a view every ``ticks`` ticks."""
    observations, _ = world.reset(seed=episode.seed, options={"config": dict(episode.config)})
    for step in range(len(episode)):
        if not np.array_equal(observations[SOLVER]["image"], episode.pictures()[step]):
            raise UserError(
                f"episode {episode.episode_id} does not replay: step {step} looks different; it was recorded with "
                "another version or other options of the world"
            )
        for begin in range(0, len(episode.movement[step]), ticks):
            yield step, screen.view(SOLVER, *size)
            part = slice(begin, begin + ticks)
            screen.play_ticks({SETTER: episode.setter_movement[step][part], SOLVER: episode.movement[step][part]})
        said = {SETTER: episode.setter_utterance[step], SOLVER: episode.utterance[step]}
        observations = screen.end_step(said)[0]
