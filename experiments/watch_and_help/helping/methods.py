"""Helpers that are compared, and what each of them and Alice know."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from experiments.watch_and_help.benchmark import BenchmarkTask
from experiments.watch_and_help.helping.agent_helper import WEIGHTS, AgentHelper, asked
from experiments.watch_and_help.helping.asking import AskingPlayer, answer
from experiments.watch_and_help.inferred_goals import Inferred, load_inferred
from experiments.watch_and_help.learned_agents import CLONED, IMPROVED, learned_in
from experiments.watch_and_help.policies.players import Policies, learned_helper
from experiments.watch_and_help.policies.training import are_trained
from worlds.errors import UserError
from worlds.household.players.acting import PlanningPlayer, Player
from worlds.household.players.helpers import make_helper, random_goal
from worlds.household.players.revising import RevisingPlayer
from worlds.household.players.settings import PlannerSettings
from worlds.household.state.home import Home
from worlds.household.tasks.goals import Goal

ALONE = "Alice alone"
GoalFrom = Literal["true", "inferred", "random", "none"]
REVISING, AGENT = "revising", "agent"
HYBRID, HRL = "hybrid", "hrl"
IMITATES = "-cloned"  # end of the name of a learned helper whose predicates are chosen as the planner does


@dataclass(frozen=True)
class Method:
    """A row of the comparison.

    Args:
      helper: name of :func:`worlds.household.players.helpers.make_helper`; "revising" for a planner that revises its
        goal by what Alice does; "hybrid" for a planner whose predicates a policy chooses, "hrl" for policies alone,
        both also with "-cloned" for predicates that are chosen as the planner does; "agent" for an agent that hears
        what she asks for; "" for nobody.
      goal: that the helper pursues: Alice's, that inferred from her demonstration, one drawn at random, or none.
      full: the helper sees everything.
      alice_full: Alice sees everything, too.
      alice: settings of her planner, where they are not the usual ones.
      watched: share of Alice's demonstration after which the goal is inferred; one of ``EARLY``.
      asks: the helper asks her about what it is not sure of.
      agent: folder of the agent, in that of the part marks and its seed.
    """

    helper: str
    goal: GoalFrom = "true"
    full: bool = False
    alice_full: bool = False
    alice: Mapping[str, Any] = field(default_factory=dict)
    watched: float = 1.0
    asks: bool = False
    agent: Path | None = None

    @property
    def needs_posterior(self) -> bool:
        """It begins before the end of the demonstration, or asks."""
        return self.asks or self.watched < 1.0

    @property
    def is_learned(self) -> bool:
        """It needs the policies of the part policies."""
        return self.helper.removesuffix(IMITATES) in (HYBRID, HRL)


METHODS: Mapping[str, Method] = {
    ALONE: Method(""),
    "Random": Method("random"),
    "HP, random goal": Method("planner", "random"),
    "HP, random goal, revising": Method(REVISING, "random"),
    "HP, no goal, revising": Method(REVISING, "none"),
    "HP": Method("planner", "inferred"),
    "HP, revising": Method(REVISING, "inferred"),
    "HP, asking": Method("planner", "inferred", asks=True),
    "HP, half watched": Method("planner", "inferred", watched=0.5),
    "HP, half watched, asking": Method("planner", "inferred", watched=0.5, asks=True),
    "HP, quarter watched": Method("planner", "inferred", watched=0.25),
    "HP, quarter watched, asking": Method("planner", "inferred", watched=0.25, asks=True),
    "Hybrid": Method(HYBRID, "inferred"),
    "Hybrid, cloned": Method(HYBRID + IMITATES, "inferred"),
    "HRL": Method(HRL, "inferred"),
    "HRL, cloned": Method(HRL + IMITATES, "inferred"),
    "HP, true goal": Method("true_goal"),
    "Hybrid, true goal": Method(HYBRID),
    "HRL, true goal": Method(HRL),
    "Hybrid, cloned, true goal": Method(HYBRID + IMITATES),
    "HRL, cloned, true goal": Method(HRL + IMITATES),
    "BC": Method(AGENT, "none", agent=CLONED),
    "BC+RL": Method(AGENT, "none", agent=IMPROVED),
    "Oracle B": Method("true_goal", full=True),
    "Oracle A and B": Method("true_goal", full=True, alice_full=True),
}


def goal_for(method: Method, task: BenchmarkTask, inferred: Inferred | None, seed: int) -> Goal:
    """Return the goal that a helper pursues.

    Args:
      inferred: what was inferred for the tasks; None for nothing.

    Raises:
      UserError: no goal was inferred for the task.
    """
    if method.goal == "none":
        return {}
    if method.goal == "random":
        return random_goal(seed)
    if method.goal == "inferred":
        if inferred is None:
            raise UserError(f"no goal was inferred for {task.name}: run the part watch first")
        return inferred.goal(task.name, method.watched)
    return task.goal


def players(
    method: Method,
    home: Home,
    task: BenchmarkTask,
    goal: Goal,
    seed: int,
    inferred: Inferred | None = None,
    policies: Policies | None = None,
) -> tuple[Player, Player | None]:
    """Return Alice and her helper, None for nobody.

    Args:
      goal: from :func:`goal_for`.

    Raises:
      UserError: the helper asks, and no probabilities were inferred for the task; or it is learned, and there are no
        policies.
    """
    settings = PlannerSettings(**method.alice)
    alice = PlanningPlayer(home, home.persons[0], task.goal, seed, settings, method.alice_full)
    if not method.helper:
        return alice, None
    if method.helper == AGENT:
        assert method.agent is not None
        return alice, AgentHelper(method.agent, home, asked(home, task.goal, seed), seed + 1)
    if method.helper == REVISING:
        return alice, RevisingPlayer(home, home.persons[1], goal, seed + 1)
    if method.is_learned:
        if policies is None:
            raise UserError(f"no policies for the helper {method.helper}: run the part policies first")
        low, cloned = method.helper.startswith(HRL), method.helper.endswith(IMITATES)
        return alice, learned_helper(policies, home, goal, seed + 1, low, cloned)
    if method.asks:
        probable = (inferred or Inferred({})).probable(task.name, method.watched)

        def reply(text: str, words: str) -> str:  # noqa: ARG001
            return answer(text, task.goal.get(text, 0))

        return alice, AskingPlayer(home, home.persons[1], probable, reply, seed + 1)
    return alice, make_helper(method.helper, home, goal, seed + 1, None, method.full)


def possible_methods(folder: Path, seed: int, split: str, methods: Mapping[str, Method] = METHODS) -> dict[str, Method]:
    """Return the methods for which everything is there, with the whole paths of agents.

    Those of an inferred goal need the part watch, those that are learned the part policies, agents the part marks.
    """
    inferred, trained = load_inferred(folder, seed, split), are_trained(folder, seed)

    def possible(method: Method) -> bool:
        if method.is_learned and not trained:
            return False
        if method.agent is not None and not (method.agent / WEIGHTS).is_file():
            return False
        if method.goal != "inferred":
            return True
        return inferred is not None and (bool(inferred.posteriors) or not method.needs_posterior)

    learned = learned_in(folder, seed)
    found = {name: replace(m, agent=None if m.agent is None else learned / m.agent) for name, m in methods.items()}
    return {name: method for name, method in found.items() if possible(method)}
