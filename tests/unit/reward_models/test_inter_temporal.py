"""The model that begins as the agent, and Eq. 1 against a loop over pairs."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from reward_models.inter_temporal import InterTemporalRewardModel, ibt_loss, unmarked_drift_loss
from tests.unit.reward_models.given_marks import marks_at


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
    marks = torch.from_numpy(marks_at(6, plus=(1,), minus=(3,)))[:, None]
    better = [math.log1p(math.exp(-(u - 0.0))) for u in (1.0, 3.0)]
    worse = [math.log1p(math.exp(v - u)) for u in (1.0, 3.0) for v in (0.5, 0.0, -1.0)]
    expected = (sum(better) / 2 + sum(worse) / 6) / 2
    resets = torch.zeros(6, 1, dtype=torch.bool)
    assert ibt_loss(utility, marks, resets).item() == pytest.approx(expected, rel=1e-5)


def test_the_loss_is_zero_without_pairs_and_finite_however_far_utilities_are_apart() -> None:
    resets = torch.zeros(3, 1, dtype=torch.bool)
    utility = torch.tensor([[0.0], [0.0], [1e4]], requires_grad=True)
    loss = ibt_loss(utility, torch.from_numpy(marks_at(3, plus=(0,)))[:, None], resets)  # nothing before it
    loss.backward()
    assert loss.item() == 0.0 and utility.grad is not None and not utility.grad.any()
    worse = torch.from_numpy(marks_at(3, minus=(2,)))[:, None]
    assert ibt_loss(utility, worse, resets).item() == pytest.approx(1e4)


def test_the_unmarked_drift_loss_sees_only_unmarked_steps_within_episodes() -> None:
    utility = torch.tensor([[0.0], [1.0], [3.0], [10.0], [14.0]])
    quiet = torch.tensor([True, True, False, True, True]).unsqueeze(1)
    resets = torch.tensor([True, False, False, True, False]).unsqueeze(1)
    assert unmarked_drift_loss(utility, quiet, resets).item() == pytest.approx((1.0**2 + 4.0**2) / 2)


def test_training_and_scoring_see_the_same_utility(model: InterTemporalRewardModel, lamp_play) -> None:
    play, rows = lamp_play(range(2)).episodes, np.arange(12).reshape(6, 2)
    observations, resets = play.gather(rows)[0], torch.from_numpy(play.first[rows])
    with torch.no_grad():
        output, state = model(observations, model.initial_state(2), resets)
        utility, same = model.utilities(observations, model.initial_state(2), resets)
    assert torch.equal(output.utility, utility) and torch.equal(state.hidden, same.hidden)


def test_a_scale_is_not_handed_on_to_another_utility(agent) -> None:
    first = InterTemporalRewardModel.from_agent(agent)
    first.config.reward_scale = 3.7
    assert InterTemporalRewardModel.from_agent(first).config.reward_scale == 1.0
    assert InterTemporalRewardModel.from_agent(agent, reward_scale=2.0).config.reward_scale == 2.0
