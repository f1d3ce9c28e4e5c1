"""Setters that act and point at things: replayed as they were, and live."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pipelines.stages.executors import make_environments
from pipelines.stages.improve_config import ImproveConfig
from pipelines.stages.settings.world_config import WorldConfig
from rlhf.records.episode import Episode
from rlhf.replay.live_setter import LiveSetter
from rlhf.replay.play import Plan, ScriptedSolvers, play
from rlhf.replay.setter_replay import SetterReplay
from worlds.contract import SETTER, SOLVER, Setter
from worlds.contract.pointing import NO_THING
from worlds.errors import UserError
from worlds.household import HOUSEHOLD
from worlds.household.state.vocabulary import Verb

SETTINGS: dict[str, Any] = {"homes": ("apartment-1",), "tasks": ("put_fridge",)}


def alice(episode: Episode | None = None) -> Setter:
    return HOUSEHOLD.make_setter({"put_fridge": 1.0}, split="train", acts=True)


@pytest.fixture(scope="module")
def episode() -> Episode:
    """An episode in which Alice acts, and is helped."""
    config = HOUSEHOLD.sample_config(3, **SETTINGS)
    plan = Plan("acts", config, alice(), seed=3, steps=150, tail=2, solver=HOUSEHOLD.make_solver())
    (played,) = play(HOUSEHOLD, [HOUSEHOLD.make()], [plan], ScriptedSolvers(1), threads=1)
    assert played.setter_movement[..., 1].any() and played.success_step[0] is not None
    return played


def environment(kind: str, episode: Episode) -> SetterReplay:
    world = HOUSEHOLD.make()
    return LiveSetter(world, episode, alice, truth=True) if kind == "live" else SetterReplay(world, episode, truth=True)


@pytest.mark.parametrize("kind", ["replayed", "live"])
def test_with_the_recorded_solver_everything_is_as_it_was(kind: str, episode: Episode) -> None:
    env = environment(kind, episode)
    ends = np.cumsum(episode.seen["entity_counts"])
    seen, truth = env.reset()[0], None
    for step in range(len(episode)):
        rows = slice(ends[step] - episode.seen["entity_counts"][step], ends[step])
        np.testing.assert_array_equal(seen["entity_categories"], episode.seen["entity_categories"][rows])
        np.testing.assert_array_equal(seen["entity_values"], episode.seen["entity_values"][rows])
        assert seen["setter_text"] == episode.setter_text[step]
        seen, _, _, _, info = env.step(episode.solver_action(step))
        truth = info["truth"]
    assert truth is not None and truth.success_step == episode.success_step


def idle_to_the_end(env: SetterReplay) -> tuple[int, Any]:
    """Play with a solver that does nothing; return the steps and the last ground truth."""
    env.reset()
    nothing = env.world.spec(SOLVER).action.silent()
    for step in range(1000):
        _, _, terminated, truncated, info = env.step(nothing)
        if terminated or truncated:
            return step + 1, info["truth"]
    raise AssertionError("it never ends")


def test_a_replayed_alice_does_again_what_she_did_and_a_live_one_reaches_her_goal_alone(episode: Episode) -> None:
    steps, truth = idle_to_the_end(environment("replayed", episode))
    assert steps == len(episode)
    assert truth.success_step == (None,), "what the helper did then is missing"
    steps, truth = idle_to_the_end(environment("live", episode))
    assert steps == 250, "until the world ends, as the time of the request is not over"
    assert truth.success_step[0] > episode.success_step[0], "alone it takes her longer"


def test_a_replayed_alice_points_at_the_same_things_whatever_the_solver_does(episode: Episode) -> None:
    env = environment("replayed", episode)
    env.reset()
    world: Any = env.world
    things = env._things[episode.episode_id]
    assert things is not None
    rng, pointed = np.random.default_rng(0), 0
    for step in range(len(episode)):
        thing = int(things[step, 0, 0])
        sees = thing == NO_THING or world.pointer_to(SETTER, thing) is not None
        room = int(rng.choice(world.state.home.rooms))
        env.step({"movement": np.array([[Verb.WALK_TOWARDS, world.pointer_to(SOLVER, room), 0]]), "utterance": ""})
        verb, row, _ = world.state.acts[0]
        expected = (episode.setter_movement[step, 0, 0], thing) if sees else (Verb.WAIT, NO_THING)
        assert (verb, row) == expected
        pointed += sees and row != NO_THING
    assert pointed > 10, "most of what she did is done again"


def test_people_do_not_react(episode: Episode) -> None:
    config = ImproveConfig(world=WorldConfig(name="household").complete(), setters="live", data=())
    with pytest.raises(UserError, match="only scripted setters can react, and there are episodes of human"):
        make_environments(config, [replace(episode, setter="human")], 1)
    assert type(make_environments(replace(config, setters="replayed"), [episode], 1)[0]) is SetterReplay
