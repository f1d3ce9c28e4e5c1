"""Both sides of a game as environments of a lock step."""

from __future__ import annotations

import numpy as np

from experiments.social_ai.cases import TWO_LEARNERS, Arm
from experiments.social_ai.training import SchoolTraining, make_agent, make_places
from experiments.social_ai.two_sides import two_sides
from rlhf.replay.reward_runner import PlaysTogether, RewardRunner
from tests.sharing import assert_nothing_shared
from worlds.school.environments.two_learners import TwoLearners

MARBLE = {"Problem": "MarblePass"}
NOTHING = np.array([-1, -1, -1])


def forward(words: int = -1) -> np.ndarray:
    return np.array([2, words, 0])


def play(sides, actions: dict) -> dict:
    """Step both sides at once."""
    for side, name in zip(sides, "AB", strict=True):
        side.prepare(actions[name])
    return {name: side.step(actions[name]) for side, name in zip(sides, "AB", strict=True)}


def test_sides_see_what_the_learners_of_the_game_see() -> None:
    rng = np.random.default_rng(0)
    game, sides = TwoLearners(MARBLE), two_sides(TwoLearners(MARBLE))
    expected, _ = game.reset(seed=5)
    begun = {name: side.reset(seed=5)[0] for side, name in zip(sides, "AB", strict=True)}
    for _ in range(40):
        for name in "AB":
            assert np.array_equal(begun[name]["image"], expected[name]["image"])
            assert begun[name]["utterance_history"] == expected[name]["utterance_history"]
        actions = {name: np.array([rng.integers(0, 4), rng.integers(-1, 4), 0]) for name in "AB"}
        for action in actions.values():
            action[2] = -1 if action[1] < 0 else 0
        expected, *_ = game.step(actions)
        begun = {name: result[0] for name, result in play(sides, actions).items()}


def test_who_has_eaten_waits_until_the_other_has_too() -> None:
    env = TwoLearners(MARBLE, max_steps=6)
    a, b = two_sides(env)
    a.reset(seed=1)
    b.reset(seed=1)
    play((a, b), {"A": NOTHING, "B": NOTHING})
    env.problem.apple.eaten = True
    steps = play((a, b), {"A": NOTHING, "B": NOTHING})
    assert steps["A"][1] > 0 and steps["A"][2] and steps["A"][4]["success"]
    assert steps["B"][1:4] == (0.0, False, False)
    waits, _ = a.reset(seed=9)
    assert np.array_equal(waits["image"], steps["A"][0]["image"])
    returned = [steps["A"][0], waits]
    for _ in range(3):
        steps = play((a, b), {"A": forward(), "B": NOTHING})
        assert steps["A"][1:] == (0.0, False, False, {}) and not steps["B"][3]
        returned.append(steps["A"][0])
    assert_nothing_shared(returned)
    steps = play((a, b), {"A": forward(), "B": NOTHING})
    assert steps["A"][1:] == (0.0, True, True, {})  # the wait is over, and nobody counts it
    assert steps["B"][3] and not steps["B"][4]["success"]
    problem = env.problem
    a.reset(seed=2)
    assert env.problem is not problem
    problem = env.problem
    b.reset(seed=3)
    assert env.problem is problem  # the same game for both


def test_a_runner_plays_both_sides_in_the_same_step() -> None:
    agent, tokenizer = make_agent(SchoolTraining(), 0)
    place = make_places([Arm(TWO_LEARNERS, MARBLE, {"max_steps": 5})] * 2)
    envs = [place(number) for number in range(4)]
    assert all(isinstance(env, PlaysTogether) for env in envs)
    runner = RewardRunner(agent, tokenizer, envs, 12)
    fragment = runner.sample()
    ended = runner.finished()
    assert sum(each.steps for each in ended) == 4 * 10  # two games of five steps on every side, waits included
    assert fragment.resets[[0, 6, 12]].all()  # what was seen at the limit has a row of its own, on both sides
    assert any(each.success is None for each in ended)  # one side gave up before the other
