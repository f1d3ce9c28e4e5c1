"""Helpers as scripted solvers, which play beside a person who pursues a goal of her own."""

from __future__ import annotations

from typing import Any

from worlds.contract import SOLVER, Action, Observation, WorldError
from worlds.household import HELPERS
from worlds.household.players.acting import Player, action_of
from worlds.household.players.helpers import make_helper
from worlds.household.players.revising import RevisingPlayer


class HelpingSolver:
    """A scripted solver that says nothing and helps with the goal of the place, as far as it knows it.

    Args:
      helper: "true_goal" knows the goal, "random_goal" pursues a random one, "random" acts at random; "revising" begins
        without a guess and infers the goal from what it sees her do; "nobody" stands still, for comparison.

    Raises:
      WorldError: there is no such helper.
    """

    def __init__(self, helper: str) -> None:
        if helper not in HELPERS:
            raise WorldError(f"no helper named {helper!r}; known: {', '.join(HELPERS)}")
        self._helper = helper
        self._player: Player | None = None

    def reset(self, world: Any, seed: int) -> None:
        """Begin to play in ``world``. Raises WorldError if its place has no goal to help with."""
        now, goal = world.state, (world.config.get("task") or {}).get("goal")
        if not goal:
            raise WorldError("a helper needs a place with a goal: its configuration has no task")
        self._world = world
        if self._helper == "nobody":
            self._player = None
        elif self._helper == "revising":
            self._player = RevisingPlayer(now.home, now.home.persons[1], {}, seed)
        else:
            self._player = make_helper(self._helper, now.home, goal, seed)

    def act(self, observation: Observation) -> Action:
        """Return the next action."""
        if self._player is None:
            return action_of(self._world, SOLVER, None, "")
        now = self._world.state
        return action_of(self._world, SOLVER, self._player.act(now.state, now.feedback[1]).act, "")
