"""The school's Gymnasium environments in the spaces of a solver, as agents of this project observe and act.

Without a world around it there is one observation a step, and the peer always follows its script.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from experiments.social_ai.two_sides import Side
from worlds.school.environments.environment import NOTHING
from worlds.school.grid.dialogue import NOUNS, TEMPLATES, sentence
from worlds.school.tasks import INSTRUCTION
from worlds.school.world import AGENT_ACTS, GRID, NO_MOVE
from worlds.spaces.observation import ObservationSpec, PlayerSpec

STAY = NO_MOVE
SPEC = PlayerSpec(ObservationSpec(grid=GRID, texts=("heard",)), AGENT_ACTS)  # the solver's of the world "school"
_NUMBERS = {sentence(i, j).strip(): (i, j) for i in range(len(TEMPLATES)) for j in range(len(NOUNS))}


class SolverEnv(gymnasium.Wrapper[dict[str, Any], dict[str, Any], dict[str, Any], Any]):
    """An environment of the school with the observations and actions of a solver (:mod:`worlds.contract`).

    The setter's text is always the school's instruction. ``heard`` is what the peer said last: a colour is said
    once, and is still to be known when the box is reached.

    Args:
      env: a :class:`worlds.school.environments.environment.SchoolEnv`, with or without wrappers.
    """

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin an episode; see :meth:`worlds.school.environments.environment.SchoolEnv.reset`."""
        self._said, self._heard, self._act = "", "", STAY
        seen, info = self.env.reset(seed=seed, options=options)
        return self._solver(seen), info

    def prepare(self, action: dict[str, Any]) -> None:
        """Announce the action of the next step, where another side of the game acts at the same time."""
        if isinstance(side := self.env.unwrapped, Side):
            side.prepare(self._numbers(action)[0])

    def step(self, action: dict[str, Any]) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Play a step."""
        numbers, words = self._numbers(action)
        self._act, self._said = int(action["movement"][0, 0]), words or self._said
        seen, reward, terminated, truncated, info = self.env.step(numbers)
        return self._solver(seen), float(reward), terminated, truncated, info

    @staticmethod
    def _numbers(action: dict[str, Any]) -> tuple[np.ndarray, str]:
        """Return an action in the environment's numbers, and its words."""
        act, words = int(action["movement"][0, 0]), action["utterance"].strip()
        template, noun = _NUMBERS.get(words, (NOTHING, NOTHING))
        return np.array([NOTHING if act == STAY else act, template, noun]), words

    def _solver(self, seen: dict[str, Any]) -> dict[str, Any]:
        heard = [line.strip() for line in seen["utterance"].splitlines() if ": " in line]
        self._heard = " ".join(line for line in heard if not line.startswith("Conversation:")) or self._heard
        return {
            "grid": seen["image"].transpose(1, 0, 2).astype(np.int16),
            "heard": self._heard,
            "setter_text": INSTRUCTION,
            "solver_text": self._said,
            "previous_movement": np.array([[self._act]], np.int8),
        }
