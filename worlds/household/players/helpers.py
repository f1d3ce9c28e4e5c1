"""Helpers of a published comparison: what each knows of its partner's goal (Watch-And-Help, Section 5.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

import numpy as np

from worlds.contract import SOLVER, Action, Observation, WorldError
from worlds.household import HELPERS
from worlds.household.players.acting import PlanningPlayer, Player, RandomPlayer, action_of
from worlds.household.players.revising import RevisingPlayer
from worlds.household.players.settings import PlannerSettings
from worlds.household.players.subgoals import feasible_part
from worlds.household.state.home import Home
from worlds.household.tasks.goals import Goal
from worlds.household.tasks.predicates import Relation, parse
from worlds.household.tasks.sets import PREDICATES

Helper = Literal["planner", "true_goal", "random_goal", "random"]
DRAWS, MOST = 6, 2  # of a random goal: predicates that are drawn, and the largest count


def random_goal(seed: int, as_published: bool = False) -> dict[str, int]:
    """Return a goal that has nothing to do with anybody's: six of the 28 predicates about places, each 0 to 2 times.

    ``as_published`` draws them with replacement, where a later count replaces an earlier one and all may be 0. By
    default they are different, and drawn again if nothing is wanted.
    """
    rng = np.random.default_rng([seed, 4])
    placed = [text for text in PREDICATES if parse(text).relation in (Relation.ON, Relation.INSIDE)]
    while True:
        drawn = rng.choice(len(placed), size=DRAWS, replace=as_published)
        counts = rng.integers(MOST + 1, size=DRAWS)
        goal = {placed[number]: int(count) for number, count in zip(drawn, counts, strict=True)}
        wanted = {text: count for text, count in goal.items() if count > 0}
        if wanted or as_published:
            return wanted


def make_helper(
    helper: str,
    home: Home,
    goal: Goal,
    seed: int,
    settings: PlannerSettings | None = None,
    full: bool = False,
) -> Player:
    """Return a helper with the solver's body.

    Args:
      helper: "planner" pursues a goal that it was given or inferred (HP); "true_goal" knows its partner's sub-goal,
        too, and leaves it to the partner (HP with the true goal); "random_goal" pursues a random goal; "random" acts
        at random.
    """
    person = home.persons[1]
    if helper == "random":
        return RandomPlayer(home, person, seed)
    if helper not in get_args(Helper):
        raise WorldError(f"no helper named {helper!r}; known: {', '.join(get_args(Helper))}")
    pursued: Mapping[str, int] = random_goal(seed) if helper == "random_goal" else goal
    return PlanningPlayer(
        home,
        person,
        feasible_part(home, pursued),
        seed,
        settings,
        full,
        avoids=helper == "true_goal",
        puts_only=True,
    )


class HelpingSolver:
    """A scripted solver that says nothing and helps with the goal of the place, as far as it knows it.

    Args:
      helper: "true_goal" knows the goal, "random_goal" pursues a random one, "random" acts at random; "revising" begins
        without a guess and infers the goal from what it sees her do; "nobody" stands still, for comparison.
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
