"""Probes: requests of the five predicate sets, for the place at hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

import numpy as np

from worlds.contract import SOLVER, TaskSpec, WorldError
from worlds.household.state.home import Home
from worlds.household.tasks.goals import Goal, things_of
from worlds.household.tasks.language.asking import request
from worlds.household.tasks.oracle import obstacles
from worlds.household.tasks.progress import HORIZON, progress
from worlds.household.tasks.sets import check_task_name, possible_sets, set_named
from worlds.household.tasks.splits import TEST_1, TRAIN, goals_of
from worlds.household.tasks.success import HelpTask, HouseholdTask, Moment, is_help

TRIES = 20  # goals for which a place is looked at more closely
MOST_DONE = 0.5  # share of what is asked for that may be done already
SPLITS: Mapping[str, str] = {"train": TRAIN, "held_out": TEST_1}  # splits of goals, by those of requests


def make_task(spec: TaskSpec) -> HouseholdTask | HelpTask:
    """Return the success check of a request: of help, where the setter pursues the goal herself."""
    check_task_name(spec.name)
    return HelpTask(spec) if is_help(spec) else HouseholdTask(spec)


def probe(name: str, world: Any, seed: int, split: str = "train") -> TaskSpec | None:
    """Return a request of a predicate set for the place at hand; None if none of its goals can be reached there.

    It is the goal of the place, if that is of this set and split; otherwise one of the goals of the split that the
    place has enough things for. No more than half of it is done already.
    """
    set_named(name)
    if split not in SPLITS:
        raise WorldError(f"no split named {split!r}; known: {', '.join(SPLITS)}")
    now: Moment = world.state
    home, rng = now.home, np.random.default_rng([seed, 0])
    if name not in possible_sets(home):
        return None
    for goal in islice((each for each in _goals(name, world.config, split, rng) if _has_enough(home, each)), TRIES):
        person = home.persons[1]
        done = sum(progress(home, now.state, goal, person).values())
        if done <= MOST_DONE * sum(goal.values()) and not obstacles(home, now.state, goal, person):
            words = _request(goal, home, rng)
            if words:
                return TaskSpec(name, words, {"goal": dict(goal), "whose": SOLVER}, HORIZON)
    return None


def _request(goal: Goal, home: Home, rng: np.random.Generator) -> str:
    """Return words for a goal; "" if it takes too many, as a home of others may have classes with long names."""
    try:
        return request(goal, rng, classes=tuple(each.name for each in home.classes))
    except WorldError:
        return ""


def _goals(name: str, config: Mapping[str, Any], split: str, rng: np.random.Generator) -> Iterator[Goal]:
    """Yield the place's own goal, if it is of this set and split, and the others of the split in random order."""
    goals = [each.goal for each in goals_of(SPLITS[split]) if each.sets == (name,)]
    own = config.get("task") or {}
    if own.get("name") == name:
        of_tests = any(own["goal"] == each.goal for each in goals_of(TEST_1))
        if of_tests == (SPLITS[split] == TEST_1):
            yield own["goal"]
    for number in rng.permutation(len(goals)):
        yield goals[number]


def _has_enough(home: Home, goal: Goal) -> bool:
    """Return True if a home has as many things as a goal needs."""
    return all(len(home.rows_of(thing)) >= count for thing, count in things_of(goal).items())
