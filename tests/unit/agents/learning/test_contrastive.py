"""CSS against a loop over all pairs, and what is no mismatch."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor

from agents.learning.contrastive import Discriminator, css_loss


@pytest.fixture
def discriminator() -> Discriminator:
    made = Discriminator()
    with torch.no_grad():
        made.scale.fill_(0.7)
        made.offset.fill_(-0.3)
    return made


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


def made_up(asked: Tensor) -> tuple[Tensor, Tensor]:
    torch.manual_seed(0)
    return torch.randn(*asked.shape, 5, 8), torch.randn(4, 8)[asked]


def words_of(asked: Tensor) -> Tensor:
    """Three tokens for everything that is asked; some differ in the last one only."""
    return torch.stack([torch.full_like(asked, 5), asked // 2, asked % 2], dim=-1)


@torch.no_grad()
@pytest.mark.parametrize("masked", [False, True])
def test_against_a_loop(discriminator: Discriminator, masked: bool) -> None:
    asked = torch.tensor([[0, 1, 2, 1], [3, 3, 0, 2], [1, 1, 1, 2]])
    mask = torch.tensor([[1, 1, 0, 1], [1, 0, 1, 1], [1, 1, 1, 0]]).bool() if masked else torch.ones(3, 4).bool()
    vision, language = made_up(asked)
    found = css_loss(discriminator, vision, language, words_of(asked), mask if masked else None).item()
    assert found == pytest.approx(by_loop(discriminator, vision, language, mask, asked), rel=1e-5)


def test_nothing_asked_nothing_lost(discriminator: Discriminator) -> None:
    asked = torch.tensor([[0, 1]])
    vision, language = made_up(asked)
    vision.requires_grad_()
    loss = css_loss(discriminator, vision, language, words_of(asked), torch.zeros(1, 2, dtype=torch.bool))
    loss.backward()
    assert loss.item() == 0.0 and not vision.grad.any()


def test_it_teaches_which_words_belong_to_which_picture() -> None:
    torch.manual_seed(0)
    shown, named = torch.randn(4, 8), torch.nn.Parameter(torch.randn(4, 8) * 0.1)
    discriminator = Discriminator()
    optimizer = torch.optim.Adam([named, *discriminator.parameters()], lr=0.1)
    for _ in range(60):
        loss = css_loss(discriminator, shown[None, :, None], named[None], words_of(torch.arange(4)[None]))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    odds = discriminator(shown[None, :, None], named[None])[0]
    assert odds.argmax(-1).tolist() == [0, 1, 2, 3] and (odds.diagonal() > 0).all()
