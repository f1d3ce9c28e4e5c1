"""Collaboration with a learner on either side, as a parallel environment of PettingZoo."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from pettingzoo import ParallelEnv

from worlds.errors import UserError
from worlds.school.drawing.camera import draw_room
from worlds.school.environments.environment import (
    TILE,
    action_space,
    make_settings,
    observation_space,
    observed,
    parse_action,
)
from worlds.school.grid.codes import (
    COLOURS,
    FRIENDLY,
    GO_FORWARD,
    NO_OP,
    NONE,
    PEER,
    ROTATE_LEFT,
    ROTATE_RIGHT,
    TOGGLE,
)
from worlds.school.grid.dialogue import Dialogue
from worlds.school.grid.sight import BORDER, view
from worlds.school.parameters.branches import collaboration, tree
from worlds.school.parameters.names import JOINT_PROBLEMS
from worlds.school.parameters.tree import complete, narrow, sample
from worlds.school.problems.collaboration import Collaboration
from worlds.school.problems.problem import DONE, reward_at
from worlds.school.problems.types import make_problem

LEFT_LEARNER, RIGHT_LEARNER = "A", "B"
TREE = tree(collaboration(JOINT_PROBLEMS, ["A"]))
# What the right learner does, and what it sees the left one do, by primitive.
_ACTS = (ROTATE_LEFT, ROTATE_RIGHT, GO_FORWARD, TOGGLE, NO_OP)

Observations = dict[str, dict[str, Any]]


class TwoLearners(ParallelEnv[str, dict[str, Any], np.ndarray]):
    """Both sides of Collaboration: learner A has role A, on the left, and learner B role B, on the right.

    Actions and observations are those of :class:`worlds.school.environments.environment.SchoolEnv`; each sees the other
    as it would see a partner, and hears what the other said in the same step. Of a step come A's primitive, things that
    move by themselves, B's primitive. A learner is rewarded when it eats its own apple, and then stays where it is.

    Args:
      allowed: values by parameter, to which the problems are narrowed.
      render_mode: "rgb_array" for pictures, or None.
      settings: fields of :class:`worlds.school.problems.problem.Settings`, by name.

    Attributes:
      problem: the present episode.

    Raises:
      UserError: a setting or a parameter that does not exist.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["rgb_array"], "name": "school_two_learners", "render_fps": 4}
    problem: Collaboration

    def __init__(
        self, allowed: Mapping[str, Any] | None = None, render_mode: str | None = None, **settings: Any
    ) -> None:
        if render_mode not in (None, "rgb_array"):
            raise UserError(f"render_mode is {render_mode!r}; known: rgb_array, None")
        if settings.get("hidden_npc"):
            raise UserError("setting hidden_npc: a learner cannot be hidden")
        self.tree = narrow(TREE, allowed) if allowed else TREE
        self.settings, self.render_mode = make_settings(settings), render_mode
        self.max_steps = self.settings.max_steps
        self.possible_agents = [LEFT_LEARNER, RIGHT_LEARNER]
        self.agents: list[str] = []
        self._actions = {learner: action_space() for learner in self.possible_agents}
        self._observations = {learner: observation_space() for learner in self.possible_agents}
        self._rng: np.random.Generator | None = None

    def action_space(self, agent: str) -> spaces.Space:
        """Return the space of a learner's actions."""
        return self._actions[agent]

    def observation_space(self, agent: str) -> spaces.Space:
        """Return the space of a learner's observations."""
        return self._observations[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, dict[str, Any]]]:
        """Begin an episode, with options["parameters"] if they are given."""
        if seed is not None or self._rng is None:
            self._rng = seeding.np_random(seed)[0]
        given = (options or {}).get("parameters")
        parameters = sample(self.tree, self._rng) if given is None else complete(self.tree, given)
        problem = make_problem(parameters, self.settings, int(self._rng.integers(2**31)))
        assert isinstance(problem, Collaboration)
        self.problem, self._heard_by_right = problem, Dialogue()
        self.agents, self._last = list(self.possible_agents), NO_OP
        return self._observe(), {learner: {"parameters": dict(parameters)} for learner in self.agents}

    def step(
        self, actions: Mapping[str, Any]
    ) -> tuple[Observations, dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Play a step."""
        if not self.agents:
            raise UserError("the episode is over or has not begun; call reset()")
        moves = {learner: parse_action(actions[learner]) for learner in self.agents}
        (left, words), (right, reply) = (moves.get(learner, (None, None)) for learner in self.possible_agents)
        self._play(left, words, right, reply)
        problem, acting = self.problem, tuple(self.agents)
        ate = {LEFT_LEARNER: problem.apple.eaten, RIGHT_LEARNER: problem.partner_apple.eaten}
        late = problem.steps >= self.max_steps
        terminated = {learner: ate[learner] or moves[learner][0] == DONE for learner in acting}
        truncated = {learner: late and not terminated[learner] for learner in acting}
        reward = reward_at(problem.steps, self.max_steps)
        rewards = {learner: reward if ate[learner] else 0.0 for learner in acting}
        infos = {learner: {"parameters": dict(problem.parameters), "success": ate[learner]} for learner in acting}
        observations = self._observe()
        self.agents = [learner for learner in acting if not (terminated[learner] or truncated[learner])]
        return observations, rewards, terminated, truncated, infos

    def _play(self, left: int | None, words: str | None, right: int | None, reply: str | None) -> None:
        problem = self.problem
        problem.agent_acts(left, words)
        self._last = NO_OP if left is None else _ACTS[left]
        assert problem.peer is not None
        problem.peer.act(problem.room, NO_OP if right is None else _ACTS[right])
        problem.dialogue.hear(RIGHT_LEARNER, reply and reply.strip())
        self._heard_by_right.hear(LEFT_LEARNER, words and words.strip())

    def _observe(self) -> Observations:
        """Return what each learner that is left observes."""
        problem, peer = self.problem, self.problem.peer
        assert peer is not None
        seen = {
            LEFT_LEARNER: (problem.observe()[0], problem.room.direction, problem.dialogue),
            RIGHT_LEARNER: (self._seen_by_right(), peer.direction, self._heard_by_right),
        }
        return {learner: observed(*parts) for learner, parts in seen.items() if learner in self.agents}

    def _seen_by_right(self) -> np.ndarray:
        room, peer = self.problem.room, self.problem.peer
        assert peer is not None
        (x, y), codes = room.agent, room.codes.copy()
        codes[x + BORDER, y + BORDER] = PEER, COLOURS["red"], FRIENDLY, room.direction, NONE, self._last
        return view(codes, room.opaque, *peer.place, peer.direction, self.settings.see_through_walls)[0]

    def render(self) -> np.ndarray | None:
        """Return the room from above: uint8 [height, width, 3]; None without a mode."""
        return draw_room(self.problem.room, TILE, None) if self.render_mode and self._rng is not None else None

    def close(self) -> None:
        """Nothing is open."""


def parallel_env(**settings: Any) -> TwoLearners:
    """Return the environment, under the name by which PettingZoo's modules offer theirs."""
    return TwoLearners(**settings)
