"""Probabilities of what another person wants, revised by what the person does to things."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from worlds.household.tasks.goals import Goal
from worlds.household.tasks.predicates import parse
from worlds.household.tasks.sets import PREDICATES
from worlds.household.tasks.splits import TRAIN, goals_of

SURPRISE = 0.02  # probability of an action that a goal does not explain, relative to one that it does
TRUSTED, EDITED = 0.6, 0.25  # prior of the first guess, and of all guesses that lack one of its predicates
WANTED = 0.5  # probability from which on a count is pursued


class GoalPosterior:
    """A distribution over goals.

    The prior has a first guess, the guess without one of its predicates each, and the goals of training (or ``goals``),
    all of these equally likely. Without a guess only the latter are expected.
    """

    def __init__(self, guess: Goal, goals: Sequence[Goal] | None = None) -> None:
        expected = [each.goal for each in goals_of(TRAIN)] if goals is None else list(goals)
        edited = [{text: count for text, count in guess.items() if text != left_out} for left_out in guess]
        hypotheses: list[Mapping[str, int]] = [*expected, *edited, guess] if guess else expected
        self._column = {text: number for number, text in enumerate(PREDICATES)}
        self._counts = np.zeros((len(hypotheses), len(PREDICATES)), dtype=np.int8)  # wanted: [goals, predicates]
        for row, goal in enumerate(hypotheses):
            for text, count in goal.items():
                self._counts[row, self._column[text]] = count
        prior = np.full(len(hypotheses), (1 - (TRUSTED + EDITED if guess else 0)) / len(expected))
        if guess:
            prior[len(expected) : -1] = EDITED / len(edited)
            prior[-1] = TRUSTED
        self._log = np.log(prior)
        things = [parse(text).thing for text in PREDICATES]
        self._about = {thing: np.array([one == thing for one in things]) for thing in things if thing}

    def probabilities(self) -> np.ndarray:
        """Return the probability of every goal: float64 [goals]."""
        weights = np.exp(self._log - self._log.max())
        return weights / weights.sum()

    def saw_put(self, predicate: str, there: int) -> None:
        """Note that the person put something where it satisfies a predicate."""
        if predicate in self._column:
            self._surprise(self._counts[:, self._column[predicate]] < there)

    def saw_taken(self, predicate: str, left: int) -> None:
        """Note that the person took away something that satisfied a predicate."""
        if predicate in self._column:
            self._surprise(self._counts[:, self._column[predicate]] > left)

    def saw_held(self, thing: str) -> None:
        """Note that the person took a thing of a class."""
        if thing in self._about:
            self._surprise((self._counts[:, self._about[thing]] == 0).all(axis=1))

    def goal(self) -> dict[str, int]:
        """Return for every predicate the largest count that is more likely wanted than not."""
        probabilities = self.probabilities()
        wanted: dict[str, int] = {}
        for text, column in self._column.items():
            counts = self._counts[:, column]
            for count in range(int(counts.max()), 0, -1):
                if probabilities[counts >= count].sum() > WANTED:
                    wanted[text] = count
                    break
        return wanted

    def _surprise(self, goals: np.ndarray | np.bool_) -> None:
        self._log[goals] += np.log(SURPRISE)
