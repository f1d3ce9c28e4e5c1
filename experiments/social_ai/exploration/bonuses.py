"""Bonuses by name, and a Gymnasium wrapper that adds one to the reward."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, SupportsFloat

import gymnasium
import numpy as np
from gymnasium import spaces

from experiments.social_ai.exploration.counts import CellBonus, CountSettings, WordBonus
from experiments.social_ai.exploration.distillation import DistillationBonus, DistillationSettings
from experiments.social_ai.exploration.impact import ImpactBonus, ImpactSettings
from experiments.social_ai.exploration.influence import InfluenceBonus, InfluenceSettings
from worlds.errors import UserError
from worlds.settings import BadValue

NAMES = ("cb", "cbl", "rnd", "ride", "influence")
BONUS, TASK_REWARD = "exploration_bonus", "task_reward"  # in a step's info


class Bonus(Protocol):
    """A bonus for one environment."""

    def begin(self, seen: Mapping[str, Any]) -> None:
        """Begin an episode with its first observation, for which there is no bonus."""
        ...

    def step(self, seen: Mapping[str, Any], action: Any, ended: bool) -> float:
        """Return the bonus of a step.

        Args:
          ended: True if the episode has ended with it.
        """
        ...


class ExplorationBonus(gymnasium.Wrapper[Any, Any, Any, Any]):
    """An environment whose reward has a bonus added; ``info`` has both parts.

    Args:
      env: any Gymnasium environment whose observations the bonus reads.
      bonus: the bonus; an object of its own for every environment.
    """

    def __init__(self, env: gymnasium.Env[Any, Any], bonus: Bonus) -> None:
        super().__init__(env)
        self.bonus = bonus

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        seen, info = self.env.reset(seed=seed, options=options)
        self.bonus.begin(seen)
        return seen, info

    def step(self, action: Any) -> tuple[Any, SupportsFloat, bool, bool, dict[str, Any]]:
        seen, reward, terminated, truncated, info = self.env.step(action)
        bonus = self.bonus.step(seen, action, terminated or truncated)
        parts = {BONUS: bonus, TASK_REWARD: float(reward)}
        return seen, float(reward) + bonus, terminated, truncated, info | parts


def make_bonus(name: str, env: gymnasium.Env[Any, Any], **settings: Any) -> Bonus:
    """Return a bonus for an environment.

    Args:
      env: whose observations are read: ``image``, or of cbl ``utterance``, of influence both.
      **settings: of :class:`experiments.social_ai.exploration.counts.CountSettings`,
        :class:`experiments.social_ai.exploration.distillation.DistillationSettings`,
        :class:`experiments.social_ai.exploration.impact.ImpactSettings` or
        :class:`experiments.social_ai.exploration.influence.InfluenceSettings`.

    Raises:
      UserError: an unknown name or setting, or an environment that does not observe what the bonus reads.
    """
    try:
        if name == "cb":
            return _counted(CellBonus, CountSettings(**settings) if settings else None, env, "image")
        if name == "cbl":
            given = CountSettings(**({"scale": 10 / 40} | settings)) if settings else None
            return _counted(WordBonus, given, env, "utterance")
        if name == "rnd":
            return DistillationBonus(_image_shape(env), DistillationSettings(**settings))
        if name == "ride":
            return ImpactBonus(_image_shape(env), _primitives(env), ImpactSettings(**settings))
        if name == "influence":
            if "utterance" not in _observed(env):
                raise UserError(f"observations of {env} have no 'utterance', by which a peer is influenced")
            return InfluenceBonus(_image_shape(env), _components(env), InfluenceSettings(**settings))
    except (TypeError, BadValue) as error:
        raise UserError(f"exploration bonus {name}: {error}") from None
    raise UserError(f"no exploration bonus {name!r}; known: {', '.join(NAMES)}")


def _counted(kind: type[CellBonus], settings: CountSettings | None, env: gymnasium.Env[Any, Any], key: str) -> Bonus:
    if key not in _observed(env):
        raise UserError(f"observations of {env} have no {key!r}, which the bonus counts")
    return kind(settings, key)


def _image_shape(env: gymnasium.Env[Any, Any]) -> tuple[int, int, int]:
    """Return height, width and channels of the map ``image``. Raises UserError if there is none."""
    space = _observed(env).get("image")
    if not isinstance(space, spaces.Box) or len(space.shape) != 3 or space.dtype != np.uint8:
        raise UserError(f"observations of {env} have no map 'image', uint8 [height, width, channels]")
    height, width, channels = space.shape
    return height, width, channels


def _observed(env: gymnasium.Env[Any, Any]) -> Mapping[str, Any]:
    space = env.observation_space
    return space.spaces if isinstance(space, spaces.Dict) else {}


def _primitives(env: gymnasium.Env[Any, Any]) -> int:
    """Return the number of primitive actions; of actions of several parts the first, and none besides."""
    space = env.action_space
    if isinstance(space, spaces.Discrete):
        return int(space.n)
    if isinstance(space, spaces.MultiDiscrete):
        return int(space.nvec.reshape(-1)[0]) + 1
    raise UserError(f"actions of {env} are {space}; ride needs discrete ones")


def _components(env: gymnasium.Env[Any, Any]) -> tuple[int, ...]:
    """Return the number of values of each component of actions."""
    space = env.action_space
    if isinstance(space, spaces.MultiDiscrete):
        return tuple(int(count) for count in space.nvec.reshape(-1))
    if isinstance(space, spaces.Discrete):
        return (int(space.n),)
    raise UserError(f"actions of {env} are {space}; influence needs discrete ones")
