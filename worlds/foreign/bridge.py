"""The part of a foreign environment that differs between Gymnasium and PettingZoo: a bridge to its play."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

import numpy as np

from worlds.spaces.action import ActionSpec
from worlds.spaces.gym_spaces import ActionTranslation, ObservationTranslation
from worlds.spaces.observation import ObservationSpec

MISSIONS = ("mission", "instruction", "goal", "task")  # parts of an observation that say what is asked for, if text


@dataclass(frozen=True)
class Translation:
    """Translation of one player's actions and observations.

    Args:
      action: of the player.
      observation: of the player.
    """

    action: ActionTranslation
    observation: ObservationTranslation


class Turn(NamedTuple):
    """What came of one step of an environment.

    Args:
      seen: the environment's own observation, by player; one that is left out keeps its last.
      reward: of the solver.
      terminated: the environment has ended the episode.
      truncated: a limit has ended it.
      info: of the solver.
    """

    seen: Mapping[str, Any]
    reward: float
    terminated: bool
    truncated: bool
    info: Mapping[str, Any] = MappingProxyType({})


class Bridge(Protocol):
    """An environment whose play is addressed by players.

    Attributes:
      env: the environment.
      translations: of the players that act in it; the others only speak.
    """

    env: Any
    translations: dict[str, Translation]

    @property
    def most_steps(self) -> int | None:
        """The environment's own limit of steps; None without one."""
        ...

    def reset(self, seed: int) -> Mapping[str, Any]:
        """Begin the episode of ``seed``; return the environment's observation, by player."""
        ...

    def step(self, actions: Mapping[str, Any]) -> Turn:
        """Play one step; ``actions`` are the environment's own, by player."""
        ...

    def mission(self, seen: Mapping[str, Any]) -> str:
        """Return what the environment asks for in the episode that began with ``seen``; "" if it does not say."""
        ...

    def outside(self, seen: Mapping[str, Any]) -> str:
        """Return the part of ``seen`` that is outside the environment's own space; "" where all are inside."""
        ...

    def render(self) -> np.ndarray | None:
        """Return a picture of the environment, uint8 [height, width, 3]; None if it draws none."""
        ...

    def close(self) -> None:
        """Close the environment."""
        ...


WORDS_ONLY = Translation(
    ActionTranslation((), lambda chosen, values: None, lambda action: (np.zeros(0, np.int16), np.zeros(0, np.float32))),
    ObservationTranslation(ObservationSpec(), lambda seen: {}),
)


def still(action: ActionSpec) -> tuple[np.ndarray, np.ndarray]:
    """Return movement and continuous values of a player that does nothing."""
    return action.neutral_movement(), action.neutral_continuous()


def rest(action: ActionTranslation) -> Any:
    """Return the environment's action of an agent that does nothing."""
    movement, values = still(ActionSpec(action.components))
    return action.build(movement[0], values[0])
