"""Losses against torch.distributions, finite differences and sums written out."""

import numpy as np
import pytest
import torch
from torch.distributions import Bernoulli, kl_divergence

from rlhf.learning.losses import no_op_kl, policy_gradient_loss, value_loss


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
