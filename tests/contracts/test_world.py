"""Contract of worlds, by the tier that each declares: ours, small ones in other spaces, and those of others.

A world of a higher tier passes the tests of all lower ones.
"""

from __future__ import annotations

import inspect
import json
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import parallel_api_test

from tests import small_worlds
from tests.contracts.tried_worlds import (
    PICTURED,
    PLAYERS,
    SMALL,
    TIERS,
    assert_same,
    make,
    of_tier,
    offers_snapshots,
    play,
    play_from,
    random_actions,
    silent,
)
from tests.sharing import assert_nothing_shared
from worlds import registry
from worlds.checks.trial import WorldReport, try_world
from worlds.contract import SETTER, SOLVER, TickWise, World, WorldError
from worlds.contract.random_play import fitted
from worlds.contract.tiers import EXACT, NAMES, RECORDED, SEEDED, TICK_WISE
from worlds.spaces.action import Continuous, Discrete, FreeText, Grammar, Pointer
from worlds.spaces.random_action import random_action, words_of


@of_tier(SEEDED)
def test_parallel_api(entry):
    parallel_api_test(Sampling(make(entry)), num_cycles=60)


class Sampling:
    """A world whose spaces of actions draw only what can be played.

    Samples of Gymnasium's own spaces point at things that are not there, and say words that no grammar has.
    """

    def __init__(self, world):
        self._world, self._rng, self._seen = world, np.random.default_rng(0), None
        self._spaces = {agent: SampledSpace(self, agent) for agent in PLAYERS}

    def __getattr__(self, name):
        return getattr(self._world, name)

    def action_space(self, agent):
        return self._spaces[agent]

    def reset(self, **options):
        self._seen, infos = self._world.reset(**options)
        return self._seen, infos

    def step(self, actions):
        self._seen, *others = self._world.step(actions)
        return self._seen, *others

    def sample(self, agent):
        spec, there = self._world.spec(agent).action, len(self._seen[agent].get("entity_values", ()))
        action = random_action(spec, self._rng, entities=there)
        space = self._world.action_space(agent)
        assert space is self._world.action_space(agent) and space.contains(action)
        return action | {"utterance": words_of(spec.speech, "some words")}


class SampledSpace:
    """The space of actions of one player of a :class:`Sampling`."""

    def __init__(self, world, agent):
        self._world, self._agent = world, agent

    def sample(self):
        return self._world.sample(self._agent)


@of_tier(SEEDED)
def test_observations_lie_in_their_space(entry):
    world = make(entry)
    observations, _ = world.reset(seed=3)
    for observation in [observations, *play(world, random_actions(world, 0))]:
        for agent in PLAYERS:
            assert world.observation_space(agent).contains(observation[agent])
            world.spec(agent).check_observation(observation[agent])


@of_tier(RECORDED)
def test_actions_lie_in_their_space(entry):
    world = make(entry)
    for action in random_actions(world, 0, steps=5):
        for agent in PLAYERS:
            world.spec(agent).action.check(action[agent])
            assert world.action_space(agent).contains(action[agent])


@of_tier(SEEDED)
def test_config_survives_json_and_rebuilds_the_place(entry):
    config = entry.sample_config(5)
    text = json.dumps(config)
    world = make(entry)
    world.reset(options={"config": json.loads(text)})
    assert json.dumps(world.config) == text
    world.step({})
    assert json.dumps(world.config) == text, "the configuration is that of the beginning"


@of_tier(SEEDED)
def test_same_seed_same_place_and_seeds_differ(entry):
    assert entry.sample_config(5) == entry.sample_config(5)
    assert entry.sample_config(5) != entry.sample_config(6)
    world = make(entry)
    world.reset(seed=5)
    first = world.config
    world.reset()
    assert world.config != first, "without a seed the next place is another"
    world.reset(seed=5)
    assert world.config == first


@of_tier(EXACT)
def test_replay_is_exact_whatever_was_played_before(entry):
    config, world = entry.sample_config(7), make(entry)
    actions = random_actions(world, 0)
    first = play_from(world, config, actions)
    world.reset(seed=11)
    play(world, random_actions(world, 1, steps=13))
    assert_same(first, play_from(world, config, actions))
    assert_same(first, play_from(make(entry), config, actions))
    arrays = world.spec(SOLVER).observation.arrays()
    assert any(not np.array_equal(first[0][SOLVER][key], o[SOLVER][key]) for key in arrays for o in first), "no change"


@of_tier(EXACT)
def test_restoring_a_snapshot_is_exact_in_any_world_any_number_of_times(entry):
    config, world, other = entry.sample_config(8), make(entry), make(entry)
    actions = random_actions(world, 2)
    world.reset(options={"config": config})
    if not offers_snapshots(world):
        pytest.skip(f"{entry.name} offers no snapshots")
    before = min(15, len(play(world, actions)) // 2)
    world.reset(options={"config": config})
    said = play(world, actions[:before])[-1][SOLVER]["setter_text"]
    here, step = world.snapshot(), world.step_index
    future = play(world, actions[before:])
    other.reset(seed=1)
    for restored in (world, world, other):
        observations = restored.restore(here)
        assert restored.step_index == step
        assert {o["setter_text"] for o in observations.values()} == {said}
        assert_same(future, play(restored, actions[before:]))


@of_tier(SEEDED)
def test_both_players_hear_an_utterance_at_the_next_step(entry):
    world = make(entry)
    observations, _ = world.reset(seed=0)
    assert {(o["setter_text"], o["solver_text"]) for o in observations.values()} == {("", "")}
    words = words_of(world.spec(SOLVER).action.speech, "yes, a duck")
    asked = silent(world, SETTER) | {"utterance": "lift the duck"}
    heard = play(
        world, [{SETTER: asked}, {SETTER: silent(world, SETTER), SOLVER: silent(world) | {"utterance": words}}, {}]
    )
    for agent in PLAYERS:
        assert [o[agent]["setter_text"] for o in heard] == ["lift the duck"] * 3
        assert [o[agent]["solver_text"] for o in heard] == ["", words, words]


@of_tier(SEEDED)
def test_long_utterances_are_cut(entry):
    world = make(entry)
    observations, _ = world.reset(seed=0)
    for agent in PLAYERS:
        speech = world.spec(agent).action.speech
        long = "x" * (speech.most_chars + 5) if isinstance(speech, FreeText) else ""
        observations, *_ = world.step({agent: silent(world, agent) | {"utterance": long}})
        assert {o[f"{agent}_text"] for o in observations.values()} == {long[:-5]}


@of_tier(SEEDED)
def test_the_previous_action_is_the_players_own(entry):
    world = make(entry)
    action: Any = fitted(world, random_actions(world, 4, steps=1)[0], world.reset(seed=0)[0])
    observations, *_ = world.step(action)
    for agent in PLAYERS:
        assert observations[agent]["previous_movement"].dtype == world.spec(agent).action.dtype
        for name in ("movement", "continuous"):
            assert np.array_equal(observations[agent].get(f"previous_{name}"), action[agent].get(name))


@of_tier(SEEDED)
def test_observations_do_not_change_afterwards(entry):
    world = make(entry)
    world.reset(seed=9)
    kept = play(world, random_actions(world, 5, steps=6))
    copies = [{a: {k: np.copy(v) for k, v in o[a].items()} for a in PLAYERS} for o in kept]
    play(world, random_actions(world, 6, steps=6))
    assert_same(copies, kept)


@of_tier(SEEDED)
def test_no_two_calls_return_the_same_object(entry):
    world = make(entry)
    returned = [world.reset(seed=9)]
    for action in random_actions(world, 5, steps=6):
        if world.agents:
            observations, *_, infos = world.step(fitted(world, action, returned[-1][0]))
            returned.append((observations, infos))
    assert_nothing_shared([*returned, world.reset(seed=9)])


@of_tier(SEEDED)
def test_truncated_at_max_steps(entry):
    if "max_steps" not in inspect.signature(entry.make).parameters:
        pytest.skip(f"{entry.name} has no option max_steps; its own length of an episode is its business")
    world = make(entry, max_steps=3)
    world.reset(seed=0)
    for step in range(1, 4):
        _, rewards, terminated, truncated, _ = world.step({})
        assert world.step_index == step
        assert truncated == dict.fromkeys(PLAYERS, step == 3)
        assert terminated == dict.fromkeys(PLAYERS, False)
        assert rewards == dict.fromkeys(PLAYERS, 0.0), "agents are never given the ground truth as reward"
    assert world.agents == []
    with pytest.raises(WorldError, match="reset"):
        world.step({})


@of_tier(RECORDED)
def test_a_foreign_configuration_is_refused_in_one_line(entry):
    for config in ({}, {"format": "unheard-of"}, [], "house", 3):
        with pytest.raises(WorldError) as caught:
            make(entry).reset(options={"config": config})
        assert str(caught.value) and "\n" not in str(caught.value)


@of_tier(RECORDED)
def test_the_trial_finds_the_tier_that_is_declared(entry, request):
    tier = TIERS[request.node.callspec.params["entry"]]
    *_, report = try_world(entry, seconds=0.01)
    assert isinstance(report, WorldReport)
    assert report.tier == tier and entry.tier in (tier, None) and not report.fails
    problems = [str(problem) for finding in report.findings for problem in finding.problems]
    assert not problems or tier in (RECORDED, SEEDED), "the problems are those of its tier"


@of_tier(RECORDED)
def test_entry_is_complete(entry, request):
    assert registry.get(entry.name).name == entry.name
    assert request.node.callspec.params["entry"] in PICTURED or registry.get(entry.name) is entry
    world = make(entry)
    assert isinstance(world, World) and isinstance(world, TickWise) == (entry.tier == TICK_WISE)
    assert {agent: world.spec(agent) for agent in PLAYERS} == entry.player_specs(**SMALL)
    assert len(entry.probes) == len(set(entry.probes)) > 0


def test_every_tier_and_form_of_space_is_tried():
    assert set(TIERS.values()) == set(NAMES) and set(registry.names()) <= set(TIERS) | {"discs", "shelf", "Rendezvous"}
    entries = [registry.get(name) for name in ("playhouse", *small_worlds.WORLDS, *small_worlds.TIERS)]
    specs = [entry.player_specs()[SOLVER] for entry in entries]
    seen = [spec.observation for spec in specs]
    for form in ("image", "grid", "entities", "vector", "texts"):
        assert any(getattr(one, form) for one in seen), form
    parts = {type(part) for spec in specs for part in spec.action.components}
    assert parts == {Discrete, Pointer, Continuous} and any(spec.action.masked for spec in specs)
    assert {type(spec.action.speech) for spec in specs} == {FreeText, Grammar, type(None)}
