"""One step of gradient descent: its effect on the weights, its metrics, and its errors."""

from __future__ import annotations

import math

import pytest
import torch

from agents.learning.optimization import optimizer_step


def weight_and_optimizer() -> tuple[torch.nn.Parameter, torch.optim.Optimizer]:
    weight = torch.nn.Parameter(torch.tensor([3.0, -4.0]))
    return weight, torch.optim.SGD([weight], lr=0.5)


def test_the_step_descends_the_weighted_sum_and_returns_its_terms() -> None:
    weight, optimizer = weight_and_optimizer()
    terms = {"first": (2.0, weight[0]), "second": (0.25, 4.0 * weight[1])}
    values = optimizer_step(optimizer, [weight], terms, 100.0, 0, {"seen": torch.tensor(7.0)})
    assert values == pytest.approx(
        {"first": 3.0, "second": -16.0, "seen": 7.0, "loss": 2.0, "gradient_norm": math.sqrt(5.0)}
    )
    assert weight.tolist() == [3.0 - 0.5 * 2.0, -4.0 - 0.5 * 1.0]


def test_the_gradient_is_clipped_and_the_norm_before_it_is_returned() -> None:
    weight, optimizer = weight_and_optimizer()
    values = optimizer_step(optimizer, [weight], {"steep": (1.0, (100.0 * weight).sum())}, 1.0, 0)
    assert values["gradient_norm"] == pytest.approx(100.0 * math.sqrt(2.0))
    assert weight.tolist() == pytest.approx([3.0 - 0.5 / math.sqrt(2.0), -4.0 - 0.5 / math.sqrt(2.0)], abs=1e-5)


@pytest.mark.parametrize("name", ["value", "gradient_norm"])
def test_a_term_that_is_not_finite_is_named_and_no_weight_changes(name: str) -> None:
    weight, optimizer = weight_and_optimizer()
    broken = weight[0] / 0.0 if name == "value" else (weight[0] - 3.0).sqrt()  # the latter's value is 0, its slope not
    with pytest.raises(FloatingPointError, match=rf"update 12 is not finite: .*{name} is inf"):
        optimizer_step(optimizer, [weight], {"fine": (1.0, weight[1]), "value": (1.0, broken)}, 1.0, 12)
    assert weight.tolist() == [3.0, -4.0]


def test_earlier_gradients_are_forgotten() -> None:
    weight, optimizer = weight_and_optimizer()
    weight.grad = torch.tensor([1e6, 1e6])
    optimizer_step(optimizer, [weight], {"one": (1.0, weight[0])}, 10.0, 0)
    assert weight.tolist() == [2.5, -4.0]
