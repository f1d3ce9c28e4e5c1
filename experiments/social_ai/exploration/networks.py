"""The small networks of learned bonuses, and one step of their training, with the settings of the reference."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import torch
from torch import Tensor, nn

FEATURES = 128
_LARGEST_NORM = 40.0  # of a gradient


def image_encoder(channels: int) -> nn.Sequential:
    """Return three halving convolutions, float [N, channels, H, W] to [N, features]; of 7x7 cells one is left."""
    sizes = (channels, 32, 32, FEATURES)
    layers = list[nn.Module]()
    for before, after in zip(sizes[:-1], sizes[1:], strict=True):
        layers += [nn.Conv2d(before, after, 3, stride=2, padding=1), nn.ELU()]
    return nn.Sequential(*layers, nn.Flatten())


def as_input(images: np.ndarray) -> Tensor:
    """Return maps uint8 [N, H, W, channels] as numbers from 0 to 1: float [N, channels, H, W]."""
    return torch.from_numpy(np.ascontiguousarray(images)).permute(0, 3, 1, 2).float() / 255


def optimizer_of(parameters: Iterable[nn.Parameter], learning_rate: float) -> torch.optim.Optimizer:
    """Return the reference's optimizer."""
    return torch.optim.RMSprop(parameters, lr=learning_rate, alpha=0.99, eps=0.01)


def learn(module: nn.Module, optimizer: torch.optim.Optimizer, loss: Tensor) -> None:
    """Take one step down the gradient of ``loss``, the gradient's norm limited."""
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_((each for each in module.parameters() if each.requires_grad), _LARGEST_NORM)
    optimizer.step()
