"""The policy for predicates: what it chooses from, as a helper's upper half, and its practice with and without Alice.

Rewards are the published ones (Watch-And-Help, Appendix C.3): 2 for each thing that comes to satisfy the goal, whoever
put it there, and -0.1 a step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from experiments.watch_and_help.policies.guided import GuidedPlayer
from experiments.watch_and_help.policies.handling import Place
from experiments.watch_and_help.policies.learning import Decisions
from experiments.watch_and_help.policies.memory import Memory
from experiments.watch_and_help.policies.network import CandidatePolicy, View, stack
from worlds.household.catalogue.classes import NUMBER_OF
from worlds.household.navigation.ways import Ways
from worlds.household.observing.entities import UNKNOWN
from worlds.household.players.acting import PlanningPlayer
from worlds.household.rules import apply
from worlds.household.rules.joint import WAITING
from worlds.household.state.home import Home, State
from worlds.household.state.vocabulary import Held
from worlds.household.tasks.goals import Goal
from worlds.household.tasks.predicates import Predicate, Relation, parse
from worlds.household.tasks.progress import HORIZON, GoalCheck
from worlds.spaces.observation import Category, Entities

MOST = 32  # predicates of a goal
EACH, STEP = 2.0, -0.1  # published rewards
_SCALE = 10.0  # metres

GOALS = Entities(
    most=MOST,
    categorical=(
        Category("relation", len(Relation)),
        Category("thing", UNKNOWN + 1),
        Category("place", UNKNOWN + 1),
        Category("in_hand", 2),
        Category("thing_known", 3),  # no free one, one elsewhere, one in the own room
        Category("place_known", 3),
        Category("remaining", 4),  # as far as is known: 0, 1, 2, more
    ),
    real=("wanted", "satisfied", "metres_to_thing", "metres_to_place"),
)


@dataclass
class Choice:
    """A choice of the policy: what it saw, what it chose, with which log-probability, and what came of it."""

    view: View
    chosen: int
    log_prob: float
    reward: float = 0.0
    discount: float = 1.0


@dataclass
class LearnedHigh:
    """A policy that chooses predicates; see :class:`experiments.watch_and_help.policies.guided.HighLevel`.

    Attributes:
      choices: of the episode so far.
    """

    policy: CandidatePolicy
    choices: list[Choice] = field(default_factory=list)

    def reset(self, home: Home, person: int, goal: Goal, seed: int) -> None:
        self._home, self._person = home, person
        self._goal = [(parse(text), count) for text, count in list(goal.items())[:MOST]]
        self._memory, self._rng = Memory(home, person), np.random.default_rng([seed, 5])
        self.choices = []

    def see(self, state: State) -> None:
        self._memory.update(state)

    def view(self, state: State) -> View:
        """Return what there is to choose from."""
        return goal_view(self._home, self._person, self._memory, state, self._goal)

    def choose(self, state: State, reason: str) -> str | None:
        if not self._goal:
            return None
        view = self.view(state)
        chosen, log_prob = self.policy.choose(stack([view]), self._rng)
        self.choices.append(Choice(view, int(chosen[0]), float(log_prob[0])))
        return self._goal[int(chosen[0])][0].text


def goal_view(home: Home, person: int, memory: Memory, state: State, goal: Sequence[tuple[Predicate, int]]) -> View:
    """Return the predicates of a goal as candidates, with what the person knows of each."""
    categories = np.zeros((MOST, len(GOALS.categorical)), np.int16)
    values = np.zeros((MOST, len(GOALS.real)), np.float32)
    here, own = state.centre[person, :2], state.room[person]

    def nearest(rows: np.ndarray) -> tuple[int, float]:
        """Return 0, 1 or 2 for nothing, something elsewhere, or here; and the metres to the nearest."""
        if not len(rows):
            return 0, 0.0
        offset = memory.centre[rows, :2] - here
        return 1 + bool((memory.room[rows] == own).any()), float(np.hypot(offset[:, 0], offset[:, 1]).min()) / _SCALE

    for number, (one, count) in enumerate(goal):
        things, places = home.rows_of(one.thing), home.rows_of(one.place)
        held = Held.INSIDE if one.relation is Relation.INSIDE else Held.ON
        placed = memory.satisfying(things, places, held)
        free = things[memory.known[things] & ~placed & ~memory.with_others(things)]
        satisfied = int(placed.sum())
        thing_known, to_thing = nearest(free)
        place_known, to_place = nearest(places[memory.known[places]])
        categories[number] = (
            one.relation, NUMBER_OF.get(one.thing, UNKNOWN), NUMBER_OF.get(one.place, UNKNOWN),
            memory.in_hand(things).any(), thing_known, place_known, min(max(count - satisfied, 0), 3),
        )  # fmt: skip
        values[number] = count, satisfied, to_thing, to_place
    present = np.arange(MOST) < len(goal)
    return View(categories, values, present, present[:, None].copy())


@dataclass(frozen=True)
class HelpPractice:
    """Settings of the practice of the policy for predicates.

    Args:
      places: number of places of training in which it is, the first demonstrations'.
      episodes: that are played for an update.
      alone_share: share of the updates, the first, in which the helper is alone; then Alice acts, too.
      discount: of a step.
      scale: by which rewards are divided.
    """

    places: int = 150
    episodes: int = 6
    alone_share: float = 0.5
    discount: float = 0.995
    scale: float = 10.0


@dataclass(frozen=True)
class HelpOutcome:
    """What came of an episode.

    Args:
      success: all that a helper can do of the goal was done; with Alice, the whole goal.
      reward: sum over steps, not discounted, not scaled.
      final: what there was to choose from at the end, if a limit ended the episode; None after a success.
    """

    choices: list[Choice]
    steps: int
    success: bool
    reward: float
    final: View | None = None


def help_once(
    policy: CandidatePolicy, where: Place, seed: int, with_alice: bool, settings: HelpPractice
) -> HelpOutcome:
    """Let a helper whose predicates a policy chooses, and whose actions a planner does, play an episode."""
    home, state = where.home, where.state.copy()
    ways, high = Ways(home, state), LearnedHigh(policy)
    bob = GuidedPlayer(home, home.persons[1], where.goal, seed + 1, high)
    alice = PlanningPlayer(home, home.persons[0], where.goal, seed) if with_alice else None
    places = {text: count for text, count in where.goal.items() if parse(text).relation <= Relation.INSIDE}
    check = GoalCheck(home, where.goal if with_alice else places, home.persons[0])
    reasons, steps, total = ("", ""), 0, 0.0
    before = int(np.minimum(check.counts(state), check.wanted).sum())
    while not (success := check.reached(state)) and steps < HORIZON:
        first = alice.act(state, reasons[0]).act if alice else WAITING
        second = bob.act(state, reasons[1]).act
        reasons = apply(home, state, ways, (first, second), seed)
        now = int(np.minimum(check.counts(state), check.wanted).sum())
        reward = EACH * (now - before) + STEP
        before, steps, total = now, steps + 1, total + reward
        if high.choices:
            last = high.choices[-1]
            last.reward += last.discount * reward / settings.scale
            last.discount *= settings.discount
    final = None
    if success and high.choices:
        high.choices[-1].discount = 0.0
    elif high.choices:
        high.see(state)
        final = high.view(state)
    return HelpOutcome(high.choices, steps, bool(success), total, final)


def shown_choices(where: Place, seed: int, with_alice: bool) -> list[Choice]:
    """Return the predicates that the planner chooses as a helper, each with what there was to choose from."""
    home, state = where.home, where.state.copy()
    person, memory, ways = home.persons[1], Memory(home, home.persons[1]), Ways(home, state)
    goal = [(one, count) for text, count in where.goal.items() if (one := parse(text)).relation <= Relation.INSIDE]
    bob = PlanningPlayer(home, person, where.goal, seed + 1, puts_only=True)
    alice = PlanningPlayer(home, home.persons[0], where.goal, seed) if with_alice else None
    check = GoalCheck(home, {one.text: count for one, count in goal}, home.persons[0])
    reasons, steps, last = ("", ""), 0, None
    found: list[Choice] = []
    while not check.reached(state) and steps < HORIZON:
        memory.update(state)
        first = alice.act(state, reasons[0]).act if alice else WAITING
        second = bob.act(state, reasons[1])
        if second.subgoal is not None and second.subgoal != last:
            chosen = next(number for number, (one, _) in enumerate(goal) if one.text == second.subgoal.predicate)
            found.append(Choice(goal_view(home, person, memory, state, goal), chosen, 0.0))
            last = second.subgoal
        reasons = apply(home, state, ways, (first, second.act), seed)
        steps += 1
    return found


def decisions_of(outcomes: Sequence[HelpOutcome]) -> Decisions:
    """Return the choices of several episodes, the shorter ones filled up.

    Args:
      outcomes: at least one of which has a choice.
    """
    played = [each for each in outcomes if each.choices]
    episodes = [each.choices for each in played]
    final = [each.choices[-1].view if each.final is None else each.final for each in played]
    steps, count = max(map(len, episodes)), len(episodes)
    chosen = np.zeros((steps, count), np.int64)
    log_prob, reward, discount = (np.zeros((steps, count), np.float32) for _ in range(3))
    kept = np.zeros((steps, count), np.bool_)
    views = [
        [episode[step].view if step < len(episode) else end for episode, end in zip(episodes, final, strict=True)]
        for step in range(steps + 1)
    ]
    for number, episode in enumerate(episodes):
        for step, one in enumerate(episode):
            chosen[step, number], log_prob[step, number] = one.chosen, one.log_prob
            reward[step, number], discount[step, number], kept[step, number] = one.reward, one.discount, True
    return Decisions(stack([stack(row) for row in views]), chosen, log_prob, reward, discount, kept)
