"""Unstable steps of the physics: they are found, and end their episode only."""

from __future__ import annotations

import numpy as np
import pytest

from rlhf.replay.guard import FAILURE, Guard
from rlhf.replay.play import Plan, ScriptedSolvers, play
from worlds import registry
from worlds.contract import SOLVER, WorldError, neutral_movement
from worlds.playhouse.world import Playhouse

SMALL = {"rooms": (1, 1), "furniture": (1, 2), "objects": (5, 7)}


class Fragile(Playhouse):
    """A Playhouse whose physics gives up at step 10 of its first episode."""

    broken = False

    def advance(self, movement: np.ndarray, first: int, last: int) -> None:
        if self.step_index == 10 and not Fragile.broken:
            Fragile.broken = True
            self.state.data.qvel[:] = np.nan
        super().advance(movement, first, last)


def test_an_unstable_step_ends_its_episode_which_is_labelled_and_the_others_are_played() -> None:
    entry, failures = registry.get("playhouse"), []
    setter, solver = entry.make_setter, entry.make_solver
    plans = [
        Plan(f"{i}", entry.sample_config(i, **SMALL), setter(), seed=i, steps=20, solver=solver()) for i in range(3)
    ]
    Fragile.broken = False
    guard = Guard(failures.append, None)
    episodes = list(play(entry, [Fragile(24, 32)], plans, ScriptedSolvers(1), threads=1, guard=guard))
    assert [len(episode) for episode in episodes] == [10, 20, 20]
    assert "the physics diverged at step 10" in episodes[0].notes[FAILURE]
    assert all(FAILURE not in episode.notes for episode in episodes[1:])
    assert len(failures) == 1


def test_an_unstable_tick_early_in_the_first_step_is_found() -> None:
    """MuJoCo starts again from time 0, and the rest of the step is longer than what was played before it."""
    world, still = Playhouse(8, 8, settings=SMALL), neutral_movement()
    world.reset(seed=0)
    world.play_ticks({SOLVER: still[:1]})
    world.state.data.qvel[0] = 1e12
    with pytest.raises(WorldError, match="the physics diverged at step 0"):
        world.play_ticks({SOLVER: still[1:]})
    world.reset(seed=0)
    world.step({})
