"""The Gymnasium environments: their spaces, actions, what they report, and replay to the bit."""

from __future__ import annotations

import math
import pickle
from itertools import product
from typing import Any

import numpy as np
import pytest

from tests.sharing import assert_nothing_shared
from tests.unit.worlds.school.small_rooms import QUIET
from worlds.errors import UserError
from worlds.school.environments.environment import SchoolEnv, parse_action
from worlds.school.problems.labels import CUE_TYPES, INFORMATION_PROBLEMS, INTRODUCTIONS, OBSTACLES

GUARDED = {"Env_type": "AppleStealing", "Version": "Social", "NPC_movement": "Walking", "Obstacles": "A_lot"}
HELP_OR_CUE: list[dict[str, str]] = [{"Scaffolding": "Y"}, *({"Cue_type": cue} for cue in CUE_TYPES)]
EVERY = [
    QUIET | {"Problem": kind, "Pragmatic_frame_complexity": introduction, "N": n, "Peer": peer} | help_or_cue
    for kind in INFORMATION_PROBLEMS
    for introduction in INTRODUCTIONS
    for n, peer in (("2", "Y"), ("1", "Y"), ("1", "N"))
    for help_or_cue in HELP_OR_CUE
] + [
    {"Env_type": "AppleStealing", "Version": version, "Obstacles": obstacles, "NPC_movement": movement}
    for version, obstacles, movement in product(("Social", "Asocial"), OBSTACLES, ("Rotating", "Walking"))
]


def play(env: SchoolEnv, seed: int, actions: np.ndarray) -> list[Any]:
    found: list[Any] = [env.reset(seed=seed)[0]]
    for action in actions:
        observation, reward, terminated, truncated, info = env.step(action)
        found.append((observation, reward, terminated, truncated, info["NPC_prim_action"], info["NPC_utterance"]))
        if terminated or truncated:
            found.append(env.reset()[0])
    return found


def same(a: Any, b: Any) -> bool:
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    return bool(np.array_equal(a, b))


@pytest.mark.parametrize(
    "parameters", [QUIET | {"Problem": "Doors", "JA_recursive": "Y"}, GUARDED], ids=["doors", "guard"]
)
def test_no_two_calls_return_the_same_object(parameters):
    env = SchoolEnv(parameters)
    returned: list[Any] = [env.reset(seed=0)]
    for _ in range(3):
        observation, *_, info = env.step(np.array([0, -1, -1]))
        returned.append((observation, info))
    assert_nothing_shared([*returned, env.reset(seed=0)])
    observation, info = pickle.loads(pickle.dumps(env.reset(seed=0)))  # as vector environments send it
    observation["image"][:] = 0
    assert info["image"].any()


def test_combinations_play_and_replay_to_the_bit():
    rng = np.random.default_rng(0)
    for number, parameters in enumerate(EVERY[::7]):
        env = SchoolEnv(parameters)
        actions = np.stack([rng.integers(4, size=25), rng.integers(4, size=25), rng.integers(2, size=25)], axis=1)
        first = play(env, number, actions)
        assert env.observation_space.contains(first[0])
        env.reset(seed=99)
        assert same(first, play(env, number, actions)) and same(first, play(SchoolEnv(parameters), number, actions))


def test_parameters_can_be_drawn_and_given_for_one_episode():
    kinds = ("Boxes", "Doors")
    env = SchoolEnv(lambda rng: QUIET | {"Problem": kinds[int(rng.integers(2))]})
    drawn = []
    for seed in range(12):
        _, info = env.reset(seed=seed)
        drawn.append(info["parameters"]["Problem"])
    assert set(drawn) == set(kinds)
    _, info = env.reset(options={"parameters": GUARDED})
    assert info["parameters"] == GUARDED


def test_what_is_reported():
    env = SchoolEnv(QUIET | {"Problem": "Boxes", "Cue_type": "Language_Color"})
    observation, _ = env.reset(seed=3)
    assert observation["utterance"] == observation["utterance_history"] == "Conversation: \n"
    assert observation["mission"] == "Hidden" and observation["image"].shape == (7, 7, 6)
    observation, _, _, _, info = env.step([math.nan, math.nan, math.nan])
    assert observation["utterance"] == f"NA \nCaretaker: {info['NPC_utterance']} \n"
    assert set(info) == {
        "success", "image", "vis_mask", "carrying", "agent_pos_vx", "agent_pos_vy", "npc_actions_dict",
        "NPC_prim_action", "NPC_utterance", "NPC_was_introduced_to", "NPC_observed", "parameters",
    }  # fmt: skip
    assert info["NPC_was_introduced_to"] and (info["agent_pos_vx"], info["agent_pos_vy"]) == (3, 6)
    for _ in range(79):
        _, reward, terminated, truncated, info = env.step([-1, -1, -1])
        seen = (info["image"][..., 0] == 11).any()
        assert info["NPC_observed"] == seen
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
        (QUIET | {"Problem": "Boxes", "N": "3"}, "'3'"),
        (QUIET | {"Problem": "Boxes", "Colour": "red"}, "Colour"),
        (QUIET | {"Problem": "Boxes", "Scaffolding": "Y", "JA_recursive": "Y"}, "JA_recursive"),
        ({"Env_type": "Information_seeking", "Problem": "Boxes"}, "Cue_type"),
        (QUIET | {"Problem": "Boxes", "Num_of_colors": "many"}, "Num_of_colors"),
        (["Boxes"], "parameters"),
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
    with pytest.raises(UserError, match="render_mode"):
        SchoolEnv(QUIET, render_mode="human")
    env = SchoolEnv(QUIET | {"Problem": "Boxes"}, size=7, max_steps=15)
    env.reset(seed=0)
    assert (env.problem.room.width, env.problem.room.height) == (7, 7)
