"""Contrastive self-supervision across modalities (CSS): do these words belong to this picture? (paper, A.7)

Matches are picture and words of one step of recorded play. Mismatches pair the picture with the words of
another trajectory of the batch. Both embeddings are taken before vision meets language, where they can still
be exchanged.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from agents.trunk import match_scores


class Discriminator(nn.Module):
    """Log-odds [...] that vision [..., K, width] and language [..., width] belong together.

    They do if some visual token shows what the words name: a soft maximum over the tokens' scores.
    """

    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(()))
        self.offset = nn.Parameter(torch.zeros(()))

    def forward(self, vision: Tensor, language: Tensor) -> Tensor:
        return self.scale * match_scores(vision, language).logsumexp(-1) + self.offset


def css_loss(discriminator: Discriminator, vision: Tensor, language: Tensor, mask: Tensor | None = None) -> Tensor:
    """Binary cross-entropy of telling matches from mismatches, a scalar.

    Args:
      vision: [T, B, K, width], language: [T, B, width], embeddings of the same steps.
      mask: bool [T, B], steps that count; steps before the setter's first word should not.

    Mismatches take the words of the next trajectory in the batch (B is rolled by one). With a single
    trajectory there are none and the loss is of the matches alone.
    """
    match = F.softplus(-discriminator(vision, language))
    if vision.shape[1] == 1:
        return _mean(match, mask)
    mismatch = F.softplus(discriminator(vision, torch.roll(language, 1, dims=1)))
    if mask is None:
        return match.mean() + mismatch.mean()
    return _mean(match, mask) + _mean(mismatch, mask & torch.roll(mask, 1, dims=1))


def _mean(x: Tensor, mask: Tensor | None) -> Tensor:
    if mask is None:
        return x.mean()
    weight = mask.to(x.dtype)
    return (x * weight).sum() / torch.clamp_min(weight.sum(), 1.0)
