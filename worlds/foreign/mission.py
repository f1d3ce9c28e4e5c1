"""The one task of a foreign environment: its mission, judged by its reward and its end."""

from __future__ import annotations

from typing import Any

from worlds.contract import Event, TaskSpec, World, WorldError
from worlds.foreign.world import ForeignWorld

MISSION = "mission"
MOST_STEPS = 10_000  # where neither the environment nor the world has a limit


def probe(name: str, world: World, seed: int, split: str) -> TaskSpec | None:
    """Return the mission of the episode at hand; None once the environment has ended it.

    Args:
      name: "mission".
      world: a :class:`~worlds.foreign.world.ForeignWorld`.
      seed: not used, as an episode has one mission.
      split: not used, as the seeds of episodes are held out.
    """
    assert isinstance(world, ForeignWorld)
    if name != MISSION:
        raise WorldError(f"{world.name} has no task named {name!r}; known: {MISSION}")
    if world.ended:
        return None
    return TaskSpec(MISSION, world.mission, {}, world.most_steps or MOST_STEPS)


class MissionTask:
    """The mission of an episode, followed step by step.

    Progress is a reward above 0 after none, regress one below 0. An end without success is a regress, too.

    Args:
      spec: the request.

    Attributes:
      succeeded: True once the world reports a success.
    """

    def __init__(self, spec: TaskSpec) -> None:
        self.spec, self.succeeded = spec, False
        self._sign, self._over = 0, False

    def update(self, world: Any, utterance: str) -> tuple[bool, tuple[Event, ...]]:
        """See :meth:`worlds.contract.Task.update`."""
        sign = (world.reward > 0) - (world.reward < 0)
        reason = f"a reward of {world.reward:g}"
        if world.succeeded and not self.succeeded:
            sign, reason, self._sign = 1, "success", 0
        elif world.ended and not self._over and not world.succeeded:
            sign, reason, self._sign = -1, "the environment ended the episode without success", 0
        self._over, self.succeeded = world.ended, world.succeeded
        is_new, self._sign = sign not in (0, self._sign), sign
        return self.succeeded, (Event(world.step_index, sign, reason),) if is_new else ()
