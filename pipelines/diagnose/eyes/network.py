"""The network that names what visual tokens show: its loss and its training."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from agents.learning.random_shift import random_shift

CLIP = 20.0  # largest norm of the gradient, as the demo's cloning has it
DECAY = 0.3  # last share of the updates, in which the learning rate falls to 0
_AT_ONCE = 1024  # frames


class SeenHead(nn.Module):
    """Visual tokens [N, K, width] to log-odds [N, outputs] that something is in view.

    Every token has a score for each output, and the soft maximum over the tokens counts, as in the contrastive loss:
    a thing is in view if some token shows it.
    """

    def __init__(self, width: int, outputs: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.score = nn.Linear(width, outputs)
        nn.init.constant_(self.score.bias, -3.0)  # most of what there is, is not in view

    def forward(self, tokens: Tensor) -> Tensor:
        return self.score(self.norm(tokens)).logsumexp(1)


def eyes_loss(odds: Tensor, pixels: Tensor, least: int) -> Tensor:
    """Mean binary cross-entropy of what is in view.

    Args:
      odds: [N, outputs], log-odds.
      pixels: [N, outputs], that show each. From ``least`` on it is in view; with fewer, but some, it does not count.
      least: pixels.
    """
    counts = (pixels == 0) | (pixels >= least)
    loss = F.binary_cross_entropy_with_logits(odds, (pixels >= least).to(odds.dtype), reduction="none")
    return (loss * counts).sum() / counts.sum().clamp_min(1)


def shifted_frames(image: Tensor, pixels: int, rng: np.random.Generator) -> Tensor:
    """Return pictures uint8 [N, H, W, channels], each moved by up to ``pixels`` in each direction."""
    return random_shift(image.unsqueeze(0), pixels, rng)[0]


def learn(
    network: nn.Module,
    inputs: np.ndarray,
    pixels: np.ndarray,
    least: int,
    updates: int,
    batch: int,
    rate: float,
    seed: int,
    augment: Callable[[Tensor, np.random.Generator], Tensor] = lambda frames, _: frames,
) -> None:
    """Teach ``network`` what is in view, by Adam.

    Args:
      network: from inputs to log-odds [N, outputs].
      inputs: [N, ...].
      pixels: int64 [N, outputs], that show each.
      rate: learning rate, which falls to 0 over the last updates.
    """
    rng = np.random.default_rng(seed)
    optimizer = torch.optim.Adam(network.parameters(), lr=rate, betas=(0.9, 0.99))
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda update: min(1.0, (1 - update / updates) / DECAY))
    given, truth = torch.from_numpy(inputs), torch.from_numpy(pixels)
    for _ in range(updates):
        rows = torch.from_numpy(rng.integers(len(inputs), size=batch))
        loss = eyes_loss(network(augment(given[rows], rng)), truth[rows], least)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), CLIP)
        optimizer.step()
        schedule.step()


@torch.no_grad()
def log_odds(network: nn.Module, inputs: np.ndarray) -> np.ndarray:
    """Return what ``network`` says of inputs [N, ...]: float32 [N, outputs]."""
    return torch.cat([network(part) for part in torch.from_numpy(inputs).split(_AT_ONCE)]).numpy()
