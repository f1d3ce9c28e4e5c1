"""Contract of tick-wise worlds: what people see of a step that is played in parts, and how it ends.

The trial of worlds shows that such a step is the whole one to the last bit (`test_world.py`).
"""

from __future__ import annotations

import numpy as np
import pytest

from tests.contracts.tried_worlds import make, of_tier
from worlds.contract import SETTER, SOLVER, WorldError
from worlds.contract.random_play import PLAYERS
from worlds.contract.tiers import TICK_WISE


@of_tier(TICK_WISE)
def test_views_for_people_are_those_of_the_player_and_more_frequent(entry):
    """At every tick of a step in which one component moves, whichever of them shows in this world."""
    world, most = make(entry), 0
    body = world.spec(SOLVER).action
    moves = [(column, bin) for column, part in enumerate(body.discrete) for bin in range(part.count)]
    for column, bin in moves:
        observations, _ = world.reset(seed=7)
        (height, width), movement = observations[SOLVER]["image"].shape[:2], body.neutral_movement()[:1]
        movement[0, column], seen = bin, []
        for tick in range(body.ticks):
            assert world.step_index == 0
            world.play_ticks({SOLVER: movement})
            seen.append(world.view(SOLVER, height, width))
            if tick < body.ticks - 1:
                with pytest.raises(WorldError, match="left"):
                    world.end_step({})
        most = max(most, len({picture.tobytes() for picture in seen}))
        observations = world.end_step({})[0]
        image = observations[SOLVER]["image"]
        assert np.array_equal(image, seen[-1][..., : image.shape[2]])
        assert (observations[SOLVER]["previous_movement"] == np.tile(movement, (body.ticks, 1))).all()
        if most == body.ticks:
            return
    raise AssertionError("no movement shows at every tick")


@of_tier(TICK_WISE)
def test_a_step_under_way_is_ended_or_left_and_nothing_else(entry):
    world = make(entry)
    world.reset(seed=7)
    still = {agent: world.spec(agent).action.neutral_movement() for agent in PLAYERS}
    try:
        takes_snapshots = world.snapshot() is not None
    except NotImplementedError:
        takes_snapshots = False
    world.play_ticks({SETTER: still[SETTER][:1]})
    for refused in (lambda: world.step({}), *([world.snapshot] if takes_snapshots else [])):
        with pytest.raises(WorldError, match="end_step"):
            refused()
    too_many, uneven = {SETTER: still[SETTER]}, {SETTER: still[SETTER][:1], SOLVER: still[SOLVER][:2]}
    for bad in (too_many, uneven, {SOLVER: still[SOLVER][:1] + 99}, {SOLVER: "x"}):
        with pytest.raises(WorldError):
            world.play_ticks(bad)
    world.play_ticks({SETTER: still[SETTER][1:]})
    with pytest.raises(WorldError, match="text"):
        world.end_step({SETTER: 3})
    assert world.step_index == 0
    world.end_step({SETTER: "now"})
    assert world.step_index == 1
    world.play_ticks({SETTER: still[SETTER][:1]})
    world.reset(seed=7)
    assert world.step({})[0][SETTER]["setter_text"] == ""
