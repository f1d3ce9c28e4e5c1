"""The school's case studies: environments as a solver sees them, training that resumes, and tables."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from experiments.engine.rows import grouped
from experiments.engine.table import by_arm
from experiments.social_ai.cases import CASES, Arm, Case
from experiments.social_ai.experiment import plan_school
from experiments.social_ai.ppo.settings import SMALL
from experiments.social_ai.results import differs_at, final, load_curves, section, welch
from experiments.social_ai.solver_env import SPEC, STAY, SolverEnv
from experiments.social_ai.training import SchoolTraining, make_places, train
from worlds.errors import UserError
from worlds.school.environments.sampled import SampledEnv
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


def test_training_resumes_with_the_weights_it_had(tmp_path: Path) -> None:
    tests = {"box": BOX}
    half = replace(TINY, frames=80)
    train(tmp_path, BOX, tests, half, 0)
    rows = train(tmp_path, BOX, tests, TINY, 0)
    assert [row["step"] for row in rows] == [80, 160]
    again = train(tmp_path, BOX, tests, TINY, 0)
    assert again == rows

    (whole,) = train(tmp_path / "whole", BOX, tests, half, 0)
    assert whole | {"time": 0} == rows[0] | {"time": 0}


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


def test_a_study_trains_its_agents_and_writes_a_table(tmp_path: Path) -> None:
    page = plan_school(tmp_path, (0, 1), ("it",), TINY, {"it": CASE}).carry_out().read_text()
    assert "| one | 2 | 0.00 |" in page and "| more | 2 | 0.00 |" in page
    assert (tmp_path / "it" / "curves.png").stat().st_size > 1000
    curves = grouped(load_curves("it", tmp_path / "it", CASE), by_arm)
    assert [row.measures["frames"] for row in final(curves["more"], "box")] == [80, 80]
    assert len(final(curves["one"], "box")) == 2
    assert not section("it", CASE, tmp_path / "nothing").parts
    with pytest.raises(UserError, match="no part 'thing'; known: it, each also as NAME/full"):
        plan_school(tmp_path, (0,), ("thing",), TINY, {"it": CASE}).carry_out()


def test_welchs_test_is_that_of_unequal_variances() -> None:
    one, other = [0.1, 0.4, 0.35, 0.8], [0.9, 0.95, 0.93]
    a, b = (np.var(each, ddof=1) / len(each) for each in (one, other))
    t = (np.mean(one) - np.mean(other)) / np.sqrt(a + b)
    freedom = (a + b) ** 2 / (a**2 / 3 + b**2 / 2)
    assert welch(one, other) == pytest.approx(2 * stats.t.sf(abs(t), freedom))
    assert welch([0.5], other) is None and welch([1.0, 1.0], [1.0, 1.0]) is None


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
