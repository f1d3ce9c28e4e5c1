"""The school's environments for one learner and for two: what they return, draw and refuse."""

from __future__ import annotations

import math
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import parallel_api_test, parallel_seed_test

import worlds.school  # noqa: F401  registers the ids
from tests.sharing import assert_nothing_shared
from tests.unit.worlds.school.small_rooms import QUIET
from worlds import registry
from worlds.contract import SETTER, SOLVER
from worlds.errors import UserError
from worlds.school.environments.environment import SchoolEnv, parse_action
from worlds.school.environments.sampled import SampledEnv
from worlds.school.environments.two_learners import TwoLearners, parallel_env
from worlds.school.grid.codes import COLOURS, GO_FORWARD, NO_OP, PEER, ROTATE_LEFT, ROTATE_RIGHT, TOGGLE
from worlds.school.grid.sight import view_cell
from worlds.school.parameters.branches import FULL
from worlds.school.parameters.ids import ids, tree_of
from worlds.school.parameters.names import JOINT_PROBLEMS
from worlds.school.parameters.tree import combinations
from worlds.school.players.collaborator import collaborate
from worlds.school.problems.problem import DONE, LEFT
from worlds.school.problems.types import make_problem

GUARDED = {"Env_type": "AppleStealing", "Version": "Social", "NPC_movement": "Walking", "Obstacles": "A_lot"}
COLLABORATION = {"Env_type": "Collaboration", "Problem": "Boxes", "Role": "A", "Version": "Social"}
FULL_ID = "SocialAI-SocialAIParamEnv-v1"
SCAFFOLDING = "SocialAI-AELangFeedbackTrainScaffoldingCSParamEnv-v1"


def test_what_is_reported():
    env = SchoolEnv(QUIET | {"Problem": "Boxes", "Cue_type": "Language_Color"})
    observation, _ = env.reset(seed=3)
    assert observation["utterance"] == observation["utterance_history"] == "Conversation: \n"
    assert observation["mission"] == "Hidden" and observation["image"].shape == (7, 7, 6)
    observation, _, _, _, info = env.step([math.nan, math.nan, math.nan])
    assert observation["utterance"] == f"NA \nCaretaker: {info['NPC_utterance']} \n"
    assert info["NPC_was_introduced_to"] and (info["agent_pos_vx"], info["agent_pos_vy"]) == (3, 6)
    for _ in range(79):
        _, reward, terminated, truncated, info = env.step([-1, -1, -1])
        assert info["NPC_observed"] == (info["image"][..., 0] == 11).any()
    assert truncated and not terminated and reward == 0 and not info["success"]
    with pytest.raises(UserError, match="reset"):
        env.step([0, 0, 0])


@pytest.mark.parametrize("action", [[5, 0, 0], [0, 4, 0], [0, 0, 16], [0, 0], [0.5, 0, 0], "left", None, [0, -1, 3], 7])
def test_actions_outside_the_grammar_are_refused_in_one_line(action):
    with pytest.raises(UserError) as caught:
        parse_action(action)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("parameters", "word"),
    [
        ({}, "Env_type"),
        ({"Env_type": "Playground"}, "Playground"),
        (QUIET | {"Problem": "LeverDoor"}, "LeverDoor"),
        (QUIET | {"Problem": "Boxes", "Colour": "red"}, "Colour"),
        (QUIET | {"Problem": "Boxes", "Scaffolding": "Y", "JA_recursive": "Y"}, "JA_recursive"),
        (QUIET | {"Problem": "Boxes", "Num_of_colors": "many"}, "Num_of_colors"),
        (["Boxes"], "parameters"),
        (COLLABORATION | {"Problem": "Doors"}, "Problem is 'Doors'"),
        (COLLABORATION | {"Role": "C"}, "Role is 'C'"),
    ],
)
def test_parameters_that_no_environment_has_are_refused_in_one_line(parameters, word):
    with pytest.raises(UserError, match=word) as caught:
        SchoolEnv(parameters).reset(seed=0)
    assert "\n" not in str(caught.value)


def test_settings_are_checked():
    wrong: Any
    for wrong in ({"size": 6}, {"colours": 3}, {"max_steps": 0}, {"n_colors": 8}):
        with pytest.raises(UserError, match="setting"):
            SchoolEnv(QUIET, **wrong)
    env = SchoolEnv(QUIET | {"Problem": "Boxes"}, size=7, max_steps=15)
    env.reset(seed=0)
    assert (env.problem.room.width, env.problem.room.height) == (7, 7)


@pytest.mark.parametrize("id_", ids()[::16])
def test_ids_pass_gymnasiums_checker_and_have_the_parameters_of_their_tree(id_: str) -> None:
    possible = [chosen for chosen, _ in combinations(tree_of(id_))]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make(id_, render_mode="rgb_array")
        check_env(env.unwrapped)
    for seed in range(5):
        assert env.reset(seed=seed)[1]["parameters"] in possible
    env.close()


def test_a_tree_is_narrowed_when_the_environment_is_made_and_seeds_repeat() -> None:
    def drawn(**allowed: object) -> list[tuple[str, str]]:
        env = gymnasium.make(FULL_ID, allowed=allowed)
        found = [env.reset(seed=0 if first else None)[1]["parameters"] for first in (True, *[False] * 19)]
        return [(each["Env_type"], each.get("Role", "")) for each in found]

    assert len(set(drawn())) > 3 and drawn() == drawn()
    assert set(drawn(Role="A", Problem=["LeverDoor", "Marble"], **{"ENV TYPE": "Collaboration"})) == {
        ("Collaboration", "A")
    }


def test_an_episode_has_the_parameters_that_are_given() -> None:
    env = gymnasium.make(FULL_ID)
    given = {"Env_type": "AdversarialPeer", "Version": "Asocial", "Obstacles": "A lot"}
    info = env.reset(seed=1, options={"parameters": given})[1]
    assert info["parameters"] == {"Env_type": "AppleStealing", "Version": "Asocial", "Obstacles": "A_lot"}
    with pytest.raises(UserError, match="no such combination"):
        env.reset(options={"parameters": given | {"Problem": "Boxes"}})
    with pytest.raises(UserError, match="not a mapping"):
        env.reset(options={"parameters": "Boxes"})


def test_a_curriculum_steers_what_is_sampled_and_is_continued_in_another_environment() -> None:
    config = {"kind": "intro_seq", "thresholds": [0.0], "window": 5, "minimum_episodes": 8}
    env = gymnasium.make(SCAFFOLDING, curriculum=config, max_steps=1)
    drawn = []
    for number in range(20):
        info = env.reset(seed=number)[1]
        drawn.append(info["parameters"]["Pragmatic_frame_complexity"])
        assert info["parameters"]["Scaffolding"] == "N" and info["curriculum_info_param"] == (1 if number < 9 else 2)
        info = env.step(np.array([0, 0, 0]))[4]
        assert info["curriculum_info_mean_perf"] == info["curriculum_info_max_mean_perf"] == 0
    assert len(set(drawn[:9])) > 1 and set(drawn[9:]) == {"Ask_Eye_contact"}
    second = SampledEnv(SCAFFOLDING, curriculum=config)
    second.restore_curriculum({"phase": 2, "episodes": 3, "successes": [True, False]})
    assert second.reset(seed=0)[1]["curriculum_info_param"] == 2
    with pytest.raises(UserError, match="has no curriculum"):
        SampledEnv(FULL).restore_curriculum({})


@pytest.mark.parametrize(
    ("make", "made", "words"),
    [
        (SampledEnv, {"tree": "SocialAI-Nothing-v1"}, "no environment 'SocialAI-Nothing-v1'"),
        (SampledEnv, {"tree": FULL_ID, "allowed": {"Problem": "Doors", "Role": "A"}}, "Problem=Doors"),
        (SampledEnv, {"tree": SCAFFOLDING, "curriculum": {"thresholds": [0.9]}}, "needs its kind"),
        (
            SampledEnv,
            {"tree": SCAFFOLDING, "curriculum": {"kind": "intro", "thresholds": [0.9]}},
            "named .intro.; known",
        ),
        (SampledEnv, {"tree": SCAFFOLDING, "curriculum": {"kind": "intro_seq", "thresholds": [90]}}, "from 0 to 1"),
        (
            SampledEnv,
            {"tree": SCAFFOLDING, "curriculum": {"kind": "intro_seq", "threshold": 0.9}},
            "no setting .threshold.",
        ),
        (SampledEnv, {"tree": FULL_ID, "colour": "red"}, "colour"),
        (SchoolEnv, {"parameters": QUIET, "render_mode": "human"}, "render_mode"),
        (TwoLearners, {"allowed": {"Role": "B"}}, "no value 'B'"),
        (TwoLearners, {"render_mode": "human"}, "render_mode is 'human'"),
        (TwoLearners, {"hidden_npc": True}, "a learner cannot be hidden"),
        (TwoLearners, {"colour": "red"}, "colour"),
    ],
)
def test_what_cannot_be_made_is_refused_in_one_line(make: Any, made: dict[str, Any], words: str) -> None:
    with pytest.raises(UserError, match=words) as refused:
        make(**made)
    assert "\n" not in str(refused.value)


NOTHING = np.array([-1, -1, -1])
PRIMITIVE = {ROTATE_LEFT: 0, ROTATE_RIGHT: 1, GO_FORWARD: 2, TOGGLE: 3, NO_OP: -1}


def act(primitive: int | None) -> np.ndarray:
    return np.array([-1 if primitive is None else primitive, -1, -1])


def test_two_learners_pass_the_tests_of_pettingzoo() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parallel_api_test(parallel_env(), num_cycles=150)
        parallel_seed_test(parallel_env, num_cycles=30)


def test_no_two_calls_return_the_same_object_nor_do_learners_share_one() -> None:
    for parameters in (QUIET | {"Problem": "Doors", "JA_recursive": "Y"}, GUARDED):
        alone = SchoolEnv(parameters)
        assert_nothing_shared([alone.reset(seed=0), *(alone.step(np.array([0, -1, -1])) for _ in range(3))])
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
    for seed in range(4):
        env = TwoLearners({"Problem": problem})
        env.reset(seed=seed)
        (parameters, _), *_ = combinations(env.tree)
        scripted = make_problem(parameters, env.settings, seed)
        env.problem = make_problem(parameters, env.settings, seed)  # type: ignore[assignment]
        while not scripted.ended and env.agents:
            primitive = collaborate(scripted)  # type: ignore[arg-type]
            scripted.step(primitive, None)
            actions = {"A": act(primitive), "B": act(PRIMITIVE[scripted.last_decision[0]])}
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
    for seed in range(4):
        env.reset(seed=seed)
        paid: dict[str, float] = {}
        script = env.problem.make_script(np.random.default_rng(seed))
        while env.agents:
            right = PRIMITIVE[script.decide(env.problem, None)[0]] if "B" in env.agents else -1
            actions = {"A": act(collaborate(env.problem)), "B": act(right)}
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


def test_as_a_world_it_is_restored_in_another_also_when_one_learner_has_left() -> None:
    entry = registry.get("pettingzoo:worlds.school.environments.two_learners")
    worlds: list[Any] = [entry.make(solver_agent="A", setter_agent="B") for _ in range(2)]
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
