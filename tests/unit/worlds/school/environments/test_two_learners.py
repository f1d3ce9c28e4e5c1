"""Collaboration with two learners, against the same with a scripted partner and by PettingZoo's tests."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import parallel_api_test, parallel_seed_test

from tests.sharing import assert_nothing_shared
from worlds import registry
from worlds.contract import SETTER, SOLVER
from worlds.errors import UserError
from worlds.school.environments.two_learners import TwoLearners, parallel_env
from worlds.school.grid.codes import COLOURS, GO_FORWARD, NO_OP, PEER, ROTATE_LEFT, ROTATE_RIGHT, TOGGLE
from worlds.school.grid.sight import view_cell
from worlds.school.parameters.branches import JOINT_PROBLEMS
from worlds.school.parameters.tree import combinations
from worlds.school.players.collaborator import collaborate
from worlds.school.problems.problem import DONE, LEFT
from worlds.school.problems.types import make_problem

NOTHING = np.array([-1, -1, -1])
PRIMITIVE = {ROTATE_LEFT: 0, ROTATE_RIGHT: 1, GO_FORWARD: 2, TOGGLE: 3, NO_OP: -1}


def act(primitive: int | None) -> np.ndarray:
    return np.array([-1 if primitive is None else primitive, -1, -1])


def test_it_passes_the_tests_of_pettingzoo() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parallel_api_test(parallel_env(), num_cycles=300)
        parallel_seed_test(parallel_env, num_cycles=50)


def test_no_two_calls_return_the_same_object_nor_do_learners_share_one() -> None:
    env = TwoLearners()
    returned = [env.reset(seed=0)]
    for _ in range(3):
        observations, *_, infos = env.step(dict.fromkeys(env.agents, NOTHING))
        returned.append((observations, infos))
    assert_nothing_shared([*returned, env.reset(seed=0)])
    for observations, infos in returned:
        assert_nothing_shared([(observations[learner], infos[learner]) for learner in env.possible_agents])


@pytest.mark.parametrize("problem", JOINT_PROBLEMS)
def test_a_learner_that_does_what_the_script_decides_is_a_partner(problem: str) -> None:
    """The room is the same whether the script or a learner moves the right side, until it has eaten."""
    for seed in range(10):
        env = TwoLearners({"Problem": problem})
        env.reset(seed=seed)
        (parameters, _), *_ = combinations(env.tree)
        scripted = make_problem(parameters, env.settings, seed)
        env.problem = make_problem(parameters, env.settings, seed)  # type: ignore[assignment]
        while not scripted.ended and env.agents:
            primitive = collaborate(scripted)  # type: ignore[arg-type]
            scripted.step(primitive, None)
            actions = {"A": act(primitive), "B": np.array([PRIMITIVE[scripted.last_decision[0]], -1, -1])}
            both = len(env.agents) == 2
            _, rewards, _, _, infos = env.step({learner: actions[learner] for learner in env.agents})
            assert not both or np.array_equal(env.problem.room.codes, scripted.room.codes)
            assert env.problem.room.agent == scripted.room.agent
        assert scripted.success and infos["A"]["success"] and rewards["A"] == pytest.approx(1 - scripted.steps / 800)


def test_learners_see_each_other_and_hear_what_the_other_says() -> None:
    env = TwoLearners({"Problem": "MarblePass"}, size=7)
    met = 0
    for seed in range(30):
        env.reset(seed=seed)
        observations, *_ = env.step({"A": np.array([LEFT, 1, 0]), "B": np.array([-1, 0, 2])})
        assert observations["A"]["utterance"] == "NA \nB: Where is the wall \n"
        assert observations["B"]["utterance"] == "NA \nA: Help please \n"
        room, peer = env.problem.room, env.problem.peer
        assert peer is not None
        where = view_cell(*peer.place, peer.direction, room.agent)
        cell = None if where is None else observations["B"]["image"][where]
        if cell is not None and cell[0]:
            met += 1
            gaze = (room.direction - peer.direction + 2) % 4
            assert cell.tolist() == [PEER, COLOURS["red"], 0, gaze, 255, ROTATE_LEFT]
        assert np.count_nonzero(observations["B"]["image"][..., 0] == PEER) == (cell is not None and cell[0] != 0)
    assert met > 5


def test_each_is_rewarded_for_its_own_apple_and_the_other_plays_on() -> None:
    env = TwoLearners({"Problem": "Boxes"})
    for seed in range(10):
        env.reset(seed=seed)
        paid: dict[str, float] = {}
        script = env.problem.make_script(np.random.default_rng(seed))
        while env.agents:
            right = PRIMITIVE[script.decide(env.problem, None)[0]] if "B" in env.agents else -1
            actions = {"A": act(collaborate(env.problem)), "B": np.array([right, -1, -1])}
            _, rewards, terminated, truncated, _ = env.step({each: actions[each] for each in env.agents})
            assert not any(truncated.values())
            paid |= {each: rewards[each] for each in rewards if terminated[each]}
            assert all(reward == 0 for each, reward in rewards.items() if not terminated[each])
        assert paid.keys() == {"A", "B"} and paid["B"] > paid["A"] > 0.9  # the box of the right is opened first


def test_one_who_is_done_leaves_without_a_reward_and_time_ends_the_rest() -> None:
    env = TwoLearners(max_steps=4)
    env.reset(seed=0)
    _, rewards, terminated, _, _ = env.step({"A": act(DONE), "B": NOTHING})
    assert terminated == {"A": True, "B": False} and rewards == {"A": 0, "B": 0} and env.agents == ["B"]
    for _ in range(2):
        assert not any(env.step({"B": NOTHING})[3].values())
    assert env.step({"B": NOTHING})[3] == {"B": True} and env.agents == []
    with pytest.raises(UserError, match="call reset"):
        env.step({})


@pytest.mark.parametrize(
    ("made", "words"),
    [
        ({"allowed": {"Role": "B"}}, "no value 'B'"),
        ({"render_mode": "human"}, "render_mode is 'human'"),
        ({"hidden_npc": True}, "a learner cannot be hidden"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_what_cannot_be_made_is_refused(made: dict[str, Any], words: str) -> None:
    with pytest.raises(UserError, match=words):
        TwoLearners(**made)


def test_as_a_world_it_is_restored_in_another_also_when_one_learner_has_left() -> None:
    entry = registry.get("pettingzoo:worlds.school.environments.two_learners")
    worlds = [entry.make(solver_agent="A", setter_agent="B") for _ in range(2)]
    spec = worlds[0].spec(SETTER).action
    for number, world in enumerate(worlds):
        world.reset(options={"config": {"seed": number}})
    done: Any = spec.silent()
    done["movement"][:] = [DONE, 0, 0]
    worlds[0].step({SETTER: done})
    assert worlds[0].env.agents == ["A"]
    worlds[1].restore(worlds[0].snapshot())
    for _ in range(3):
        first, second = (world.step({})[0] for world in worlds)
        for player in (SETTER, SOLVER):
            assert np.array_equal(first[player]["image"], second[player]["image"])
            assert first[player]["image"].any()
