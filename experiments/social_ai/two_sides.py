"""A game of two learners as two environments, which one agent plays in two places of a lock step.

Both sides act at the same time. So what a side does is announced by :meth:`Side.prepare` for all of them, before any of
them is stepped.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np

from worlds.school.environments.two_learners import TwoLearners

Step = tuple[dict[str, Any], float, bool, bool, dict[str, Any]]


class Side(gymnasium.Env[dict[str, Any], np.ndarray]):
    """One side of a game.

    Who has eaten its apple waits, in an episode without a reward and without a success, until the game is over for
    the other one, too. If a limit ends the game, both sides' episodes are truncated, so that they stay in step; one
    that has eaten is also terminated.
    """

    def __init__(self, game: _Game, learner: str) -> None:
        self._game, self._learner = game, learner
        self.observation_space, self.action_space = (
            game.env.observation_space(learner),
            game.env.action_space(learner),
        )

    def prepare(self, action: np.ndarray) -> None:
        """Announce the action of the next step."""
        self._game.prepared[self._learner] = action

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin an episode: of the next game, or of waiting while the other side still plays.

        The seed of the side that comes first is the game's.
        """
        return self._game.begin(self._learner, seed), {}

    def step(self, action: np.ndarray) -> Step:
        """Return what a step brought; the first side that is stepped plays it for both.

        Raises:
          RuntimeError: a side has not prepared its action.
        """
        return self._game.result(self._learner)


class _Game:
    def __init__(self, env: TwoLearners) -> None:
        self.env, self.prepared = env, dict[str, np.ndarray]()
        self._seen, self._results = dict[str, dict[str, Any]](), dict[str, Step]()
        self._new = set[str]()  # sides that have not seen that the game began

    def begin(self, learner: str, seed: int | None) -> dict[str, Any]:
        if not self.env.agents:
            self._seen = dict(self.env.reset(seed)[0])
            self._new = set(self.env.possible_agents)
        self._new.discard(learner)
        return copy.deepcopy(self._seen[learner])

    def result(self, learner: str) -> Step:
        if learner not in self._results:
            self._play()
        return self._results.pop(learner)

    def _play(self) -> None:
        sides, playing = self.env.possible_agents, tuple(self.env.agents)
        if missing := [side for side in sides if side not in self.prepared] or sorted(self._new):
            raise RuntimeError(f"side {missing[0]} has not prepared its action, or not begun")
        seen, rewards, terminated, truncated, infos = self.env.step({side: self.prepared[side] for side in playing})
        self.prepared.clear()
        self._seen |= seen
        over, late = not self.env.agents, any(truncated.values())
        for side in sides:
            if side in playing:
                self._results[side] = self._seen[side], rewards[side], terminated[side], late, infos[side]
            else:
                self._results[side] = copy.deepcopy(self._seen[side]), 0.0, over, late, {}


def two_sides(env: TwoLearners) -> Sequence[Side]:
    """Return the environments of both sides of a game, A's first."""
    game = _Game(env)
    return [Side(game, learner) for learner in env.possible_agents]
