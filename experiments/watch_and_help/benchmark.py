"""Tasks of the whole benchmark: watching Alice reach a goal in one apartment, helping her in another.

Every task and demonstration is a function of the seed and its number alone, so they can be made in any order, by any
number of processes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from worlds.household.homes.apartments import HELD_OUT
from worlds.household.homes.placing import home as home_named
from worlds.household.tasks.placing import NoPlaces, place_config
from worlds.household.tasks.sampling import TRAINING_HOMES
from worlds.household.tasks.sets import possible_sets
from worlds.household.tasks.splits import SPLITS, TEST_1, TEST_2, TRAIN, SampledGoal, goals_of

# Demonstrations of each split. The reference has 5,303 of training and 1,023 of test_1.
DEMONSTRATIONS: Mapping[str, int] = {TRAIN: 5303, TEST_1: 1023, TEST_2: 1000}
_REDRAWS = 20
_WATCH, _HELP = 1, 2  # streams of random numbers


@dataclass(frozen=True)
class BenchmarkTask:
    """A goal, a place in which it is shown, and another one in which somebody helps to reach it.

    Args:
      name: e.g. "test_1/read_book-7".
    """

    name: str
    split: str
    sets: tuple[str, ...]
    goal: Mapping[str, int]
    watch: Mapping[str, Any]
    help: Mapping[str, Any]


def task(split: str, number: int, seed: int = 0) -> BenchmarkTask:
    """Return a task by the number of its goal: 0 to 1,010 in training, 0 to 99 in each test."""
    each = goals_of(split)[number]
    rng = np.random.default_rng([seed, SPLITS.index(split), number, _HELP])
    homes = [home for home in TRAINING_HOMES if possible(each, home)]
    shown = homes[rng.integers(len(homes))]
    others = [home for home in (TRAINING_HOMES if split == TRAIN else HELD_OUT) if home != shown]
    others = [home for home in others if possible(each, home)]
    watch, helped = _place(each, shown, rng), _place(each, others[rng.integers(len(others))], rng)
    return BenchmarkTask(f"{split}/{each.name}", split, each.sets, each.goal, watch, helped)


def tasks(split: str, seed: int = 0) -> Iterator[BenchmarkTask]:
    """Yield all tasks of a split: 1,011 of training, 100 of each test."""
    for number in range(len(goals_of(split))):
        yield task(split, number, seed)


def demonstration(split: str, number: int, seed: int = 0) -> dict[str, Any]:
    """Return the configuration of the place in which Alice shows a goal, by a number from 0 without end.

    Pairs of a predicate set and a training apartment take turns, and in each the goals, so all activities, apartments
    and goals are shown equally often.
    """
    goals: dict[tuple[str, ...], list[SampledGoal]] = {}
    for each in goals_of(split):
        goals.setdefault(each.sets, []).append(each)
    pairs = [(sets, home) for sets in goals for home in TRAINING_HOMES if possible(goals[sets][0], home)]
    sets, home = pairs[number % len(pairs)]
    homes = [at for of, at in pairs if of == sets]
    turn = number // len(pairs) * len(homes) + homes.index(home)
    rng = np.random.default_rng([seed, SPLITS.index(split), number, _WATCH])
    return _place(goals[sets][turn % len(goals[sets])], home, rng)


def possible(goal: SampledGoal, home: str) -> bool:
    """Return True if an apartment has all places that a goal names."""
    return set(goal.sets) <= _possible_sets(home)


@cache
def _possible_sets(home: str) -> frozenset[str]:
    return frozenset(possible_sets(home_named(home)[0]))


def _place(goal: SampledGoal, home: str, rng: np.random.Generator) -> dict[str, Any]:
    for redraw in range(_REDRAWS):
        try:
            return place_config(goal.goal, home, int(rng.integers(2**31)), "+".join(goal.sets))
        except NoPlaces:
            if redraw == _REDRAWS - 1:
                raise
    raise AssertionError
