"""Exact replay of random episodes: both players move, with full hands, in furnished houses.

    python -m benchmarks.replay_exact --episodes 1000

Every episode is played for five minutes and then again in another world, from the configuration and the actions alone.
At every step the bits of all positions, velocities, gazes and hands are compared, at every hundredth also the pictures
of both players. An episode that the physics ends is counted, and has to end at the same step again.
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from benchmarks.timing import options
from benchmarks.world import random_play
from rlhf.run.machine import describe
from worlds.contract import SETTER, SOLVER, WorldError
from worlds.contract.tick_world import FIVE_MINUTES
from worlds.playhouse.house.sampling import HouseSettings
from worlds.playhouse.world import Playhouse

SEEN_EVERY = 100  # steps


def digests(config: dict[str, Any], seed: int, steps: int) -> Iterator[str]:
    """Yield a digest of the state after every step of an episode, or what the world refuses it with."""
    world = Playhouse(36, 48, views=(), max_steps=steps, hands="full")
    world.reset(options={"config": config})
    for step, actions in enumerate(random_play(seed, steps, world.body)):
        try:
            world.step(actions)
        except WorldError as error:
            yield str(error)
            return
        data, found = world.state.data, hashlib.blake2b(digest_size=16)
        for values in (data.qpos, data.qvel, world.state.players, world.state.touched):
            found.update(values.tobytes())
        if step % SEEN_EVERY == 0:
            found.update(b"".join(world.draw(player, 36, 48).tobytes() for player in (SETTER, SOLVER)))
        yield found.hexdigest()


def compare(steps: int, settings: HouseSettings, seed: int) -> str:
    """Return "exact", "exact, ended early", or the step at which the replay of an episode differs."""
    config = Playhouse(36, 48, views=(), settings=settings).sample(seed)
    played = list(digests(config, seed, steps))
    again = list(digests(config, seed, steps))
    if played != again:
        step = next((i for i, pair in enumerate(zip(played, again, strict=False)) if pair[0] != pair[1]), len(played))
        return f"differs at step {step} of episode {seed}"
    return "exact" if len(played) == steps and " " not in played[-1] else f"exact, {played[-1]}"


def main() -> None:
    arguments = options(__doc__, episodes=1000, steps=FIVE_MINUTES, threads=2, preset="house")
    one, start = partial(compare, arguments.steps, HouseSettings.of(preset=arguments.preset)), time.perf_counter()
    with ThreadPoolExecutor(arguments.threads) as pool:
        found = Counter(pool.map(one, range(arguments.episodes)))
    print(f"{describe()}; {time.perf_counter() - start:.0f} s on {arguments.threads} threads")
    for outcome, episodes in found.most_common():
        print(f"{episodes:6d} of {arguments.episodes} episodes of {arguments.steps} steps: {outcome}")


if __name__ == "__main__":
    main()
