"""Practice of the policies for actions: a person alone grabs a thing, then also brings it to its place.

The two phases, rewards and the closeness reward are the published ones (Watch-And-Help, Appendix C.4).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from experiments.watch_and_help.benchmark import demonstration
from experiments.watch_and_help.policies.errand import GRABBING, PUTTING, Errand, Option
from experiments.watch_and_help.policies.learning import Decisions
from experiments.watch_and_help.policies.memory import Memory
from experiments.watch_and_help.policies.network import CandidatePolicy, View, stack
from worlds.household.homes.placing import place
from worlds.household.navigation.ways import Ways
from worlds.household.rules import apply
from worlds.household.rules.joint import WAITING
from worlds.household.state.home import NO_ROW, Home, State
from worlds.household.tasks.goals import Goal
from worlds.household.tasks.predicates import Predicate, Relation, parse
from worlds.household.tasks.splits import TRAIN

Phase = Literal["grab", "put"]
REACHED, CLOSE = 10.0, 0.05  # published rewards
OPTIONS: dict[Phase, tuple[Option, ...]] = {"grab": GRABBING, "put": PUTTING}


@dataclass(frozen=True)
class Practice:
    """Settings of practice.

    Args:
      places: number of places of training in which it is, the first demonstrations'.
      persons: that practise at once, each in a place of its own.
      decisions: of each in an update.
      most_steps: of an episode.
      most_choices: of an episode.
      most_fetching: choices of the policy of the first phase each time that it is used.
      discount: of a step.
      scale: by which rewards are divided.
    """

    places: int = 150
    persons: int = 16
    decisions: int = 12
    most_steps: int = 150
    most_choices: int = 50
    most_fetching: int = 30
    discount: float = 0.98
    scale: float = 10.0


@dataclass(frozen=True, eq=False)
class Place:
    """A place in which is practised."""

    home: Home
    state: State
    goal: Goal

    @classmethod
    def training(cls, number: int) -> Place:
        """Return the place of a demonstration of training."""
        return _training_place(number)


@lru_cache(maxsize=4096)
def _training_place(number: int) -> Place:
    config = demonstration(TRAIN, number)
    return Place(*place(config), config["task"]["goal"])


class Practitioner:
    """A person who practises, one episode after the other.

    Attributes:
      finished: of every episode that ended, whether the errand was done, and its steps.
      view: that it has to choose from.
      fetching: the policy of the first phase is to choose.
      over: a limit has ended the episode, and there is nothing left to choose.
    """

    def __init__(self, places: Sequence[Place], phase: Phase, settings: Practice, rng: np.random.Generator) -> None:
        self._places, self._settings, self._rng = places, settings, rng
        self._phase: Phase = phase
        self.finished: list[tuple[bool, int]] = []
        self.begin()

    def begin(self) -> None:
        """Begin an episode."""
        where = self._places[int(self._rng.integers(len(self._places)))]
        home = where.home
        self._home, self._state = home, where.state.copy()
        self._number = int(self._rng.integers(2))
        self._person = home.persons[self._number]
        self._ways, self._memory = Ways(home, self._state), Memory(home, self._person)
        possible = _errands(where.goal, self._phase)
        self._predicate = possible[int(self._rng.integers(len(possible)))]
        self._memory.update(self._state)
        self._errand = Errand(home, self._person, self._memory, self._predicate)
        self._steps, self._choices, self._fetched = 0, 0, 0
        self.fetching, self.over, self._reason = False, False, ""
        self._look()

    def _look(self) -> None:
        phase: Phase = "grab" if self.fetching else self._phase
        self.view = self._errand.view(self._state, OPTIONS[phase])

    def choose(self, chosen: int) -> tuple[float, float]:
        """Carry out a choice, and return its discounted reward, scaled, and the discount of its steps.

        The discount is 0 if the errand is done; the next episode has begun then.

        Args:
          chosen: index among candidates times options of ``view``.
        """
        settings, factor, total = self._settings, 1.0, 0.0
        option = self._errand.begin(chosen)
        self._choices += 1
        if option == Option.FETCH:
            self.fetching, self._fetched = True, 0
            self._look()
            return 0.0, 1.0
        if self.fetching:
            self._fetched += 1
        while True:
            act = self._errand.act(self._state)
            both = (act, WAITING) if self._number == 0 else (WAITING, act)
            self._reason = apply(self._home, self._state, self._ways, both)[self._number]
            self._steps += 1
            self._memory.update(self._state)
            done = self._is_done(option)
            total += factor * (REACHED * done + CLOSE * self._errand.is_close()) / settings.scale
            factor *= settings.discount
            self.over = self._steps >= settings.most_steps or self._choices >= settings.most_choices
            if done or self.over or not self._errand.goes_on(self._state, self._reason):
                break
        if done or self.over:
            self.finished.append((done, self._steps))
        if done:
            self.begin()
            return total, 0.0
        has_fetched = self._errand.has() != NO_ROW or self._fetched >= settings.most_fetching
        self.fetching = self.fetching and not has_fetched and not self.over
        self._look()
        return total, factor

    def _is_done(self, option: Option) -> bool:
        """Return True if the phase's errand has just been done."""
        last = Option.GRAB if self._phase == "grab" else Option.PUT
        return option == last and not self._reason


@lru_cache(maxsize=4096)
def _parsed(goal: tuple[str, ...], phase: Phase) -> tuple[Predicate, ...]:
    kept = {"grab": (Relation.ON, Relation.INSIDE, Relation.HOLDS), "put": (Relation.ON, Relation.INSIDE)}[phase]
    return tuple(one for one in map(parse, goal) if one.relation in kept)


def _errands(goal: Goal, phase: Phase) -> tuple[Predicate, ...]:
    """Return the predicates of a goal that a phase practises."""
    return _parsed(tuple(goal), phase)


def practise(
    policy: CandidatePolicy,
    practitioners: Sequence[Practitioner],
    settings: Practice,
    rng: np.random.Generator,
    grabbing: CandidatePolicy | None = None,
) -> Decisions:
    """Let persons make decisions, and return those of the policy that learns.

    Args:
      grabbing: policy of the first phase, in the second.
    """
    count, steps = len(practitioners), settings.decisions
    views: list[View] = []
    chosen = np.zeros((steps, count), np.int64)
    log_prob, reward = (np.zeros((steps, count), np.float32) for _ in range(2))
    discount, kept = np.ones((steps, count), np.float32), np.ones((steps, count), np.bool_)
    for step in range(steps):
        views.append(stack([one.view for one in practitioners]))
        chosen[step], log_prob[step] = policy.choose(views[-1], rng)
        for number, one in enumerate(practitioners):
            if one.over:
                kept[step, number] = False
                one.begin()
            else:
                reward[step, number], discount[step, number] = one.choose(chosen[step, number])
        while busy := [number for number, one in enumerate(practitioners) if one.fetching]:
            assert grabbing is not None
            drawn, _ = grabbing.choose(stack([practitioners[number].view for number in busy]), rng)
            for number, choice in zip(busy, drawn, strict=True):
                more, factor = practitioners[number].choose(choice)
                reward[step, number] += discount[step, number] * more
                discount[step, number] *= factor
    views.append(stack([one.view for one in practitioners]))
    return Decisions(stack(views), chosen, log_prob, reward, discount, kept)
