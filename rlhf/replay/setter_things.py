"""Things at which a recorded setter pointed, so that its replay points at them again.

A recording has the values of pointers, which count what the setter observed then. In a replay it observes something
else as soon as the solver does something else.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rlhf.records.episode import Episode
from worlds.contract import SETTER, SOLVER, Action, World
from worlds.contract.pointing import NO_THING, PointingWorld
from worlds.spaces.action import ActionSpec, Pointer


def pointers_of(body: ActionSpec) -> list[int]:
    """Return the columns of movements that point at something."""
    return [column for column, each in enumerate(body.discrete) if isinstance(each, Pointer)]


def points_at_things(world: World, episode: Episode) -> bool:
    """Return True if the recorded setter pointed at things, and the world can say at which."""
    columns = pointers_of(world.spec(SETTER).action)
    return bool(columns) and isinstance(world, PointingWorld) and bool(episode.setter_movement[..., columns].any())


def things_pointed_at(world: World, episode: Episode) -> np.ndarray | None:
    """Return the things at which the recorded setter pointed; None if it never did, or the world cannot say.

    Args:
      world: that has just been reset to the episode's place; what was recorded is played in it, to the last step.

    Returns:
      int64 [T, ticks, pointers].
    """
    if not points_at_things(world, episode) or not isinstance(world, PointingWorld):
        return None
    columns = pointers_of(world.spec(SETTER).action)
    things = np.full((len(episode), episode.setter_movement.shape[1], len(columns)), NO_THING, np.int64)
    for step in range(len(episode)):
        for at, value in np.ndenumerate(episode.setter_movement[step][:, columns]):
            things[(step, *at)] = world.row_at(SETTER, int(value)) if value else NO_THING
        world.step({SETTER: episode.setter_action(step), SOLVER: episode.solver_action(step)})
    return things


def pointing_again(world: World, episode: Episode, step: int, things: np.ndarray | None) -> Action:
    """Return the setter's action of a step, pointing at the things at which it pointed.

    Where the setter does not see one of them now it does nothing in this step, but speaks as it did.

    Args:
      things: from :func:`things_pointed_at`.
    """
    action = episode.setter_action(step)
    if things is None or not isinstance(world, PointingWorld):
        return action
    body = world.spec(SETTER).action
    movement = np.array(action["movement"])
    for (tick, number), thing in np.ndenumerate(things[step]):
        found = 0 if thing == NO_THING else world.pointer_to(SETTER, int(thing))
        if found is None:
            nothing: Any = body.silent()
            nothing["utterance"] = action["utterance"]
            return nothing
        movement[tick, pointers_of(body)[number]] = found
    action["movement"] = movement
    return action
