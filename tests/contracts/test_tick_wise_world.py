"""Contract of tick-wise worlds: a step that is played in parts, and what people see and hear of it meanwhile."""

from __future__ import annotations

import numpy as np
import pytest

from tests.contracts.tried_worlds import (
    PLAYERS,
    assert_same,
    make,
    of_tier,
    offers_snapshots,
    play,
    play_from,
    random_actions,
    ticks_of,
)
from worlds.contract import SETTER, SOLVER, WorldError
from worlds.contract.tiers import TICK_WISE


def in_parts(world, actions, seed):
    """``actions`` played a few ticks at a time, with looks at odd sizes in between."""
    rng, observed = np.random.default_rng(seed), []
    for action in actions:
        tick = 0
        while tick < ticks_of(world):
            ticks = min(int(rng.integers(1, 5)), ticks_of(world) - tick)
            world.play_ticks({agent: action[agent]["movement"][tick : tick + ticks] for agent in action})
            tick += ticks
            for agent in PLAYERS:
                assert world.view(agent, 40, 64).shape == (40, 64, 3)
        observed.append(world.end_step({agent: action[agent]["utterance"] for agent in action})[0])
    return observed


@of_tier(TICK_WISE)
def test_a_step_in_parts_is_the_whole_step_to_the_last_bit(entry):
    config, whole, world = entry.sample_config(7), make(entry), make(entry)
    actions = random_actions(whole, 3, steps=60)
    expected = play_from(whole, config, actions)
    assert_same(expected, [world.reset(options={"config": config})[0], *in_parts(world, actions, 0)])
    world.reset(options={"config": config})
    mixed = [in_parts(world, [a], 1)[0] if step % 2 else play(world, [a])[0] for step, a in enumerate(actions)]
    assert_same(expected[1:], mixed)


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
    still, ticks = {agent: world.spec(agent).action.neutral_movement() for agent in PLAYERS}, ticks_of(world)
    world.play_ticks({})
    takes_snapshots = offers_snapshots(world)  # as no tick has been played
    world.play_ticks({SETTER: still[SETTER][:1]})
    for refused in (lambda: world.step({}), *([world.snapshot] if takes_snapshots else [])):
        with pytest.raises(WorldError, match="end_step"):
            refused()
    too_many, uneven = {SETTER: still[SETTER]}, {SETTER: still[SETTER][:1], SOLVER: still[SOLVER][:2]}
    for bad in (too_many, uneven, {SOLVER: still[SOLVER][:1] + 99}, {SOLVER: "x"}):
        with pytest.raises(WorldError):
            world.play_ticks(bad)
    world.play_ticks({SETTER: still[SETTER][1:ticks]})
    with pytest.raises(WorldError, match="text"):
        world.end_step({SETTER: 3})
    assert world.step_index == 0
    world.end_step({SETTER: "now"})
    assert world.step_index == 1
    world.play_ticks({SETTER: still[SETTER][:1]})
    world.reset(seed=7)
    assert world.step({})[0][SETTER]["setter_text"] == ""
