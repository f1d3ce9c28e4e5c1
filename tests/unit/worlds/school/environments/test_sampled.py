"""Every published id makes an environment, whose parameters come from its tree."""

from __future__ import annotations

import warnings
from collections import Counter

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import worlds.school  # noqa: F401  registers the ids
from worlds.errors import UserError
from worlds.school.environments.sampled import SampledEnv
from worlds.school.parameters.branches import FULL
from worlds.school.parameters.ids import ids, tree_of
from worlds.school.parameters.tree import combinations

FULL_ID = "SocialAI-SocialAIParamEnv-v1"
SCAFFOLDING = "SocialAI-AELangFeedbackTrainScaffoldingCSParamEnv-v1"


@pytest.mark.parametrize("id_", ids()[::8])
def test_ids_pass_gymnasiums_checker(id_: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make(id_, render_mode="rgb_array")
        check_env(env.unwrapped)
    env.close()


@pytest.mark.parametrize("id_", ids()[::4])
def test_episodes_have_the_parameters_of_the_tree(id_: str) -> None:
    possible = [chosen for chosen, _ in combinations(tree_of(id_))]
    env = gymnasium.make(id_)
    for seed in range(5):
        observation, info = env.reset(seed=seed)
        assert info["parameters"] in possible
        assert observation in env.observation_space
        env.step(np.array([2, 1, 0]))
    env.close()


def test_all_types_of_environment_are_sampled_and_seeds_repeat() -> None:
    def drawn() -> list[str]:
        env = gymnasium.make(FULL_ID)
        env.reset(seed=0)
        return [env.reset()[1]["parameters"]["Env_type"] for _ in range(300)]

    first = drawn()
    assert first == drawn()
    assert all(75 < number < 125 for number in Counter(first).values()) and len(set(first)) == 3


def test_a_tree_is_narrowed_when_the_environment_is_made() -> None:
    env = gymnasium.make(
        FULL_ID, allowed={"ENV TYPE": "Collaboration", "Problem": ["LeverDoor", "Marble"], "Role": "A"}
    )
    seen = {(info["parameters"]["Problem"], info["parameters"]["Role"]) for _, info in (env.reset() for _ in range(40))}
    assert seen == {("LeverDoor", "A"), ("Marble", "A")}


def test_an_episode_has_the_parameters_that_are_given() -> None:
    env = gymnasium.make(FULL_ID)
    given = {"Env_type": "AdversarialPeer", "Version": "Asocial", "Obstacles": "A lot"}
    info = env.reset(seed=1, options={"parameters": given})[1]
    assert info["parameters"] == {"Env_type": "AppleStealing", "Version": "Asocial", "Obstacles": "A_lot"}
    with pytest.raises(UserError, match="no such combination"):
        env.reset(options={"parameters": given | {"Problem": "Boxes"}})
    with pytest.raises(UserError, match="not a mapping"):
        env.reset(options={"parameters": "Boxes"})


def test_a_curriculum_steers_what_is_sampled() -> None:
    config = {"kind": "intro_seq", "thresholds": [0.0], "window": 5, "minimum_episodes": 8}
    env = gymnasium.make(SCAFFOLDING, curriculum=config, max_steps=1)
    drawn = []
    for number in range(30):
        info = env.reset(seed=number)[1]
        drawn.append(info["parameters"])
        assert info["curriculum_info_param"] == (1 if number < 9 else 2)
        info = env.step(np.array([0, 0, 0]))[4]
        assert info["curriculum_info_mean_perf"] == info["curriculum_info_max_mean_perf"] == 0
    assert {each["Scaffolding"] for each in drawn} == {"N"}
    assert len({each["Pragmatic_frame_complexity"] for each in drawn[:9]}) > 1
    assert {each["Pragmatic_frame_complexity"] for each in drawn[9:]} == {"Ask_Eye_contact"}


def test_a_curriculum_is_continued_in_another_environment() -> None:
    config = {"kind": "intro_seq_scaf", "thresholds": [0.9, 0.9]}
    first, second = (SampledEnv(SCAFFOLDING, curriculum=config) for _ in range(2))
    second.restore_curriculum({"phase": 2, "episodes": 3, "successes": [True, False]})
    assert second.reset(seed=0)[1]["curriculum_info_param"] == 2
    assert first.reset(seed=0)[1]["curriculum_info_param"] == 1
    with pytest.raises(UserError, match="has no curriculum"):
        SampledEnv(FULL).restore_curriculum({})


@pytest.mark.parametrize(
    ("made", "words"),
    [
        ({"tree": "SocialAI-Nothing-v1"}, "no environment 'SocialAI-Nothing-v1'"),
        ({"tree": FULL_ID, "allowed": {"Problem": "Doors", "Role": "A", "Env_type": "Collaboration"}}, "Problem=Doors"),
        ({"tree": SCAFFOLDING, "curriculum": {"kind": "intro_seq"}}, "needs thresholds"),
        ({"tree": SCAFFOLDING, "curriculum": {"thresholds": [0.9]}}, "needs its kind"),
        ({"tree": SCAFFOLDING, "curriculum": {"kind": "intro_seq", "threshold": 0.9}}, "no setting 'threshold'"),
        ({"tree": FULL_ID, "colour": "red"}, "colour"),
    ],
)
def test_what_cannot_be_made_is_refused_in_one_line(made: dict[str, object], words: str) -> None:
    with pytest.raises(UserError, match=words) as refused:
        SampledEnv(**made)  # type: ignore[arg-type]
    assert "\n" not in str(refused.value)
