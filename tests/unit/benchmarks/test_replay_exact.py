"""Random play of both players with full hands in furnished houses, exactly again."""

from __future__ import annotations

import pytest

from benchmarks.replay_exact import compare
from worlds.playhouse.house.sampling import HouseSettings
from worlds.playhouse.world import Playhouse


@pytest.mark.parametrize(("preset", "seed"), [("flat", 0), ("house", 1)])
def test_a_minute_is_replayed_to_the_last_bit(preset: str, seed: int) -> None:
    assert compare(225, HouseSettings.of(preset=preset), seed) == "exact"


def test_a_difference_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A world that once moves a thing by a tenth of a micrometre when it is played again."""
    step, steps = Playhouse.step, iter(range(10_000))

    def disturbed(world: Playhouse, actions: dict) -> tuple:
        if next(steps) == 25:
            world.state.data.qpos[world.state.scene.object_qpos[0]] += 1e-7
        return step(world, actions)

    monkeypatch.setattr(Playhouse, "step", disturbed)
    assert compare(20, HouseSettings.of(preset="flat"), 0) == "differs at step 5 of episode 0"
