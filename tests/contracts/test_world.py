"""Contract of worlds, for every registered one."""

from __future__ import annotations

import inspect
import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from pettingzoo.test import parallel_api_test

from tests.small_worlds import WORLDS
from worlds import registry
from worlds.contract import (
    MOVEMENT_NAMES,
    SETTER,
    SOLVER,
    TICKS_PER_STEP,
    GrabHints,
    TickWise,
    World,
    WorldError,
    neutral_movement,
)
from worlds.examination import examine
from worlds.spaces.random_action import random_action

PLAYERS = (SETTER, SOLVER)
STEPS = 40
EXAMPLES = Path(__file__).parents[2] / "examples"
SMALL = {"height": 24, "width": 32, "views": PLAYERS}
PAIR = f"{Path(__file__).parent / 'rendezvous.py'}:Rendezvous"
FOREIGN = ("gym:CartPole-v1", "gym:FrozenLake-v1", "gym:Pendulum-v1", "gym:BabyAI-GoToObj-v0", PAIR)
PICTURED = {"gym:MiniGrid-Empty-5x5-v0": {"picture": 56}}


@pytest.fixture(
    # The small worlds have a suite of their own (test_declared_worlds.py): their players do not speak freely.
    params=[*sorted(set(registry.names()) - set(WORLDS)), "own_world.py", *FOREIGN, *PICTURED],
    ids=lambda name: name.rpartition("/")[2],
)
def entry(request):
    name = request.param
    if name.startswith(("gym:BabyAI", "gym:MiniGrid")):
        pytest.importorskip("minigrid")
    found = registry.get(str(EXAMPLES / name) if name == "own_world.py" else name)
    options = PICTURED.get(name)
    return found if options is None else replace(found, make=partial(found.make, **options))


def make(entry, **settings) -> World:
    return entry.make(**(SMALL | settings))


def silent(world, player=SOLVER):
    return world.spec(player).action.silent()


def random_actions(world, seed, steps=STEPS):
    """Play that holds each movement for a few steps, so that it gets somewhere, and sometimes talks."""
    rng, actions = np.random.default_rng(seed), []
    for step in range(steps):
        action = {}
        for agent in PLAYERS:
            again = step % 4 and rng.random() < 0.9
            held = actions[-1][agent] if again else random_action(world.spec(agent).action, rng)
            moved = held if rng.random() < 0.95 else silent(world, agent)
            action[agent] = moved | {"utterance": f"{agent} at {step}" if rng.random() < 0.2 else ""}
        actions.append(action)
    return actions


def play(world, actions):
    """Observations of all steps, to the end of the episode."""
    seen = []
    for action in actions:
        if world.agents:
            seen.append(world.step(action)[0])
    return seen


def assert_same(one, other):
    """Two lists of observations are bit for bit the same."""
    assert len(one) == len(other)
    for step, (a, b) in enumerate(zip(one, other, strict=True)):
        assert a.keys() == b.keys()
        for agent in a:
            for key in a[agent]:
                assert np.array_equal(a[agent][key], b[agent][key]), f"{key} of the {agent} differs at {step}"


def test_parallel_api(entry):
    parallel_api_test(make(entry), num_cycles=60)


def test_observations_lie_in_their_space(entry):
    world = make(entry)
    observations, _ = world.reset(seed=3)
    for observation in [observations, *play(world, random_actions(world, 0))]:
        for agent in PLAYERS:
            assert world.observation_space(agent).contains(observation[agent])
            world.spec(agent).check_observation(observation[agent])


def test_actions_lie_in_their_space(entry):
    world = make(entry)
    for action in random_actions(world, 0, steps=5):
        for agent in PLAYERS:
            world.spec(agent).action.check(action[agent])
            assert world.action_space(agent).contains(action[agent])


def test_config_survives_json_and_rebuilds_the_place(entry):
    config = entry.sample_config(5)
    text = json.dumps(config)
    world = make(entry)
    world.reset(options={"config": json.loads(text)})
    assert json.dumps(world.config) == text
    world.step({})
    assert json.dumps(world.config) == text, "the configuration is that of the beginning"


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


def test_replay_is_exact_whatever_was_played_before(entry):
    config, world = entry.sample_config(7), make(entry)
    actions = random_actions(world, 0)
    first = [world.reset(options={"config": config})[0], *play(world, actions)]
    world.reset(seed=11)
    play(world, random_actions(world, 1, steps=13))
    assert_same(first, [world.reset(options={"config": config})[0], *play(world, actions)])
    fresh = make(entry)
    assert_same(first, [fresh.reset(options={"config": config})[0], *play(fresh, actions)])
    arrays = world.spec(SOLVER).observation.arrays()
    assert any(not np.array_equal(first[0][SOLVER][key], o[SOLVER][key]) for key in arrays for o in first), "no change"


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


def in_parts(world, actions, seed):
    """``actions`` played a few ticks at a time, with looks at odd sizes in between."""
    rng, observed = np.random.default_rng(seed), []
    for action in actions:
        tick = 0
        while tick < TICKS_PER_STEP:
            ticks = min(int(rng.integers(1, 5)), TICKS_PER_STEP - tick)
            world.play_ticks({agent: action[agent]["movement"][tick : tick + ticks] for agent in action})
            tick += ticks
            for agent in PLAYERS:
                assert world.view(agent, 40, 64).shape == (40, 64, 3)
        observed.append(world.end_step({agent: action[agent]["utterance"] for agent in action})[0])
    return observed


@pytest.fixture
def tick_wise(entry):
    world = make(entry)
    if not isinstance(world, TickWise):
        pytest.skip(f"{entry.name} is not played tick by tick")
    return world


def test_a_step_in_parts_is_the_whole_step_to_the_last_bit(entry, tick_wise):
    config, whole = entry.sample_config(7), make(entry)
    actions = random_actions(whole, 3, steps=60)
    expected = [whole.reset(options={"config": config})[0], *play(whole, actions)]
    assert_same(expected, [tick_wise.reset(options={"config": config})[0], *in_parts(tick_wise, actions, 0)])
    tick_wise.reset(options={"config": config})
    mixed = [in_parts(tick_wise, [a], 1)[0] if step % 2 else play(tick_wise, [a])[0] for step, a in enumerate(actions)]
    assert_same(expected[1:], mixed)


def one_tick_of(name: str, bin: int) -> np.ndarray:
    row = neutral_movement()[:1]
    row[0, MOVEMENT_NAMES.index(name)] = bin
    return row


def test_views_for_people_are_those_of_the_player_and_more_frequent(entry, tick_wise):
    """At every tick of a step of turning or walking, whichever of them shows in this world."""
    most = 0
    for name, bin in (("turn", 0), ("forward", 2), ("forward", 0), ("strafe", 0), ("strafe", 2)):
        observations, _ = tick_wise.reset(seed=7)
        height, width = observations[SOLVER]["image"].shape[:2]
        seen, movement = [], one_tick_of(name, bin)
        for tick in range(TICKS_PER_STEP):
            assert tick_wise.step_index == 0
            tick_wise.play_ticks({SOLVER: movement})
            seen.append(tick_wise.view(SOLVER, height, width))
            if tick < TICKS_PER_STEP - 1:
                with pytest.raises(WorldError, match="left"):
                    tick_wise.end_step({})
        most = max(most, len({picture.tobytes() for picture in seen}))
        observations = tick_wise.end_step({})[0]
        assert np.array_equal(observations[SOLVER]["image"], seen[-1])
        assert (observations[SOLVER]["previous_movement"] == np.tile(movement, (TICKS_PER_STEP, 1))).all()
    assert most == TICKS_PER_STEP, "some movement shows at every tick"


def test_a_step_under_way_is_ended_or_left_and_nothing_else(entry, tick_wise):
    tick_wise.reset(seed=7)
    still = neutral_movement()
    tick_wise.play_ticks({})
    takes_snapshots = offers_snapshots(tick_wise)  # as no tick has been played
    tick_wise.play_ticks({SETTER: still[:3]})
    for refused in (lambda: tick_wise.step({}), *([tick_wise.snapshot] if takes_snapshots else [])):
        with pytest.raises(WorldError, match="end_step"):
            refused()
    for bad in ({SETTER: still[:6]}, {SETTER: still[:2], SOLVER: still[:3]}, {SOLVER: still[:2] + 99}, {SOLVER: "x"}):
        with pytest.raises(WorldError):
            tick_wise.play_ticks(bad)
    tick_wise.play_ticks({SETTER: still[:5]})
    with pytest.raises(WorldError, match="text"):
        tick_wise.end_step({SETTER: 3})
    assert tick_wise.step_index == 0
    tick_wise.end_step({SETTER: "now"})
    assert tick_wise.step_index == 1
    tick_wise.play_ticks({SETTER: still[:3]})
    tick_wise.reset(seed=7)
    assert tick_wise.step({})[0][SETTER]["setter_text"] == ""


def test_both_players_hear_an_utterance_at_the_next_step(entry):
    world = make(entry)
    observations, _ = world.reset(seed=0)
    assert {(o["setter_text"], o["solver_text"]) for o in observations.values()} == {("", "")}
    asked = silent(world, SETTER) | {"utterance": "lift the duck"}
    answered = silent(world) | {"utterance": "yes, a duck"}
    heard = play(world, [{SETTER: asked}, {SETTER: silent(world, SETTER), SOLVER: answered}, {}])
    for agent in PLAYERS:
        assert [o[agent]["setter_text"] for o in heard] == ["lift the duck"] * 3
        assert [o[agent]["solver_text"] for o in heard] == ["", "yes, a duck", "yes, a duck"]


def test_long_utterances_are_cut(entry):
    world = make(entry)
    world.reset(seed=0)
    most = world.spec(SOLVER).action.speech.most_chars
    long = "x" * (most + 5)
    observations, *_ = world.step({SOLVER: silent(world) | {"utterance": long}})
    assert observations[SETTER]["solver_text"] == long[:most]


def test_the_previous_action_is_the_players_own(entry):
    world = make(entry)
    world.reset(seed=0)
    action = random_actions(world, 4, steps=1)[0]
    observations, *_ = world.step(action)
    for agent in PLAYERS:
        assert observations[agent]["previous_movement"].dtype == world.spec(agent).action.dtype
        for name in ("movement", "continuous"):
            assert np.array_equal(observations[agent].get(f"previous_{name}"), action[agent].get(name))


def test_observations_do_not_change_afterwards(entry):
    world = make(entry)
    world.reset(seed=9)
    kept = play(world, random_actions(world, 5, steps=6))
    copies = [{a: {k: np.copy(v) for k, v in o[a].items()} for a in PLAYERS} for o in kept]
    play(world, random_actions(world, 6, steps=6))
    assert_same(copies, kept)


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


@pytest.mark.parametrize("config", [{}, {"format": "unheard-of"}, [], "house", 3])
def test_a_foreign_configuration_is_refused_in_one_line(entry, config):
    with pytest.raises(WorldError) as caught:
        make(entry).reset(options={"config": config})
    assert str(caught.value) and "\n" not in str(caught.value)


def test_the_examination_finds_nothing(entry):
    assert not [str(problem) for finding in examine(entry) for problem in finding.problems]


def test_entry_is_complete(entry):
    assert registry.get(entry.name).name == entry.name
    assert entry.name in PICTURED or registry.get(entry.name) is entry
    assert isinstance(make(entry), World)
    assert len(entry.probes) == len(set(entry.probes)) > 0
    with pytest.raises(WorldError, match="known"):
        registry.get("nowhere")


def test_hints_about_grabbing_are_words_and_do_not_change_play(entry):
    world, silent_world = make(entry), make(entry)
    if not (isinstance(world, GrabHints) and isinstance(world, TickWise)):
        pytest.skip(f"{entry.name} gives no hints about grabbing")
    config, actions = entry.sample_config(5), random_actions(world, 5)
    expected = [silent_world.reset(options={"config": config})[0], *play(silent_world, actions)]
    observed = [world.reset(options={"config": config})[0]]
    assert all(world.last_grab_failure(agent) is None for agent in PLAYERS)
    for action in actions:
        for tick in range(TICKS_PER_STEP):
            world.play_ticks({agent: action[agent]["movement"][tick : tick + 1] for agent in PLAYERS})
            for agent in PLAYERS:
                found, failure = world.graspable(agent), world.last_grab_failure(agent)
                assert found is None or (isinstance(found, str) and found)
                assert failure is None or (failure.reason and 0 < failure.tick <= len(observed) * TICKS_PER_STEP)
        observed.append(world.end_step({agent: action[agent]["utterance"] for agent in PLAYERS})[0])
    assert_same(expected, observed)
