"""Recorded play that is a demonstration: its setter acts alone for a goal of its own, and nobody speaks."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from rlhf.records.episode import Episode
from worlds import registry
from worlds.contract import WorldError
from worlds.contract.goal_choices import GoalChoices
from worlds.spaces.action import ActionSpec


@lru_cache(maxsize=32)
def goal_choices_of(world: str | None) -> GoalChoices | None:
    """Return what people can say that a setter wanted; None for a world that offers nothing or is not known here.

    Args:
      world: registered name; None of a dataset without episodes.
    """
    if world is None or world not in registry.names():
        return None
    try:
        offered = registry.get(world).goal_choices
    except WorldError:
        return None
    return offered() if offered else None


def demonstrated_goal(episode: Episode) -> Mapping[str, int] | None:
    """Return the goal of the setter in a demonstration; None in other play, and for a goal that nobody can choose.

    In a demonstration the setter has a goal of its own and acts, the solver does nothing, and nobody speaks.
    """
    offered = goal_choices_of(episode.world)
    if offered is None or any(episode.setter_utterance) or any(episode.utterance):
        return None
    spaces = episode.spaces
    if not _acts(episode.setter_movement, spaces.setter) or _acts(episode.movement, spaces.solver.action):
        return None
    goal = offered.goal_of(episode.config)
    return goal if goal and offered.knows(goal) else None


def _acts(movement: np.ndarray, body: ActionSpec) -> bool:
    """Return whether a player does anything in an episode."""
    return not np.array_equal(movement, np.broadcast_to(body.neutral_movement(), movement.shape))
