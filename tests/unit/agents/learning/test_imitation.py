"""The losses of imitation: CSS against a loop over all pairs, and the likelihood of recorded actions."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor

from agents.batch import PolicyLogProbs
from agents.learning.cloning import bc_loss
from agents.learning.contrastive import Discriminator, css_loss


def logit(discriminator: Discriminator, picture: Tensor, words: Tensor) -> float:
    """Log-odds that ``picture`` [K, D] and ``words`` [D] belong together."""
    scores = [float((token * words).sum()) / math.sqrt(len(words)) for token in picture]
    soft = math.log(sum(math.exp(score) for score in scores))
    return discriminator.scale.item() * soft + discriminator.offset.item()


def by_loop(discriminator: Discriminator, vision: Tensor, language: Tensor, mask: Tensor, asked: Tensor) -> float:
    matches, mismatches = [], []
    for t in range(mask.shape[0]):
        for b in range(mask.shape[1]):
            for c in range(mask.shape[1]):
                if not (mask[t, b] and mask[t, c]):
                    continue
                odds = logit(discriminator, vision[t, b], language[t, c])
                if b == c:
                    matches.append(math.log1p(math.exp(-odds)))
                elif asked[t, b] != asked[t, c]:
                    mismatches.append(math.log1p(math.exp(odds)))
    return sum(sum(losses) / len(losses) for losses in (matches, mismatches) if losses)


def words_of(asked: Tensor) -> Tensor:
    """Three tokens for everything that is asked; some differ in the last one only."""
    return torch.stack([torch.full_like(asked, 5), asked // 2, asked % 2], dim=-1)


@pytest.mark.parametrize("mask", ["all", "some", "none"])
def test_css_against_a_loop(mask: str) -> None:
    discriminator = Discriminator()
    with torch.no_grad():
        discriminator.scale.fill_(0.7)
        discriminator.offset.fill_(-0.3)
    asked = torch.tensor([[0, 1, 2, 1], [3, 3, 0, 2], [1, 1, 1, 2]])
    some = torch.tensor([[1, 1, 0, 1], [1, 0, 1, 1], [1, 1, 1, 0]]).bool()
    counts = {"all": torch.ones_like(some), "some": some, "none": torch.zeros_like(some)}[mask]
    torch.manual_seed(0)
    vision, language = torch.randn(3, 4, 5, 8, requires_grad=True), torch.randn(4, 8)[asked]
    found = css_loss(discriminator, vision, language, words_of(asked), None if mask == "all" else counts)
    assert found.item() == pytest.approx(by_loop(discriminator, vision, language, counts, asked), rel=1e-5)
    found.backward()
    assert vision.grad is not None and bool(vision.grad.any()) == (mask != "none")


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
    assert bc_loss(log_probs, mask & False)["movement"].item() == 0.0, "a mean of nothing"
