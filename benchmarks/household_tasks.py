"""Tasks of the household: places sampled a second, and what the oracle finds in all of them.

    python -m benchmarks.household_tasks

It looks at every place of the benchmark of one seed: those of the 1,211 tasks, in which goals are shown and in which
Alice is helped, and those of all demonstrations. Times are processor time; all of it takes some minutes.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from benchmarks.timing import options
from experiments.watch_and_help.benchmark import DEMONSTRATIONS, demonstration, task
from worlds.household.homes.placing import place
from worlds.household.tasks.oracle import obstacles
from worlds.household.tasks.progress import GoalCheck
from worlds.household.tasks.splits import SPLITS, goals_of


def main() -> None:
    """Print a line for each split, and the speed of each part."""
    chosen = options(__doc__, seed=(0, "of places"), share=(1, "look at one of so many places only"))
    print(f"{'split':<8} {'places':>7} {'infeasible':>11} {'begun':>6} {'sample':>9} {'place':>9} {'oracle':>9}")
    for split in SPLITS:
        found, seconds = _look(split, chosen.seed, chosen.share)
        each = (f"{1000 * seconds[part] / found['places']:6.1f} ms" for part in ("sample", "place", "oracle"))
        print(f"{split:<8} {found['places']:7,} {found['infeasible']:11,} {found['begun']:6,}", *each)
    home, state = place(demonstration(SPLITS[0], 0, chosen.seed))
    check = GoalCheck(home, {text: 1 for each in goals_of(SPLITS[2])[:2] for text in each.goal}, home.persons[0])
    check.progress(state)
    start = time.thread_time()
    for _ in range(10_000):
        check.progress(state)
    print(f"progress of {len(check.predicates)} predicates: {(time.thread_time() - start) * 100:.1f} us")


def _look(split: str, seed: int, share: int) -> tuple[Counter[str], dict[str, float]]:
    """Return how many places were looked at, and how many are infeasible or begun; and the seconds of each part."""
    found = Counter[str]()
    seconds: dict[str, float] = {"sample": 0.0, "place": 0.0, "oracle": 0.0}
    for make in _places(split, seed, share):
        start = time.thread_time()
        for config in make():
            seconds["sample"] += time.thread_time() - start
            start = time.thread_time()
            home, state = place(config)
            seconds["place"] += time.thread_time() - start
            start = time.thread_time()
            goal, person = config["task"]["goal"], home.persons[0]
            found["infeasible"] += bool(obstacles(home, state, goal, person))
            seconds["oracle"] += time.thread_time() - start
            found["begun"] += any(GoalCheck(home, goal, person).progress(state).values())
            found["places"] += 1
            start = time.thread_time()
    return found, seconds


def _places(split: str, seed: int, share: int) -> Iterator[Callable[[], list[Mapping[str, Any]]]]:
    """Yield functions that sample configurations: two of each task, one of each demonstration."""
    for number in range(0, len(goals_of(split)), share):
        yield lambda number=number: [(each := task(split, number, seed)).watch, each.help]
    for number in range(0, DEMONSTRATIONS[split], share):
        yield lambda number=number: [demonstration(split, number, seed)]


if __name__ == "__main__":
    main()
