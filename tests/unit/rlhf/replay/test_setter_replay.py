"""Setter replay: exact where the solver repeats itself, free where it does not, and silent about the truth."""

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from rlhf.records.episode import Episode
from rlhf.replay.play import Plan, ScriptedSolvers, play
from rlhf.replay.setter_replay import EpisodeSampler, ReplayTruth, SetterReplay
from tests.unit.rlhf import tiny_world
from tests.unit.rlhf.tiny_world import TinyWorld, record
from worlds import registry
from worlds.contract import World, silent
from worlds.errors import UserError


@pytest.fixture(autouse=True)
def tiny():
    tiny_world.register()


def playhouse() -> tuple[Episode, World]:
    entry = registry.get("playhouse")
    config = entry.sample_config(3, rooms=(1, 1), furniture=(0, 1), objects=(3, 5))
    plan = Plan("one", config, entry.make_setter(), seed=5, steps=40, solver=entry.make_solver())
    recording, replaying = (entry.make(height=24, width=32) for _ in range(2))
    (episode,) = play(entry, [recording], [plan], ScriptedSolvers(1), threads=1)
    assert episode.requests and len(np.unique(episode.image[:, 0], axis=0)) > 5
    return episode, replaying


def tiny_play() -> tuple[Episode, World]:
    world = TinyWorld()
    world.reset(seed=99)
    world.step({"setter": silent(), "solver": silent()})  # what the world played before is of no consequence
    return record(1, 25, requests=((1, 3), (9, 5))), world


@pytest.mark.parametrize("made", [playhouse, tiny_play])
def test_the_recorded_solver_gets_its_observations_again(made):
    episode, world = made()
    env = SetterReplay(world, episode, truth=made is playhouse)
    if made is playhouse:
        check_env(env, skip_render_check=True)
    observation, _ = env.reset()
    for step in range(len(episode)):
        np.testing.assert_array_equal(observation["image"], episode.image[step])
        said = (observation["setter_text"], observation["solver_text"])
        assert said == (episode.setter_text[step], episode.solver_text[step])
        np.testing.assert_array_equal(observation["previous_movement"], episode.previous_movement()[step])
        observation, _, terminated, truncated, info = env.step(episode.solver_action(step))
        assert not terminated and truncated == (step == len(episode) - 1)
    assert (info["truth"].success_step == episode.success_step) if made is playhouse else info == {}


def test_the_setter_does_as_recorded_whatever_the_solver_does():
    episode = record(1, 20)
    env = SetterReplay(TinyWorld(), episode)
    observation, _ = env.reset()
    still = observation["image"][..., 1]
    for step in range(19):
        observation, *_ = env.step(silent())
        np.testing.assert_array_equal(observation["image"][..., 0] == 255, episode.image[step + 1][..., 0] == 255)
        assert observation["setter_text"] == episode.setter_text[step + 1]
    assert observation["image"][..., 1].argmax() == still.argmax()  # while the solver stood still


def test_ground_truth_follows_the_requests_as_they_are_made():
    episode = record(4, 12, requests=((2, 3), (6, 3)))
    env = SetterReplay(TinyWorld(), episode, truth=True)
    _, info = env.reset()
    assert info == {"truth": ReplayTruth()}
    world: TinyWorld = env.world  # type: ignore[assignment]
    expected: dict[int, int | None] = {}
    for step in range(12):
        move = silent()
        if world.column("solver") != 3:
            move["movement"][0, 1] = 2
        _, reward, _, _, info = env.step(move)
        current = 6 if step >= 6 else 2
        fulfilled = step >= 2 and world.column("solver") == 3 and expected.get(current) is None
        if step in (2, 6):
            expected[step] = None
        if fulfilled:
            expected[current] = step
        assert reward == float(fulfilled)
        assert info["truth"].success_step == tuple(expected.values())
    assert info["truth"].success_step[1] == 6  # it stood there already when it was asked again


def test_options_choose_the_episode_and_cut_it_short():
    first, second = record(0, 9), record(1, 9)
    env = SetterReplay(TinyWorld(), first)
    observation, _ = env.reset(options={"episode": second, "steps": 2})
    np.testing.assert_array_equal(observation["image"], second.image[0])
    assert [env.step(silent())[3] for _ in range(2)] == [False, True]
    with pytest.raises(RuntimeError, match="reset it first"):
        env.step(silent())
    with pytest.raises(ValueError, match="at least one step"):
        env.reset(options={"steps": 0})


def test_the_sampler_repeats_its_episodes_and_resumes():
    episodes = [record(seed, 3) for seed in range(5)]
    sampler = EpisodeSampler(episodes, seed=0)
    rounds = [[sampler.next().episode_id for _ in range(5)] for _ in range(3)]
    assert all(sorted(one) == sorted(e.episode_id for e in episodes) for one in rounds)
    assert len({tuple(one) for one in rounds}) > 1
    sampler.next()
    state = sampler.state_dict()
    ahead = [sampler.next().episode_id for _ in range(12)]
    resumed = EpisodeSampler(episodes, seed=7)
    resumed.load_state_dict(state)
    assert [resumed.next().episode_id for _ in range(12)] == ahead
    del state["play"]  # an older version's
    older = EpisodeSampler(episodes, seed=7)
    older.load_state_dict(state)
    assert [older.next().episode_id for _ in range(12)] == ahead
    with pytest.raises(ValueError, match="no episodes"):
        EpisodeSampler([], seed=0)


@pytest.mark.parametrize(
    ("seeds", "said"),
    [
        ((0, 1, 2, 3), "5 episodes, 15 steps then, 4 episodes, 12 steps now; put the datasets back as they were"),
        ((0, 1, 2, 3, 9), "5 episodes, 15 steps then, as many now, but others; put the datasets back as they were"),
        ((1, 0, 2, 3, 4), "as many now, but others"),
    ],
)
def test_the_sampler_is_not_resumed_with_other_episodes(seeds: tuple[int, ...], said: str):
    state = EpisodeSampler([record(seed, 3) for seed in range(5)], seed=0).state_dict()
    with pytest.raises(UserError, match=f"differs from that which the run was learning from: .*{said}"):
        EpisodeSampler([record(seed, 3) for seed in seeds], seed=0).load_state_dict(state)
