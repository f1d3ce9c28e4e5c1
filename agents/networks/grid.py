"""The encoder of maps of cells: embeddings by channel, then convolutions.

As in Chevalier-Boisvert et al., 2019, "BabyAI".
"""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from agents.columns import grid_sides, halvings
from agents.config import AgentConfig
from agents.networks.checkpointed_layers import CheckpointedLayers
from agents.networks.vision import ResidualBlock
from worlds.spaces.observation import Grid


class GridEncoder(CheckpointedLayers):
    """Maps int16 [N, height, width, channels] to tokens [N, K, width] that know their place in the map.

    A cell's embedding is the sum of its channels' embeddings.
    """

    offsets: Tensor

    def __init__(self, config: AgentConfig, grid: Grid) -> None:
        super().__init__()
        channels = config.vision_channels[0]
        counts = np.array(grid.categories)
        # Saved with the weights: `from_pretrained` does not compute buffers again.
        self.register_buffer("offsets", torch.tensor((counts.cumsum() - counts).tolist()))
        self.cells = nn.Embedding(int(counts.sum()), channels)
        nn.init.normal_(self.cells.weight)
        layers = list[nn.Module]()
        for _ in range(halvings(grid)):
            layers += [nn.Conv2d(channels, channels, 3, 2, 1), ResidualBlock(channels)]
        layers += [nn.Conv2d(channels, channels, 3, 1, 1), ResidualBlock(channels)]
        self.body = nn.Sequential(*layers)
        self.tokens = math.prod(grid_sides(grid))
        self.project = nn.Linear(channels, config.width)
        self.place = nn.Parameter(torch.randn(self.tokens, config.width) * 0.02)

    def forward(self, grid: Tensor) -> Tensor:
        index = (grid.long() + self.offsets).flatten(0, 2)
        x = F.embedding_bag(index, self.cells.weight, mode="sum").view(*grid.shape[:3], -1)
        x = x.permute(0, 3, 1, 2)  # already channels-last in memory
        for layer in self.body:
            x = self.run(layer, x) if isinstance(layer, ResidualBlock) else layer(x)
        return self.project(F.relu(x).flatten(2).transpose(1, 2)) + self.place
