"""Play and setter replay in worlds with a grid, with things to point at, and with continuous actions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from agents.agent import InteractiveAgent
from agents.columns import action_columns, observation_columns
from agents.tokenizer import Tokenizer
from agents.utterances import decode_utterance
from rlhf.records.episode import Episode
from rlhf.replay import setter_replay
from rlhf.replay.fragment import PER_SLOT, concatenate, take
from rlhf.replay.packing import pack_fragment, unpack_fragment
from rlhf.replay.play import Plan, ProbeSetter, ScriptedSolvers, play
from rlhf.replay.runner import Runner
from rlhf.replay.setter_replay import RecordedSetter, SetterReplay, replay_steps
from rlhf.replay.slot import Slot
from tests import small_worlds
from tests.unit.rlhf import tiny_agent
from worlds import registry
from worlds.contract import SOLVER
from worlds.registry import WorldEntry
from worlds.spaces.description import to_json
from worlds.spaces.observation import PlayerSpec

small_worlds.register()
NAMES = tuple(small_worlds.WORLDS)


def recorded(name: str, seed: int = 0, perfect: bool = False, steps: int = 20) -> Episode:
    entry = registry.get(name)
    setter = entry.make_setter(tasks={"reach": 1.0}, split="train", pause=(2, 4))
    solver = entry.make_solver(perfect=perfect)
    plan = Plan(f"{name}-{seed}", entry.sample_config(seed), setter, seed=seed, steps=steps, solver=solver)
    (episode,) = play(entry, [entry.make()], [plan], ScriptedSolvers(1), threads=1)
    return episode


def asked_once(entry: WorldEntry, seed: int, tail: int) -> Episode:
    config, world = entry.sample_config(seed), entry.make()
    world.reset(seed=seed, options={"config": config})
    spec = entry.probe("reach", world, seed, "train")
    assert spec is not None
    setter, solver = ProbeSetter(spec, entry.make_task(spec)), entry.make_solver(perfect=True)
    plan = Plan("once", config, setter, seed=seed, steps=40, tail=tail, solver=solver)
    (episode,) = play(entry, [world], [plan], ScriptedSolvers(1), threads=1)
    return episode


def same_observation(spec: PlayerSpec, seen: Any, episode: Episode, step: int) -> bool:
    """Return True if ``seen`` is the recorded observation of ``step``, to the last bit."""
    expected = {name: values[step] for name, values in episode.seen.items() if not name.startswith("entity")}
    if spec.observation.entities is not None:
        ends = np.cumsum(episode.seen["entity_counts"])
        rows = slice(ends[step] - episode.seen["entity_counts"][step], ends[step])
        expected |= {name: episode.seen[name][rows] for name in ("entity_categories", "entity_values")}
    expected["previous_movement"] = episode.previous_movement()[step]
    continuous = episode.previous_continuous()
    if continuous is not None:
        expected["previous_continuous"] = continuous[step]
    texts = {"setter_text": episode.setter_text[step], "solver_text": episode.solver_text[step]}
    texts |= {name: values[step] for name, values in episode.texts.items()}
    assert seen.keys() == expected.keys() | texts.keys()
    for key, array in expected.items():
        np.testing.assert_array_equal(seen[key], array, err_msg=key, strict=True)
    return all(seen[name] == text for name, text in texts.items())


@pytest.mark.parametrize("name", NAMES)
def test_worlds_keep_what_they_declare(name: str):
    entry = registry.get(name)
    world = entry.make()
    spec = world.spec(SOLVER)
    for seed in range(5):
        observations, _ = world.reset(seed=seed, options={"config": entry.sample_config(seed)})
        solver = entry.make_solver(perfect=True)
        solver.reset(world, seed)
        for _ in range(5):
            spec.check_observation(observations[SOLVER])
            observations, *_ = world.step({SOLVER: solver.act(observations[SOLVER])})


@pytest.mark.parametrize("name", NAMES)
def test_episodes_hold_the_declared_spaces_and_the_demonstrator_succeeds(name: str):
    episode = recorded(name, perfect=True)
    assert episode.spaces is not None and episode.spaces.solver == small_worlds.WORLDS[name].solver_spec
    assert episode.image is None and not episode.spaces.setter.components
    assert episode.requests and episode.success_step[0] is not None
    assert (episode.continuous is not None) == (name == "small-arm")
    assert any(episode.utterance) == (name != "small-arm"), "the arm cannot speak"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(3))
def test_the_recorded_solver_gets_its_observations_again(name: str, seed: int):
    episode = recorded(name, seed)
    env = SetterReplay(registry.get(name).make(), episode, truth=True)
    seen, _ = env.reset()
    info: dict[str, Any] = {}
    for step in range(len(episode)):
        assert same_observation(small_worlds.WORLDS[name].solver_spec, seen, episode, step)
        seen, _, _, _, info = env.step(episode.solver_action(step))
    assert info["truth"].success_step == episode.success_step


def test_a_setter_that_only_speaks_waits_until_the_time_of_its_request_is_over():
    entry = registry.get("small-grid")
    episode = asked_once(entry, seed=1, tail=0)
    assert len(episode) < small_worlds.LIMIT == replay_steps(episode), "the demonstrator was faster"
    env = SetterReplay(entry.make(), episode)
    env.reset()
    still = small_worlds.SmallGrid.solver_spec.action.silent()
    over = [env.step(still)[3] for _ in range(small_worlds.LIMIT)]
    assert over == [False] * (small_worlds.LIMIT - 1) + [True]


def test_what_a_player_cannot_say_is_silence():
    env = SetterReplay(registry.get("small-things").make(), recorded("small-things"))
    env.reset()
    still: Any = small_worlds.SmallThings.solver_spec.action.silent()
    seen, *_ = env.step(still | {"utterance": "I do not know"})
    assert seen["solver_text"] == ""
    seen, *_ = env.step(still | {"utterance": "I see a cup"})
    assert seen["solver_text"] == "I see a cup"


@pytest.mark.parametrize("name", NAMES)
def test_recorded_setters_ask_another_solver_again(name: str):
    entry, episode = registry.get(name), recorded(name)
    plan = Plan("again", episode.config, RecordedSetter(episode), seed=0, steps=len(episode))
    (other,) = play(entry, [entry.make()], [plan], ScriptedSolvers(1), threads=1)
    assert other.setter_utterance == episode.setter_utterance
    assert set(other.utterance) == {""} and other.spaces == episode.spaces


def agent_for(name: str, seed: int = 0) -> InteractiveAgent:
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        made = InteractiveAgent(tiny_agent.config(spaces=to_json(small_worlds.WORLDS[name].solver_spec)))
    return made.eval()


def runner(name: str, seed: int = 3, **settings: Any) -> Runner:
    recordings = [recorded(name, number, steps=6 + number) for number in range(3)]
    slots = [SetterReplay(registry.get(name).make(), recordings[0], truth=True) for _ in range(2)]
    words = Tokenizer.train({*small_worlds.WORLDS[name].goals, "I see nothing"}, 280)
    player = agent_for(name)
    return Runner(player, words, player, None, slots, recordings, steps=7, seed=seed, **settings)


@pytest.mark.parametrize("name", NAMES)
def test_fragments_hold_what_was_seen_and_done(name: str):
    playing = runner(name)
    fragments = [playing.sample() for _ in range(2)]
    spec, columns = small_worlds.WORLDS[name].solver_spec, playing._config.columns
    table = observation_columns(playing._config) | action_columns(playing._config)
    for fragment in fragments:
        arrays = fragment.arrays()
        assert {key: (array.dtype, array.shape[2:]) for key, array in arrays.items() if key in table} == {
            key: (np.dtype(dtype), shape) for key, (dtype, shape) in table.items()
        }
        assert ("image" in arrays, "grid" in arrays) == (False, name == "small-grid")
        before = fragment.movement[:-2][~fragment.resets[1:-1]]
        np.testing.assert_array_equal(fragment.previous_movement[1:-1][~fragment.resets[1:-1]], before)
        assert (fragment.movement[-1] == columns.neutral()).all()
        assert fragment.movement_log_prob[:-1].max() < 0
        if spec.action.masked:
            ends = np.cumsum(columns.counts)
            chosen = (ends - columns.counts) + fragment.movement[:-1, :, 0]
            assert fragment.legal is not None and np.take_along_axis(fragment.legal[:-1], chosen, axis=2).all()


def test_replays_that_share_what_setters_pointed_at_look_once_for_each_episode(monkeypatch: pytest.MonkeyPatch):
    looked, look = list[str](), setter_replay.things_pointed_at
    monkeypatch.setattr(
        setter_replay, "things_pointed_at", lambda world, e: looked.append(e.episode_id) or look(world, e)
    )
    recordings, things = [recorded("small-things", seed) for seed in range(2)], dict[str, np.ndarray | None]()
    for _ in range(3):
        replay = SetterReplay(registry.get("small-things").make(), recordings[0], things=things)
        for episode in recordings:
            replay.reset(options={"episode": episode})
    assert looked == [episode.episode_id for episode in recordings]


def test_the_world_hears_the_sentences_of_a_grammar(monkeypatch: pytest.MonkeyPatch):
    playing, heard, act = runner("small-things"), dict[int, list[str]](), Slot.act

    def listen(slot: Slot, movement: np.ndarray, said: str, *rest: Any) -> float:
        heard.setdefault(slot.index, []).append(said)
        return act(slot, movement, said, *rest)

    monkeypatch.setattr(Slot, "act", listen)
    fragments = [playing.sample() for _ in range(20)]
    utterances = np.concatenate([fragment.utterance[:-1] for fragment in fragments])
    acted = np.concatenate([fragment.to_tensors().acted.numpy() for fragment in fragments])
    action = small_worlds.WORLDS["small-things"].solver_spec.action
    assert utterances[..., 0].any(), "it never spoke"
    for slot, texts in heard.items():
        for words, text in zip(utterances[acted[:, slot], slot].tolist(), texts, strict=True):
            assert text == (decode_utterance(words, playing._tokenizer, playing._config) if words[0] else "")
            assert action.spoken(text) == text


@pytest.mark.parametrize("name", NAMES)
def test_a_resumed_runner_plays_what_it_would_have_played(name: str):
    playing = runner(name)
    playing.sample()
    state = playing.state_dict()
    ahead = playing.sample().arrays()
    resumed = runner(name, seed=9)
    resumed.load_state_dict(state)
    assert all(np.array_equal(array, ahead[key]) for key, array in resumed.sample().arrays().items())


@pytest.mark.parametrize("name", NAMES)
def test_fragments_are_packed_joined_and_divided(name: str):
    fragment = runner(name).sample()
    both = concatenate([take(fragment, slice(1, 2)), unpack_fragment(pack_fragment(fragment))])
    for key, array in both.arrays().items():
        axis = 0 if key in PER_SLOT else 1
        own = fragment.arrays()[key]
        np.testing.assert_array_equal(array, np.concatenate([own.take([1], axis), own], axis))


def test_fragments_of_other_spaces_do_not_fit_side_by_side():
    with pytest.raises(ValueError, match="other observations do not fit"):
        concatenate([runner("small-grid").sample(), runner("small-arm").sample()])
