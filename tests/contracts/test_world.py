"""Contract of worlds, by the tier that each declares: ours, small ones in other spaces, and those of others.

A world of a higher tier passes the tests of all lower ones.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import parallel_api_test

from tests import small_worlds
from tests.distributions import installed
from worlds import registry
from worlds.contract import SETTER, SOLVER, GrabHints, TickWise, World, WorldError
from worlds.random_play import fitted
from worlds.spaces.action import Continuous, Discrete, FreeText, Grammar, Pointer
from worlds.spaces.random_action import random_action, words_of
from worlds.tiers import EXACT, NAMES, RECORDED, SEEDED, TICK_WISE, includes
from worlds.trial import WorldReport, try_world

small_worlds.register()

PLAYERS = (SETTER, SOLVER)
STEPS = 40
EXAMPLES = Path(__file__).parents[2] / "examples" / "own_world"
SMALL = {"height": 24, "width": 32, "views": PLAYERS}
PAIR = f"{Path(__file__).parent / 'rendezvous.py'}:Rendezvous"
ANNOUNCED = "announced"  # by an installed package
FOREIGN = ("gym:CartPole-v1", "gym:FrozenLake-v1", "gym:Pendulum-v1", "gym:BabyAI-GoToObj-v0", PAIR)
PICTURED = {"gym:MiniGrid-Empty-5x5-v0": {"picture": 56}}
# The tier of every world; that of environments of others, which declare none, is the one that they reach.
TIERS = {
    "playhouse": TICK_WISE,
    "discs.py": TICK_WISE,
    "shelf.py": EXACT,
    ANNOUNCED: TICK_WISE,
    **dict.fromkeys(small_worlds.WORLDS, EXACT),
    **{name: tier for name, (_, tier) in small_worlds.TIERS.items()},
    **dict.fromkeys((*FOREIGN, *PICTURED), EXACT),
}


def of_tier(tier: str) -> Callable:
    """Mark a test of all worlds of ``tier`` and of those above it; its argument ``entry`` is a world's."""
    worlds = [name for name, reached in TIERS.items() if includes(reached, tier)]
    return pytest.mark.parametrize("entry", worlds, ids=lambda name: name.rpartition("/")[2], indirect=True)


@pytest.fixture(scope="module")
def announcing(tmp_path_factory):
    """Install a package that announces the example world under another name."""
    source = f"""from dataclasses import replace
from worlds.registry import get, register
register(replace(get({str(EXAMPLES / "discs.py")!r}), name={ANNOUNCED!r}))
"""
    with installed(tmp_path_factory.mktemp("site"), registry.ENTRY_POINT_GROUP, ANNOUNCED, source):
        yield


@pytest.fixture
def entry(request):
    name = request.param
    if name.startswith(("gym:BabyAI", "gym:MiniGrid")):
        pytest.importorskip("minigrid")
    if name == ANNOUNCED:
        request.getfixturevalue("announcing")
    found = registry.get(str(EXAMPLES / name) if name in ("discs.py", "shelf.py") else name)
    options = PICTURED.get(name)
    return found if options is None else replace(found, make=partial(found.make, **options))


def make(entry, **settings) -> Any:
    return entry.make(**(SMALL | settings))


def silent(world, player=SOLVER):
    return world.spec(player).action.silent()


def random_actions(world, seed, steps=STEPS):
    """Play that holds each movement for a few steps, so that it gets somewhere, and sometimes talks."""
    rng, actions = np.random.default_rng(seed), []
    for step in range(steps):
        action = {}
        for agent in PLAYERS:
            spec = world.spec(agent)
            most = spec.observation.entities.most if spec.observation.entities else 0
            again = step % 4 and rng.random() < 0.9
            held = actions[-1][agent] if again else random_action(spec.action, rng, entities=most)
            moved = held if rng.random() < 0.95 else silent(world, agent)
            words = words_of(spec.action.speech, f"{agent} at {step}") if rng.random() < 0.2 else ""
            action[agent] = moved | {"utterance": words}
        actions.append(action)
    return actions


def play(world, actions, first=None):
    """Observations of all steps, to the end of the episode; pointers mean only what has been observed before."""
    seen = []
    for action in actions:
        if world.agents:
            seen.append(world.step(fitted(world, action, seen[-1] if seen else first))[0])
    return seen


def play_from(world, config, actions):
    """Observations of an episode in the place ``config``, from its reset on."""
    first = world.reset(options={"config": config})[0]
    return [first, *play(world, actions, first)]


def assert_same(one, other):
    """Two lists of observations are bit for bit the same."""
    assert len(one) == len(other)
    for step, (a, b) in enumerate(zip(one, other, strict=True)):
        assert a.keys() == b.keys()
        for agent in a:
            for key in a[agent]:
                assert np.array_equal(a[agent][key], b[agent][key]), f"{key} of the {agent} differs at {step}"


@of_tier(SEEDED)
def test_parallel_api(entry):
    world = make(entry)
    specs = [world.spec(agent).action for agent in PLAYERS]
    if any(isinstance(part, Pointer) for spec in specs for part in spec.discrete) or not speak_freely(specs):
        pytest.skip("random samples of Gymnasium's spaces are no actions of this world")
    parallel_api_test(world, num_cycles=60)


def speak_freely(specs):
    return all(isinstance(spec.speech, FreeText) for spec in specs)


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


def offers_snapshots(world) -> bool:
    try:
        return world.snapshot() is not None
    except NotImplementedError:
        return False


def ticks_of(world) -> int:
    return world.spec(SOLVER).action.ticks


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
    world.reset(seed=0)
    action = random_actions(world, 4, steps=1)[0]
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
def test_entry_is_complete(entry):
    assert registry.get(entry.name).name == entry.name
    assert entry.name in PICTURED or registry.get(entry.name) is entry
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


@of_tier(TICK_WISE)
def test_hints_about_grabbing_are_words_and_do_not_change_play(entry):
    world, silent_world = make(entry), make(entry)
    if not isinstance(make(entry), GrabHints):
        pytest.skip(f"{entry.name} gives no hints about grabbing")
    config, actions = entry.sample_config(5), random_actions(world, 5)
    expected = play_from(silent_world, config, actions)
    observed = [world.reset(options={"config": config})[0]]
    assert all(world.last_grab_failure(agent) is None for agent in PLAYERS)
    for action in actions:
        for tick in range(ticks_of(world)):
            world.play_ticks({agent: action[agent]["movement"][tick : tick + 1] for agent in PLAYERS})
            for agent in PLAYERS:
                found, failure = world.graspable(agent), world.last_grab_failure(agent)
                assert found is None or (isinstance(found, str) and found)
                assert failure is None or (failure.reason and 0 < failure.tick <= len(observed) * ticks_of(world))
        observed.append(world.end_step({agent: action[agent]["utterance"] for agent in PLAYERS})[0])
    assert_same(expected, observed)
