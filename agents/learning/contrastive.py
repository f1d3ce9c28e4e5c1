"""Contrastive self-supervision across modalities (CSS): do these words belong to this picture? (paper, A.7)

Matches are picture and words of one step of recorded play. Mismatches pair the picture with the words of the other
trajectories of the batch, all of them: one mismatch a picture teaches the same, only with more noise. Both
embeddings are taken before vision meets language, where they can still be exchanged.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from agents.learning.cloning import masked_mean
from agents.learning.workers import SINGLE_WORKER, Workers


class Discriminator(nn.Module):
    """Log-odds that vision and language belong together: they do if some visual token shows what the words name."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(()))
        self.offset = nn.Parameter(torch.zeros(()))

    def forward(self, vision: Tensor, language: Tensor) -> Tensor:
        """Log-odds [T, B, C] of every picture [T, B, K, width] with every instruction [T, C, width] of its step.

        A soft maximum over the K visual tokens' scaled dot products with the words.
        """
        scores = torch.einsum("tbkd,tcd->tbck", vision, language) / language.shape[-1] ** 0.5
        return self.scale * scores.logsumexp(-1) + self.offset


def css_loss(
    discriminator: Discriminator,
    vision: Tensor,
    language: Tensor,
    words: Tensor,
    mask: Tensor | None = None,
    workers: Workers = SINGLE_WORKER,
) -> Tensor:
    """Binary cross-entropy of telling matches from mismatches, a scalar; matches and mismatches weigh the same.

    Args:
      vision: [T, B, K, width], language: [T, B, width], embeddings of the same steps.
      words: int64 [T, B, L], the tokens that ``language`` stands for.
      mask: bool [T, B], steps that count; steps before the setter's first word should not.
      peers: who have the other trajectories of the batch, if it is shared out. Pictures are paired with the words of
        theirs, too; the mean of all learners' losses is that of the whole batch.

    Trajectories that were asked the very same are no mismatch of each other. With a single trajectory there are no
    mismatches and the loss is of the matches alone.
    """
    exact = discriminator.scale.dtype  # whatever the trunk was computed in
    # [T, B, C], C of all learners together
    logits = discriminator(vision.to(exact), workers.side_by_side(language.to(exact)))
    counts = torch.ones_like(logits[..., 0], dtype=torch.bool) if mask is None else mask
    own = workers.columns(logits.shape[2])
    match = masked_mean(F.softplus(-logits[..., own].diagonal(dim1=1, dim2=2)), counts, workers)
    differ = (words.unsqueeze(2) != workers.side_by_side(words).unsqueeze(1)).any(-1)
    pairs = counts.unsqueeze(2) & workers.side_by_side(counts).unsqueeze(1) & differ
    return match + masked_mean(F.softplus(logits), pairs, workers)
