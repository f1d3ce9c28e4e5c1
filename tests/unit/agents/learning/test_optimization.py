"""One step of gradient descent: its effect on the weights, its metrics, its errors, and its learning rate."""

from __future__ import annotations

import math

import pytest
import torch

from agents.learning.config import AdamConfig
from agents.learning.optimization import Optimizer, linear_decay


def optimizer(clip: float = 100.0) -> tuple[torch.nn.Parameter, Optimizer]:
    """Two weights and their optimizer, which descends by half the gradient instead of Adam's steps."""
    model = torch.nn.Module()
    model.weight = torch.nn.Parameter(torch.tensor([3.0, -4.0]))
    made = Optimizer(model, AdamConfig(learning_rate=0.5, clip=clip))
    made.adam = torch.optim.SGD(model.parameters(), lr=0.5)  # type: ignore[assignment]
    return model.weight, made


def test_the_step_descends_the_weighted_sum_and_returns_its_terms() -> None:
    weight, descent = optimizer()
    weight.grad = torch.tensor([1e6, 1e6])  # earlier gradients are forgotten
    terms = {"first": (2.0, weight[0]), "second": (0.25, 4.0 * weight[1])}
    values = descent.step(terms, 0, 0.0, {"seen": torch.tensor(7.0)})
    assert values == pytest.approx(
        {"first": 3.0, "second": -16.0, "seen": 7.0, "loss": 2.0, "gradient_norm": math.sqrt(5.0)}
    )
    assert weight.tolist() == [3.0 - 0.5 * 2.0, -4.0 - 0.5 * 1.0]


def test_the_gradient_is_clipped_and_the_norm_before_it_is_returned() -> None:
    weight, descent = optimizer(clip=1.0)
    values = descent.step({"steep": (1.0, (100.0 * weight).sum())}, 0, 0.0)
    assert values["gradient_norm"] == pytest.approx(100.0 * math.sqrt(2.0))
    assert weight.tolist() == pytest.approx([3.0 - 0.5 / math.sqrt(2.0), -4.0 - 0.5 / math.sqrt(2.0)], abs=1e-5)


@pytest.mark.parametrize("name", ["value", "gradient_norm"])
def test_a_term_that_is_not_finite_is_named_and_no_weight_changes(name: str) -> None:
    weight, descent = optimizer()
    broken = weight[0] / 0.0 if name == "value" else (weight[0] - 3.0).sqrt()  # the latter's value is 0, its slope not
    with pytest.raises(FloatingPointError, match=rf"update 12 is not finite: .*{name} is inf"):
        descent.step({"fine": (1.0, weight[1]), "value": (1.0, broken)}, 12, 0.0)
    assert weight.tolist() == [3.0, -4.0]


@pytest.mark.parametrize(
    ("update", "progress", "rate", "on_a_line"),
    [
        (0, 0.0, 2.5e-4, 2.5e-4),  # a quarter of the way up
        (3, 0.0, 1e-3, 1e-3),
        (9, 1 / 3, 8e-4, 1e-3 - 8e-4 / 3),  # the cosine of 60 degrees is 1/2: 0.2 + 0.8 * 3/4
        (9, 0.5, 6e-4, 6e-4),
        (9, 2 / 3, 4e-4, 2e-4 + 8e-4 / 3),
        (9, 1.5, 2e-4, 2e-4),
        (1, 0.5, 3e-4, 3e-4),  # both at once
    ],
)
def test_the_rate_rises_and_then_falls_along_a_cosine_or_a_line(
    update: int, progress: float, rate: float, on_a_line: float
) -> None:
    model, config = torch.nn.Linear(1, 1), AdamConfig(learning_rate=1e-3, warmup=4, decay=0.2)
    descent = Optimizer(model, config)
    assert descent.learning_rate(update, progress) == pytest.approx(rate)
    descent.step({"loss": (1.0, model.weight.sum() + model.bias.sum())}, update, progress)
    assert descent.adam.param_groups[0]["lr"] == pytest.approx(rate)
    assert Optimizer(model, AdamConfig(learning_rate=1e-3)).learning_rate(0, progress) == 1e-3
    assert Optimizer(model, config, falls=linear_decay).learning_rate(update, progress) == pytest.approx(on_a_line)
