"""Whole tasks played by Alice alone, or by Alice and Bob, in a home."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from worlds.contract import WorldError
from worlds.household.homes.placing import place
from worlds.household.navigation.ways import Ways
from worlds.household.players.acting import PlanningPlayer, Player, metres_of
from worlds.household.players.planner import Decision
from worlds.household.players.settings import PlannerSettings
from worlds.household.rules import apply
from worlds.household.rules.joint import Act
from worlds.household.state.home import Home, State
from worlds.household.tasks.progress import HORIZON, GoalCheck


@dataclass(frozen=True)
class Demonstration:
    """A task as it was played, with what both persons did at each step.

    Reasons say why an action failed, sub-goals and notes what they pursued; all are "" if there is nothing to say.
    ``satisfied`` counts the things that satisfied the goal after each step, capped at what it wants.
    """

    success: bool
    steps: int
    acts: list[tuple[Act, Act]] = field(default_factory=list)
    reasons: list[tuple[str, str]] = field(default_factory=list)
    subgoals: list[tuple[str, str]] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)
    satisfied: list[int] = field(default_factory=list)


def play(
    home: Home,
    state: State,
    ways: Ways,
    check: GoalCheck,
    alice: Player,
    bob: Player | None = None,
    seed: int = 0,
    horizon: int = HORIZON,
) -> Demonstration:
    """Play a task until its goal is reached or the horizon ends; without ``bob`` the solver stands still."""
    played = Demonstration(False, 0)
    reasons, steps = ("", ""), 0
    success = check.reached(state)
    while not success and steps < horizon:
        first = alice.act(state, reasons[0])
        second = bob.act(state, reasons[1], alice.intent(state)) if bob else Decision()
        reasons = apply(home, state, ways, (first.act, second.act), seed)
        played.acts.append((first.act, second.act))
        played.reasons.append(reasons)
        played.subgoals.append((_words(home, first), _words(home, second)))
        played.notes.append((first.note, second.note))
        played.satisfied.append(int(np.minimum(check.counts(state), check.wanted).sum()))
        steps += 1
        success = check.reached(state)
    return replace(played, success=success, steps=steps)


def _words(home: Home, decision: Decision) -> str:
    return decision.subgoal.describe(home) if decision.subgoal else ""


def demonstrate(config: Mapping[str, Any], seed: int, settings: PlannerSettings | None = None) -> Demonstration:
    """Let Alice reach the goal of a place alone."""
    goal = (config.get("task") or {}).get("goal")
    if not goal:
        raise WorldError("the place has no goal to demonstrate: its configuration needs a task with one")
    home, state = place(config)
    ways, person = Ways(home, state), home.persons[0]
    metres = metres_of(home, state, ways) if settings and settings.metre_cost else None
    alice = PlanningPlayer(home, person, goal, seed, settings, metres=metres)
    return play(home, state, ways, GoalCheck(home, goal, person), alice, seed=seed)
