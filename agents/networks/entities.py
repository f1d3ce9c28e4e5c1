"""The encoder of sets of things, and of vectors of numbers."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from agents.config import AgentConfig
from worlds.spaces.observation import Entities

_POINTS = 4  # inducing points, through which entities relate


class EntityEncoder(nn.Module):
    """Sets of entities to tokens [N, E, width], whose order does not matter.

    An entity's token is the sum of embeddings of its categories, of its numbers, and of its coordinates relative to
    the middle of all entities. Then each relates to the others through a few inducing points, which costs E and not E
    squared (Lee et al., 2019, "Set Transformer", section 3.1).
    """

    offsets: Tensor
    position: Tensor

    def __init__(self, config: AgentConfig, entities: Entities) -> None:
        super().__init__()
        width = config.width
        counts = entities.counts
        # Saved with the weights: `from_pretrained` does not compute buffers again.
        offsets = torch.tensor((counts.cumsum() - counts).tolist(), dtype=torch.long)
        self.register_buffer("offsets", offsets)
        coordinates = [entities.real.index(name) for name in entities.position]
        self.register_buffer("position", torch.tensor(coordinates, dtype=torch.long))
        self.categories = nn.Embedding(max(1, int(counts.sum())), width)
        nn.init.normal_(self.categories.weight, std=0.1)
        self.values = nn.Linear(max(1, len(entities.real) + len(coordinates)), width)
        self.norm = nn.LayerNorm(width)
        self.points = nn.Parameter(torch.randn(_POINTS, width) * 0.02)
        self.gather = nn.Linear(width, 2 * width)  # keys and values of entities, read by the points
        self.ask = nn.Linear(width, width)  # queries of entities
        self.spread = nn.Linear(width, 2 * width)  # keys and values of points, read by entities
        self.norm_mlp = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 2 * width), nn.ReLU(), nn.Linear(2 * width, width))

    def forward(self, categories: Tensor, values: Tensor, present: Tensor) -> Tensor:
        """Return the entities' tokens; those of absent ones are arbitrary, but finite.

        Args:
          categories: int16 [N, E, categorical features].
          values: float32 [N, E, real features].
          present: bool [N, E], rows that are entities.
        """
        tokens = self.values(self._numbers(values, present))
        if categories.shape[-1]:
            index = (categories.long() + self.offsets).flatten(0, 1)
            tokens = tokens + F.embedding_bag(index, self.categories.weight, mode="sum").view_as(tokens)
        normed = self.norm(tokens)
        seen = present.unsqueeze(1) | ~present.any(1)[:, None, None]  # of no entities, all rows: zeros, no NaN
        key, value = self.gather(normed).chunk(2, dim=-1)
        points = self.points + _attend(self.points.expand(len(tokens), -1, -1), key, value, seen)
        key, value = self.spread(points).chunk(2, dim=-1)
        tokens = tokens + _attend(self.ask(normed), key, value)
        return tokens + self.mlp(self.norm_mlp(tokens))

    def _numbers(self, values: Tensor, present: Tensor) -> Tensor:
        """Features [N, E, F]: squeezed numbers, and coordinates relative to the middle of all entities."""
        if not values.shape[-1]:
            return values.new_zeros(*values.shape[:-1], 1)
        numbers = symlog(values)
        if not len(self.position):
            return numbers
        place = values.index_select(-1, self.position)
        there = present.unsqueeze(-1).to(place.dtype)
        middle = (place * there).sum(1, keepdim=True) / there.sum(1, keepdim=True).clamp_min(1.0)
        return torch.cat([numbers, symlog(place - middle)], dim=-1)


class VectorEncoder(nn.Module):
    """Vectors float32 [N, length] to one token each, [N, 1, width]."""

    def __init__(self, config: AgentConfig, length: int) -> None:
        super().__init__()
        width = config.width
        self.hidden = nn.Linear(length, 2 * width)
        self.token = nn.Linear(2 * width, width)

    def forward(self, vector: Tensor) -> Tensor:
        return self.token(F.relu(self.hidden(symlog(vector)))).unsqueeze(1)


def symlog(x: Tensor) -> Tensor:
    """Return sign(x) log(1 + |x|), which keeps small numbers and squeezes large ones (Hafner et al., 2023, Eq. 9)."""
    return x.sign() * x.abs().log1p()


def _attend(query: Tensor, key: Tensor, value: Tensor, seen: Tensor | None = None) -> Tensor:
    """Attention of one head: [N, Q, width] from [N, K, width] each; ``seen`` bool [N, 1, K]."""
    mask = None if seen is None else seen.unsqueeze(1)
    return F.scaled_dot_product_attention(*(x.unsqueeze(1) for x in (query, key, value)), attn_mask=mask).squeeze(1)
