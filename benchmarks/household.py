"""Joint steps a second of the household: two persons who act at random, and what both observe as entities.

With pictures, the solver also sees one of 72x96 pixels at every step.

    python -m benchmarks.household

A person's random action is any verb with any thing that it sees and any hand, as an untrained agent would act, or one
that the mask of legal actions allows, which gets something done more often. Rates are per core: steps per second of
processor time of the one thread that steps, the median over apartments, the slowest in brackets. Apartments are filled
up to the same number of things with small ones on their furniture.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from benchmarks.timing import options
from worlds.contract import SETTER, SOLVER
from worlds.errors import UserError
from worlds.household.homes.apartments import APARTMENTS
from worlds.household.homes.placing import home, place
from worlds.household.world import ACTIONS, HouseholdWorld

THINGS = 350  # of every apartment
TARGET, TARGET_PICTURE = 6_000, 1_500  # joint steps a second
PICTURE = {"picture": True, "height": 72, "width": 96, "views": (SOLVER,)}
SMALL = ("apple", "plate", "mug", "book")
SUPPORTS = ("kitchencounter", "kitchentable", "coffeetable", "desk", "bed", "tvstand", "nightstand", "bookshelf")
_COUNTS = ACTIONS.counts.tolist()


def filled(name: str, seed: int) -> dict[str, Any]:
    """Return the configuration of an apartment with small things added until it has so many."""
    found, _ = home(name)
    rng = np.random.default_rng(seed)
    supports = [int(found.ids[row]) for each in SUPPORTS for row in found.rows_of(each)]
    added: list[list[Any]] = []
    while len(found) + len(added) < THINGS:
        wanted = [1000 + len(added), str(rng.choice(SMALL)), "ON", int(rng.choice(supports))]
        try:
            place({"home": name, "seed": seed, "added": [*added, wanted]})
        except UserError:  # that one is full
            continue
        added.append(wanted)
    return {"home": name, "seed": seed, "added": added}


def random_actions(observations: Any, rng: np.random.Generator, legal: bool) -> dict[str, Any]:
    """Return random actions of both persons."""
    found = {}
    for player in (SETTER, SOLVER):
        seen, action = observations[player], ACTIONS.silent()
        first = 0
        for column, count in enumerate(_COUNTS):
            mask = seen["legal"][first : first + count]
            most = 1 + len(seen["entity_values"]) if column == 1 else count
            choices = np.flatnonzero(mask) if legal else None
            action["movement"][0, column] = rng.integers(most) if choices is None else rng.choice(choices)
            first += count
        found[player] = action
    return found


def per_core(config: dict[str, Any], steps: int, legal: bool, **options: Any) -> tuple[float, float, float]:
    """Return joint steps a second of processor time, the share of actions that succeed, and the things observed."""
    world, rng = HouseholdWorld(max_steps=10**9, **options), np.random.default_rng(0)
    observations: Any = world.reset(options={"config": config})[0]
    spent = succeeded = things = 0.0
    for step in range(-20, steps):  # the first steps load compiled code
        actions = random_actions(observations, rng, legal)
        start = time.thread_time()
        observations = world.step(actions)[0]
        if step >= 0:
            spent += time.thread_time() - start
            succeeded += sum(not observations[player]["feedback"] for player in (SETTER, SOLVER)) / 2
            things += len(observations[SOLVER]["entity_values"])
    return steps / spent, succeeded / steps, things / steps


def report(steps: int) -> None:
    """Print the rates of all apartments."""
    configs = [filled(name, 0) for name in APARTMENTS]
    print(f"\n{len(configs)} apartments of {THINGS} things, {steps} steps each, both act at random")
    print(f"target {TARGET:,} with entities, {TARGET_PICTURE:,} with a picture")
    for words, legal, more in (
        ("any actions, entities", False, {}),
        ("legal actions, entities", True, {}),
        ("any actions, everything observed", False, {"full": True}),
        ("any actions, entities and texts", False, {"text": True}),
        ("any actions, entities and a picture", False, PICTURE),
    ):
        found = np.array([per_core(config, steps, legal, **more) for config in configs])
        rate, succeeded, things = np.median(found, axis=0)
        print(
            f"  {rate:8,.0f} ({found[:, 0].min():,.0f}) steps/s and core: {words}; "
            f"{succeeded:.0%} of actions succeed, {things:.0f} things observed"
        )


def main() -> None:
    report(options(__doc__, steps=2000).steps)


if __name__ == "__main__":
    main()
