"""Play with the usual hands: states and observations are those of every earlier version.

The digests of houses of format 1 were computed before hands could do more, those of furnished houses before doors had
leaves. They are those of MuJoCo 4.0 on x86-64; elsewhere mathematical libraries differ in the last bit.
"""

from __future__ import annotations

import hashlib
import platform

import mujoco
import numpy as np
import pytest

from worlds.contract import MOVEMENT_BINS, SETTER, SOLVER, TICKS_PER_STEP, silent
from worlds.playhouse.world import Playhouse

STEPS = 150
CASES = {
    "usual": (0, {}, "443bf83e8b1b10b3cd4ac1ca59a5efb0"),
    "crowded": (
        1,
        {"rooms": (5, 5), "furniture": (10, 14), "objects": (40, 40)},
        "057d923549def3f345185fd726c1e888",
    ),
    "small": (
        2,
        {"rooms": (1, 1), "furniture": (0, 2), "objects": (6, 6), "room_size": (4.0, 4.0)},
        "9da6cdd84679913ed12e1b699b47bbd9",
    ),
    "furnished flat": (3, {"preset": "flat"}, "ec6bf66fb573a1bbcbfee32fd9d06bda"),
    "furnished house": (4, {"preset": "house"}, "d93af4a1953769059b84725908f09f63"),
}


def random_play(seed: int, steps: int) -> list[dict]:
    """Return random actions of both players, who often grab; each movement is held for two steps."""
    rng, play = np.random.default_rng(seed), []
    for step in range(steps):
        if step % 2 == 0:
            rows = rng.integers(0, MOVEMENT_BINS, size=(2, len(MOVEMENT_BINS)), dtype=np.int8)
            rows[:, 4] = rng.choice([0, 1, 2], 2, p=[0.5, 0.4, 0.1])
            movements = [np.tile(row, (TICKS_PER_STEP, 1)) for row in rows]
        play.append({SETTER: silent(movements[0]), SOLVER: silent(movements[1])})
    return play


def digest(seed: int, settings: dict) -> str:
    """Return a digest of the configuration, and of all states and observations of an episode of random play."""
    world, found = Playhouse(36, 48, views=(SETTER, SOLVER), settings=settings), hashlib.sha256()
    observations, _ = world.reset(seed=seed)
    found.update(repr(world.config).encode())
    for actions in random_play(seed, STEPS):
        for observation in observations.values():
            found.update(np.asarray(observation["image"]).tobytes())
            found.update(np.asarray(observation["previous_movement"]).tobytes())
        observations, *_ = world.step(actions)
        for player in (SETTER, SOLVER):
            avatar = world.avatar(player)
            found.update(np.array([*avatar.position, *avatar.eye, avatar.yaw, avatar.pitch]).tobytes())
            found.update(str(avatar.held).encode())
        for name, place in world.object_positions().items():
            found.update(name.encode() + place.tobytes())
    found.update(world.state.data.qpos.tobytes() + world.state.data.qvel.tobytes())
    return found.hexdigest()[:32]


@pytest.mark.skipif(
    platform.machine() != "x86_64" or not mujoco.__version__.startswith("4.0."), reason="digests of MuJoCo 4.0, x86-64"
)
@pytest.mark.parametrize("name", CASES)
def test_play_is_that_of_earlier_versions(name: str) -> None:
    seed, settings, golden = CASES[name]
    assert digest(seed, settings) == golden
