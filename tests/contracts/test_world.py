"""Contract of worlds, by the tier that each declares: ours, small ones in other spaces, and those of others.

A world of a higher tier passes the tests of all lower ones.
"""

from __future__ import annotations

import inspect
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import parallel_api_test

from tests import small_worlds
from tests.contracts.tried_worlds import PICTURED, SMALL, TIERS, assert_same, make, of_tier
from tests.sharing import assert_nothing_shared
from worlds import registry
from worlds.checks.parts import check_parts
from worlds.checks.report import WorldReport, check_world
from worlds.contract import SOLVER, TickWise, World, WorldError
from worlds.contract.random_play import PLAYERS, fitted, play_from, play_on, random_actions
from worlds.contract.tiers import EXACT, NAMES, RECORDED, SEEDED, TICK_WISE
from worlds.school.parameters.ids import ids
from worlds.spaces.action import Continuous, Discrete, FreeText, Grammar, Pointer


@of_tier(RECORDED)
def test_the_trial_finds_the_declared_tier_and_no_problem(entry, request):
    """The trial tries spaces, places, replay, words, refusals, snapshots, ticks, probes and scripted players.

    `tests/unit/worlds/checks` shows that it finds every broken promise.
    """
    tier = TIERS[request.node.callspec.params["entry"]]
    *_, report = check_world(entry, seconds=0.01)
    assert isinstance(report, WorldReport)
    assert report.tier == tier and entry.tier in (tier, None) and not report.fails
    problems = [str(problem) for finding in report.findings for problem in finding.problems]
    assert not problems or tier in (RECORDED, SEEDED), "the problems are those of its tier"


@pytest.mark.parametrize("environment", ids()[::8])  # they share their code
def test_environments_of_the_school_pass_the_trial(environment):
    school = registry.get("school")
    sample = partial(school.sample_config, environment=environment)
    world = school.make()
    asked = set()
    for seed in range(20):
        world.reset(options={"config": sample(seed)})
        asked |= {probe for probe in school.probes if school.probe(probe, world, seed, "train") is not None}
    assert asked
    found = list(check_parts(replace(school, sample_config=sample, probes=sorted(asked))))
    assert len(found) > 3 and [each for each in found if each.problems] == []


# Samples of Gymnasium's spaces can be played where nothing is pointed at and any words may be said.
@pytest.mark.parametrize("entry", ["playhouse", "discs.py", "small-grid", "small-walk"], indirect=True)
def test_pettingzoo_can_play_it(entry):
    parallel_api_test(make(entry), num_cycles=20)


@of_tier(SEEDED)
def test_without_a_seed_the_next_place_is_another(entry):
    world = make(entry)
    world.reset(seed=5)
    first = world.config
    world.reset()
    assert world.config != first


@of_tier(SEEDED)
def test_observations_lie_in_their_space(entry):
    world = make(entry)
    observations, _ = world.reset(seed=3)
    for observation in [observations, *play_on(world, random_actions(world, 0, steps=40), observations)]:
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


@of_tier(EXACT)
def test_long_play_replays_to_the_last_bit_whatever_was_played_before(entry):
    config, fresh, used = entry.sample_config(7), make(entry), make(entry)
    actions = [action for action in random_actions(fresh, 0) for _ in range(4)]  # held, so that it gets somewhere
    used.reset(seed=11)
    play_on(used, random_actions(used, 1))
    assert_same(play_from(fresh, config, actions), play_from(used, config, actions))


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
