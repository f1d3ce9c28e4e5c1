"""A tiny parallel environment of PettingZoo for tests: two agents on a ring, of which one sees the goal."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import ParallelEnv

PLACES, STEPS = 7, 20


class Rendezvous(ParallelEnv):
    """The solver walks to the place that the setter sees; both gain 1 there, and the episode ends."""

    metadata = {"name": "rendezvous", "render_modes": []}
    possible_agents = ["setter", "solver"]
    max_steps = STEPS

    def observation_space(self, agent: str) -> Any:
        seen: dict[str, spaces.Space] = {"place": spaces.Discrete(PLACES)}
        return spaces.Dict(seen | ({"goal_place": spaces.Discrete(PLACES)} if agent == "setter" else {}))

    def action_space(self, agent: str) -> Any:
        return spaces.Discrete(3)

    def reset(self, seed: int | None = None, options: Any = None) -> Any:
        rng = np.random.default_rng(seed)
        self.agents, self._steps = list(self.possible_agents), 0
        self.place, self.goal = rng.choice(PLACES, 2, replace=False).tolist()
        self.mission = f"go to place {self.goal}"
        return self._seen(), {agent: {} for agent in self.agents}

    def step(self, actions: Any) -> Any:
        self.place = (self.place + (0, 1, -1)[actions["solver"]]) % PLACES
        self._steps += 1
        there, late = self.place == self.goal, self._steps >= STEPS
        agents, seen = self.agents, self._seen()
        self.agents = [] if there or late else agents
        return (
            seen, dict.fromkeys(agents, float(there)), dict.fromkeys(agents, there),
            dict.fromkeys(agents, late and not there), {agent: {} for agent in agents},
        )  # fmt: skip

    def demonstrate(self) -> int:
        """Return the action that goes the shorter way."""
        ahead = (self.goal - self.place) % PLACES
        return 0 if ahead == 0 else 1 if ahead <= PLACES // 2 else 2

    def _seen(self) -> Any:
        return {"setter": {"place": self.place, "goal_place": self.goal}, "solver": {"place": self.place}}
