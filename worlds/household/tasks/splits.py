"""Goals of training and of the two tests, none in two of them (Puig et al., 2021, Section 5.1).

Goals of training and of test_1 are of one predicate set, goals of test_2 of two. The division is the same for all
seeds, so that no agent has been trained with goals of the tests.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np

from worlds.contract import WorldError
from worlds.household.tasks.sets import SETS, PredicateSet

TRAIN, TEST_1, TEST_2 = "train", "test_1", "test_2"
SPLITS = (TRAIN, TEST_1, TEST_2)
# Goals of each set in training and test_1 together, as in the reference's data.
GOALS_OF_SET: Mapping[str, int] = {
    "setup_table": 71, "put_dishwasher": 71, "put_fridge": 336, "prepare_food": 545, "read_book": 88
}  # fmt: skip
TEST_GOALS_OF_SET = 20
TEST_GOALS_OF_PAIR = 10
MOST_OF_TWO = 8  # predicates of a goal of two sets
_SEED = 0  # of the division


@dataclass(frozen=True)
class SampledGoal:
    """A goal of a split.

    Args:
      name: within the split, e.g. "read_book-7" or "put_fridge+read_book-3".
    """

    name: str
    sets: tuple[str, ...]
    goal: Mapping[str, int]

    @property
    def key(self) -> frozenset[tuple[str, int]]:
        """Same for goals that ask for the same."""
        return frozenset(self.goal.items())


@cache
def goal_splits() -> Mapping[str, tuple[SampledGoal, ...]]:
    """Return the goals of each split: 1,011 of training, 100 of test_1, 100 of test_2."""
    train: list[SampledGoal] = []
    test: list[SampledGoal] = []
    for number, each in enumerate(SETS.values()):
        goals = list(each.goals())
        order = np.random.default_rng([_SEED, number]).permutation(len(goals))[: GOALS_OF_SET[each.name]]
        named = [SampledGoal(f"{each.name}-{i}", (each.name,), goals[which]) for i, which in enumerate(order)]
        test += named[:TEST_GOALS_OF_SET]
        train += named[TEST_GOALS_OF_SET:]
    return {TRAIN: tuple(train), TEST_1: tuple(test), TEST_2: _goals_of_two(np.random.default_rng([_SEED, len(SETS)]))}


def goals_of(split: str) -> tuple[SampledGoal, ...]:
    """Return the goals of a split. Raises WorldError if there is no such split."""
    check_split(split)
    return goal_splits()[split]


def check_split(split: Any) -> None:
    """Raise WorldError if there is no such split."""
    if split not in SPLITS:
        raise WorldError(f"the household has no split named {split!r}; known: {', '.join(SPLITS)}")


def _goals_of_two(rng: np.random.Generator) -> tuple[SampledGoal, ...]:
    """Return goals of every pair of sets, as many of each, of all sizes alike."""
    found: list[SampledGoal] = []
    for first, second in combinations(SETS.values(), 2):
        seen: set[frozenset[tuple[str, int]]] = set()
        while len(seen) < TEST_GOALS_OF_PAIR:
            goal = _goal_of_two((first, second), rng)
            name = f"{first.name}+{second.name}"
            drawn = SampledGoal(f"{name}-{len(seen)}", (first.name, second.name), goal)
            if drawn.key not in seen:
                seen.add(drawn.key)
                found.append(drawn)
    return tuple(found)


def _goal_of_two(sets: tuple[PredicateSet, PredicateSet], rng: np.random.Generator) -> dict[str, int]:
    """Return a goal with at least one thing of each set, of a size that is drawn uniformly from all possible ones."""
    chosen = [text for each in sets for text, count in each.always.items() for _ in range(count)]
    pools = [[text for text, most in each.most.items() for _ in range(most)] for each in sets]
    for each, pool in zip(sets, pools, strict=True):
        if not each.always:
            chosen.append(pool.pop(rng.integers(len(pool))))
    rest = pools[0] + pools[1]
    size = int(rng.integers(len(chosen), MOST_OF_TWO, endpoint=True))
    chosen += [rest[which] for which in rng.choice(len(rest), size - len(chosen), replace=False)]
    order = [text for each in sets for text in each.predicates]
    return {text: chosen.count(text) for text in order if text in chosen}


def sets_of(goal: Mapping[str, int]) -> tuple[str, ...]:
    """Return the names of the sets that have predicates of a goal, in the order of the sets; of none, ()."""
    return tuple(each.name for each in SETS.values() if any(text in each.predicates for text in goal))
