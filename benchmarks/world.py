"""Solver steps a second of the Playhouse: eight ticks of physics and one picture each.

    python -m benchmarks.world

Both players move at random (walk, turn, look, grab, push, release; a movement is held for half a second), so that
things are pushed, carried and dropped; a house in which nothing moves is faster. Rates are per core: steps per second
of processor time of the one thread that steps, the median over houses, the slowest house in brackets. Then eight such
worlds in a pool of threads, in wall-clock time, which on a shared machine also depends on other load.
"""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.timing import options
from worlds.contract import BODY, HAND_THROW, SETTER, SOLVER, TICKS_PER_STEP, Action, silent
from worlds.contract.tick_world import FIVE_MINUTES
from worlds.playhouse.house.sampling import HouseSettings
from worlds.playhouse.world import Playhouse
from worlds.spaces.action import ActionSpec

HOLD_STEPS = 2  # steps for which a movement is held


@dataclass(frozen=True)
class Case:
    """Houses of one kind, seen at one size, and the target rate."""

    name: str
    height: int
    width: int
    settings: HouseSettings
    target: int
    hands: str = "simple"


CASES = (
    Case("furnished house, 60 loose objects, full hands", 72, 96, HouseSettings.of(preset="house"), 1500, "full"),
    Case(
        "five rooms, 40 loose objects", 72, 96,
        HouseSettings(rooms=(5, 5), furniture=(10, 14), objects=(40, 40)), 500,
    ),
    Case(
        "one room, 4 loose objects", 36, 48,
        HouseSettings(rooms=(1, 1), furniture=(0, 2), objects=(4, 4), room_size=(4.0, 4.0)), 2000,
    ),
)  # fmt: skip


def random_play(seed: int, steps: int, body: ActionSpec = BODY) -> list[dict[str, Action]]:
    """Return random actions of both players, who keep, grab, release and, with full hands, throw."""
    rng, play = np.random.default_rng(seed), []
    names = [component.name for component in body.discrete]
    throws = body.counts[names.index("hand")] > HAND_THROW
    hands = [0.5, 0.4, 0.05, 0.05] if throws else [0.5, 0.4, 0.1]
    for step in range(steps):
        if step % HOLD_STEPS == 0:
            rows = rng.integers(0, body.counts, size=(2, len(names)), dtype=np.int8)
            rows[:, names.index("hand")] = rng.choice(len(hands), 2, p=hands)
            movements = [np.tile(row, (TICKS_PER_STEP, 1)) for row in rows]
        play.append({SETTER: silent(movements[0]), SOLVER: silent(movements[1])})
    return play


def world(case: Case, seed: int, **more: Any) -> Playhouse:
    made = Playhouse(case.height, case.width, settings=case.settings, max_steps=10**9, hands=case.hands, **more)
    made.reset(seed=seed)
    return made


def split(case: Case, seed: int, steps: int) -> tuple[float, float]:
    """Return the processor seconds of a step without its picture, and of the picture."""
    blind = world(case, seed, views=())
    play = random_play(seed, steps, blind.body)
    blind.step(play[0])
    blind.render()
    stepping = drawing = 0.0
    for actions in play:
        start = time.thread_time()
        blind.step(actions)
        middle = time.thread_time()
        blind.render()
        stepping += middle - start
        drawing += time.thread_time() - middle
    return stepping / steps, drawing / steps


def per_core(case: Case, seed: int, steps: int) -> float:
    """Return the steps per second of processor time, picture included."""
    seeing = world(case, seed)
    play = random_play(seed, steps, seeing.body)
    seeing.step(play[0])
    start = time.thread_time()
    for actions in play:
        seeing.step(actions)
    return steps / (time.thread_time() - start)


def pooled(case: Case, worlds: int, threads: int, steps: int) -> float:
    """Return the wall-clock steps per second of several worlds that ``threads`` step together, as a runner's slots."""
    seeing = [world(case, seed) for seed in range(worlds)]
    with ThreadPoolExecutor(threads) as pool:
        play = list(zip(*(random_play(seed, steps, one.body) for seed, one in enumerate(seeing)), strict=True))
        list(pool.map(lambda one, action: one.step(action), seeing, play[0]))
        start = time.perf_counter()
        for actions in play:
            list(pool.map(lambda one, action: one.step(action), seeing, actions))
        return worlds * steps / (time.perf_counter() - start)


def new_house(case: Case, seed: int) -> float:
    """Return the processor seconds that a house takes from its seed to the first observation."""
    made = world(case, seed)
    start = time.thread_time()
    made.reset(seed=10_000 + seed)
    return time.thread_time() - start


def five_minutes(case: Case, seed: int) -> float:
    """Return the processor seconds in which five minutes are replayed, without pictures."""
    blind = world(case, seed, views=())
    play = random_play(seed, FIVE_MINUTES, blind.body)
    start = time.thread_time()
    for actions in play:
        blind.step(actions)
    return time.thread_time() - start


def report(houses: int, steps: int) -> None:
    for case in CASES:
        rates = [per_core(case, seed, steps) for seed in range(houses)]
        stepping, drawing = np.median([split(case, seed, steps) for seed in range(houses)], axis=0) * 1e6
        print(f"\n{case.name}, {case.height} x {case.width} pixels; {houses} houses of {steps} steps")
        print(f"  {np.median(rates):8.0f} ({min(rates):.0f}) steps/s and core; target {case.target}")
        print(f"  {stepping:8.0f} us of control and physics, {drawing:.0f} us of picture a step")
        print(f"  {1e3 * np.median([new_house(case, seed) for seed in range(houses)]):8.1f} ms for a new house")
        print(f"  {np.median([five_minutes(case, seed) for seed in range(3)]):8.2f} s for a replay of five minutes")
        for threads in sorted({1, len(os.sched_getaffinity(0))}):
            rate = pooled(case, 8, threads, steps // 2)
            print(f"  {rate:8.0f} steps/s in wall-clock time, 8 worlds on {threads} thread{'s' * (threads > 1)}")


def main() -> None:
    arguments = options(__doc__, houses=8, steps=300)
    report(arguments.houses, arguments.steps)


if __name__ == "__main__":
    main()
