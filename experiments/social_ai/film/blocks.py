"""Maps of what is seen, scaled and shifted by what was read (FiLM; Perez et al., 2018), as in BabyAI's agents.

Kovač et al., 2024, "The SocialAI school", section 5: a bag of words over the cells' symbols, two convolutions, two
FiLM blocks with a skip each, and the maximum over the map.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from agents.config import AgentConfig
from worlds.spaces.observation import Grid, Image

GROUPS = 8  # of channels that are normalised together


def film(x: Tensor, scale: Tensor, shift: Tensor) -> Tensor:
    """Return feature-wise scaled and shifted maps (Perez et al., 2018, Eq. 2): [N, C, H, W].

    Args:
      x: [N, C, H, W].
      scale: [N, C], factor of every channel.
      shift: [N, C], added to every channel.
    """
    return x * scale[..., None, None] + shift[..., None, None]


def normalised_rows(weight: Tensor) -> Tensor:
    """Return a matrix [M, N] of which every row has the length 1, as the paper's layers begin."""
    return weight / weight.norm(dim=1, keepdim=True)


def row_normalised(layer: nn.Linear) -> nn.Linear:
    """Return ``layer`` with normal weights whose rows have the length 1, and no bias, in place."""
    with torch.no_grad():
        layer.weight.copy_(normalised_rows(torch.randn_like(layer.weight)))
        if layer.bias is not None:
            layer.bias.zero_()
    return layer


class FilmBlock(nn.Module):
    """A block of convolutions whose result is scaled and shifted by the words, with a skip.

    The paper normalises over a batch. Here the channels of one frame are normalised in groups (Wu and He, 2018, "Group
    normalization"): statistics of a batch would make a frame's features depend on other trajectories.
    """

    def __init__(self, words: int, width: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(width, width, 3, padding=1)
        self.norm_first = nn.GroupNorm(min(GROUPS, width), width)
        self.second = nn.Conv2d(width, width, 3, padding=1)
        self.scale = row_normalised(nn.Linear(words, width))
        self.shift = row_normalised(nn.Linear(words, width))
        self.norm_second = nn.GroupNorm(min(GROUPS, width), width)

    def forward(self, x: Tensor, words: Tensor) -> Tensor:
        """Return the map after the block: [N, width, H, W].

        Args:
          x: [N, width, H, W].
          words: [N, words].
        """
        inner = self.second(F.relu(self.norm_first(self.first(x))))
        return x + F.relu(self.norm_second(film(inner, self.scale(words), self.shift(words))))


class SymbolMap(nn.Module):
    """A map of categories to a map of features: the sum of an embedding for each channel (a bag of words).

    The reference numbers the categories of all channels by value + 255 x channel, so the largest of one channel is the
    first of the next; here every channel has its own.
    """

    offsets: Tensor

    def __init__(self, grid: Grid, width: int) -> None:
        super().__init__()
        counts = np.array(grid.categories)
        self.register_buffer("offsets", torch.tensor((counts.cumsum() - counts).tolist()))
        self.symbols = nn.Embedding(int(counts.sum()), width)

    def forward(self, grid: Tensor) -> Tensor:
        """Return [N, width, height, width of the map] for int16 [N, height, width of the map, channels]."""
        index = (grid.long() + self.offsets).flatten(0, 2)
        summed = F.embedding_bag(index, self.symbols.weight, mode="sum")
        return summed.view(*grid.shape[:3], -1).permute(0, 3, 1, 2)


class PictureMap(nn.Module):
    """A picture to a map of features: patches, then halvings, as in the built-in image encoder."""

    def __init__(self, config: AgentConfig, image: Image) -> None:
        super().__init__()
        channels, layers = image.channels, list[nn.Module]()
        for stage, stride in enumerate(config.vision_strides):
            kernel, padding = (stride, 0) if stage == 0 else (3, 1)
            layers += [nn.Conv2d(channels, config.width, kernel, stride, padding), nn.ReLU()]
            channels = config.width
        self.body = nn.Sequential(*layers)

    def forward(self, image: Tensor) -> Tensor:
        """Return [N, width, H, W] for uint8 [N, height, width of the picture, channels]."""
        return self.body(image.permute(0, 3, 1, 2).float() / 127.5 - 1.0)


class Stem(nn.Module):
    """A map or picture as features before any words are met: two normalised convolutions over its embedding."""

    def __init__(self, embed: SymbolMap | PictureMap, width: int) -> None:
        super().__init__()
        self.embed = embed
        self.body = nn.Sequential()
        for _ in range(2):
            self.body.append(nn.Conv2d(width, width, 3, padding=1))
            self.body.append(nn.GroupNorm(min(GROUPS, width), width))
            self.body.append(nn.ReLU())

    def forward(self, seen: Tensor) -> Tensor:
        """Return [N, width, H, W]."""
        return self.body(self.embed(seen))
