"""The likelihood of recorded actions."""

from __future__ import annotations

import pytest
import torch

from agents.batch import PolicyLogProbs
from agents.learning.cloning import bc_loss, masked_mean


def test_bc_is_the_mean_over_the_steps_that_count() -> None:
    torch.manual_seed(0)
    log_probs = PolicyLogProbs(*(-torch.rand(3, 2) for _ in range(3)))
    mask = torch.tensor([[1, 0], [1, 1], [0, 0]]).bool()
    kept = [(0, 0), (1, 0), (1, 1)]
    movement = -sum(log_probs.movement[at].item() for at in kept) / 3
    language = -sum(log_probs.speak[at].item() + log_probs.words[at].item() for at in kept) / 3
    found = bc_loss(log_probs, mask)
    assert found["movement"].item() == pytest.approx(movement, rel=1e-5)
    assert found["language"].item() == pytest.approx(language, rel=1e-5)
    assert bc_loss(log_probs)["movement"].item() == pytest.approx(-log_probs.movement.mean().item(), rel=1e-5)


def test_a_mean_of_nothing_is_nothing() -> None:
    assert masked_mean(torch.ones(2, 2), torch.zeros(2, 2, dtype=torch.bool)).item() == 0.0
