"""Door leaves: what they cost, and whether the scripted solver gets through.

    python -m benchmarks.doors --houses 10

plays the same houses without leaves and with leaves in every doorway. Speed is that of random play of both players
without pictures, in processor time; the two take turns of few steps, so that both meet the same load of the machine.
Journeys lead from where the solver
starts to a thing in each other room; on laden ones it carries a thing of its own room.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from benchmarks.timing import options
from benchmarks.world import random_play
from rlhf.run.machine import describe
from worlds.contract import SOLVER
from worlds.playhouse.games.situation import Situation
from worlds.playhouse.players import behaviours
from worlds.playhouse.players.body import Body
from worlds.playhouse.players.walking_laden import walk_laden
from worlds.playhouse.world import Playhouse

FIRST_SEED = 3_000_000
TURN = 20  # steps that each world plays before the other goes on
SHARES = (0.0, 1.0)  # of doorways that have a leaf
LONGEST = 300  # steps to a thing in another room
WITHIN = 0.9  # metres from a thing, to which something is carried


@dataclass
class Journeys:
    """Outcomes of journeys."""

    arrived: list[bool] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)

    def add(self, arrived: bool, steps: int) -> None:
        self.arrived.append(arrived)
        if arrived:
            self.steps.append(steps)

    def __str__(self) -> str:
        mean = f"{np.mean(self.steps):.1f}" if self.steps else "-"
        return f"{sum(self.arrived)} of {len(self.arrived)} arrived, {mean} steps on average"


def playhouse(preset: str, share: float) -> Playhouse:
    return Playhouse(6, 8, views=(), settings={"preset": preset, "door_leaves": share}, max_steps=10**9)


def seconds(worlds: Sequence[Playhouse], seed: int, steps: int) -> list[float]:
    """Processor seconds of some steps in each world."""
    play, spent = random_play(seed, steps, worlds[0].body), [0.0 for _ in worlds]
    for world in worlds:
        world.reset(seed=seed)
        world.step(play[0])
    for first in range(0, steps, TURN):
        for number, world in enumerate(worlds):
            begun = time.thread_time()
            for actions in play[first : first + TURN]:
                world.step(actions)
            spent[number] += time.thread_time() - begun
    return spent


def travel(world: Playhouse, seed: int, laden: bool, journeys: Journeys) -> None:
    """Walk from where the solver starts to a thing in each other room, each time from the same start."""
    world.reset(seed=seed)
    body, situation = Body(world, SOLVER, np.random.default_rng(seed)), Situation(world)
    load = next((i for i in situation.here if situation.can_be_taken(i)), None) if laden else None
    if laden and (load is None or not _done(world, body, behaviours.get(body, load))[0]):
        return
    start = world.snapshot()
    for room in world.house.rooms:
        goal = next((i for i in situation.free if situation.room_of(i) == room.id), None)
        if room.id != situation.room and goal is not None:
            world.restore(start)
            body = Body(world, SOLVER, np.random.default_rng(seed))
            journeys.add(*_done(world, body, _carry(body, goal) if laden else behaviours.go(body, goal)))


def _done(world: Playhouse, body: Body, behaviour: behaviours.Behaviour) -> tuple[bool, int]:
    """Whether the solver has done something, and after how many steps."""
    for step in range(LONGEST):
        try:
            world.step({SOLVER: next(behaviour)})
        except StopIteration as end:
            return bool(end.value), step
        body.sense()
    return False, LONGEST


def _carry(body: Body, goal: str) -> behaviours.Behaviour:
    """Walk with what is in hand, as in games, to where ``goal`` is near."""
    load, at = body.held, body.where(goal)
    yield from behaviours.draw_in(body)
    route = body.plan.route(body.me.position, at, WITHIN, body.obstacles(goal))
    if route is None or not (yield from walk_laden(body, [(route[-1], at[:2])])):
        return False
    return body.held == load


def main() -> None:
    """Play and print."""
    arguments = options(
        __doc__,
        houses=10,
        first_seed=FIRST_SEED,
        preset="house",
        steps=(500, "of random play in each house"),
    )
    seeds = range(arguments.first_seed, arguments.first_seed + arguments.houses)
    worlds = [playhouse(arguments.preset, share) for share in SHARES]
    print(f"{describe()}; load before the start {os.getloadavg()[0]:.1f}; {len(seeds)} houses, {arguments.preset}")
    spent = np.array([seconds(worlds, seed, arguments.steps) for seed in seeds])
    bare, hung = arguments.steps * len(seeds) / spent.sum(axis=0)
    low, middle, high = np.quantile(spent[:, 0] / spent[:, 1], (0.25, 0.5, 0.75))
    print(
        f"random play: {bare:.0f} steps/s without leaves, {hung:.0f} with, ratio {hung / bare:.3f}; "
        f"of houses, median {middle:.3f}, quartiles {low:.3f} and {high:.3f}"
    )
    for laden in (False, True):
        for world, share in zip(worlds, SHARES, strict=True):
            journeys = Journeys()
            for seed in seeds:
                travel(world, seed, laden, journeys)
            print(
                f"{'laden' if laden else 'light'} journeys, leaves in {share:.0%} of doorways: {journeys}", flush=True
            )


if __name__ == "__main__":
    main()
