"""Ways in the household's apartments, places of episodes, and graphs as homes: times of each.

    python -m benchmarks.household_homes

Ways are to all things from all places to stand of the largest apartment; the first question, which computes the
distances of all cells, is timed alone. Times are processor time, the best of ten runs.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from benchmarks.timing import best, options
from worlds.household.homes import home, place
from worlds.household.homes.graphs.reading import home_of_graph
from worlds.household.navigation.floor_plan import FloorPlan, never_moves
from worlds.household.navigation.ways import Ways
from worlds.household.observing import graph_of
from worlds.household.state.vocabulary import STEP_M

NAME = "apartment-2"
RUNS, QUESTIONS = 10, 500


def main() -> None:
    """Print a line for each part."""
    options(__doc__)
    found, state = home(NAME)
    ways, graph = Ways(found, state), graph_of(found, state)
    places = [tuple(xy) for room in found.rooms for xy in ways.plan.standing_places(room).tolist()]
    rng = np.random.default_rng(0)
    starts = [places[number] for number in rng.integers(len(places), size=QUESTIONS)]
    rows = rng.integers(2, len(found), size=QUESTIONS).tolist()
    fixed = never_moves(found, state)
    parts: dict[str, tuple[Callable[[], object], int]] = {
        "floor plan, and the ways to all furniture": (lambda: FloorPlan(found, state, fixed).distance, 1),
        "distances to all things": (lambda: [ways.distances(xy) for xy in starts], QUESTIONS),
        "a step towards a thing": (
            lambda: [ways.advance(xy, row, STEP_M) for xy, row in zip(starts, rows, strict=True)],
            QUESTIONS,
        ),
        "place of an episode, other starts only": (lambda: place({"home": NAME, "seed": 1}), 1),
        "place of an episode, a thing removed": (lambda: place({"home": NAME, "removed": [int(found.ids[-1])]}), 1),
        "graph as a home": (lambda: home_of_graph(graph), 1),
    }
    print(f"{NAME}: {len(found)} things, {len(places)} places to stand")
    for name, (part, count) in parts.items():
        part()  # compiles and fills caches
        print(f"  {name:<42} {best(part, time.thread_time, RUNS) / count * 1e6:9,.1f} us")


if __name__ == "__main__":
    main()
