"""Episodes' configurations from a seed: a goal of a split, and a place in which it can be reached."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from worlds.contract import WorldError
from worlds.contract.known_settings import check_seed
from worlds.errors import UserError
from worlds.household.homes.apartments import APARTMENTS, HELD_OUT
from worlds.household.homes.placing import home as home_named
from worlds.household.homes.placing import home_spec
from worlds.household.tasks.placing import NoPlaces, place_config
from worlds.household.tasks.sets import NAMES, possible_sets, set_named
from worlds.household.tasks.splits import TEST_2, TRAIN, SampledGoal, check_split, goals_of

TRAINING_HOMES = tuple(name for name in APARTMENTS if name not in HELD_OUT)
REDRAWS = 50  # of goal and home, where the things of one find no places in the other


def sample(
    seed: int, homes: Sequence[str] = TRAINING_HOMES, tasks: Sequence[str] = NAMES, split: str = TRAIN
) -> dict[str, Any]:
    """Return the configuration of an episode; the same arguments give the same one.

    Args:
      seed: seed of the draw.
      homes: names of apartments, or paths of graphs' JSON files, all as likely.
      tasks: names of predicate sets, all as likely; in the split test_2, both sets of a goal are of these.
      split: split of the goals: "train", "test_1" or "test_2".

    Raises:
      WorldError: the seed is none, a name is unknown, or none of these goals is possible in any of these homes.
    """
    check_seed(seed)
    check_split(split)
    homes, tasks = _names("homes", homes), _names("tasks", tasks)
    chances = _chances(homes, tasks, split)
    rng = np.random.default_rng([seed, 1])
    for _ in range(REDRAWS):
        name, goals = chances[rng.integers(len(chances))]
        home, goal = goals[rng.integers(len(goals))]
        try:
            return place_config(goal.goal, home_spec(home), seed, name)
        except NoPlaces:
            continue
    raise WorldError(f"seed {seed}: {REDRAWS} goals found no places in {', '.join(homes)}; give other homes or tasks")


@lru_cache(maxsize=64)
def _chances(
    homes: tuple[str, ...], tasks: tuple[str, ...], split: str
) -> tuple[tuple[str, tuple[tuple[str, SampledGoal], ...]], ...]:
    """Return what can be drawn: by the name of a task, the pairs of a home and a goal that is possible there."""
    for name in tasks:
        set_named(name)
    found: dict[str, list[tuple[str, SampledGoal]]] = {}
    possible = {home: _possible(home) for home in homes}
    for each in goals_of(split):
        if set(each.sets) <= set(tasks):
            pairs = [(home, each) for home in homes if set(each.sets) <= set(possible[home])]
            found.setdefault("+".join(each.sets), []).extend(pairs)
    chances = tuple((name, tuple(pairs)) for name, pairs in found.items() if pairs)
    if not chances:
        where = ", ".join(homes) or "no home"
        hint = "; its goals are of two sets each" if split == TEST_2 and len(tasks) < 2 else ""
        raise WorldError(f"no goal of {', '.join(tasks) or 'no task'} in {split} is possible in {where}{hint}")
    return chances


def _names(setting: str, names: Any) -> tuple[str, ...]:
    """Return names as a tuple; a single one may stand without a list."""
    names = tuple(names) if isinstance(names, list | tuple) else (names,)
    if not all(isinstance(each, str) for each in names):
        raise WorldError(f"place setting {setting}: give names, not {names!r}")
    return names


def _possible(home: str) -> tuple[str, ...]:
    try:
        return possible_sets(home_named(home)[0])
    except WorldError:
        raise
    except UserError as error:
        raise WorldError(str(error)) from error
