"""Full hands in everything that reads movement by the declared spaces: recording, replay, snapshots, ticks."""

from __future__ import annotations

import numpy as np

from rlhf.replay.play import Plan, ScriptedSolvers, play
from rlhf.replay.setter_replay import SetterReplay
from worlds import registry
from worlds.contract import FULL_BODY, SETTER, SOLVER, TICKS_PER_STEP
from worlds.playhouse.world import Playhouse
from worlds.spaces.random_action import random_action

SMALL = {"rooms": (1, 1), "furniture": (1, 2), "objects": (5, 7)}


def busy(rng: np.random.Generator) -> dict:
    """Random actions of both players, who often grab."""
    actions = {player: random_action(FULL_BODY, rng) for player in (SETTER, SOLVER)}
    for action in actions.values():
        action["movement"][:] = action["movement"][0]
        action["movement"][:, 4] = rng.choice(4, p=[0.35, 0.5, 0.05, 0.1])
        action["utterance"] = ""
    return actions


def test_a_recorded_episode_declares_its_hands_and_replays_exactly() -> None:
    entry = registry.get("playhouse")
    plan = Plan(
        "one", entry.sample_config(3, **SMALL), entry.make_setter(), seed=5, steps=60, solver=entry.make_solver()
    )
    recording, replaying = (entry.make(height=24, width=32, hands="full") for _ in range(2))
    (episode,) = play(entry, [recording], [plan], ScriptedSolvers(1), threads=1)
    assert episode.spaces is not None and episode.spaces.setter == episode.spaces.solver.action == FULL_BODY
    replay = SetterReplay(replaying, episode)
    observation, _ = replay.reset()
    for step in range(len(episode)):
        np.testing.assert_array_equal(observation["image"], episode.image[step])
        observation, *_ = replay.step(episode.solver_action(step))


def test_snapshots_and_ticks_are_exact() -> None:
    world, rng = Playhouse(24, 32, settings=SMALL, hands="full"), np.random.default_rng(0)
    world.reset(seed=1)
    for _ in range(40):
        world.step(busy(rng))
    snapshot, rest = world.snapshot(), [busy(rng) for _ in range(30)]
    ends = []
    for by_ticks in (False, True):
        world.restore(snapshot)
        for actions in rest:
            if by_ticks:
                for tick in range(TICKS_PER_STEP):
                    world.play_ticks({player: each["movement"][tick : tick + 1] for player, each in actions.items()})
                world.end_step({})
            else:
                world.step(actions)
        ends.append((world._data.qpos.tobytes(), world._players.tobytes(), world.contacts()))
    assert ends[0] == ends[1]
