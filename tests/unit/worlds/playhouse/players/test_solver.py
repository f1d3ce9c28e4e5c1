"""The scripted solver does what is asked in real houses, and errs as its settings say."""

from __future__ import annotations

import numpy as np
import pytest

from tests.unit.worlds.playhouse.played import play
from worlds.contract import SETTER, SOLVER, WorldError, silent
from worlds.playhouse import Playhouse
from worlds.playhouse.games.registry import PROBES
from worlds.playhouse.players.behaviours import UNDERFOOT
from worlds.playhouse.players.body import Body
from worlds.playhouse.players.setter import ScriptedSetter
from worlds.playhouse.players.solver import ScriptedSolver
from worlds.playhouse.players.steering import FORWARD, FORWARD_BIN, LEFT_BIN, TURN
from worlds.playhouse.requests.ground_truth import tallest_tower

ROOM = {"rooms": (1, 1), "room_size": (3.5, 4.5), "objects": (4, 4), "furniture": (0, 2)}
BLOCKS = ROOM | {"objects": (3, 4), "kinds": ("block",)}


def one_request(name: str) -> ScriptedSetter:
    return ScriptedSetter(tasks=(name,), follow_up=False, first_request=(0, 0))


@pytest.fixture(scope="module")
def world() -> Playhouse:
    return Playhouse(height=6, width=8, views=(), settings=ROOM)


@pytest.mark.parametrize("name", PROBES)
def test_a_perfect_solver_fulfils_requests(world, name):
    outcomes = []
    for seed in range(10):
        setter = one_request(name)
        played = play(world, setter, ScriptedSolver.perfect(), seed, steps=70 if name == "position" else 35)
        if setter.requests:
            outcomes.append(played.success is not None)
            assert not outcomes[-1] or any(e.sign > 0 and e.step == played.success for e in played.events)
    assert len(outcomes) >= 6 and np.mean(outcomes) >= 0.85


@pytest.mark.parametrize("name", ["go", "lift", "exist"])
def test_a_solver_that_always_grabs_wrong_objects_never_succeeds(world, name):
    for seed in range(3):
        setter, solver = one_request(name), ScriptedSolver(wrong_object=1.0, notice=0.0, wrong_answer=1.0)
        played = play(world, setter, solver, seed, steps=40)
        assert played.success is None
        assert not setter.requests or any(e.sign < 0 for e in played.events)


def test_objects_are_dropped_and_grabbed_again(world):
    dropped = 0
    for seed in range(4):
        solver = ScriptedSolver(wrong_object=0.0, drop=1.0, hesitation=0.0, motor_noise=0.0)
        played = play(world, one_request("position"), solver, seed, steps=60)
        dropped += sum("wrong place" in e.reason for e in played.events)
    assert dropped > 0


def test_towers_of_a_careful_solver_stay_standing():
    world, stood = Playhouse(height=6, width=8, views=(), settings=BLOCKS), 0
    for seed in range(5):
        setter = one_request("tower")
        played = play(world, setter, ScriptedSolver.perfect(), seed, steps=150)
        if played.success is not None:
            tower = tallest_tower(world.house, list(world.object_positions()), world.object_positions())
            before = {i: world.object_position(i) for i in tower}
            for _ in range(60):
                world.step({})
            assert len(tower) >= setter.requests[0][1].arguments["height"]
            assert max(np.abs(world.object_position(i) - before[i]).max() for i in tower) < 0.005
            stood += 1
    assert stood >= 4


def test_a_solver_that_notices_a_wrong_object_clears_the_place_again():
    mistaken = {"wrong_object": 1.0, "notice": 1.0, "careless": 0.0, "drop": 0.0, "hesitation": 0.0, "motor_noise": 0.0}
    world, outcomes = Playhouse(height=6, width=8, views=(), settings=BLOCKS), []
    for seed in range(10):
        setter = one_request("tower")
        played = play(world, setter, ScriptedSolver(**mistaken), seed, steps=150)
        if setter.requests and "target" in setter.requests[0][1].arguments:
            assert (played.events[0].sign, played.events[0].reason) == (-1, "takes a wrong thing")
            outcomes.append(played.success is not None)
    assert len(outcomes) >= 3 and np.mean(outcomes) >= 0.6


def test_an_object_out_of_view_is_searched_to_the_left(world):
    """Every step before the target first comes into view is a full turn to the left."""
    steps = 0
    for seed in range(8):
        observations, _ = world.reset(seed=seed)
        setter, solver = one_request("go"), ScriptedSolver.perfect()
        setter.reset(world, seed)
        solver.reset(world, seed)
        eyes = Body(world, SOLVER, np.random.default_rng(0))
        for _ in range(11):  # less than a full turn
            eyes.sense()
            actions = {SETTER: setter.act(observations[SETTER]), SOLVER: solver.act(observations[SOLVER])}
            if observations[SOLVER]["setter_text"] and setter.requests:
                target = setter.requests[0][1].arguments["target"]
                if eyes.sees(target) or eyes.far(target) < UNDERFOOT:
                    break
                assert (actions[SOLVER]["movement"][:, TURN] == LEFT_BIN).all()
                assert (actions[SOLVER]["movement"][:, FORWARD] != FORWARD_BIN).all()
                steps += 1
            observations, *_ = world.step(actions)
    assert steps > 5


def test_with_nothing_to_do_it_stands_still(world):
    observations, _ = world.reset(seed=0)
    solver = ScriptedSolver(motor_noise=0.0)
    solver.reset(world, 0)
    for _ in range(5):
        action = solver.act(observations[SOLVER])
        assert np.array_equal(action["movement"], silent()["movement"]) and not action["utterance"]
        observations, *_ = world.step({SOLVER: action, SETTER: silent() | {"utterance": "sing a song"}})


@pytest.mark.parametrize("wrong", [{"drop": 2.0}, {"reaction": -1}, {"laziness": 0.5}])
def test_impossible_solvers_are_refused(wrong):
    with pytest.raises(WorldError, match="solver setting"):
        ScriptedSolver(**wrong)
