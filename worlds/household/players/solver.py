"""The scripted solver: does what the words of a request ask for, deliberately imperfectly by default."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from worlds.contract import SOLVER, Action, Observation, WorldError
from worlds.contract.known_settings import check_chances, check_known
from worlds.household.players.acting import PlanningPlayer, RandomPlayer, action_of, metres_of
from worlds.household.players.belief import Prior
from worlds.household.players.planner import NO_PLAN, Decision
from worlds.household.players.settings import PlannerSettings
from worlds.household.state.home import NO_ROW
from worlds.household.state.vocabulary import Held, Verb
from worlds.household.tasks.goals import Goal
from worlds.household.tasks.language import answers
from worlds.household.tasks.language.understanding import goal_in, is_own
from worlds.household.tasks.predicates import Predicate, Relation, parse

MOST_REACTION = 1000  # steps
DISTRACTED = (3, 8)  # steps for which it turns to something else
_PLACED = (Relation.ON, Relation.INSIDE)
GIVES_UP = 15  # steps without a plan, after which it says that it misses something


@dataclass(frozen=True)
class SolverSettings:
    """Settings of the scripted solver. Imperfections are probabilities unless stated otherwise.

    Args:
      reaction: most steps it waits after hearing a request; the number is uniform from 0.
      hesitation: per step, of standing still.
      slip: per step, of doing something at random.
      distraction: per step, of walking to something else for a while.
      wrong: per request, of mistaking the number or the class of something asked for.
      notice: per mistake, of noticing it in the end and doing the right thing after all.
      leaves_open: per request, of leaving containers open.
      prior: prior of the belief, "uniform" or "reference".
      metre_cost: cost of walking a metre; 0 for the reference's costs, which are the same for all ways.
      full: see everything everywhere, as if walls and containers were of glass.
    """

    reaction: int = 2
    hesitation: float = 0.03
    slip: float = 0.02
    distraction: float = 0.01
    wrong: float = 0.1
    notice: float = 0.5
    leaves_open: float = 0.2
    prior: Prior = "uniform"
    metre_cost: float = 0.0
    full: bool = False

    def __post_init__(self) -> None:
        if type(self.reaction) is not int or not 0 <= self.reaction <= MOST_REACTION:
            raise WorldError(f"solver setting reaction: {self.reaction!r} steps; give a whole number from 0 on")
        check_chances("solver setting", **{name: getattr(self, name) for name in CHANCES})
        PlannerSettings(prior=self.prior, metre_cost=self.metre_cost)


CHANCES = ("hesitation", "slip", "distraction", "wrong", "notice", "leaves_open")
PERFECT: dict[str, Any] = {"reaction": 0, **dict.fromkeys(CHANCES, 0.0)}


class ScriptedSolver:
    """A solver that plans for what the setter asks for, and says when it is done.

    Attributes:
      note: words about the last step for reports, e.g. that there was no plan; "" for an ordinary step.
    """

    def __init__(self, settings: SolverSettings | None = None) -> None:
        self.settings = settings or SolverSettings()
        self.note = ""

    def reset(self, world: Any, seed: int) -> None:
        """Begin to play in ``world``, a household that has just been reset or is in the middle of an episode."""
        now = world.state
        self._world, self._rng = world, np.random.default_rng([seed, 1])
        planner = PlannerSettings(prior=self.settings.prior, metre_cost=self.settings.metre_cost, doubts=False)
        metres = metres_of(now.home, now.state, now.ways) if planner.metre_cost else None
        person = now.home.persons[1]
        self._player = PlanningPlayer(now.home, person, {}, seed, planner, self.settings.full, metres=metres)
        self._random = RandomPlayer(now.home, person, seed)
        self._heard, self._goals = "", []
        self._wait = self._distracted = self._without_plan = 0
        self._puts_only = False  # the setter holds and sits herself
        self._lure = NO_ROW
        self.note = ""

    def act(self, observation: Observation) -> Action:
        """Return the next action; nothing once what was asked for is done."""
        words = observation["setter_text"]
        utterance = self._hear(words) if words != self._heard else ""
        decision = self._player.act(self._world.state.state, self._world.state.feedback[1])
        utterance = utterance or self._report(decision)
        spoilt = self._spoilt(decision)
        if spoilt is not decision:
            self._player.planner.interrupt()
        self.note = spoilt.note
        return action_of(self._world, SOLVER, spoilt.act, utterance)

    @property
    def planned(self) -> list[Predicate]:
        """The predicates that it pursues at present."""
        return list(self._player.planner.subgoals.predicates)

    def _hear(self, words: str) -> str:
        """Take in a request; return what it answers."""
        self._heard = words
        self._wait = int(self._rng.integers(self.settings.reaction + 1))
        goal = goal_in(words, self._world.state.home)
        self._goals = []
        if goal is None:
            self._player.planner.set_goal({})
            return answers.not_understood(self._rng)
        self._goals, self._puts_only = [goal], is_own(words)
        if self._rng.random() < self.settings.wrong:
            right = self._rng.random() < self.settings.notice
            self._goals = [self._mistaken(goal), goal][: 1 + right]
        self._player.planner.closes = self._rng.random() >= self.settings.leaves_open
        self._next_goal()
        return answers.started(self._rng)

    def _next_goal(self) -> None:
        self._without_plan = 0
        self._player.planner.set_goal(self._goals[0], self._puts_only)

    def _report(self, decision: Decision) -> str:
        """Return what it says about a goal that is done, or that it has no plan for."""
        if not self._goals:
            return ""
        if self._player.planner.done:
            self._goals.pop(0)
            if self._goals:
                self._next_goal()
                return ""
            return answers.done(self._rng)
        self._without_plan = self._without_plan + 1 if decision.note == NO_PLAN else 0
        if self._without_plan != GIVES_UP:
            return ""
        missing = [one.thing for one in self._player.planner.unmet() if one.relation is not Relation.SIT]
        return answers.missing(self._rng, missing[0]) if missing else ""

    def _mistaken(self, goal: Goal) -> dict[str, int]:
        """Return a goal with one predicate that is about another thing or has another count."""
        mistaken = dict(goal)
        text = str(self._rng.choice(list(goal)))
        predicate = parse(text)
        others = [one for one in map(parse, goal) if one.thing != predicate.thing and one.relation in _PLACED]
        if predicate.relation in _PLACED and others and self._rng.random() < 0.5:
            other = others[int(self._rng.integers(len(others)))]
            count = mistaken.pop(text)
            swapped = Predicate(predicate.relation, other.thing, predicate.place).text
            mistaken[swapped] = mistaken.get(swapped, 0) + count
        elif predicate.relation in _PLACED and (len(goal) > 1 or goal[text] > 1):
            mistaken[text] -= 1
        return {each: count for each, count in mistaken.items() if count > 0}

    def _spoilt(self, decision: Decision) -> Decision:
        """Let it hesitate, slip and be distracted, if there is something to do."""
        settings = self.settings
        if not self._goals:
            return Decision()
        if self._wait > 0 or self._rng.random() < settings.hesitation:
            self._wait = max(0, self._wait - 1)
            return Decision(note="hesitates")
        if self._distracted == 0 and self._rng.random() < settings.distraction:
            self._distracted = int(self._rng.integers(*DISTRACTED, endpoint=True))
            visible = np.flatnonzero(self._player.sight.visible[self._player.planner.belief.places.fixtures])
            lures = self._player.planner.belief.places.fixtures[visible]
            self._lure = int(lures[self._rng.integers(len(lures))]) if len(lures) else NO_ROW
        if self._distracted > 0:
            self._distracted -= 1
            sits = self._player.sight.held[self._player.sight.person] == Held.SITS
            if self._lure != NO_ROW and self._player.sight.visible[self._lure] and not sits:
                return Decision((Verb.WALK_TOWARDS, self._lure, Held.RIGHT_HAND), note="is distracted")
        if self._rng.random() < settings.slip:
            return self._random.act(self._world.state.state, "")
        return decision


def make_solver(perfect: bool = False, **settings: Any) -> ScriptedSolver:
    """Return the scripted solver.

    Args:
      perfect: without any imperfection but those that are set.
      settings: those of :class:`SolverSettings`, by name.
    """
    check_known(settings, [field.name for field in fields(SolverSettings)], "solver")
    return ScriptedSolver(replace(SolverSettings(), **((PERFECT if perfect else {}) | settings)))
