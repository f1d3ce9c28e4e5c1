"""Play for the environment's own rewards, and learning from it alone."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

from agents.agent import InteractiveAgent
from agents.tokenizer import Tokenizer
from rlhf.learning.config import LearnerConfig
from rlhf.learning.learner import Learner
from rlhf.replay.reward_runner import RewardRunner
from tests.unit.rlhf import tiny_agent
from worlds.spaces.action import ActionSpec, Discrete, FreeText
from worlds.spaces.description import to_json
from worlds.spaces.observation import Grid, ObservationSpec, PlayerSpec

STEPS = 4  # of an episode
ENDS = {"terminated": (True, False), "truncated": (False, True), "both": (True, True)}
SPEC = PlayerSpec(
    ObservationSpec(grid=Grid(2, 2, (3,))), ActionSpec((Discrete("press", ("a", "b", "c"), 0),), speech=FreeText(20))
)


class Buttons(gymnasium.Env):
    """A map shows which of three buttons to press; each press is rewarded at once, the last of an episode doubly."""

    def __init__(self, ends: tuple[bool, bool] = ENDS["terminated"]) -> None:
        self.ends = ends

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[dict[str, Any], dict[str, Any]]:
        super().reset(seed=seed)
        self.seed_of_episode, self.step_index, self.right = seed, 0, 0
        return self._see(0), {}

    def step(self, action: dict[str, Any]) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        pressed = int(action["movement"][0, 0])
        right = pressed == self.wanted
        self.right += right
        self.step_index += 1
        over = self.step_index == STEPS
        reward = float(right) * (2 if over else 1)
        info = {"success": self.right == STEPS, "seed": self.seed_of_episode} if over else {}
        terminated, truncated = (over and end for end in self.ends)
        return self._see(pressed), reward, terminated, truncated, info

    def _see(self, pressed: int) -> dict[str, Any]:
        self.wanted = int(self.np_random.integers(3))
        return {
            "grid": np.full((2, 2, 1), self.wanted, np.int16),
            "setter_text": "press it",
            "solver_text": "",
            "previous_movement": np.array([[pressed]], np.int8),
        }


def agent(seed: int = 0) -> tuple[InteractiveAgent, Tokenizer]:
    tokenizer = Tokenizer.train(["press it"], 270)
    return tiny_agent.agent(seed, spaces=to_json(SPEC), vocab_size=270, width=16, memory_width=16), tokenizer


def test_a_fragment_has_the_rewards_of_its_actions_and_begins_where_the_last_one_ended() -> None:
    made, tokenizer = agent()
    runner = RewardRunner(made, tokenizer, [Buttons() for _ in range(3)], steps=6)
    first, second = runner.sample(), runner.sample()
    assert first.reward.shape == (7, 3)
    for fragment, begins, grid in (
        (first, 0, first.observations.grid),
        (second, 2, second.observations.grid),
    ):  # row 6 of the first is step 2 of the second episode
        for t in range(6):
            right = fragment.movement[t, :, 0, 0] == grid[t, :, 0, 0, 0]
            last = (t + begins) % STEPS == STEPS - 1
            assert fragment.reward[t + 1].tolist() == [float(one) * (2 if last else 1) for one in right]
            assert fragment.resets[t].tolist() == [(t + begins) % STEPS == 0] * 3
    for name in ("grid", "reward", "resets"):
        assert np.array_equal(first.arrays()[name][6], second.arrays()[name][0])

    ended = runner.finished()
    assert [each.steps for each in ended] == [STEPS] * 9 and runner.finished() == []
    assert len({each.info["seed"] for each in ended}) == 9
    rewarded = sum(float(fragment.reward[1:].sum()) for fragment in (first, second))
    assert sum(each.reward for each in ended) == rewarded


def test_play_follows_from_the_seed_and_resumes_with_the_next_episodes() -> None:
    made, tokenizer = agent()

    def runner(seed: int) -> RewardRunner:
        return RewardRunner(made, tokenizer, [Buttons(), Buttons()], steps=STEPS, seed=seed)

    one, same, other = runner(1), runner(1), runner(2)
    assert np.array_equal(one.sample().movement, same.sample().movement)
    seen, others = one.sample().observations.grid, other.sample().observations.grid
    assert seen is not None and others is not None and not np.array_equal(seen, others)
    state = one.state_dict()
    same.load_state_dict(state)
    other.load_state_dict(state)
    assert np.array_equal(same.sample().movement, other.sample().movement)


@pytest.mark.parametrize("end", ["truncated", "both"])
def test_an_episode_that_is_truncated_has_a_row_with_what_was_seen_last(end: str) -> None:
    made, tokenizer = agent()
    runner = RewardRunner(made, tokenizer, [Buttons(ENDS[end]) for _ in range(3)], steps=2 * (STEPS + 1))
    for _ in range(2):
        fragment = runner.sample()
        row = np.arange(2 * (STEPS + 1) + 1) % (STEPS + 1)
        np.testing.assert_array_equal(fragment.resets, np.tile(row == 0, (3, 1)).T)
        np.testing.assert_array_equal(fragment.terminated, np.tile((row == STEPS) & (end == "both"), (3, 1)).T)
        assert not fragment.reward[row == 0].any()
        np.testing.assert_array_equal(fragment.to_tensors().acted, np.tile(row[:-1] != STEPS, (3, 1)).T)
    assert [each.steps for each in runner.finished()] == [STEPS] * 12


def test_rewards_alone_teach_an_agent() -> None:
    made, tokenizer = agent()
    runner = RewardRunner(made, tokenizer, [Buttons() for _ in range(16)], steps=8)
    settings = LearnerConfig(
        rl_movement_weight=1.0, rl_language_weight=0.0, value_weight=0.5, learning_rate=1e-2, beta1=0.9
    )
    learner = Learner(made, settings)
    share = []
    for _ in range(40):
        metrics = learner.update(runner.sample())
        runner.set_weights(made.state_dict())
        share.append(np.mean([bool(each.success) for each in runner.finished()]))
    assert np.mean(share[:5]) < 0.2 and np.mean(share[-5:]) > 0.9
    assert set(metrics) >= {"rl/movement", "rl/value"} and not any(name.startswith("bc/") for name in metrics)


def test_a_reward_that_is_no_number_is_named() -> None:
    class Broken(Buttons):
        def step(self, action: dict[str, Any]) -> Any:
            seen, _, over, cut, info = super().step(action)
            return seen, float("nan"), over, cut, info

    made, tokenizer = agent()
    with pytest.raises(FloatingPointError, match="environment 1 gave the reward nan"):
        RewardRunner(made, tokenizer, [Buttons(), Broken()], steps=2).sample()
    with pytest.raises(ValueError, match="0 environments"):
        RewardRunner(made, tokenizer, [], steps=2)
