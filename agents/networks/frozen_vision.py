"""An image encoder whose features are those of a pretrained vision model, which stays as it is."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from agents.config import AgentConfig
from agents.networks.checkpointed_layers import CheckpointedLayers
from agents.vision_model import VisionModel, patch_tokens, untrained_model


class FrozenVisionEncoder(CheckpointedLayers):
    """Images uint8 [N, H, W, 3] to visual tokens [N, K, width], a linear layer on frozen features.

    Pictures are enlarged so that the pretrained model cuts them into ``config.vision_grid`` patches. Its weights are
    part of the agent's, and never change.

    Raises:
      ValueError: pictures have other channels than three, or the configuration describes no vision Transformer.
    """

    mean: Tensor
    deviation: Tensor

    def __init__(self, config: AgentConfig, channels: int = 3) -> None:
        super().__init__()
        if config.vision_model is None or channels != 3:
            raise ValueError(f"a pretrained vision model sees pictures of three channels, not {channels}")
        self.model = untrained_model(config.vision_model).requires_grad_(False).eval()
        sizes = config.vision_model
        self.size = tuple(count * int(sizes["patch_size"]) for count in config.vision_grid)
        self.tokens = config.vision_grid[0] * config.vision_grid[1]
        self.register_buffer("mean", torch.full((3, 1, 1), 0.5))
        self.register_buffer("deviation", torch.full((3, 1, 1), 0.5))
        self.norm = nn.LayerNorm(int(sizes["hidden_size"]))
        self.project = nn.Linear(int(sizes["hidden_size"]), config.width)
        self.place = nn.Parameter(torch.randn(self.tokens, config.width) * 0.02)

    def take(self, pretrained: VisionModel) -> None:
        """Take over the weights of a pretrained model, and the colours that it expects."""
        self.model.load_state_dict(dict(pretrained.weights))
        self.mean.copy_(torch.tensor(pretrained.mean).view(3, 1, 1))
        self.deviation.copy_(torch.tensor(pretrained.deviation).view(3, 1, 1))

    def train(self, mode: bool = True) -> FrozenVisionEncoder:
        """Set the mode of what is learned; the pretrained model is always evaluated."""
        super().train(mode)
        self.model.eval()
        return self

    def forward(self, image: Tensor) -> Tensor:
        pixels = image.permute(0, 3, 1, 2).to(self.place.dtype) / 255.0
        pixels = F.interpolate(pixels, size=self.size, mode="bilinear", align_corners=False)
        features = patch_tokens(self.model, (pixels - self.mean) / self.deviation, self.tokens)
        return self.project(self.norm(features)) + self.place
