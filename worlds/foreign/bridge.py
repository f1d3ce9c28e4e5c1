"""The part of a foreign environment that differs between Gymnasium and PettingZoo: a bridge to its play."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

import numpy as np

from worlds.spaces.action import ActionSpec
from worlds.spaces.gym_observation import MASK, ObservationTranslation, legal_values
from worlds.spaces.gym_spaces import ActionTranslation
from worlds.spaces.observation import Departure, InvalidObservation, ObservationSpec


@dataclass(frozen=True)
class Translation:
    """Translation of one player's actions and observations."""

    action: ActionTranslation
    observation: ObservationTranslation


class Turn(NamedTuple):
    """What came of a reset or of one step of an environment."""

    seen: Mapping[str, Any]
    info: Mapping[str, Any] = MappingProxyType({})
    reward: float = 0.0
    terminated: bool = False
    truncated: bool = False


class Bridge(Protocol):
    """An environment whose play is addressed by players."""

    env: Any
    translations: dict[str, Translation]

    @property
    def most_steps(self) -> int | None:
        """The environment's own limit of steps; None without one."""
        ...

    def reset(self, seed: int) -> Turn:
        """Begin the episode of ``seed``."""
        ...

    def step(self, actions: Mapping[str, Any]) -> Turn:
        """Play one step; ``actions`` are the environment's own, by player."""
        ...

    def mission(self, seen: Mapping[str, Any], info: Mapping[str, Any], inner: Any) -> str | None:
        """Return what the environment asks for now; "" if it asks for nothing yet, None if it never does."""
        ...

    def outside(self, seen: Mapping[str, Any]) -> Departure | None:
        """Return the first part of ``seen`` that is outside the environment's own space."""
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


def number(value: Any, what: str) -> float:
    """Return a reward, an end or a success as a number, also out of an array of one; else raise InvalidObservation."""
    if isinstance(value, (float, int, np.bool_)) and -math.inf < value < math.inf:
        return float(value)
    try:
        array = np.asarray(0 if value is None else value, np.float64)
    except (TypeError, ValueError, OverflowError):
        value = None
    if value is None:
        raise InvalidObservation(f"its {what} is no number")
    if array.size != 1:
        raise InvalidObservation(f"its {what} is {array.size} numbers, not one")
    if not np.isfinite(array).all():
        raise InvalidObservation(f"its {what} is {array.item()}, not a finite number")
    return array.item()


def find_mask(inner: Any, info: Mapping[str, Any], counts: Sequence[int]) -> np.ndarray | None:
    """Return the actions that an environment allows by its info or ``action_masks()``; None if it does not say."""
    found = info.get(MASK)
    if found is None:
        ask = getattr(inner, "action_masks", None)
        if not callable(ask):
            return None
        found = ask()
    parts = found if isinstance(found, tuple) else (found,)
    mask = np.concatenate([np.ravel(np.asarray(part)) for part in parts])
    return legal_values(mask, counts) if mask.size == sum(counts) and mask.dtype.kind in "biuf" else None
