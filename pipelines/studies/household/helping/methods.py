"""Helpers that are compared, and what each of them and Alice know."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pipelines.studies.household.inferred_goals import load_goals
from worlds.errors import UserError
from worlds.household.players.acting import PlanningPlayer, Player
from worlds.household.players.helpers import make_helper, random_goal
from worlds.household.players.revising import RevisingPlayer
from worlds.household.players.settings import PlannerSettings
from worlds.household.state.home import Home
from worlds.household.tasks.benchmark import BenchmarkTask
from worlds.household.tasks.goals import Goal

ALONE = "Alice alone"
GoalFrom = Literal["true", "inferred", "random", "none"]
REVISING = "revising"


@dataclass(frozen=True)
class Method:
    """A row of the comparison.

    Args:
      helper: name of :func:`worlds.household.players.helpers.make_helper`; "revising" for a planner that revises its
        goal by what Alice does; "" for nobody.
      goal: that the helper pursues: Alice's, that inferred from her demonstration, one drawn at random, or none.
      full: the helper sees everything.
      alice_full: Alice sees everything, too.
      alice: settings of her planner, where they are not the usual ones.
    """

    helper: str
    goal: GoalFrom = "true"
    full: bool = False
    alice_full: bool = False
    alice: Mapping[str, Any] = field(default_factory=dict)


METHODS: Mapping[str, Method] = {
    ALONE: Method(""),
    "Random": Method("random"),
    "HP, random goal": Method("planner", "random"),
    "HP, random goal, revising": Method(REVISING, "random"),
    "HP, no goal, revising": Method(REVISING, "none"),
    "HP": Method("planner", "inferred"),
    "HP, revising": Method(REVISING, "inferred"),
    "HP, true goal": Method("true_goal"),
    "Oracle B": Method("true_goal", full=True),
    "Oracle A and B": Method("true_goal", full=True, alice_full=True),
}


def goal_for(method: Method, task: BenchmarkTask, inferred: Mapping[str, Goal] | None, seed: int) -> Goal:
    """Return the goal that a helper pursues.

    Args:
      method: of the helper.
      task: in which it helps.
      inferred: goals by the names of tasks.
      seed: of the episode, of which a random goal is drawn.

    Raises:
      UserError: no goal was inferred for the task.
    """
    if method.goal == "none":
        return {}
    if method.goal == "random":
        return random_goal(seed)
    if method.goal == "inferred":
        if inferred is None or task.name not in inferred:
            raise UserError(f"no goal was inferred for {task.name}: run the part watch first")
        return inferred[task.name]
    return task.goal


def players(method: Method, home: Home, task: BenchmarkTask, goal: Goal, seed: int) -> tuple[Player, Player | None]:
    """Return Alice and her helper, None for nobody.

    Args:
      method: of the helper.
      home: of the task.
      task: that Alice pursues.
      goal: from :func:`goal_for`.
      seed: of the episode.
    """
    settings = PlannerSettings(**method.alice)
    alice = PlanningPlayer(home, home.persons[0], task.goal, seed, settings, method.alice_full)
    if not method.helper:
        return alice, None
    if method.helper == REVISING:
        return alice, RevisingPlayer(home, home.persons[1], goal, seed + 1)
    return alice, make_helper(method.helper, home, goal, seed + 1, None, method.full)


def possible_methods(folder: Path, seed: int, split: str, methods: Mapping[str, Method] = METHODS) -> dict[str, Method]:
    """Return the methods for which everything is there: those of an inferred goal need the part watch.

    Args:
      folder: of the whole study.
      seed: of the study.
      split: of the tasks.
      methods: all.
    """
    inferred = load_goals(folder, seed, split) is not None
    return {name: method for name, method in methods.items() if method.goal != "inferred" or inferred}
