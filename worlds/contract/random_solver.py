"""A solver that acts at random: the level of chance, with which agents are compared."""

from __future__ import annotations

from typing import Any

import numpy as np

from worlds.contract import SOLVER, Action, Observation, World, legal_values
from worlds.spaces.action import Discrete
from worlds.spaces.random_action import random_action, within_entities

_GIVING_UP = ("done", "finish")  # bins by which a solver ends its episode


class RandomSolver:
    """Draws every component of every step's action evenly among its values, and never speaks.

    Values that the observation declares illegal are not drawn, nor are "done" and "finish", with which a solver gives
    up where they mean anything.
    """

    def reset(self, world: World, seed: int) -> None:
        self._world, self._spec = world, world.spec(SOLVER).action
        self._rng = np.random.default_rng([seed, 2])

    def act(self, observation: Observation) -> Action:
        there = len(observation.get("entity_values", ()))
        without = [name for name in _GIVING_UP if not self._is_needed(name)]
        action = random_action(self._spec, self._rng, without, there)
        seen: Any = observation.get("legal")
        legal = legal_values(self._world, SOLVER) if seen is None else seen
        if legal is not None:
            self._draw_legal(action, legal, there)
        return within_entities(self._spec, action, there)  # type: ignore[return-value]

    def _is_needed(self, name: str) -> bool:
        """Return True if a component would have a single bin left without one of this name."""
        parts = (part for part in self._spec.discrete if isinstance(part, Discrete) and name in part.bins)
        return any(part.count < 3 for part in parts)

    def _draw_legal(self, action: dict[str, Any], legal: np.ndarray, entities: int) -> None:
        """Draw the discrete components of ``action`` again, in place, among their legal values."""
        begin = 0
        for column, part in enumerate(self._spec.discrete):
            most = part.count if isinstance(part, Discrete) else 1 + entities
            allowed = np.flatnonzero(legal[begin : begin + part.count][:most])
            begin += part.count
            if isinstance(part, Discrete):
                allowed = [number for number in allowed if part.bins[number] not in _GIVING_UP] or allowed
            if len(allowed):
                action["movement"][:, column] = self._rng.choice(allowed)
