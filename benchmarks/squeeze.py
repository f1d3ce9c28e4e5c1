"""Rough play that looks for unstable physics: two players who grab what is near and run it into walls and each other.

    python -m benchmarks.squeeze --seconds 300

Houses alternate between furnished ones with 60 things and one room of 6 x 6 m with 60 things of all kinds, hands
between simple and full. Reported are steps in which the physics diverged, warnings of MuJoCo, and things that are
outside the house or under its floor.
"""

from __future__ import annotations

import math
import time
from collections import Counter

import numpy as np

from benchmarks.timing import options
from rlhf.run.machine import describe
from worlds.contract import SETTER, SOLVER, TICKS_PER_STEP, Action, WorldError
from worlds.playhouse.house.catalogue import OBJECT_KINDS
from worlds.playhouse.house.sampling import HouseSettings
from worlds.playhouse.physics import avatar
from worlds.playhouse.world import Playhouse

STEPS = 600  # of an episode
NEAR = 4  # things, of which one is looked at
CROWDED = HouseSettings(
    rooms=(1, 1), furniture=(2, 5), objects=(60, 60), room_size=(6.0, 6.0), kinds=tuple(OBJECT_KINDS), on_furniture=0.3
)
SETTINGS = (HouseSettings.of(preset="house"), CROWDED)


def rough_action(world: Playhouse, player: str, rng: np.random.Generator) -> Action:
    """Return a random movement that goes ahead and grabs, perhaps after a look at something near."""
    me, state = world.avatar(player), world.state.players[(SETTER, SOLVER).index(player)]
    if me.held is None and rng.random() < 0.7:
        places = world.object_positions()
        near = sorted(places, key=lambda name: float(np.linalg.norm(places[name] - me.eye)))[:NEAR]
        dx, dy, dz = places[near[int(rng.integers(NEAR))]] - me.eye
        state[avatar.YAW] = math.atan2(dy, dx)
        state[avatar.PITCH] = np.clip(math.atan2(dz, math.hypot(dx, dy)), avatar.PITCH_MIN, avatar.PITCH_MAX)
    counts = world.body.counts
    row = rng.integers(0, counts).astype(np.int8)
    row[avatar.FORWARD] = rng.choice(3, p=[0.15, 0.15, 0.7])
    row[avatar.TURN] = rng.choice(5, p=[0.2, 0.1, 0.4, 0.1, 0.2])
    hands = [0.25, 0.7, 0.05] if counts[avatar.HAND] == 3 else [0.24, 0.7, 0.03, 0.03]
    row[avatar.HAND] = rng.choice(len(hands), p=hands)
    return {"movement": np.tile(row, (TICKS_PER_STEP, 1)), "utterance": ""}


def play(seed: int, found: Counter[str]) -> None:
    """Play one episode, and count steps and what is wrong."""
    world = Playhouse(8, 8, views=(), settings=SETTINGS[seed % 2], hands="full" if seed % 3 else "simple")
    world.reset(seed=seed)
    rng, actions = np.random.default_rng(seed), {}
    for _ in range(STEPS):
        for player in (SETTER, SOLVER):
            if player not in actions or rng.random() < 0.2:
                actions[player] = rough_action(world, player, rng)
        try:
            world.step(actions)
        except WorldError as error:
            found[f"seed {seed}: {error}"] += 1
            return
        found["steps"] += 1
    for name, place in world.object_positions().items():
        if world.room_at(place) is None or place[2] < -0.01:
            found[f"outside the house: {world.house.objects_by_id[name].kind}"] += 1
    found["warnings"] += sum(int(warning.number) for warning in world.state.data.warning)


def main() -> None:
    arguments = options(__doc__, seconds=300.0, first_seed=0)
    found, seed, end = Counter[str](), arguments.first_seed, time.perf_counter() + arguments.seconds
    while time.perf_counter() < end:
        try:
            play(seed, found)
        except WorldError as error:  # no place for 60 things
            found[str(error)] += 1
        seed += 1
    print(f"{describe()}; seeds {arguments.first_seed} to {seed - 1}")
    for what, times in found.most_common():
        print(f"{times:8d} {what}")


if __name__ == "__main__":
    main()
