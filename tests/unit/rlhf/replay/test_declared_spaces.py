"""Play and setter replay in worlds with a grid, with things to point at, and with continuous actions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from agents.tokenizer import Tokenizer
from agents.utterances import decode_utterance
from rlhf.records.episode import Episode
from rlhf.replay import setter_replay
from rlhf.replay.fragment import concatenate
from rlhf.replay.play import Plan, ScriptedSolvers, play
from rlhf.replay.runner import Runner
from rlhf.replay.setter_replay import RecordedSetter, SetterReplay
from rlhf.replay.slot import Slot
from tests import small_worlds
from tests.unit.rlhf import tiny_agent
from worlds import registry
from worlds.spaces.description import to_json

small_worlds.register()
NAMES = tuple(small_worlds.WORLDS)


def recorded(name: str, seed: int = 0, perfect: bool = False, steps: int = 20) -> Episode:
    entry = registry.get(name)
    setter = entry.make_setter(tasks={"reach": 1.0}, split="train", pause=(2, 4))
    solver = entry.make_solver(perfect=perfect)
    plan = Plan(f"{name}-{seed}", entry.sample_config(seed), setter, seed=seed, steps=steps, solver=solver)
    (episode,) = play(entry, [entry.make()], [plan], ScriptedSolvers(1), threads=1)
    return episode


@pytest.mark.parametrize("name", NAMES)
def test_recorded_setters_ask_another_solver_again(name: str):
    entry, episode = registry.get(name), recorded(name)
    plan = Plan("again", episode.config, RecordedSetter(episode), seed=0, steps=len(episode))
    (other,) = play(entry, [entry.make()], [plan], ScriptedSolvers(1), threads=1)
    assert other.setter_utterance == episode.setter_utterance
    assert set(other.utterance) == {""} and other.spaces == episode.spaces


def runner(name: str, seed: int = 3, **settings: Any) -> Runner:
    recordings = [recorded(name, number, steps=6 + number) for number in range(3)]
    slots = [SetterReplay(registry.get(name).make(), recordings[0], truth=True) for _ in range(2)]
    words = Tokenizer.train({*small_worlds.WORLDS[name].goals, "I see nothing"}, 280)
    player = tiny_agent.agent(spaces=to_json(small_worlds.WORLDS[name].solver_spec))
    return Runner(player, words, player, None, slots, recordings, steps=7, seed=seed, **settings)


@pytest.mark.parametrize("name", NAMES)
def test_fragments_hold_what_was_seen_and_done(name: str):
    playing = runner(name)
    fragments = [playing.sample() for _ in range(2)]
    spec, columns = small_worlds.WORLDS[name].solver_spec, playing._config.columns
    for fragment in fragments:
        fragment.check(playing._config)
        arrays = fragment.arrays()
        assert ("image" in arrays, "grid" in arrays) == (False, name == "small-grid")
        before = fragment.movement[:-2][~fragment.resets[1:-1]]
        np.testing.assert_array_equal(fragment.observations.previous_movement[1:-1][~fragment.resets[1:-1]], before)
        assert (fragment.movement[-1] == columns.neutral()).all()
        assert fragment.movement_log_prob[:-1].max() < 0
        if spec.action.masked:
            ends = np.cumsum(columns.counts)
            chosen = (ends - columns.counts) + fragment.movement[:-1, :, 0]
            legal = fragment.observations.legal
            assert legal is not None and np.take_along_axis(legal[:-1], chosen, axis=2).all()


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

    def listen(slot: Slot, action: Any) -> float:
        heard.setdefault(slot.index, []).append(action["utterance"])
        return act(slot, action)

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


def test_fragments_of_other_spaces_do_not_fit_side_by_side():
    with pytest.raises(ValueError, match="other observations do not fit"):
        concatenate([runner("small-grid").sample(), runner("small-arm").sample()])
