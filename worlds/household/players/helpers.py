"""Helpers of a published comparison: what each knows of its partner's goal (Watch-And-Help, Section 5.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

import numpy as np

from worlds.contract import WorldError
from worlds.household.players.acting import PlanningPlayer, Player, RandomPlayer
from worlds.household.players.places import places_of
from worlds.household.players.settings import PlannerSettings
from worlds.household.players.subgoals import Subgoals
from worlds.household.state.home import Home
from worlds.household.tasks.goals import Goal
from worlds.household.tasks.predicates import Relation, parse
from worlds.household.tasks.sets import PREDICATES

Helper = Literal["planner", "true_goal", "random_goal", "random"]
DRAWS, MOST = 6, 2  # of a random goal: predicates that are drawn, and the largest count


def random_goal(seed: int, as_published: bool = False) -> dict[str, int]:
    """Return a goal that has nothing to do with anybody's.

    Six of the 28 predicates about places are drawn with a count from 0 to 2 each.

    Args:
      seed: of the draw.
      as_published: draw with replacement, where a later count replaces an earlier one and all may be 0. By default six
        different predicates are drawn, and again if nothing is wanted.
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


def feasible_part(home: Home, goal: Goal) -> dict[str, int]:
    """Return the predicates of a goal whose places are in a home: a guess may name others."""

    def is_possible(text: str) -> bool:
        try:
            Subgoals(home, places_of(home), {text: 1})
        except WorldError:
            return False
        return True

    return {text: count for text, count in goal.items() if is_possible(text)}


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
      home: that it is in.
      goal: counts by predicate, of the partner; predicates that the home has no place for are left out.
      seed: of all chance in it.
      settings: of its planner.
      full: sees everything everywhere.

    Raises:
      WorldError: there is no such helper.
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
