"""The model that begins as the agent, and Eq. 1 against a loop over pairs."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.agent import InteractiveAgent
from reward_models.inter_temporal import InterTemporalRewardModel, ibt_loss, unmarked_drift_loss
from reward_models.marks.pairs import MINUS, PLUS


def loss_by_hand(utility: np.ndarray, marks: np.ndarray, resets: np.ndarray) -> float:
    """Mean of -log sigmoid(y (U2 - U1)) over the pairs of Eq. 1, one at a time."""
    losses = []
    steps, batch, raters, _ = marks.shape
    for t1, t2, b, r in np.ndindex(steps, steps, batch, raters):
        if t2 <= t1 or resets[t1 + 1 : t2 + 1, b].any():
            continue
        plus, minus = marks[t1 + 1 : t2 + 1, b, r].astype(int).sum(0)
        if (plus > 0) == (minus > 0):
            continue
        y = 1.0 if plus else -1.0
        losses.append(math.log1p(math.exp(-y * (utility[t2, b] - utility[t1, b]))))
    return sum(losses) / len(losses) if losses else 0.0


@given(st.integers(0, 2**32 - 1), st.integers(1, 10), st.integers(1, 3), st.integers(1, 2))
@settings(max_examples=80, deadline=None)
def test_loss_is_equation_1(seed: int, steps: int, batch: int, raters: int) -> None:
    rng = np.random.default_rng(seed)
    utility = rng.normal(size=(steps, batch)).astype(np.float32)
    marks = (rng.random((steps, batch, raters, 2)) < 0.2).astype(np.uint8)
    resets = rng.random((steps, batch)) < 0.1
    loss = ibt_loss(torch.from_numpy(utility), torch.from_numpy(marks), torch.from_numpy(resets), weighting="pairs")
    assert loss.item() == pytest.approx(loss_by_hand(utility, marks, resets), rel=1e-4, abs=1e-5)


def test_stretches_share_one_weight_among_their_pairs() -> None:
    """(+) at 1 and (-) at 3 of 6 steps: stretches [0], [1, 2], [3, 4, 5]; 2 pairs say better, 6 say worse."""
    utility = torch.tensor([[0.0], [1.0], [3.0], [0.5], [0.0], [-1.0]])
    marks = torch.zeros(6, 1, 1, 2, dtype=torch.uint8)
    marks[1, 0, 0, PLUS] = marks[3, 0, 0, MINUS] = 1
    better = [math.log1p(math.exp(-(u - 0.0))) for u in (1.0, 3.0)]
    worse = [math.log1p(math.exp(v - u)) for u in (1.0, 3.0) for v in (0.5, 0.0, -1.0)]
    expected = (sum(better) / 2 + sum(worse) / 6) / 2
    resets = torch.zeros(6, 1, dtype=torch.bool)
    assert ibt_loss(utility, marks, resets).item() == pytest.approx(expected, rel=1e-5)


def test_without_pairs_the_loss_and_its_gradient_are_zero() -> None:
    utility = torch.randn(5, 2, requires_grad=True)
    marks = torch.zeros(5, 2, 1, 2, dtype=torch.uint8)
    marks[0, 0, 0, PLUS] = 1  # nothing before it
    loss = ibt_loss(utility, marks, torch.zeros(5, 2, dtype=torch.bool))
    loss.backward()
    assert loss.item() == 0.0 and utility.grad is not None and not utility.grad.any()


def test_loss_is_finite_however_far_utilities_are_apart() -> None:
    marks = torch.zeros(3, 1, 1, 2, dtype=torch.uint8)
    marks[2, 0, 0, MINUS] = 1
    utility = torch.tensor([[0.0], [0.0], [1e4]])
    assert ibt_loss(utility, marks, torch.zeros(3, 1, dtype=torch.bool)).item() == pytest.approx(1e4)


def test_the_unmarked_drift_loss_sees_only_unmarked_steps_within_episodes() -> None:
    utility = torch.tensor([[0.0], [1.0], [3.0], [10.0], [14.0]])
    quiet = torch.tensor([True, True, False, True, True]).unsqueeze(1)
    resets = torch.tensor([True, False, False, True, False]).unsqueeze(1)
    assert unmarked_drift_loss(utility, quiet, resets).item() == pytest.approx((1.0**2 + 4.0**2) / 2)


def test_training_and_scoring_see_the_same_utility(agent: InteractiveAgent, lamp_play) -> None:
    model = InterTemporalRewardModel.from_agent(agent)
    play = lamp_play(range(2)).episodes
    rows = np.arange(12).reshape(6, 2)
    observations, actions = play.gather(rows)
    resets = torch.from_numpy(play.first[rows])
    with torch.no_grad():
        output, state = model(observations, model.initial_state(2), resets)
        utility, same = model.utilities(observations, model.initial_state(2), resets)
        assert torch.equal(output.utility, utility) and torch.equal(state.hidden, same.hidden)
        assert model.log_probs(output, actions).movement.shape == (6, 2)  # its policy can still be cloned


def test_a_scale_is_not_handed_on_to_another_utility(agent) -> None:
    first = InterTemporalRewardModel.from_agent(agent)
    first.config.reward_scale = 3.7
    assert InterTemporalRewardModel.from_agent(first).config.reward_scale == 1.0
    assert InterTemporalRewardModel.from_agent(agent, reward_scale=2.0).config.reward_scale == 2.0
