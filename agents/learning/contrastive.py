"""Contrastive self-supervision across modalities (CSS): do these words belong to this picture? (paper, A.7)

Matches are picture and words of one step of recorded play. Departures from the paper, which has an MLP discriminator
and a shuffling of the batch: the discriminator is a soft maximum of dot products, and mismatches pair a picture with
the words of all other trajectories of the batch, as one mismatch a picture teaches the same with more noise. Both
embeddings are those before vision meets language, where they can still be exchanged.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from agents.learning.cloning import masked_mean
from agents.learning.workers import SINGLE_WORKER, Workers

_UNSEEN = -1e4  # score of a visual token that is not there


class Discriminator(nn.Module):
    """Log-odds that vision and language belong together: they do if some visual token shows what the words name."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(()))
        self.offset = nn.Parameter(torch.zeros(()))

    def forward(self, vision: Tensor, language: Tensor, seen: Tensor | None = None) -> Tensor:
        """Log-odds of every picture with every instruction of its step: [T, B, C].

        A soft maximum over the K visual tokens' scaled dot products with the words.

        Args:
          vision: [T, B, K, width], visual tokens.
          language: [T, C, width], pooled words.
          seen: bool [T, B, K], visual tokens that are there; None is all.
        """
        scores = torch.einsum("tbkd,tcd->tbck", vision, language) / language.shape[-1] ** 0.5
        if seen is not None:
            scores = scores.masked_fill(~seen.unsqueeze(2), _UNSEEN)
        return self.scale * scores.logsumexp(-1) + self.offset


def css_loss(
    discriminator: Discriminator,
    vision: Tensor,
    language: Tensor,
    words: Tensor,
    mask: Tensor | None = None,
    workers: Workers = SINGLE_WORKER,
    seen: Tensor | None = None,
) -> Tensor:
    """Binary cross-entropy of telling matches from mismatches, a scalar. Both weigh the same.

    Trajectories with the very same words are no mismatch of each other. With a single trajectory there are no
    mismatches, and the loss is that of the matches.

    Args:
      discriminator: the agent's.
      vision: [T, B, K, width], embeddings of pictures.
      language: [T, B, width], embeddings of the words of the same steps.
      words: int64 [T, B, L], the tokens that ``language`` stands for.
      mask: bool [T, B], steps that count; steps before the setter's first word should not. None counts all.
      workers: learners that have the other trajectories of a shared batch. Pictures are paired with their words, too;
        the mean of all workers' losses is that of the whole batch.
      seen: bool [T, B, K], visual tokens that are there; None is all. Steps without any do not count.
    """
    if seen is not None:
        mask = seen.any(-1) if mask is None else mask & seen.any(-1)
    if not vision.shape[2]:
        return discriminator.scale * 0.0  # nothing is seen that words could belong to
    exact = discriminator.scale.dtype  # whatever the trunk was computed in
    # [T, B, C], C of all workers together
    logits = discriminator(vision.to(exact), workers.side_by_side(language.to(exact)), seen)
    counts = torch.ones_like(logits[..., 0], dtype=torch.bool) if mask is None else mask
    own = workers.columns(logits.shape[2])
    match = masked_mean(F.softplus(-logits[..., own].diagonal(dim1=1, dim2=2)), counts, workers)
    differ = (words.unsqueeze(2) != workers.side_by_side(words).unsqueeze(1)).any(-1)
    pairs = counts.unsqueeze(2) & workers.side_by_side(counts).unsqueeze(1) & differ
    return match + masked_mean(F.softplus(logits), pairs, workers)
