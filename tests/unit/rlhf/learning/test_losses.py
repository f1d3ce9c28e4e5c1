"""Losses agree with torch.distributions, and with sums written out by hand in NumPy."""

import math
from typing import Any

import numpy as np
import pytest
import torch
from torch.distributions import Bernoulli, kl_divergence

from rlhf.learning.losses import no_op_kl, policy_gradient_loss, value_loss
from rlhf.learning.preference_losses import cpl_loss, kto_loss, mismatched_scores, reference_point, window_scores


def rand(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def test_policy_gradient_loss_by_hand():
    log_prob = torch.tensor([[-1.0, -2.0], [-3.0, -4.0]], requires_grad=True)
    advantages = torch.tensor([[1.0, 0.5], [-1.0, 2.0]], requires_grad=True)
    loss = policy_gradient_loss(log_prob, advantages)
    assert loss.item() == pytest.approx((1.0 + 1.0 - 3.0 + 8.0) / 4)
    loss.backward()
    torch.testing.assert_close(log_prob.grad, -advantages.detach() / 4)
    assert advantages.grad is None


def test_value_loss_is_half_the_mean_square_without_a_gradient_of_targets():
    values, targets = rand(4, 3).requires_grad_(), rand(4, 3, seed=1).requires_grad_()
    loss = value_loss(values, targets)
    difference = (values - targets).detach().numpy()
    assert loss.item() == pytest.approx(0.5 * np.mean(difference**2))
    loss.backward()
    assert values.grad is not None and targets.grad is None
    np.testing.assert_allclose(values.grad, difference / 12)


def test_no_op_kl_is_the_divergence_of_two_bernoullis():
    logit, reference = 3 * rand(5, 4), 3 * rand(5, 4, seed=1)
    expected = kl_divergence(Bernoulli(logits=logit), Bernoulli(logits=reference)).mean()
    torch.testing.assert_close(no_op_kl(logit, reference), expected)
    assert no_op_kl(logit, logit).item() == pytest.approx(0.0, abs=1e-12)


def test_no_op_kl_stays_finite_where_the_decision_is_certain():
    logit = torch.tensor([[80.0, -80.0]], requires_grad=True)
    loss = no_op_kl(logit, torch.tensor([[-80.0, 80.0]]))
    assert loss.item() == pytest.approx(80.0, rel=1e-3)  # log 1 - log sigmoid(-80)
    loss.backward()
    assert logit.grad is not None and logit.grad.isfinite().all()


@pytest.mark.parametrize("loss", [policy_gradient_loss, value_loss, no_op_kl])
def test_masks(loss):
    a, b = rand(4, 3), rand(4, 3, seed=1)
    mask = torch.zeros(4, 3, dtype=torch.bool)
    assert loss(a, b, mask).item() == 0.0
    mask[1:3] = True
    torch.testing.assert_close(loss(a, b, mask), loss(a[1:3], b[1:3]))
    torch.testing.assert_close(loss(a, b, torch.ones_like(mask)), loss(a, b))


@pytest.mark.parametrize("loss", [policy_gradient_loss, value_loss, no_op_kl])
@pytest.mark.parametrize("shapes", [((4, 3), (4, 1), None), ((4,), (4,), None), ((4, 3), (4, 3), (4,))])
def test_shapes_that_would_broadcast_are_refused(loss, shapes):
    a, b, mask = (None if shape is None else torch.zeros(shape) for shape in shapes)
    with pytest.raises(ValueError, match="one shape"):
        loss(a, b, mask)


# Preferences on the policy

RNG = np.random.default_rng(3)
LOG_PROBS, REFERENCE = (-RNG.random((5, 4)) * 3 for _ in range(2))
INSIDE = np.array([[0, 1, 0, 0], [0, 1, 1, 0], [1, 1, 1, 0], [1, 1, 1, 0], [1, 1, 0, 1]], dtype=bool)
DESIRABLE = np.array([True, False, True, False])


def sigmoid(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x))


def scores_by_hand(discount: float, referred: bool) -> list[float]:
    found = []
    for column in range(4):
        total, factor = 0.0, 1.0
        for step in range(5):
            if INSIDE[step, column]:
                value = LOG_PROBS[step, column] - (REFERENCE[step, column] if referred else 0.0)
                total, factor = total + factor * value, factor * discount
        found.append(total)
    return found


@pytest.mark.parametrize("discount", [1.0, 0.9, 0.0])
@pytest.mark.parametrize("referred", [False, True])
def test_scores_are_discounted_from_each_windows_first_step(discount: float, referred: bool) -> None:
    reference = torch.from_numpy(REFERENCE) if referred else None
    found = window_scores(torch.from_numpy(LOG_PROBS), torch.from_numpy(INSIDE), discount, reference)
    assert found.tolist() == pytest.approx(scores_by_hand(discount, referred))


def test_steps_outside_a_window_do_not_count() -> None:
    """Not even with a value that is not finite, and none gets a gradient."""
    values = torch.from_numpy(np.where(INSIDE, LOG_PROBS, -np.inf)).requires_grad_()
    found = window_scores(values, torch.from_numpy(INSIDE))
    assert found.tolist() == pytest.approx(scores_by_hand(1.0, False))
    found.sum().backward()
    assert values.grad is not None and values.grad.tolist() == INSIDE.astype(float).tolist()


@pytest.mark.parametrize("point", [0.0, 0.7])
def test_the_loss_of_kto_by_hand(point: float) -> None:
    """With a reference point of 0 it is that of APO-zero."""
    scores, beta, weights = scores_by_hand(1.0, True), 0.4, {True: 1.5, False: 0.5}
    losses = []
    for score, desirable in zip(scores, DESIRABLE.tolist(), strict=True):
        value = sigmoid(beta * (score - point)) if desirable else sigmoid(beta * (point - score))
        losses.append(weights[desirable] * (1.0 - value))
    found = kto_loss(torch.tensor(scores), torch.from_numpy(DESIRABLE), beta, point, weights[True], weights[False])
    assert float(found) == pytest.approx(sum(losses) / 4, rel=1e-5)


def test_steps_whose_mismatched_action_is_ruled_out_do_not_count() -> None:
    """Of 1e9 less, float32 keeps nothing of what the policies differ in."""
    inside = torch.tensor([[True, True], [True, True], [True, False]])
    policy = torch.tensor([[-1.0, -2.0], [-1e9, -1e9], [-3.0, -1e9]])
    reference = torch.tensor([[-1.5, -2.5], [-1e9, -1e9], [-4.0, -1e9]])
    found = mismatched_scores(policy, reference, inside)
    assert found.tolist() == pytest.approx([(0.5 + 1.0) * 3 / 2, 0.5 * 2], rel=1e-6)
    nothing = torch.full((3, 2), -1e9)
    assert mismatched_scores(nothing, nothing, inside).tolist() == [0.0, 0.0]


def test_the_reference_point_is_at_least_0_and_has_no_gradient() -> None:
    scores = torch.tensor([3.0, -1.0], requires_grad=True)
    point = reference_point(scores)
    assert float(point) == 1.0 and not point.requires_grad
    assert float(reference_point(torch.tensor([-3.0, 1.0]))) == 0.0


@pytest.mark.parametrize("bias", [1.0, 0.5, 0.0])
def test_the_loss_of_cpl_by_hand(bias: float) -> None:
    """As a share of exponentials, the way in which the paper writes it."""
    better, worse, beta = [-2.0, 0.5, 1.0], [-1.0, -4.0, 1.0], 0.7
    losses = [
        -math.log(math.exp(beta * one) / (math.exp(beta * one) + math.exp(bias * beta * other)))
        for one, other in zip(better, worse, strict=True)
    ]
    found = cpl_loss(torch.tensor(better), torch.tensor(worse), beta, bias)
    assert float(found) == pytest.approx(sum(losses) / 3, rel=1e-5)


def test_shapes_that_disagree_are_refused() -> None:
    wrong: list[Any] = [
        lambda: window_scores(torch.zeros(3, 2), torch.ones(3, 1, dtype=torch.bool)),
        lambda: window_scores(torch.zeros(3, 2), torch.ones(3, 2, dtype=torch.bool), reference=torch.zeros(3, 1)),
        lambda: kto_loss(torch.zeros(3), torch.ones(1, dtype=torch.bool), 1.0),
        lambda: cpl_loss(torch.zeros(3), torch.zeros(1), 1.0),
    ]
    for call in wrong:
        with pytest.raises(ValueError, match="not both"):
            call()
