"""The school's case studies: environments as a solver sees them, training that resumes, and tables."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from experiments.social_ai.cases import CASES, TWO_LEARNERS, Arm, Case
from experiments.social_ai.experiment import plan_school
from experiments.social_ai.ppo.settings import SMALL
from experiments.social_ai.results import compared_with, differs_at, final, load_curves, p_text, section, welch
from experiments.social_ai.solver_env import SPEC, STAY, SolverEnv
from experiments.social_ai.training import SchoolTraining, make_agent, make_env, make_places, measure, train
from worlds.errors import UserError
from worlds.school.environments.sampled import SampledEnv
from worlds.school.parameters.ids import ids
from worlds.school.world import SchoolWorld
from worlds.spaces.as_gym import gym_observation_space

BOX = Arm("SocialAI-AsocialBoxInformationSeekingParamEnv-v1")
FEEDBACK = Arm("SocialAI-NLangFeedbackBoxesTestFormatsCSParamEnv-v1")
SCAFFOLDING = "SocialAI-AELangFeedbackTrainScaffoldingCSParamEnv-v1"
TINY = replace(SchoolTraining(), frames=160, envs=4, steps=10, test_every=80, test_episodes=3)
CASE = Case("does it?", {"one": BOX, "more": Arm(BOX.id, begins_with="one", frames=0.5)}, {"box": BOX}, 160, "yes")


def act(primitive: int, words: str = "") -> dict:
    return {"movement": np.array([[primitive]], np.int8), "utterance": words}


def test_a_solver_sees_the_cells_and_hears_the_peer() -> None:
    env = SolverEnv(SampledEnv(FEEDBACK.id))
    seen, _ = env.reset(seed=3)
    space = gym_observation_space(SPEC)
    heard = []
    for _ in range(6):
        assert space.contains(seen), seen
        seen, *_, info = env.step(act(STAY))
        heard.append(seen["heard"])
        assert np.array_equal(seen["grid"], info["image"].transpose(1, 0, 2))
    assert heard[-1].split(": ")[0] == "Caretaker" and heard[-1].split(": ")[1] in ("Hot", "Warm", "Medium", "Cold")
    world = SchoolWorld()
    assert world.solver_spec == SPEC
    assert seen.keys() == world.reset(seed=0)[0]["solver"].keys()


def test_a_colour_that_was_said_once_is_still_known_at_the_box() -> None:
    asks = {"Problem": "Boxes", "Pragmatic_frame_complexity": "Ask", "Cue_type": "Language_Color", "Scaffolding": "N"}
    env = SolverEnv(SampledEnv("SocialAI-SocialAIParamEnv-v1", {"Env_type": "Information_seeking"} | asks))
    env.reset(seed=1)
    seen, *_ = env.step(act(STAY, "Help please"))
    colour = seen["heard"]
    assert colour.startswith("Caretaker: ")
    for _ in range(9):
        seen, *_ = env.step(act(STAY))
        assert seen["heard"] == colour
    assert env.reset(seed=2)[0]["heard"] == ""


def test_what_an_agent_says_and_does_arrives() -> None:
    inner = SampledEnv("SocialAI-ALangFeedbackBoxesTestFormatsCSParamEnv-v1")
    env = SolverEnv(inner)
    env.reset(seed=0)
    before = inner.problem.room.direction
    seen, *_ = env.step(act(0))
    assert inner.problem.room.direction == (before - 1) % 4 and seen["previous_movement"].tolist() == [[0]]
    seen, _, _, _, info = env.step(act(STAY, "Help please"))
    assert info["NPC_was_introduced_to"] and seen["solver_text"] == "Help please"


def test_every_study_names_environments_that_there_are() -> None:
    known = set(ids())
    for case in CASES.values():
        for arm in case.arms.values():
            assert not arm.begins_with or arm.begins_with in case.arms
        for arm in (*case.arms.values(), *case.tests.values()):
            assert arm.id in known or arm.id == TWO_LEARNERS
            make_places([arm])(0).reset(seed=0)


def test_every_small_study_can_be_played_and_later_arms_have_frames_of_their_own() -> None:
    for case in CASES.values():
        small = case.smaller()
        for arm in (*small.arms.values(), *small.tests.values()):
            for number in range(2):
                make_places(arm.environments())(number).reset(seed=0)
    whole, small = (each.arms for each in (CASES["role-reversal-group"], CASES["role-reversal-group"].smaller()))
    assert [arm.frames for arm in whole.values()] == [1.0, 1.0, 0.01, 0.01]
    assert [arm.frames for arm in small.values()] == [1.0, 1.0, 0.25, 0.25]
    assert [arm.frames for arm in CASES["role-reversal"].smaller().arms.values()] == [1.0, 1.0, 0.25, 0.25]


def test_a_small_study_of_a_cue_asks_for_a_choice_in_three_of_four_environments() -> None:
    for name in ("pointing", "feedback", "colour"):
        small = CASES[name].smaller()
        places = [make_env(each).reset(seed=1)[1]["parameters"] for each in small.arms["agent"].environments()]
        found = [(chosen["Problem"], chosen["Peer"], chosen["N"]) for chosen in places]
        assert found == [("Boxes", "Y", "2")] * 3 + [("Doors", "N", "1")]
        held_out = make_env(small.tests["held out: Doors"]).reset(seed=1)[1]["parameters"]
        assert (held_out["Problem"], held_out["N"], held_out["Pragmatic_frame_complexity"]) == ("Doors", "2", "No")
        assert make_agent(replace(SchoolTraining(), agent={**SchoolTraining().agent, **small.agent}), 0)


def test_a_bonus_is_added_in_training() -> None:
    plain, curious = make_env(BOX), make_env(replace(BOX, bonus="cb", scale=20.0))
    rewards = []
    for env in (plain, curious):
        env.reset(seed=1)
        rewards.append([env.step(act(0))[1] for _ in range(3)])
    assert rewards[0] == [0, 0, 0] and rewards[1][0] > 0


def test_training_resumes_with_the_weights_it_had(tmp_path: Path) -> None:
    tests = {"box": BOX}
    half = replace(TINY, frames=80)
    train(tmp_path, BOX, tests, half, 0)
    rows = train(tmp_path, BOX, tests, TINY, 0)
    assert [row["step"] for row in rows] == [80, 160]
    again = train(tmp_path, BOX, tests, TINY, 0)
    assert again == rows

    whole = train(tmp_path / "whole", BOX, tests, half, 0)
    assert whole == rows[:1]


def test_all_places_follow_one_curriculum_and_a_resumed_training_keeps_its_phase(tmp_path: Path) -> None:
    """The phase ends after 30 episodes of all four places together; each plays ten in 80 frames."""
    first = {"kind": "intro_seq", "thresholds": [0.0], "window": 5, "minimum_episodes": 30}
    taught = Arm(SCAFFOLDING, settings={"max_steps": 2, "curriculum": first})
    each = replace(TINY, test_every=40)
    half = train(tmp_path, taught, {}, replace(each, frames=80), 0)
    assert [row["phase"] for row in half] == [1, 2]
    rows = train(tmp_path, taught, {}, replace(each, frames=120), 0)
    assert [row["phase"] for row in rows] == [1, 2, 2]
    other = replace(taught, settings={"max_steps": 3})
    with pytest.raises(UserError, match="have to be alike"):
        train(tmp_path / "two", [taught, other], {}, each, 0)


def test_tests_are_played_with_the_same_episodes_and_a_greedy_success_counts() -> None:
    agent, tokenizer = make_agent(TINY, 0)
    assert measure(agent, tokenizer, BOX, TINY, 1) == measure(agent, tokenizer, BOX, TINY, 1)


def test_a_study_trains_its_agents_and_writes_a_table(tmp_path: Path) -> None:
    page = plan_school(tmp_path, (0, 1), ("it",), TINY, {"it": CASE}).carry_out().read_text()
    assert "| one | 2 | 0.00 |" in page and "| more | 2 | 0.00 |" in page
    assert (tmp_path / "it" / "curves.png").stat().st_size > 1000
    curves = load_curves(tmp_path / "it", CASE)
    assert [rows[-1]["step"] for rows in curves["more"].values()] == [80, 80]
    assert len(final(curves, "one", "box")) == 2
    assert section("it", CASE, tmp_path / "nothing") == ""
    with pytest.raises(UserError, match="no part 'thing'; known: it, each also as NAME/full"):
        plan_school(tmp_path, (0,), ("thing",), TINY, {"it": CASE}).carry_out()


def test_welchs_test_is_that_of_unequal_variances() -> None:
    one, other = [0.1, 0.4, 0.35, 0.8], [0.9, 0.95, 0.93]
    a, b = (np.var(each, ddof=1) / len(each) for each in (one, other))
    t = (np.mean(one) - np.mean(other)) / np.sqrt(a + b)
    freedom = (a + b) ** 2 / (a**2 / 3 + b**2 / 2)
    assert welch(one, other) == pytest.approx(2 * stats.t.sf(abs(t), freedom))
    assert welch([0.5], other) is None and welch([1.0, 1.0], [1.0, 1.0]) is None


@pytest.mark.filterwarnings("error")
def test_seeds_that_are_alike_are_compared_without_a_warning() -> None:
    p = welch([0.94, 0.94], [0.36, 0.5, 0.56])
    assert p == pytest.approx(2 * stats.t.sf(abs(0.94 - 1.42 / 3) / (np.std([0.36, 0.5, 0.56], ddof=1) / 3**0.5), 2))


def test_small_p_values_are_not_printed_as_zero() -> None:
    assert [p_text(p) for p in (None, 0.0126, 0.0009)] == ["", "0.013", "< 0.001"]


def test_agents_that_begin_with_another_are_compared_with_each_other() -> None:
    case = CASES["role-reversal"]
    others = {arm: compared_with(case, arm) for arm in case.arms}
    assert others == {
        "B, with a partner": None,
        "alone": "B, with a partner",
        "A after B": None,
        "A after alone": "A after B",
    }


def test_arms_are_compared_at_each_test_that_both_had() -> None:
    first = np.array([[10.0, 10, 90], [20, 20, 92], [15, 15, 91]])
    other = np.array([[12.0, 80], [14, 85], [19, 82]])
    assert differs_at(np.array([0.1, 0.2]), other, np.array([0.1, 0.2, 0.3]), first).tolist() == [0.2]
    assert stats.ttest_ind(other[:, 1], first[:, 1], equal_var=False).pvalue < 0.05  # type: ignore[attr-defined]


def test_two_learners_are_trained_in_one_agent(tmp_path: Path) -> None:
    case = CASES["two-learners"].smaller()
    arms = case.arms["two learners"].environments()
    (row,) = train(tmp_path, arms, {}, replace(TINY, frames=80), 0)
    assert row["step"] == 80
    with pytest.raises(UserError, match="even number"):
        train(tmp_path / "odd", arms, {}, replace(TINY, envs=3), 0)
    with pytest.raises(UserError, match="V-trace"):
        train(tmp_path / "ppo", arms, {}, replace(TINY, ppo=SMALL), 0)
