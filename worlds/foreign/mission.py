"""The one task of a foreign environment: its mission, judged by its reward and its end; the setter who asks for it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from worlds.contract import SETTER, Action, Event, Observation, TaskSpec, World, WorldError
from worlds.contract.requests import AskingSetter
from worlds.foreign.world import ForeignWorld

MISSION = "mission"
MOST_STEPS = 10_000  # where neither the environment nor the world has a limit


def request_of(world: ForeignWorld) -> TaskSpec:
    """Return the request that a world makes now."""
    return TaskSpec(MISSION, world.mission or world.to_play, {}, world.most_steps or MOST_STEPS)


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
    return request_of(world)


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
        sign = (world.reward > 0) - (world.reward < 0)
        reason = f"a reward of {world.reward:g}"
        if world.succeeded and not self.succeeded:
            sign, reason, self._sign = 1, "success", 0
        elif world.ended and not self._over and not world.succeeded:
            sign, reason, self._sign = -1, "the environment ended the episode without success", 0
        self._over, self.succeeded = world.ended, world.succeeded
        is_new, self._sign = sign not in (0, self._sign), sign
        return self.succeeded, (Event(world.step_index, sign, reason),) if is_new else ()


class MissionSetter(AskingSetter):
    """A setter that says what the environment asks for. Where that changes, it makes another request.

    Args:
      tasks: the mission alone.
      split: "train" or "held_out".
      first_request: (fewest, most) steps before it first speaks.
    """

    def __init__(
        self,
        tasks: Mapping[str, float] = MappingProxyType({MISSION: 1.0}),
        split: str = "train",
        first_request: tuple[int, int] = (0, 0),
    ) -> None:
        super().__init__(probe, MissionTask, (MISSION,), tasks, split, first_request)
        self._spec: TaskSpec | None = None

    @classmethod
    def of_one_request(cls, spec: TaskSpec) -> MissionSetter:
        """Return a setter whose words all belong to one request, which is judged over the whole episode."""
        setter = cls()
        setter._spec = spec
        return setter

    def reset(self, world: World, seed: int) -> None:
        super().reset(world, seed)
        self._said = ""

    def act(self, observation: Observation) -> Action:
        """Stand still, and say the mission when it is another than before."""
        world: Any = self._world
        action = world.spec(SETTER).action.silent(world.legal_now(SETTER))
        waits = world.ended or world.step_index < (self._speak_at or 0)
        if waits or world.mission in ("", self._said):
            return action
        if self._task is None or self._spec is None:
            self._task = MissionTask(self._spec or request_of(world))
        self._said = action["utterance"] = world.mission
        return action
