"""The image encoder: a stem and ResNet stages that end in a grid of visual tokens (paper, A.4)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from agents.config import AgentConfig
from agents.networks.checkpointed_layers import CheckpointedLayers
from agents.networks.stem import make_stem

if TYPE_CHECKING:
    from agents.networks.frozen_vision import FrozenVisionEncoder


class ResidualBlock(nn.Module):
    """Two 3x3 convolutions with a skip (pre-activation).

    Nothing is normalised over a batch, as frames of one batch are correlated.

    Args:
      normed: normalise each frame over its channels and places before the first convolution.
    """

    def __init__(self, channels: int, normed: bool = False) -> None:
        super().__init__()
        self.norm = nn.GroupNorm(1, channels) if normed else nn.Identity()
        self.first = nn.Conv2d(channels, channels, 3, padding=1)
        self.second = nn.Conv2d(channels, channels, 3, padding=1)
        nn.init.zeros_(self.second.weight)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.second(F.relu(self.first(F.relu(self.norm(x)))))


class VisionEncoder(CheckpointedLayers):
    """Images uint8 [N, H, W, channels] to visual tokens [N, K, width] that know where in the image they are."""

    def __init__(self, config: AgentConfig, channels: int = 3) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        stages = zip(config.vision_channels, config.vision_strides, config.vision_blocks, strict=True)
        for index, (width, stride, blocks) in enumerate(stages):
            first = index == 0
            layers.append(
                make_stem(config.vision_stem, channels, width, stride)
                if first
                else nn.Conv2d(channels, width, 3, stride, 1)
            )
            layers += [ResidualBlock(width, config.vision_norm) for _ in range(blocks)]
            channels = width
        self.body = nn.Sequential(*layers)
        self.tokens = math.prod(_after_stages(size, config) for size in config.image_size)
        self.project = nn.Linear(channels, config.width)
        self.place = nn.Parameter(torch.randn(self.tokens, config.width) * 0.02)

    def forward(self, image: Tensor) -> Tensor:
        # [N, H, W, channels] permuted is already channels-last in memory, the layout CPU and GPU convolutions prefer.
        x = image.permute(0, 3, 1, 2).to(self.place.dtype) / 127.5 - 1.0
        x = x.contiguous(memory_format=torch.channels_last)
        for layer in self.body:
            x = self.run(layer, x) if isinstance(layer, ResidualBlock) else layer(x)
        x = F.relu(x)
        return self.project(x.flatten(2).transpose(1, 2)) + self.place


def make_vision(config: AgentConfig, channels: int) -> VisionEncoder | FrozenVisionEncoder:
    """Return the untrained image encoder of a configuration."""
    if config.vision_model is None:
        return VisionEncoder(config, channels)
    from agents.networks.frozen_vision import FrozenVisionEncoder  # imports much of `transformers`

    return FrozenVisionEncoder(config, channels)


def _after_stages(size: int, config: AgentConfig) -> int:
    """Height or width that is left of ``size`` pixels after all stages' convolutions."""
    for index, stride in enumerate(config.vision_strides):
        # Every stem gives a place for each whole patch; the other stages are 3x3 convolutions with padding 1.
        size = size // stride if index == 0 else (size - 1) // stride + 1
    return size
